"""Every test here runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from sqlalchemy import insert, select, text, update

from bot.errors import Fenced
from bot.inbox import Inbox
from bot.lanes import Lanes, LaneSettings
from bot.store import Store, leases, tables
from bot.store.leases import Pace
from bot.store.turns import Loaded, fail, load, mark_spoken, open_turn, settle
from tests.people import a_character, a_message, a_row, an_address, an_outcome

FAST = LaneSettings(pace=Pace(quiet_s=0, longest_s=0), look_s=0.2)
WATCHDOG_S = 30


class Talk:
    """A handler that settles turns and remembers what it was given."""

    def __init__(self, store: Store, pace: Pace = FAST.pace) -> None:
        self.store, self.pace = store, pace
        self.turns: list[tuple[int, list[str]]] = []
        self.inside: set[int] = set()
        self.most = 0
        self.apologies: list[int] = []
        self.before: Callable[[Loaded], Awaitable[None]] | None = None

    async def __call__(self, user_id: int) -> None:
        assert user_id not in self.inside, "two lanes of one user"
        self.inside.add(user_id)
        self.most = max(self.most, len(self.inside))
        try:
            while loaded := await load(self.store, user_id, self.pace):
                if self.before:
                    await self.before(loaded)
                outcome = an_outcome(loaded.character, "a", "b")
                await settle(self.store, loaded, outcome, "raw", [a_row(0, "b", loaded.address)])
                self.turns.append((user_id, [message.key for message in loaded.incoming]))
        finally:
            self.inside.discard(user_id)

    async def gave_up(self, user_id: int) -> None:
        turn = await open_turn(self.store, user_id)
        assert turn is not None
        self.apologies.append(user_id)
        await fail(self.store, turn.turn_id, [a_row(0, "sorry", turn.address)])


@asynccontextmanager
async def running(lanes: Lanes, talk: Talk) -> AsyncIterator[None]:
    task = asyncio.create_task(lanes.run(talk, talk.gave_up))
    try:
        yield
    finally:
        await lanes.drain(5)
        await task


async def until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(WATCHDOG_S):
        while not what():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def statuses(store: Store) -> list[str]:
    async with store.reading() as connection:
        return list(
            (
                await connection.execute(select(tables.turns.c.status).order_by(tables.turns.c.user_id))
            ).scalars()
        )


@pytest.fixture
def inbox(store: Store) -> Inbox:
    return Inbox(store, a_character)


@pytest.fixture
def talk(store: Store) -> Talk:
    return Talk(store)


async def test_messages_of_a_user_run_in_order_and_users_side_by_side(
    store: Store, inbox: Inbox, talk: Talk
) -> None:
    async def think(loaded: Loaded) -> None:
        await asyncio.sleep(0.02)

    talk.before = think
    async with running(Lanes(store, FAST), talk):
        for number in range(6):
            for user in "abc":
                await inbox.accept(a_message(f"{user}{number}", address=an_address(user)))
        await until(lambda: sum(len(keys) for _, keys in talk.turns) == 18)
    for user_id, user in enumerate("abc", 1):
        keys = [key for owner, run in talk.turns if owner == user_id for key in run]
        assert keys == [f"{user}{number}" for number in range(6)]
    assert talk.most > 1


async def test_a_burst_is_answered_once_it_is_over(store: Store, inbox: Inbox) -> None:
    pace = Pace(quiet_s=0.5, longest_s=20)
    talk = Talk(store, pace)
    async with running(Lanes(store, LaneSettings(pace=pace, look_s=20)), talk):
        for number in range(5):
            await inbox.accept(a_message(f"k{number}"))
            await asyncio.sleep(0.02)
        await until(lambda: bool(talk.turns))
    assert talk.turns == [(1, [f"k{number}" for number in range(5)])]


async def test_a_burst_without_end_is_answered_all_the_same(store: Store, inbox: Inbox) -> None:
    pace = Pace(quiet_s=20, longest_s=0.3)
    talk = Talk(store, pace)
    async with running(Lanes(store, LaneSettings(pace=pace, look_s=20)), talk):
        await inbox.accept(a_message("k"))
        await until(lambda: bool(talk.turns))


async def test_a_press_is_answered_at_once(store: Store, inbox: Inbox) -> None:
    pace = Pace(quiet_s=600, longest_s=600)
    talk = Talk(store, pace)
    async with running(Lanes(store, LaneSettings(pace=pace, look_s=600)), talk):
        await inbox.accept(a_message("k", kind="choice"))
        await until(lambda: bool(talk.turns))


async def test_a_turn_that_a_dead_process_left_is_taken_up(
    store: Store, inbox: Inbox, talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    await inbox.accept(a_message("k"))
    assert await leases.claim(store, "the dead", 0.2, FAST.pace) == [1]
    assert await load(store, 1, FAST.pace) is not None
    async with running(Lanes(store, FAST), talk):
        await until(lambda: bool(talk.turns))
    assert talk.turns == [(1, ["k"])]


async def test_a_lease_is_kept_while_she_thinks(store: Store, inbox: Inbox, talk: Talk) -> None:
    thinking, thought = asyncio.Event(), asyncio.Event()

    async def think(loaded: Loaded) -> None:
        thinking.set()
        await thought.wait()

    talk.before = think
    short = LaneSettings(pace=FAST.pace, look_s=0.05, lease_s=1.0, renew_s=0.1)
    async with running(Lanes(store, short), talk):
        await inbox.accept(a_message("k"))
        await thinking.wait()
        for _ in range(25):
            await asyncio.sleep(0.06)
            assert await leases.claim(store, "another", 1.0, FAST.pace) == []
        thought.set()
        await until(lambda: bool(talk.turns))


async def test_a_fenced_turn_is_loaded_again(store: Store, inbox: Inbox, talk: Talk) -> None:
    times = 0

    async def meddle(loaded: Loaded) -> None:
        nonlocal times
        times += 1
        if times == 1:
            async with store.writing() as connection:
                await connection.execute(update(tables.characters).values(version=7))

    talk.before = meddle
    async with running(Lanes(store, FAST), talk):
        await inbox.accept(a_message("k"))
        await until(lambda: bool(talk.turns))
    assert times == 2
    assert talk.apologies == []


async def test_after_three_failures_she_apologises_and_goes_on(
    store: Store, inbox: Inbox, talk: Talk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.lanes._RETRY_S", (0.05, 0.05))
    attempts = []

    async def stumble(loaded: Loaded) -> None:
        if loaded.incoming[0].key == "bad":
            attempts.append(loaded.attempts)
            raise ZeroDivisionError(loaded.incoming[0].text)

    talk.before = stumble
    async with running(Lanes(store, FAST), talk):
        await inbox.accept(a_message("bad", "a secret word"))
        await until(lambda: bool(talk.apologies))
        await inbox.accept(a_message("good"))
        await until(lambda: bool(talk.turns))
    assert attempts == [0, 1, 2]
    assert talk.apologies == [1]
    assert talk.turns == [(1, ["good"])]
    assert "ZeroDivisionError" in caplog.text
    assert "secret word" not in caplog.text
    async with store.reading() as connection:
        bodies = [
            row.body["text"]
            for row in await connection.execute(select(tables.outgoing.c.body).order_by(tables.outgoing.c.id))
        ]
    assert bodies == ["sorry", "b"]


async def test_the_lane_goes_on_even_without_an_apology(
    store: Store, inbox: Inbox, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.lanes._RETRY_S", (0.05, 0.05))

    async def stumble(loaded: Loaded) -> None:
        if loaded.incoming[0].key == "bad":
            raise ZeroDivisionError

    async def speechless(user_id: int) -> None:
        raise KeyError

    talk.before, talk.gave_up = stumble, speechless
    async with running(Lanes(store, FAST), talk):
        await inbox.accept(a_message("bad"))
        async with asyncio.timeout(WATCHDOG_S):
            while await statuses(store) != ["failed"]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await inbox.accept(a_message("good"))
        await until(lambda: bool(talk.turns))


async def test_a_failure_before_there_is_a_turn_is_no_hot_loop(
    store: Store, inbox: Inbox, talk: Talk
) -> None:
    calls = 0

    async def broken(user_id: int) -> None:
        nonlocal calls
        calls += 1
        raise ZeroDivisionError

    lanes = Lanes(store, FAST)
    task = asyncio.create_task(lanes.run(broken, broken))
    await inbox.accept(a_message("k"))
    await asyncio.sleep(0.5)
    await lanes.drain(1)
    await task
    assert calls == 1


async def test_a_resting_user_keeps_the_message_and_costs_no_attempt(
    store: Store, inbox: Inbox, talk: Talk
) -> None:
    away = True

    async def handler(user_id: int) -> None:
        if away:
            assert await load(store, user_id, FAST.pace) is not None
            await leases.rest(store, user_id, 0.3)
        else:
            await talk(user_id)

    lanes = Lanes(store, FAST)
    task = asyncio.create_task(lanes.run(handler, talk.gave_up))
    await inbox.accept(a_message("k"))
    await asyncio.sleep(0.7)
    away = False
    await until(lambda: bool(talk.turns))
    await lanes.drain(1)
    await task
    assert (talk.turns, talk.apologies) == ([(1, ["k"])], [])


async def test_draining_waits_for_turns_and_cuts_off_late_ones(
    store: Store, inbox: Inbox, talk: Talk
) -> None:
    started = asyncio.Event()

    async def think(loaded: Loaded) -> None:
        started.set()
        await asyncio.sleep(0.2 if loaded.user_id == 1 else 600)

    talk.before = think
    lanes = Lanes(store, FAST)
    task = asyncio.create_task(lanes.run(talk, talk.gave_up))
    await inbox.accept(a_message("k1", address=an_address("1")))
    await inbox.accept(a_message("k2", address=an_address("2")))
    await until(lambda: len(talk.inside) == 2)
    await lanes.drain(2)
    await task
    assert talk.turns == [(1, ["k1"])]
    assert await statuses(store) == ["settled", "waiting"]
    async with store.reading() as connection:
        owners = (await connection.execute(select(tables.users.c.lease_owner))).scalars().all()
    assert owners == [None, None]


async def test_no_more_lanes_than_allowed(store: Store, inbox: Inbox, talk: Talk) -> None:
    async def think(loaded: Loaded) -> None:
        await asyncio.sleep(0.03)

    talk.before = think
    for user in range(9):
        await inbox.accept(a_message(f"k{user}", address=an_address(str(user))))
    async with running(Lanes(store, LaneSettings(pace=FAST.pace, look_s=0.2, at_once=3)), talk):
        await until(lambda: len(talk.turns) == 9)
    assert talk.most == 3


async def test_two_processes_share_the_users(
    database_url: str, key_file, talk: Talk, store: Store, inbox: Inbox
) -> None:
    if not store.on_postgres:
        pytest.skip("an SQLite file belongs to one process")
    other = await Store.open(database_url, key_file=key_file)
    second = Talk(other)
    for user in range(12):
        for number in range(4):
            await inbox.accept(a_message(f"{user}:{number}", address=an_address(str(user))))
    async with running(Lanes(store, FAST), talk), running(Lanes(other, FAST), second):
        await until(lambda: sum(len(keys) for _, keys in talk.turns + second.turns) == 48)
    await other.close()


async def test_a_notice_wakes_another_process(
    database_url: str, key_file, store: Store, inbox: Inbox
) -> None:
    if not store.on_postgres:
        pytest.skip("an SQLite file belongs to one process")
    other = await Store.open(database_url, key_file=key_file)
    talk = Talk(other)
    slow = LaneSettings(pace=FAST.pace, look_s=600)
    async with running(Lanes(other, slow), talk):
        await asyncio.sleep(0.5)
        await inbox.accept(a_message("k"))
        await until(lambda: bool(talk.turns))
    await other.close()


async def test_the_longest_unserved_comes_first(store: Store, inbox: Inbox) -> None:
    for user in ("a", "b"):
        await inbox.accept(a_message(user, address=an_address(user)))
    assert await leases.claim(store, "me", 60, FAST.pace) == [1]
    await leases.release(store, 1, "me")
    assert await leases.claim(store, "me", 60, FAST.pace) == [2]
    assert await leases.claim(store, "me", 60, FAST.pace) == [1]
    assert await leases.claim(store, "me", 60, FAST.pace) == []


async def test_idle_users_are_never_walked(store: Store) -> None:
    if store.on_postgres:
        pytest.skip("PostgreSQL chooses by its statistics")
    async with store.reading() as connection:
        waiting = "EXPLAIN QUERY PLAN SELECT user_id FROM incoming WHERE turn_id IS NULL GROUP BY user_id"
        unfinished = f"EXPLAIN QUERY PLAN SELECT user_id FROM turns WHERE {tables.is_open_turn()}"
        plans = [str((await connection.execute(text(query))).all()) for query in (waiting, unfinished)]
    assert "ix_incoming_waiting" in plans[0]
    assert "ix_turns_open" in plans[1]


async def test_who_writes_again_while_the_model_is_away_is_tried_at_once(
    store: Store, inbox: Inbox, talk: Talk
) -> None:
    await inbox.accept(a_message("k0"))
    rested = asyncio.Event()

    async def away(user_id: int) -> None:
        if not rested.is_set():
            assert await load(store, user_id, FAST.pace) is not None
            await leases.rest(store, user_id, 3600)
            rested.set()
        else:
            await talk(user_id)

    lanes = Lanes(store, replace(FAST, look_s=3600))
    task = asyncio.create_task(lanes.run(away, talk.gave_up))
    await rested.wait()
    await until(lambda: not lanes._running)
    await inbox.accept(a_message("k1"))
    await until(lambda: bool(talk.turns))
    assert talk.turns == [(1, ["k0", "k1"])]
    await lanes.drain(5)
    await task


DISCORD, TELEGRAM = ("discord",), ("telegram",)


async def test_rows_of_other_platforms_wait_for_a_process_that_has_them(store: Store, inbox: Inbox) -> None:
    await inbox.accept(a_message("t", address=an_address("1")))
    await inbox.accept(a_message("d", address=an_address("2", platform="discord")))
    assert await leases.claim(store, "me", 60, FAST.pace, 5, TELEGRAM) == [1]
    assert await leases.next_in_s(store, FAST.pace, TELEGRAM) is None
    assert await leases.next_in_s(store, FAST.pace, DISCORD) == 0
    assert await leases.is_work_left(store, ("terminal",)) is False
    assert await leases.is_work_left(store) is True
    assert await leases.claim(store, "me", 60, FAST.pace, 5, DISCORD) == [2]


async def test_an_unfinished_turn_of_another_platform_does_not_stand_in_the_way(
    store: Store, inbox: Inbox
) -> None:
    await on_both_platforms(store, inbox)
    lost = await load(store, 1, FAST.pace, DISCORD)
    assert lost is not None
    assert [one.key for one in lost.incoming] == ["d0", "d1"]
    here = await load(store, 1, FAST.pace, TELEGRAM)
    assert here is not None
    assert [one.key for one in here.incoming] == ["t0"]
    with pytest.raises(Fenced):
        await settle(store, lost, an_outcome(lost.character, "a", "b"), "raw", [])
    await settle(store, here, an_outcome(here.character, "a", "b"), "raw", [])
    assert await load(store, 1, FAST.pace, TELEGRAM) is None
    assert await leases.claim(store, "me", 60, FAST.pace, 5, TELEGRAM) == []
    assert await leases.claim(store, "me", 60, FAST.pace, 5, DISCORD) == [1]
    again = await load(store, 1, FAST.pace, DISCORD)
    assert again is not None
    assert [one.key for one in again.incoming] == ["d0", "d1"]


async def test_what_she_has_said_on_another_platform_is_settled_all_the_same(
    store: Store, inbox: Inbox
) -> None:
    await on_both_platforms(store, inbox)
    spoken = await load(store, 1, FAST.pace, DISCORD)
    assert spoken is not None
    await mark_spoken(store, spoken, "raw", [a_row(0, "b", spoken.address)])
    again = await load(store, 1, FAST.pace, TELEGRAM)
    assert again is not None
    assert (again.turn_id, again.raw_reply) == (spoken.turn_id, "raw")


async def on_both_platforms(store: Store, inbox: Inbox) -> None:
    """Let one user write on Discord, then on Telegram."""
    discord = an_address("1", platform="discord")
    await inbox.accept(a_message("d0", address=discord))
    async with store.writing() as connection:
        account = {"user_id": 1, "platform": "telegram", "account": "1", "chat": "1"}
        await connection.execute(insert(tables.accounts).values(account))
    await inbox.accept(a_message("d1", address=discord))
    await inbox.accept(a_message("t0"))
