"""Promises 1 to 4: nothing is lost, nothing counts twice, nothing is said twice, and in order.

OTOMO_TEST_KILLS makes the run longer.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.store import Store, tables
from bot.store.characters import read_character
from tests.turn.crash_driver import KEY, MESSAGES, PEOPLE

KILLS = int(os.environ.get("OTOMO_TEST_KILLS", "60"))


@pytest.mark.timeout(600)
async def test_killed_again_and_again(database_url: str, tmp_path: Path) -> None:
    kills, bots = (KILLS, 1) if database_url.startswith("sqlite") else (KILLS // 3, 2)
    await (await Store.open(database_url, secret=KEY)).close()
    command = [
        sys.executable,
        "-m",
        "tests.turn.crash_driver",
        database_url,
        str(tmp_path),
        str(kills),
        str(bots),
        "11",
    ]
    driver = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE)
    _, errors = await driver.communicate()
    assert driver.returncode == 0, errors.decode()[-3000:]
    assert not (tmp_path / "gave-up").exists()
    ends = (tmp_path / "killed").read_text().split()
    assert ends.count("-9") >= kills * 0.7, "the bots were done before they could be killed"

    store = await Store.open(database_url, secret=KEY)
    await check_that_everything_counted_once(store)
    await check_that_everything_was_said_once_and_in_order(store, tmp_path, kills)
    await store.close()


async def check_that_everything_counted_once(store: Store) -> None:
    async with store.reading() as connection:
        accounts = (await connection.execute(select(tables.accounts))).all()
        settled = Counter(
            (
                await connection.execute(
                    select(tables.turns.c.user_id).where(tables.turns.c.status == "settled")
                )
            ).scalars()
        )
        messages = Counter((await connection.execute(select(tables.messages.c.user_id))).scalars())
        facts = Counter((await connection.execute(select(tables.facts.c.user_id))).scalars())
        assert {(row.platform, row.account) for row in accounts} == {
            (a.platform, a.account) for a in PEOPLE.values()
        }
        for row in accounts:
            person = next(
                name for name, a in PEOPLE.items() if (a.platform, a.account) == (row.platform, row.account)
            )
            character = await read_character(connection, row.user_id)
            assert character.completed_events == tuple(f"{person}:{number}" for number in range(MESSAGES))
            assert character.affection == MESSAGES
            turns = settled[row.user_id]
            assert character.version == character.total_interactions == facts[row.user_id] == turns
            assert messages[row.user_id] == 2 * turns


async def check_that_everything_was_said_once_and_in_order(store: Store, folder: Path, kills: int) -> None:
    async with store.reading() as connection:
        rows = (await connection.execute(select(tables.outgoing).order_by(tables.outgoing.c.id))).all()
    doubles = 0
    for platform in ("telegram", "discord"):
        sent: dict[str, list[str]] = defaultdict(list)
        texts: dict[str, str] = {}
        for line in (folder / f"sent-{platform}").read_text().splitlines():
            chat, nonce, text = line.split(" ", 2)
            assert texts.setdefault(nonce, text) == text, "one nonce for two messages"
            sent[chat].append(nonce)
        for chat, nonces in sent.items():
            mine = [row for row in rows if (row.platform, row.chat) == (platform, chat)]
            first_sends = list(dict.fromkeys(nonces))
            gone = [row.nonce for row in mine if row.nonce in texts]
            assert first_sends == gone, "out of order"
            for row in mine:
                check_row(row, nonces.count(row.nonce), texts.get(row.nonce))
            if platform == "telegram":
                doubles += len(nonces) - len(first_sends)
    assert doubles <= kills


def check_row(row: object, times: int, text: str | None) -> None:
    if row.status == "sent":
        assert text == row.body["text"]
        assert times >= 1
    else:
        assert (row.status, row.platform) == ("unsure", "telegram")
        assert row.resent >= 2
    if row.platform == "telegram":
        assert times <= min(2, 1 + row.resent), "a message without a nonce was repeated more than once"
