"""How late the event loop is: the pause that everybody feels while somebody else is being served."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bot.app import App
from engine.character import EMOTIONS, MoodState
from engine.mood_face import face_for
from tests.bench.rig import Messenger, Stamps, running_app
from tests.bench.samples import quantile
from tests.bench.table import Figure, Table
from tests.bench.talk import SAID

EVERY_S = 0.005
IDLE_S = 3.0
USERS = 20
ROUNDS = 6
BAR = "p99 100"


def measure() -> list[Table]:
    return [asyncio.run(_measure(Path("lag").resolve()))]


async def _measure(folder: Path) -> Table:
    async with running_app(folder, faces=True) as (app, messenger):
        await app.portraits.warm()
        await asyncio.gather(*(messenger.say(f"user{number}", SAID) for number in range(USERS)))
        await asyncio.sleep(1.0)
        idle = await _during(lambda: asyncio.sleep(IDLE_S))
        draws: list[float] = []
        drawing = await _during(lambda: _draw_all(app, draws, 40))
        turns: list[Stamps] = []
        began = time.perf_counter()
        talking = await _during(lambda: _all_talk(messenger, turns))
        rate = len(turns) / (time.perf_counter() - began)
        both = await _during(lambda: _both(app, messenger, draws))
    ours = [turn.ours_ms for turn in turns]
    figures = (
        _figure("nothing happens", idle),
        _figure("the child draws faces", drawing),
        _figure(f"turns of {USERS} users at once", talking),
        _figure("both", both),
        Figure.of("a face, drawn", draws, "ms"),
        Figure.of(f"turn, {USERS} users at once", ours, "ms", "", f"{rate:.0f} turns a second"),
    )
    note = "Lag: how much later than asked a timer of 5 ms fires, in ms; the machine's own share is in it."
    return Table("Event loop", figures, note)


def _figure(name: str, lags: list[float]) -> Figure:
    beside = f"p99 {quantile(lags, 0.99):.1f}, max {max(lags):.0f}"
    return Figure.of(name, lags, "ms", BAR, beside)


async def _during(work: Callable[[], Awaitable[None]]) -> list[float]:
    """Return the loop's lags (ms) while `work` runs."""
    async with _lags() as found:
        await work()
    return found


@asynccontextmanager
async def _lags() -> AsyncIterator[list[float]]:
    found: list[float] = []

    async def sample() -> None:
        while True:
            asked = time.perf_counter() + EVERY_S
            await asyncio.sleep(EVERY_S)
            found.append((time.perf_counter() - asked) * 1e3)

    sampler = asyncio.create_task(sample())
    try:
        yield found
    finally:
        sampler.cancel()
        await asyncio.gather(sampler, return_exceptions=True)


async def _draw_all(app: App, took_ms: list[float], first_intensity: int) -> None:
    """Draw every emotion in two strengths; none of them has been drawn before."""
    for intensity in (first_intensity, first_intensity + 30):
        for emotion in EMOTIONS:
            face = face_for(MoodState(emotion, intensity), None, app.portraits.expressions())
            began = time.perf_counter()
            assert await app.portraits.picture(face) is not None
            took_ms.append((time.perf_counter() - began) * 1e3)


async def _all_talk(messenger: Messenger, turns: list[Stamps]) -> None:
    async def talk(who: str) -> None:
        for _ in range(ROUNDS):
            turns.append(await messenger.say(who, SAID))

    await asyncio.gather(*(talk(f"user{number}") for number in range(USERS)))


async def _both(app: App, messenger: Messenger, draws: list[float]) -> None:
    await asyncio.gather(_draw_all(app, draws, 25), _all_talk(messenger, []))
