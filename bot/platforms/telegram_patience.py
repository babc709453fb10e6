"""Tries a call to Telegram again and again while the network or Telegram is down, and knows when to give up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from telegram.error import Conflict, TelegramError, TimedOut

from bot.errors import OtomoError, PlatformDown
from bot.platforms.telegram_errors import SECOND_POLLER, outline, platform_error, wait_s
from bot.platforms.telegram_settings import TelegramSettings

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


class Patience:
    """Counts failures in a row, logs the first of them and waits longer each time.

    `stopping` ends every wait.
    """

    def __init__(self, settings: TelegramSettings) -> None:
        self.stopping = asyncio.Event()
        self._settings = settings
        self._failures = 0
        self._conflicts = 0

    async def attempt(self, call: Callable[[], Awaitable[Result]]) -> Result | None:
        """Make a call once; on a failure wait as long as is due and return None, as when `stopping`.

        Raises:
            PlatformDown: Telegram refuses the token, or another program keeps polling with it.
        """
        try:
            result = await self._unless_stopping(call)
        except TelegramError as error:
            await self._failed(error)
            return None
        if result is not None:
            self._worked()
        return result

    async def until_done(self, call: Callable[[], Awaitable[Result]]) -> Result | None:
        """Make a call until it works, or until `stopping`; the result must not be None."""
        while not self.stopping.is_set():
            result = await self.attempt(call)
            if result is not None:
                return result
        return None

    async def could_not_take(self, error: OtomoError) -> None:
        """Wait because our own side could not write an update down."""
        _log.error("an update could not be stored and is asked for again: %s", error)
        await self.pause(self._next_wait_s())

    async def pause(self, seconds: float) -> None:
        """Wait, but not longer than until `stopping`."""
        try:
            await asyncio.wait_for(self.stopping.wait(), seconds)
        except TimeoutError:
            return

    async def _unless_stopping(self, call: Callable[[], Awaitable[Result]]) -> Result | None:
        """Break a call off when `stopping`; a call that is done already counts."""
        working = asyncio.ensure_future(call())
        stopped = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            working.cancel()
            stopped.cancel()
            await asyncio.gather(working, stopped, return_exceptions=True)

    async def _failed(self, error: TelegramError) -> None:
        if (down := platform_error(error)) is not None:
            raise down from None
        if isinstance(error, Conflict):
            self._conflicts += 1
            if self._conflicts > self._settings.conflicts:
                raise PlatformDown(SECOND_POLLER) from None
        if self._failures == 0:
            _log.warning("Telegram cannot be used now, trying again: %s", outline(error))
        asked_s = wait_s(error)
        # A lost answer has cost its time already: ask again at once, the first time.
        at_once = isinstance(error, TimedOut) and self._failures == 0
        due_s = self._next_wait_s()
        await self.pause(asked_s if asked_s is not None else 0.0 if at_once else due_s)

    def _next_wait_s(self) -> float:
        waits = self._settings.retry_s
        due_s = waits[min(self._failures, len(waits) - 1)]
        self._failures += 1
        return due_s

    def _worked(self) -> None:
        if self._failures:
            _log.info("Telegram can be used again")
        self._failures = self._conflicts = 0
