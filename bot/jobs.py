"""APScheduler's part: interval ticks in memory. Our tables are the truth; a tick only looks at them.

Every tick is idempotent, so each process of several may run them all.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.logs import trace_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tick:
    """Something that is looked after every so many seconds."""

    name: str
    every_s: float
    work: Callable[[], Awaitable[None]]


class Jobs:
    """Runs ticks; a tick that is late runs once, however late, and never beside itself."""

    def __init__(self, ticks: Sequence[Tick]) -> None:
        """Take the ticks; nothing runs before `start`."""
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        for tick in ticks:
            self._scheduler.add_job(_run, "interval", seconds=tick.every_s, args=[tick], id=tick.name)

    def start(self) -> None:
        """Begin to tick."""
        self._scheduler.start()

    def stop(self) -> None:
        """Tick no more."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)


async def _run(tick: Tick) -> None:
    try:
        await tick.work()
    except Exception as error:  # noqa: BLE001 - the other outermost loop: a failed tick must not end the others
        log.error("tick %s failed\n%s", tick.name, trace_of(error))
