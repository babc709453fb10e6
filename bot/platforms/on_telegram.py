"""Otomo on Telegram, by python-telegram-bot's Bot: private chats, and groups where she is addressed.

What comes in is translated (`telegram_incoming`) and handed to `accept` before Telegram hears that it has
arrived (`telegram_intake`). What goes out is sent by `telegram_sending`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Coroutine
from typing import Any, Final

from telegram import Bot, CallbackQuery, Update, User
from telegram.error import BadRequest, InvalidToken, TelegramError
from telegram.request import HTTPXRequest

from bot.errors import FileError, FileTooLarge, PlatformDown
from bot.platforms.telegram_errors import WRONG_TOKEN, outline
from bot.platforms.telegram_files import fetch_file
from bot.platforms.telegram_incoming import incoming_of
from bot.platforms.telegram_intake import Intake, Polling, Webhook
from bot.platforms.telegram_menu import announce_menu, menu_of
from bot.platforms.telegram_patience import Patience
from bot.platforms.telegram_sending import Sender
from bot.platforms.telegram_settings import NAME, TELEGRAM_LIMITS, TelegramSettings
from bot.ports import Accept, Activity, CommandSpec, Receipt, Send
from engine.conversation import Address

__all__ = ["OnTelegram", "TelegramSettings"]

_CONNECTIONS: Final = 64
_CONNECT_S: Final = 10.0
_START_S: Final = 5.0
"""After this long without an answer, start goes on without Telegram, which is asked again and again."""

_log = logging.getLogger(__name__)


class OnTelegram:
    """The Telegram platform (see bot.ports.Platform).

    Without a network `start` returns all the same, and the connection is made when it can be made.

    Args:
        settings: Token, addresses and patience.
        commands: What the menu shows.
    """

    name = NAME
    limits = TELEGRAM_LIMITS

    def __init__(self, settings: TelegramSettings, commands: tuple[CommandSpec, ...] = ()) -> None:
        _quiet_library_logs()
        # The library opts into durations as timedelta by this variable, and warns at each one without it.
        os.environ.setdefault("PTB_TIMEDELTA", "true")
        self._settings = settings
        self._menu = menu_of(commands)
        self._command_names = frozenset(command.command for command in self._menu)
        self._patience = Patience(settings)
        self._bot: Bot | None = None
        self._me: User | None = None
        self._sender: Sender | None = None
        self._intake: Intake | None = None
        self._accept: Accept | None = None
        self._main: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[None]] = set()

    async def start(self, accept: Accept) -> None:
        """Connect and begin to take updates.

        Raises:
            PlatformDown: Telegram refuses the token, or the settings cannot work.
        """
        self._accept = accept
        self._bot = _make_bot(self._settings)
        self._sender = Sender(self._bot)
        kind = Webhook if self._settings.mode == "webhook" else Polling
        self._intake = kind(self._bot, self._take, self._patience, self._settings)
        connected = False
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_START_S):
                connected = await self._patience.attempt(self._connect) is not None
        self._main = asyncio.create_task(self._run(connected), name=f"{NAME} intake")

    async def ended(self) -> None:
        """Wait for the end; raises PlatformDown with the reason if nobody asked for it."""
        if self._main is None:
            return
        await asyncio.wait([self._main])
        if self._main.cancelled() or (error := self._main.exception()) is None:
            return
        if isinstance(error, PlatformDown):
            raise error
        raise PlatformDown(f"Telegram's intake has ended: {type(error).__name__}") from error

    async def quiesce(self) -> None:
        """Take no more updates; what was being written down is finished and confirmed."""
        if self._intake is not None:
            await self._intake.stop()
        if self._main is not None:
            await asyncio.wait([self._main])

    async def close(self) -> None:
        """Give back all connections and tasks."""
        await self.quiesce()
        if self._errands:
            await asyncio.wait(self._errands, timeout=self._settings.answer_s)
        for errand in self._errands:
            errand.cancel()
        if self._bot is not None:
            await self._bot.shutdown()
            self._bot = self._sender = self._intake = None

    async def send(self, send: Send) -> Receipt:
        """Deliver one message; see Sender.send for the errors."""
        if self._sender is None:
            raise PlatformDown("Telegram is not running")
        return await self._sender.send(send)

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show what she is doing."""
        if self._sender is None:
            return
        try:
            await self._sender.activity(address, kind)
        except TelegramError as error:
            _log.debug("an activity was not shown (%s)", type(error).__name__)

    async def download(self, reference: str, max_bytes: int) -> bytes:
        """Fetch a user's file by its file_id; see bot.ports.Platform for the errors."""
        if self._bot is None:
            raise FileError("Telegram is not running")
        try:
            async with asyncio.timeout(self._settings.upload_s):
                file = await self._bot.get_file(reference)
                path = file.file_path or ""
                # A Bot API server in its local mode names paths of its own disk.
                if not path.startswith(self._settings.base_file_url):
                    raise FileError("Telegram names no address for the file")
                return await fetch_file(path, max_bytes, self._settings.answer_s)
        except BadRequest as error:
            kind = FileTooLarge if "too big" in error.message.lower() else FileError
            raise kind(outline(error)) from None
        except TelegramError as error:
            raise FileError(outline(error)) from None
        except TimeoutError:
            raise FileError("Telegram's file takes too long") from None

    async def _connect(self) -> User:
        assert self._bot is not None
        await self._bot.initialize()
        self._me = self._bot.bot
        _log.info("on Telegram as @%s", self._me.username)
        return self._me

    async def _run(self, connected: bool) -> None:
        assert self._bot is not None
        assert self._intake is not None
        if not connected and await self._patience.until_done(self._connect) is None:
            return
        if self._menu:
            self._start_errand(announce_menu(self._bot, self._menu))
        await self._intake.run()

    async def _take(self, update: Update) -> None:
        """Write an update down before it is confirmed, and answer a press, which waits for it visibly."""
        assert self._me is not None
        assert self._accept is not None
        if update.callback_query is not None:
            self._start_errand(_acknowledge(update.callback_query))
        if update.my_chat_member is not None:
            _log.info(
                "an account has changed its membership: %s", update.my_chat_member.new_chat_member.status
            )
        incoming = incoming_of(update, self._me, self._command_names)
        if incoming is not None:
            await self._accept(incoming)

    def _start_errand(self, work: Coroutine[Any, Any, None]) -> None:
        errand = asyncio.create_task(work, name=f"{NAME} errand")
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)


async def _acknowledge(press: CallbackQuery) -> None:
    """Stop the spinner on a pressed button."""
    try:
        await press.answer()
    except TelegramError as error:
        _log.debug("a press was not acknowledged (%s)", type(error).__name__)


def _make_bot(settings: TelegramSettings) -> Bot:
    """Make the library's bot.

    Raises:
        PlatformDown: A setting cannot work.
    """
    if settings.mode == "webhook" and not (
        settings.webhook_url and settings.webhook_secret.get_secret_value()
    ):
        raise PlatformDown("Telegram's webhook needs an address and a secret of its own")
    try:
        return Bot(
            settings.token.get_secret_value(),
            base_url=settings.base_url,
            base_file_url=settings.base_file_url,
            request=_requests(settings),
        )
    except InvalidToken:
        raise PlatformDown(WRONG_TOKEN) from None


def _requests(settings: TelegramSettings) -> HTTPXRequest:
    return HTTPXRequest(
        connection_pool_size=_CONNECTIONS,
        connect_timeout=_CONNECT_S,
        read_timeout=settings.answer_s,
        write_timeout=settings.answer_s,
        media_write_timeout=settings.upload_s,
        pool_timeout=settings.answer_s,
    )


class _OnlyAbove(logging.Filter):
    """Lets nothing below a level pass, whatever level somebody gives the logger later."""

    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= self._level


_QUIET: Final = {
    "httpx": _OnlyAbove(logging.WARNING),
    "httpcore": _OnlyAbove(logging.WARNING),
    "telegram": _OnlyAbove(logging.CRITICAL),
}


def _quiet_library_logs() -> None:
    """Keep addresses with the token, and people's words, out of the logs.

    The HTTP library logs every address at INFO. The bot library logs addresses and parameters at DEBUG and
    whole answers at ERROR; its errors reach us as exceptions anyway. A filter holds for one logger only,
    so each of the libraries' loggers gets it.
    """
    for name in (*_QUIET, *logging.root.manager.loggerDict):
        quiet = _QUIET.get(name.partition(".")[0])
        if quiet is not None:
            logging.getLogger(name).addFilter(quiet)
