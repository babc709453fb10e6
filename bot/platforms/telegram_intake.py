"""Takes Telegram's updates in order and confirms each only after it has been written down for good.

The library's own updater confirms what it has put into a queue, loses a batch whose queue fails, and ends
without a word when the token is revoked. So the loop is ours: the offset moves behind an update when `take`
has returned, and never before.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol
from urllib.parse import urlencode, urlsplit

from aiohttp import web
from telegram import Bot, Update
from telegram.error import NetworkError, TelegramError

from bot.errors import OtomoError, PlatformDown
from bot.platforms.telegram_patience import Patience
from bot.platforms.telegram_settings import TelegramSettings

Take = Callable[[Update], Awaitable[None]]

ALLOWED_UPDATES: Final = ("message", "edited_message", "callback_query", "message_reaction", "my_chat_member")
_SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"
_LARGEST_UPDATE_BYTES: Final = 1 << 20
_CONFIRM_S: Final = 3.0

_log = logging.getLogger(__name__)


class Intake(Protocol):
    """One way to get updates."""

    async def run(self) -> None:
        """Take updates until `stop`; raises PlatformDown when that is over for good."""

    async def stop(self) -> None:
        """Take no more; an update that is being written down is finished first."""


class Polling:
    """Asks for updates (getUpdates)."""

    def __init__(self, bot: Bot, take: Take, patience: Patience, settings: TelegramSettings) -> None:
        self._bot, self._take, self._patience, self._settings = bot, take, patience, settings
        self._offset = 0

    async def run(self) -> None:
        """See Intake.run."""
        await self._patience.until_done(self._bot.delete_webhook)
        while not self._patience.stopping.is_set():
            for raw in await self._patience.attempt(self._wait_for_news) or ():
                if self._patience.stopping.is_set() or not await self._taken(raw):
                    break
        await self._confirm()

    async def stop(self) -> None:
        """See Intake.stop."""
        self._patience.stopping.set()

    async def _taken(self, raw: dict[str, Any]) -> bool:
        """Take one update and move the offset behind it; False when it has to come again."""
        update = _read(raw, self._bot)
        try:
            if update is not None:
                await self._take(update)
        except OtomoError as error:
            await self._patience.could_not_take(error)
            return False
        self._offset = raw["update_id"] + 1
        return True

    async def _wait_for_news(self) -> list[dict[str, Any]]:
        return await self._ask(self._settings.poll_s)

    async def _ask(self, timeout_s: int) -> list[dict[str, Any]]:
        """Ask for the updates behind the offset, unparsed: one that cannot be read must not hide the others."""
        wanted = {"timeout": timeout_s, "allowed_updates": json.dumps(ALLOWED_UPDATES)}
        if self._offset:
            wanted["offset"] = self._offset
        answer = await self._bot.request.post(
            f"{self._bot.base_url}/getUpdates?{urlencode(wanted)}",
            read_timeout=timeout_s + self._settings.answer_s,
        )
        if not isinstance(answer, list):
            raise NetworkError("Telegram's answer to getUpdates is no list")
        return answer

    async def _confirm(self) -> None:
        """Tell Telegram what has been taken, so that it does not come again at the next start."""
        if not self._offset:
            return
        try:
            async with asyncio.timeout(_CONFIRM_S):
                await self._ask(0)
        except (TelegramError, TimeoutError) as error:
            _log.info("the last updates could not be confirmed: %s", type(error).__name__)


class Webhook:
    """Lets Telegram post updates to us (setWebhook), one at a time and with a secret."""

    def __init__(self, bot: Bot, take: Take, patience: Patience, settings: TelegramSettings) -> None:
        self._bot, self._take, self._patience, self._settings = bot, take, patience, settings
        self._one_at_a_time = asyncio.Lock()
        self._runner: web.AppRunner | None = None

    async def run(self) -> None:
        """See Intake.run."""
        await self._listen()
        await self._patience.until_done(self._announce)
        await self._patience.stopping.wait()

    async def stop(self) -> None:
        """See Intake.stop."""
        self._patience.stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _listen(self) -> None:
        settings = self._settings
        app = web.Application(client_max_size=_LARGEST_UPDATE_BYTES)
        app.router.add_post(urlsplit(settings.webhook_url).path or "/", self._posted)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, settings.webhook_host, settings.webhook_port).start()
        except OSError as error:
            where = f"{settings.webhook_host}:{settings.webhook_port}"
            raise PlatformDown(f"cannot listen for Telegram on {where}: {error.strerror}") from None

    async def _announce(self) -> bool:
        return await self._bot.set_webhook(
            self._settings.webhook_url,
            allowed_updates=ALLOWED_UPDATES,
            # One connection keeps the order of the updates.
            max_connections=1,
            secret_token=self._settings.webhook_secret.get_secret_value(),
        )

    async def _posted(self, request: web.Request) -> web.Response:
        secret = self._settings.webhook_secret.get_secret_value()
        if not hmac.compare_digest(request.headers.get(_SECRET_HEADER, "").encode(), secret.encode()):
            return web.Response(status=403)
        try:
            update = _read(json.loads(await request.read()), self._bot)
        except ValueError:
            return web.Response(status=400)
        if update is None:
            return web.Response()
        async with self._one_at_a_time:
            try:
                await self._take(update)
            except OtomoError as error:
                _log.error("an update could not be stored, Telegram will bring it again: %s", error)
                return web.Response(status=503)
        return web.Response()


def _read(raw: dict[str, Any], bot: Bot) -> Update | None:
    """Parse an update; None for one that the library cannot read and that would come back for ever."""
    try:
        return Update.de_json(raw, bot)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        _log.error("an update from Telegram cannot be read (%s)", type(error).__name__)
        return None
