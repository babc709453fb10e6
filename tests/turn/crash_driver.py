"""A bot with a slow model and flaky luck, killed again and again; run by test_crash.py as a process.

    python -m tests.turn.crash_driver URL FOLDER KILLS BOTS SEED

The first process imports everything and then only forks bots, kills them with SIGKILL (or stops them
past their lease with SIGSTOP, if there are several), and starts the next. At last one bot may finish.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bot.inbox import Inbox
from bot.lanes import Lanes, LaneSettings
from bot.outbox import Outbox, OutboxSettings
from bot.ports import Limits, Receipt, Send
from bot.store import Store, tables
from bot.store.leases import Pace
from bot.store.outgoing import is_idle
from bot.store.turns import Loaded, load, mark_spoken, settle
from engine.conversation import Address, HistoryTurn, NewFact
from engine.turn import Outcome
from tests.people import NOON, a_character, a_message, a_row

KEY = "00" * 32
MESSAGES = 100
PEOPLE = {
    "tg-1": Address("telegram", "1", "1"),
    "tg-2": Address("telegram", "2", "2"),
    "dc-1": Address("discord", "1", "1"),
}
PACE = Pace(quiet_s=0.02, longest_s=0.1)
LANES = LaneSettings(pace=PACE, lease_s=0.6, renew_s=0.2, look_s=0.1)
OUTBOX = OutboxSettings(lease_s=0.6, renew_s=0.2, look_s=0.1, backoff_s=0.01)
LIMITS = Limits(2000, 1000, 64, 64, 3, 10**6, 4, nonce=False)
DONE = 7


def note(file: Path, line: str) -> None:
    """Append one line in one write, as a server on the other side would note it."""
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


class Wire:
    """A platform that notes what arrives, with a window before and after in which a kill may come."""

    def __init__(self, name: str, folder: Path, dice: random.Random) -> None:
        self.name, self.limits = name, replace(LIMITS, nonce=name == "discord")
        self._log, self._dice = folder / f"sent-{name}", dice

    async def send(self, send: Send) -> Receipt:
        await asyncio.sleep(self._dice.uniform(0, 0.004))
        note(self._log, f"{send.address.chat} {send.nonce} {send.text}")
        await asyncio.sleep(self._dice.uniform(0, 0.004))
        return Receipt("m")

    async def activity(self, address: Address, kind: object) -> None:
        raise AssertionError("nobody asked for a picture")


class Bot:
    def __init__(self, store: Store, folder: Path, dice: random.Random) -> None:
        self.store, self.folder, self.dice = store, folder, dice
        self.inbox = Inbox(store, a_character)
        wires: dict[str, Any] = {name: Wire(name, folder, dice) for name in ("telegram", "discord")}
        self.outbox = Outbox(store, wires, None, OUTBOX)  # type: ignore[arg-type]
        self.lanes = Lanes(store, LANES)

    async def feed(self, person: str) -> None:
        """Bring the person's messages, each twice, again from a little before the last confirmed one."""
        confirmed = self.folder / f"confirmed-{person}"
        seen = len(confirmed.read_text().splitlines()) if confirmed.exists() else 0
        for number in range(max(0, seen - 3), MESSAGES):
            message = a_message(f"{person}:{number}", f"{person}:{number}", PEOPLE[person])
            for _ in range(2):
                await self.inbox.accept(message)
            if number >= seen:
                note(confirmed, str(number))
            await asyncio.sleep(self.dice.uniform(0, 0.08))

    async def answer(self, user_id: int) -> None:
        while loaded := await load(self.store, user_id, PACE):
            raw = loaded.raw_reply
            if raw is None:
                raw = await self.think(loaded)
                if self.dice.random() < 0.3:
                    loaded = await mark_spoken(self.store, loaded, raw, [self.row(loaded, raw, 0)])
                    await asyncio.sleep(self.dice.uniform(0, 0.03))
            rows = [self.row(loaded, raw, position) for position in range(2)]
            await settle(self.store, loaded, self.outcome(loaded, raw), raw, rows)

    async def think(self, loaded: Loaded) -> str:
        note(self.folder / "asked", str(loaded.turn_id))
        await asyncio.sleep(self.dice.uniform(0.005, 0.06))
        return f"re:{','.join(message.text for message in loaded.incoming)}:{self.dice.random():.9f}"

    def row(self, loaded: Loaded, raw: str, position: int) -> Any:
        return a_row(position, f"{loaded.turn_id}:{position}:{raw}", loaded.address)

    def outcome(self, loaded: Loaded, raw: str) -> Outcome:
        old, words = loaded.character, tuple(message.text for message in loaded.incoming)
        new = replace(
            old,
            affection=old.affection + len(words),
            total_interactions=old.total_interactions + 1,
            completed_events=old.completed_events + words,
        )
        sides = (HistoryTurn("user", " ".join(words), NOON), HistoryTurn("assistant", raw, NOON))
        return Outcome(new, sides, (), None, facts=(NewFact(raw),))

    async def gave_up(self, user_id: int) -> None:
        note(self.folder / "gave-up", str(user_id))

    async def run(self, feeding: bool) -> None:
        working = [
            asyncio.create_task(self.lanes.run(self.answer, self.gave_up)),
            asyncio.create_task(self.outbox.run()),
        ]
        if feeding:  # messengers let only one process take the messages
            await asyncio.gather(*(self.feed(person) for person in PEOPLE))
        while not await self.is_done():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await self.lanes.drain(5)
        await self.outbox.drain(5)
        await asyncio.gather(*working)

    async def is_done(self) -> bool:
        async with self.store.reading() as connection:
            answered = select(func.count()).where(tables.incoming.c.turn_id.is_not(None))
            unfinished = select(func.count()).where(tables.is_open_turn())
            counts = [(await connection.execute(query)).scalar_one() for query in (answered, unfinished)]
        return counts == [MESSAGES * len(PEOPLE), 0] and await is_idle(self.store, ["telegram", "discord"])


async def live(url: str, folder: Path, seed: int, feeding: bool) -> None:
    store = await Store.open(url, secret=KEY)
    await Bot(store, folder, random.Random(seed)).run(feeding)
    await store.close()


def start(url: str, folder: Path, seed: int, feeding: bool) -> int:
    """Fork a bot and return its process id; it exits with DONE when everything is answered and sent."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        asyncio.run(live(url, folder, seed, feeding))
        code = DONE
    finally:
        os._exit(code)


def main(url: str, folder: Path, kills: int, bots: int, seed: int) -> int:
    dice = random.Random(seed)
    running = [start(url, folder, dice.getrandbits(32), number == 0) for number in range(bots)]
    for _ in range(kills):
        time.sleep(dice.uniform(0.05, 0.45) / bots)
        victim = dice.randrange(bots)
        if bots > 1 and dice.random() < 0.1:
            os.kill(running[victim], signal.SIGSTOP)
            time.sleep(0.8)
            os.kill(running[victim], signal.SIGCONT)
            continue
        os.kill(running[victim], signal.SIGKILL)
        _, status = os.waitpid(running[victim], 0)
        note(folder / "killed", str(os.waitstatus_to_exitcode(status)))
        running[victim] = start(url, folder, dice.getrandbits(32), victim == 0)
    ends = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in running]
    return 0 if ends == [DONE] * bots else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:])))
