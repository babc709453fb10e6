"""Lanes: every change of a character happens in its user's lane, one turn after the other.

A lane is a lease in the user row, measured by the database's clock and renewed while the model
thinks. The same code serves one process on SQLite and many on PostgreSQL. Starting after a crash is
the same as starting: an unfinished turn is work like any other.
"""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.errors import Fenced, StoreBusy, StoreError
from bot.logs import trace_of
from bot.store import leases
from bot.store.leases import PACE, Pace, Platforms
from bot.store.store import Store
from bot.store.turns import fail

Handler = Callable[[int], Awaitable[None]]
"""Runs a turn of one user, or several, if `bot.store.turns.load` gives one."""

MAX_ATTEMPTS: Final = 3
_RETRY_S: Final = (1.0, 4.0)
"""How long a user rests after the first and the second failed attempt."""
_UNFINISHED_REST_S: Final = 1.0
_FENCED_REST_S: Final = 0.05
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """How many lanes, and how they keep time (seconds).

    `lease_s` is how long a dead process blocks its users on PostgreSQL; it is renewed every
    `renew_s`. `look_s` is the slow look at the tables, for what no bell has told.
    """

    pace: Pace = PACE
    at_once: int = 50
    lease_s: float = 60.0
    renew_s: float = 20.0
    look_s: float = 1.0


class Lanes:
    """The one dispatcher of a process: it claims users with work and runs each in a task of its own."""

    def __init__(
        self, store: Store, settings: LaneSettings = LaneSettings(), platforms: Platforms = None
    ) -> None:
        """Take the store, the pace, and the platforms whose users are served (None: all)."""
        self._store = store
        self._platforms = platforms
        self._settings = settings
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._running: dict[asyncio.Task[None], int] = {}
        self._draining = False

    def wake(self) -> None:
        """Look at the tables now."""
        self._store.lane_bell.set()

    async def run(self, handler: Handler, gave_up: Handler) -> None:
        """Run lanes until `drain` has been called.

        Args:
            handler: Runs a turn of one user; for what is ripe then it is called again. When the model is
                away it calls `bot.store.leases.rest` and returns: the turn is kept and no attempt is counted.
            gave_up: Called after three failed attempts, to write an apology with `bot.store.turns.fail`.
                The turn is failed afterwards in any case, and the lane goes on.
        """
        async with asyncio.TaskGroup() as tasks:
            keeper = tasks.create_task(self._keep_leases())
            await self._dispatch(tasks, handler, gave_up)
            if self._running:
                await asyncio.wait(self._running)
            keeper.cancel()

    async def drain(self, timeout_s: float) -> None:
        """Start no more turns, and give the running ones `timeout_s` to end before they are cancelled.

        A cancelled turn is found again at the next start.
        """
        self._draining = True
        self.wake()
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=timeout_s)
        for lane in late:
            lane.cancel()
        if late:
            _log.info("%d turns were cut off and will be taken up at the next start", len(late))
            await asyncio.wait(late)

    async def _dispatch(self, tasks: asyncio.TaskGroup, handler: Handler, gave_up: Handler) -> None:
        while not self._draining:
            self._store.lane_bell.clear()
            for user_id in await self._claim():
                lane = tasks.create_task(self._lane(user_id, handler, gave_up))
                self._running[lane] = user_id
                lane.add_done_callback(self._ended)
            await ring_or_timeout(self._store.lane_bell, await self._quiet_s())

    async def _claim(self) -> list[int]:
        settings = self._settings
        free = settings.at_once - len(self._running)
        if free <= 0:
            return []
        try:
            return await leases.claim(
                self._store, self._owner, settings.lease_s, settings.pace, free, self._platforms
            )
        except StoreError as error:
            _log.error("lanes cannot look for work: %s", error)
            return []

    async def _quiet_s(self) -> float:
        """Return how long there is nothing to do unless a bell rings, in seconds."""
        settings = self._settings
        if len(self._running) >= settings.at_once:
            return settings.look_s
        try:
            ripe_in_s = await leases.next_in_s(self._store, settings.pace, self._platforms)
        except StoreError:
            ripe_in_s = None
        # A millisecond more, because SQLite's clock counts in milliseconds.
        return settings.look_s if ripe_in_s is None else min(settings.look_s, ripe_in_s + 0.001)

    def _ended(self, lane: asyncio.Task[None]) -> None:
        del self._running[lane]
        self.wake()

    async def _lane(self, user_id: int, handler: Handler, gave_up: Handler) -> None:
        rest_s = 0.0
        try:
            error = await _attempt(handler, user_id)
            if error is not None:
                rest_s = await self._after(user_id, error, gave_up)
        finally:
            await self._let_go(user_id, rest_s)

    async def _let_go(self, user_id: int, rest_s: float) -> None:
        try:
            await leases.release(self._store, user_id, self._owner, rest_s, _UNFINISHED_REST_S)
        except StoreError as error:
            _log.error("user %d: the lane stays taken until its lease ends (%s)", user_id, error)

    async def _after(self, user_id: int, error: Exception, gave_up: Handler) -> float:
        """Deal with what ended a lane early. Returns how long the user rests, in seconds."""
        if isinstance(error, Fenced):
            _log.info("user %d: %s; loading again", user_id, error)
            return _FENCED_REST_S
        if isinstance(error, StoreBusy):
            _log.error("user %d: %s; trying again", user_id, error)
            return _UNFINISHED_REST_S
        try:
            return await self._count(user_id, error, gave_up)
        except StoreError as trouble:
            _log.error("user %d: a failed attempt could not be counted: %s", user_id, trouble)
            return _RETRY_S[-1]

    async def _count(self, user_id: int, error: Exception, gave_up: Handler) -> float:
        """Count a failed attempt; after the third apologise, and give the turn up."""
        turn_id, attempts = await leases.count_attempt(self._store, user_id) or (0, 0)
        _log.error("user %d, turn %d, attempt %d failed\n%s", user_id, turn_id, attempts, trace_of(error))
        if attempts < MAX_ATTEMPTS:
            return _RETRY_S[min(attempts, len(_RETRY_S)) - 1]
        trouble = await _attempt(gave_up, user_id)
        if trouble is not None:
            _log.error("user %d, turn %d: no apology\n%s", user_id, turn_id, trace_of(trouble))
        await fail(self._store, turn_id, [])
        return 0.0

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._settings.renew_s)
            held = set(self._running.values())
            try:
                await leases.renew(self._store, self._owner, held, self._settings.lease_s)
            except StoreError as error:
                _log.error("leases could not be renewed: %s", error)


async def ring_or_timeout(bell: asyncio.Event, seconds: float) -> None:
    """Wait for a bell, but no longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            await bell.wait()
    except TimeoutError:
        pass


async def _attempt(work: Handler, user_id: int) -> Exception | None:
    try:
        await work(user_id)
    except Exception as error:  # noqa: BLE001 - the outermost loop: whatever a turn does, the lane goes on
        return error
    return None
