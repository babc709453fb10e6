"""Our own share of a turn: from receive to send, without the model's time and without the quiet of a burst."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path

from sqlalchemy import event

from bot.store.store import Store
from tests.bench.rig import Stamps, running_app
from tests.bench.table import Figure, Table
from tests.bench.talk import SAID

WARM_UP = 30
"""Turns before the measured ones: the talk's memory of 20 sides is full by then."""
TURNS = 300
BETWEEN_S = 0.02
"""Pause between two turns: what follows a send (noting it, letting the lane go) is not the next turn's."""


def measure() -> list[Table]:
    return [asyncio.run(_measure(Path("turn")))]


async def _measure(folder: Path) -> Table:
    async with running_app(folder) as (app, messenger):
        for _ in range(WARM_UP):
            await messenger.say("anna", SAID)
            await asyncio.sleep(BETWEEN_S)
        counts = count_statements(app.store)
        cpu_s, turns = time.process_time(), []
        for _ in range(TURNS):
            turns.append(await messenger.say("anna", SAID))
            await asyncio.sleep(BETWEEN_S)
        cpu_ms = (time.process_time() - cpu_s) / TURNS * 1e3
    return Table("Our own share of a turn", (*_times(turns), *_counted(counts, cpu_ms)), _NOTE)


_NOTE = (
    f"{TURNS} turns of one user with a full working memory, one after the other; SQLite with synchronous=FULL, "
    "words sealed. The messenger and the model are in this process and take no time. A durable commit waits "
    "for the disk, a soft one does not (leases); the counts hold the whole turn, what follows the send too."
)


def _times(turns: list[Stamps]) -> list[Figure]:
    def spans(begin: str, end: str) -> list[float]:
        return [(getattr(turn, end) - getattr(turn, begin)) * 1e3 for turn in turns]

    ours = [turn.ours_ms for turn in turns]
    slowest = f"max {max(ours):.0f}, aim 15 / 40"
    return [
        Figure.of("receive to send", ours, "ms", "30 / 80", slowest),
        Figure.of("... until the message is safe", spans("received", "written"), "ms"),
        Figure.of("... until the model is asked", spans("written", "asked"), "ms"),
        Figure.of("... from her last word to the send", spans("spoken", "sent"), "ms"),
    ]


def _counted(counts: Counter[str], cpu_ms: float) -> list[Figure]:
    each = {name: count / TURNS for name, count in counts.items()}
    beside = "the whole turn, all threads"
    return [
        Figure("CPU of a turn", cpu_ms, None, "ms", "", beside),
        Figure("durable commits", each.get("durable", 0), None, "a turn"),
        Figure("soft commits", each.get("soft", 0), None, "a turn"),
        Figure("reading transactions", each.get("reading", 0), None, "a turn"),
        Figure("statements", each.get("statements", 0), None, "a turn"),
    ]


def count_statements(store: Store) -> Counter[str]:
    """Count from now on what the store does: statements, and transactions by their kind."""
    counts: Counter[str] = Counter()

    def statement(*_: object) -> None:
        counts["statements"] += 1

    def wrote(connection: object) -> None:
        counts["soft" if "otomo_soft" in connection.get_execution_options() else "durable"] += 1  # type: ignore[attr-defined]

    def read(_: object) -> None:
        counts["reading"] += 1

    for engine, ended in ((store._writer, wrote), (store._reader, read)):
        event.listen(engine.sync_engine, "before_cursor_execute", statement)
        event.listen(engine.sync_engine, "commit", ended)
    return counts
