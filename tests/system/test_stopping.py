"""SIGTERM: what runs is finished, what cannot be finished waits, and the exit code is 0."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.model_server import Answer
from tests.system.stage import NOTICE, hers, stage

IDLE_S = 5.0
SLOW_MACHINE = 3.0
"""A watchdog is that many times its bar."""


async def test_idle(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.bot.start()
        async with asyncio.timeout(IDLE_S * SLOW_MACHINE):
            assert await on.bot.stop() == 0
        assert "Traceback" not in on.bot.output


async def test_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.model.program(Answer(hers("Slowly but surely."), first_pause_s=1.5))
        await on.bot.start()
        on.telegram.say("hi")
        await on.telegram.wait_until(lambda: bool(on.model.requests), 60)
        assert await on.bot.stop() == 0
        assert on.words() == [NOTICE, "Slowly but surely."]
        assert on.telegram.waiting == []
        async with on.book() as book:
            assert await book.turn_states() == ["settled"]


async def test_a_turn_that_takes_too_long_is_taken_up_at_the_next_start(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.model.program(Answer(fault="hang"), hers("Again from the start."))
        await on.bot.start()
        on.telegram.say("hi")
        await on.telegram.wait_until(lambda: bool(on.model.requests), 60)
        assert await on.bot.stop() == 0
        assert on.words() == []
        assert "Traceback" not in on.bot.output
        await on.bot.start()
        await on.heard(NOTICE, "Again from the start.")
        async with on.book() as book:
            assert await book.turn_states() == ["settled"]
