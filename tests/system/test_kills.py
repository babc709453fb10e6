"""Promises 1 to 4 on the whole program: killed 60 times, it loses nothing and does nothing twice.

OTOMO_TEST_KILLS makes the run longer.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.store import tables
from tests.bot_process import ROOT
from tests.model_server import Answer, Request
from tests.system.stage import Book, Stage, hers, stage, until

KILLS = int(os.environ.get("OTOMO_TEST_KILLS", "60"))
MOMENTS = ("start", "thinking", "answered", "sending", "random")
PEOPLE = [
    {"id": 3000 + number, "is_bot": False, "first_name": f"P{number}", "language_code": "en"}
    for number in range(4)
]
LONGEST_LIFE_S = 15.0


@dataclass
class Nest:
    """The process that hatches bots, and the bot that lives now."""

    process: asyncio.subprocess.Process
    pid: int = 0
    ends: list[int] = field(default_factory=list)

    async def start(self) -> None:
        self.pid = int(await self._ask("start"))

    async def end(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        os.kill(self.pid, number)
        self.ends.append(int(await self._ask("wait")))
        return self.ends[-1]

    async def _ask(self, word: str) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{word}\n".encode())
        async with asyncio.timeout(60):
            return (await self.process.stdout.readline()).decode().strip()


async def nest_of(on: Stage) -> Nest:
    log = (on.folder / "log").open("wb")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.system.nest",
        cwd=on.folder,
        env={**on.bot.environment, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=log,
    )
    log.close()
    return Nest(process)


@dataclass
class Trial:
    """Four people write, a model thinks for a while, and a bot dies again and again."""

    on: Stage
    nest: Nest
    dice: random.Random
    said: dict[int, list[str]] = field(default_factory=dict)
    thinking: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    def reply(self, request: Request) -> Answer:
        pause_s = self.dice.uniform(0.0, 0.15)
        self.thinking.set()
        asyncio.get_running_loop().call_later(pause_s, self.answered.set)
        return Answer(hers(f"re: {request.user_text}", affection_delta=1), first_pause_s=pause_s, piece=400)

    def write(self) -> None:
        """Let one to three messages come."""
        for _ in range(self.dice.randint(1, 3)):
            user = self.dice.choice(PEOPLE)
            words = self.said.setdefault(user["id"], [])
            words.append(f"{user['first_name']}-{len(words)}")
            self.on.telegram.say(words[-1], user=user)

    async def life(self, moment: str) -> None:
        """Start a bot and kill it at a moment."""
        self.thinking.clear()
        self.answered.clear()
        self.write()
        if moment == "sending":
            self.on.telegram.misbehave("sendMessage", "hang", hang_s=0.3)
        delivered = len(self.on.telegram.sent)
        await self.nest.start()
        try:
            async with asyncio.timeout(LONGEST_LIFE_S):
                await self.wait_for(moment, delivered)
        except TimeoutError:
            pass  # everything was said already: killed while idle
        self.on.telegram.heal()
        await self.nest.end(signal.SIGKILL)

    async def wait_for(self, moment: str, delivered: int) -> None:
        match moment:
            case "start":
                await asyncio.sleep(self.dice.uniform(0.0, 0.7))
            case "thinking":
                await self.thinking.wait()
            case "answered":
                await self.answered.wait()
                await asyncio.sleep(self.dice.uniform(0.0, 0.06))
            case "sending":
                await self.on.telegram.wait_until(lambda: len(self.on.telegram.sent) > delivered, 60)
            case _:
                await self.thinking.wait()
                self.write()
                await asyncio.sleep(self.dice.uniform(0.0, 0.8))

    async def is_over(self) -> bool:
        async with self.on.book() as book:
            waiting = [row for row in await book.all(tables.incoming) if row.turn_id is None]
            open_rows = [
                row for row in await book.all(tables.outgoing) if row.status in ("pending", "sending")
            ]
            settled = set(await book.turn_states()) == {"settled"}
            return settled and not waiting and not open_rows and not self.on.telegram.waiting


@pytest.mark.timeout(600)
async def test_killed_again_and_again(tmp_path: Path) -> None:
    async with stage(tmp_path, OTOMO_TURN__QUIET_S="0.03", OTOMO_TURN__LONGEST_WAIT_S="0.2") as on:
        nest = await nest_of(on)
        trial = Trial(on, nest, random.Random(7))
        on.model.program(trial.reply)
        for number in range(KILLS):
            await trial.life(MOMENTS[number % len(MOMENTS)])
        await nest.start()
        await until(trial.is_over, 120)
        assert await nest.end(signal.SIGTERM) == 0
        assert nest.process.stdin
        nest.process.stdin.close()
        await nest.process.wait()
        nest.process._transport.close()  # type: ignore[attr-defined]
        assert Counter(nest.ends) == {-9: KILLS, 0: 1}
        async with on.book() as book:
            for user in PEOPLE:
                await check_person(book, trial, user)
            await check_what_was_shown(book, trial)
        assert "Traceback" not in (tmp_path / "log").read_text()


async def check_person(book: Book, trial: Trial, user: dict[str, Any]) -> None:
    """All messages once, in order, each turn counted once."""
    (account,) = [row for row in await book.all(tables.accounts) if row.account == str(user["id"])]
    arrived = [row for row in await book.all(tables.incoming) if row.user_id == account.user_id]
    assert [row.body["text"] for row in arrived] == trial.said[user["id"]]
    turns = [row for row in await book.all(tables.turns) if row.user_id == account.user_id]
    sides = [row for row in await book.all(tables.messages) if row.user_id == account.user_id]
    words = ["\n".join(row.body["text"] for row in arrived if row.turn_id == turn.id) for turn in turns]
    assert [turn.status for turn in turns] == ["settled"] * len(turns)
    assert [row.turn_id for row in arrived] == sorted(row.turn_id for row in arrived)
    assert [side.content for side in sides if side.role == "user"] == words
    assert [side.content for side in sides if side.role == "assistant"] == [f"re: {text}" for text in words]
    character = await book.character(account.user_id)
    assert character.total_interactions == character.version == len(turns)
    for earlier, later in itertools.pairwise(turns):
        assert earlier.applied["after"]["affection"] == later.applied["before"]["affection"]
    assert character.affection == turns[-1].applied["after"]["affection"]
    assert character.affection == sum(turn.applied["applied"]["affectionDelta"] for turn in turns) > 0


async def check_what_was_shown(book: Book, trial: Trial) -> None:
    """Every row once and in order; twice only where a crash has hit the send."""
    rows = [row for row in await book.all(tables.outgoing) if row.body["text"]]
    assert {row.status for row in rows} <= {"sent", "unsure"}
    doubles = 0
    for user in PEOPLE:
        shown = trial.on.telegram.texts_to(user["id"])
        mine = [row for row in rows if row.chat == str(user["id"])]
        gone = [row.body["text"] for row in mine if row.body["text"] in shown]
        assert list(dict.fromkeys(shown)) == gone, "out of order"
        for row in mine:
            times = shown.count(row.body["text"])
            assert times <= 1 + min(1, row.resent), "shown twice without a crash in the send"
            assert times >= 1 or row.resent >= 2, "never shown"
            doubles += times - 1
    assert doubles <= KILLS
    replies = Counter(row.turn_id for row in rows if row.kind == "reply")
    assert set(replies.values()) == {1}
    assert len(replies) == len(await book.all(tables.turns))
