"""Every test here runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import Fenced, StoreError
from bot.inbox import Inbox
from bot.store import Store, leases, tables, turns
from bot.store.leases import Pace
from bot.store.people import read_accounts
from bot.store.turns import answer, fail, load, mark_spoken, open_turn, say, settle
from engine.character import AbsenceTaken, DailyGains, MoodState, Personality
from engine.conversation import Face, Incoming, NewFact
from tests.people import NOON, a_character, a_message, a_row, an_address, an_outcome

AT_ONCE = Pace(quiet_s=0, longest_s=0)


@pytest.fixture
def inbox(store: Store) -> Inbox:
    return Inbox(store, a_character)


async def count(store: Store, table: str) -> int:
    async with store.reading() as connection:
        return (
            await connection.execute(select(func.count()).select_from(tables.metadata.tables[table]))
        ).scalar_one()


async def outgoing_texts(store: Store) -> list[str]:
    async with store.reading() as connection:
        found = await connection.execute(select(tables.outgoing.c.body).order_by(tables.outgoing.c.id))
        return [row.body["text"] for row in found]


async def loaded_turn(store: Store, inbox: Inbox, *messages: Incoming) -> turns.Loaded:
    for message in messages or (a_message("k"),):
        await inbox.accept(message)
    loaded = await load(store, 1, AT_ONCE)
    assert loaded is not None
    return loaded


async def test_the_same_key_counts_once(store: Store, inbox: Inbox) -> None:
    assert [await inbox.accept(a_message("k")) for _ in range(3)] == [True, False, False]
    assert await count(store, "incoming") == 1
    assert store.lane_bell.is_set()


async def test_the_same_number_on_two_platforms_is_two_people(store: Store, inbox: Inbox) -> None:
    await inbox.accept(a_message("k1", address=an_address("7", platform="telegram")))
    await inbox.accept(a_message("k2", address=an_address("7", platform="discord")))
    await inbox.accept(a_message("k3", address=an_address("7", platform="discord")))
    assert await count(store, "users") == await count(store, "characters") == 2


async def test_an_incoming_comes_back_as_it_was(store: Store, inbox: Inbox) -> None:
    message = a_message(
        "k",
        "Grüße 🌸 \ud83d",
        an_address("7", "-100", private=False, thread="3"),
        display_name="Bo",
        language="de",
        cannot_take="voice",
    )
    loaded = await loaded_turn(store, inbox, message)
    assert loaded.incoming == (replace(message, text="Grüße 🌸 ?"),)
    assert loaded.address == message.address
    assert loaded.person.language == "de"
    async with store.reading() as connection:
        (account,) = await read_accounts(connection, loaded.user_id)
    assert account.chat is None  # a group is no place for pings
    assert account.display_name == "Bo"


async def test_a_burst_is_one_turn_and_nothing_of_a_flood_is_dropped(store: Store, inbox: Inbox) -> None:
    flood = [a_message(f"k{n}", str(n)) for n in range(57)]
    loaded = await loaded_turn(store, inbox, *flood)
    assert [message.text for message in loaded.incoming] == [str(n) for n in range(57)]
    assert await load(store, 2, AT_ONCE) is None


async def test_a_burst_is_left_alone_while_it_may_go_on(store: Store, inbox: Inbox) -> None:
    await inbox.accept(a_message("k"))
    assert await load(store, 1, Pace(quiet_s=60, longest_s=60)) is None
    assert await load(store, 1, Pace(quiet_s=60, longest_s=0)) is not None


async def test_a_press_waits_for_nothing(store: Store, inbox: Inbox) -> None:
    await inbox.accept(a_message("k", kind="choice"))
    assert await load(store, 1, Pace(quiet_s=60, longest_s=60)) is not None


async def test_a_turn_is_messages_of_one_chat_or_one_other_thing(store: Store, inbox: Inbox) -> None:
    group = an_address("1", "group", private=False)
    for number, (kind, address) in enumerate(
        [
            ("message", None),
            ("message", None),
            ("command", None),
            ("command", None),
            ("message", group),
            ("message", None),
        ]
    ):
        await inbox.accept(a_message(f"k{number}", kind=kind, address=address))
    taken = []
    while loaded := await load(store, 1, AT_ONCE):
        taken.append([message.key for message in loaded.incoming])
        await answer(store, loaded, [])
    assert taken == [["k0", "k1"], ["k2"], ["k3"], ["k4"], ["k5"]]


async def test_what_arrives_before_she_has_spoken_joins_the_turn(store: Store, inbox: Inbox) -> None:
    first = await loaded_turn(store, inbox)
    await inbox.accept(a_message("k2"))
    again = await load(store, 1, AT_ONCE)
    assert again is not None
    assert again.turn_id == first.turn_id
    assert [message.key for message in again.incoming] == ["k", "k2"]
    with pytest.raises(Fenced):
        await settle(store, first, an_outcome(first.character, "a", "b"), "raw", [a_row()])
    assert await count(store, "messages") == await count(store, "outgoing") == 0
    spoken = await mark_spoken(store, again, "raw", [a_row()])
    await inbox.accept(a_message("k3"))
    last = await load(store, 1, AT_ONCE)
    assert last is not None
    assert (last.status, last.raw_reply, len(last.incoming)) == ("spoken", "raw", 2)
    with pytest.raises(Fenced):
        await settle(store, spoken, an_outcome(spoken.character, "a", "b"), "raw", [])


async def test_a_process_that_stood_still_between_binding_and_reading_is_fenced(
    store: Store, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await inbox.accept(a_message("k"))
    reading = store.reading

    @asynccontextmanager
    async def late() -> AsyncIterator[AsyncConnection]:
        monkeypatch.setattr(store, "reading", reading)
        other = await load(store, 1, AT_ONCE)
        assert other is not None
        await settle(store, other, an_outcome(other.character, "a", "b"), "raw", [])
        async with reading() as connection:
            yield connection

    monkeypatch.setattr(store, "reading", late)
    with pytest.raises(Fenced):
        await load(store, 1, AT_ONCE)


async def test_settling_writes_everything_and_ends_the_turn(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox)
    face = Face("happy", "joy", 0.75, flash=True)
    changed = replace(loaded.character, affection=9)
    new = (NewFact("likes hiking", "user", 70, 0.9, "said so"), NewFact("has a dog", importance=90))
    outcome = an_outcome(changed, "a", "b", face=face, facts=new, applied={"affection": [0, 9, "kind"]})
    person = replace(loaded.person, language="ja", adult=True, noticed_at=NOON)
    hiking, dog = await settle(store, loaded, outcome, "raw", [a_row(0, "b"), a_row(1, face=face)], person)
    assert store.outgoing_bell.is_set()
    assert await load(store, 1, AT_ONCE) is None

    later = await loaded_turn(store, inbox, a_message("k2"))
    assert later.character == replace(changed, version=1)
    assert later.history == outcome.turns
    assert [(fact.id, fact.content) for fact in later.facts] == [(dog, "has a dog"), (hiking, "likes hiking")]
    assert later.facts[1].source == "said so"
    assert (later.last_face, later.person) == (face, person)
    async with store.reading() as connection:
        row = (
            await connection.execute(select(tables.turns).where(tables.turns.c.id == loaded.turn_id))
        ).one()
    assert (row.status, row.raw_reply, row.applied) == ("settled", "raw", {"affection": [0, 9, "kind"]})

    await settle(store, later, an_outcome(later.character, "c", "d", touched_facts=(dog, dog)), "raw", [])
    last = await loaded_turn(store, inbox, a_message("k3"))
    assert (last.facts[0].reference_count, last.facts[0].last_accessed) == (1, NOON)
    assert last.facts[1].reference_count == 0
    assert [side.content for side in last.history] == ["a", "b", "c", "d"]


async def test_rows_that_went_out_when_she_spoke_are_not_sent_twice(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox)
    await say(store, loaded, [a_row(-1, "one moment")])
    await say(store, loaded, [a_row(-1, "one moment")])
    spoken = await mark_spoken(store, loaded, "raw", [a_row(0, "first")])
    outcome = an_outcome(spoken.character, "a", "first")
    await settle(store, spoken, outcome, "raw", [a_row(0, "first"), a_row(1, "second")])
    assert await outgoing_texts(store) == ["one moment", "first", "second"]


async def test_a_changed_character_fences_the_whole_turn(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox)
    async with store.writing() as connection:
        await connection.execute(text("UPDATE characters SET version = 5"))
    with pytest.raises(Fenced):
        await settle(store, loaded, an_outcome(loaded.character, "a", "b"), "raw", [a_row()])
    assert await count(store, "messages") == await count(store, "outgoing") == 0
    again = await load(store, 1, AT_ONCE)
    assert again is not None
    assert again.character.version == 5
    await settle(store, again, an_outcome(again.character, "a", "b"), "raw", [a_row()])
    assert await outgoing_texts(store) == ["hi"]


async def test_every_part_of_a_character_survives(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox)
    traits = {
        f.name: n
        for n, f in enumerate(fields(Personality), 1)
        if f.name not in ("likes_teasing", "romantic_style")
    }
    strange = replace(
        loaded.character,
        name="Yuki",
        system_prompt="be kind",
        extensions={"voice": {"pitch": 1.5}},
        mood=MoodState("sad", 71, "anxious", ("a", "b")),
        energy=11,
        affection=999,
        trust=12,
        intimacy=13,
        comfort=14,
        respect=15,
        app_mode="companion",
        relationship_stage="companion",
        saved_dating_sim_stage="dating",
        personality=Personality(**traits, likes_teasing=True, romantic_style="bold"),
        last_interaction=NOON + timedelta(seconds=1),
        last_decay_at=NOON + timedelta(seconds=2),
        days_known=16,
        total_interactions=17,
        current_streak=18,
        longest_streak=19,
        streak_last_date="2026-05-01",
        completed_events=("x", "y"),
        absence=AbsenceTaken(*range(20, 20 + len(fields(AbsenceTaken)))),
        gains=DailyGains("2026-05-01", *range(30, 29 + len(fields(DailyGains)))),
        timezone="Asia/Tokyo",
        updated_at=NOON + timedelta(seconds=3),
    )
    untouched = {"first_met", "created_at", "version"}
    for field in fields(strange):
        assert field.name in untouched or getattr(strange, field.name) != getattr(
            loaded.character, field.name
        )
    await settle(store, loaded, an_outcome(strange, "a", "b"), "raw", [])
    later = await loaded_turn(store, inbox, a_message("k2"))
    assert later.character == replace(strange, version=1)


@pytest.mark.parametrize(
    "bad",
    [
        {"affection": 1001},
        {"affection": -1},
        {"energy": 101},
        {"trust": -1},
        {"app_mode": "x"},
        {"relationship_stage": "x"},
        {"total_interactions": -1},
    ],
)
async def test_the_database_refuses_numbers_out_of_range(
    store: Store, inbox: Inbox, bad: dict[str, object]
) -> None:
    loaded = await loaded_turn(store, inbox)
    with pytest.raises(StoreError):
        await settle(store, loaded, an_outcome(replace(loaded.character, **bad), "a", "b"), "raw", [a_row()])
    assert await count(store, "outgoing") == 0


async def test_an_answer_may_change_the_character(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox, a_message("k", "/mode companion", kind="command"))
    await answer(store, loaded, [a_row(0, "done")], character=replace(loaded.character, app_mode="companion"))
    later = await loaded_turn(store, inbox, a_message("k2"))
    assert (later.character.app_mode, later.character.version, later.history) == ("companion", 1, ())


async def test_giving_up_apologises_once_and_frees_the_lane(store: Store, inbox: Inbox) -> None:
    loaded = await loaded_turn(store, inbox)
    found = await open_turn(store, 1)
    assert found is not None
    assert (found.turn_id, found.address, found.language) == (loaded.turn_id, loaded.address, "en")
    assert [await leases.count_attempt(store, 1) for _ in range(2)] == [
        (loaded.turn_id, 1),
        (loaded.turn_id, 2),
    ]
    assert [await fail(store, loaded.turn_id, [a_row(0, "sorry")]) for _ in range(2)] == [True, False]
    assert await outgoing_texts(store) == ["sorry"]
    assert await open_turn(store, 1) is None
    assert await leases.count_attempt(store, 1) is None
    with pytest.raises(Fenced):
        await settle(store, loaded, an_outcome(loaded.character, "a", "b"), "raw", [])


async def test_no_words_stand_in_the_database(store: Store, inbox: Inbox) -> None:
    secret = "xylophone-canary"
    loaded = await loaded_turn(store, inbox, a_message("k", secret, display_name=secret))
    changed = replace(loaded.character, name=secret, system_prompt=secret, mood=MoodState(causes=(secret,)))
    outcome = an_outcome(
        changed, secret, secret, facts=(NewFact(secret, source=secret),), applied={"why": secret}
    )
    await settle(store, loaded, outcome, secret, [a_row(0, secret)])
    await turns_setting(store, secret)
    wordy = "accounts characters turns incoming outgoing messages facts user_settings".split()
    async with store.reading() as connection:
        for table in tables.metadata.sorted_tables:
            rows = (await connection.execute(text(f"SELECT * FROM {table.name}"))).all()
            assert secret not in repr(rows)
            assert rows or table.name not in wordy


async def turns_setting(store: Store, value: str) -> None:
    from bot.store.settings import put_user_setting

    await put_user_setting(store, 1, "note", value)


async def test_settings_are_kept_and_removed(store: Store, inbox: Inbox) -> None:
    from bot.store.settings import get_setting, get_settings, put_setting, put_user_setting

    await put_setting(store, "seen:discord:1", "99")
    await put_setting(store, "seen:discord:1", "100")
    await put_setting(store, "seen_discord", 1)
    assert await get_setting(store, "seen:discord:1") == "100"
    assert await get_settings(store, "seen:") == {"seen:discord:1": "100"}
    await put_setting(store, "seen:discord:1", None)
    assert await get_setting(store, "seen:discord:1", "none") == "none"
    await inbox.accept(a_message("k"))
    await put_user_setting(store, 1, "decay", False)
    await put_user_setting(store, 1, "gone", 1)
    await put_user_setting(store, 1, "gone", None)
    loaded = await load(store, 1, AT_ONCE)
    assert loaded is not None
    assert loaded.settings == {"decay": False}
