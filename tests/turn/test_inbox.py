"""Every test here runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bot.errors import StoreError
from bot.inbox import Inbox
from bot.store import Store, tables
from bot.store.people import mark_unreachable
from bot.store.settings import get_setting
from engine.character import CharacterState
from tests.people import a_character, a_message, an_address


@pytest.fixture
def inbox(store: Store) -> Inbox:
    return Inbox(store, a_character)


async def count(store: Store, table: str) -> int:
    async with store.reading() as connection:
        counting = select(func.count()).select_from(tables.metadata.tables[table])
        return (await connection.execute(counting)).scalar_one()


async def test_what_is_accepted_is_there_for_everybody_else(
    store: Store, inbox: Inbox, database_url: str, key_file: Path
) -> None:
    looking = await Store.open(database_url, key_file=key_file, read_only=True)
    for number in range(5):
        assert await inbox.accept(a_message(f"k{number}"))
        assert await count(looking, "incoming") == number + 1
    await looking.close()


async def test_a_first_burst_from_many_sides_meets_one_person(store: Store, inbox: Inbox) -> None:
    news = await asyncio.gather(*(inbox.accept(a_message(f"k{number % 10}")) for number in range(30)))
    assert news.count(True) == 10
    assert (
        await count(store, "users") == await count(store, "accounts") == await count(store, "characters") == 1
    )
    assert await count(store, "incoming") == 10


async def test_a_stranger_gets_the_first_character_once(store: Store) -> None:
    made: list[CharacterState] = []

    def first_character() -> CharacterState:
        made.append(a_character())
        return made[-1]

    inbox = Inbox(store, first_character)
    for number in range(3):
        await inbox.accept(a_message(f"k{number}"))
    assert len(made) == 1


async def test_nothing_of_a_flood_is_refused(store: Store, inbox: Inbox) -> None:
    news = await asyncio.gather(*(inbox.accept(a_message(f"k{number}")) for number in range(200)))
    assert all(news)
    assert await count(store, "incoming") == 200


async def test_a_private_chat_is_kept_for_later_and_a_group_is_not(store: Store, inbox: Inbox) -> None:
    async def chat() -> str | None:
        async with store.reading() as connection:
            return (await connection.execute(select(tables.accounts.c.chat))).scalar_one()

    await inbox.accept(a_message("k1", address=an_address("1", "group", private=False)))
    assert await chat() is None
    await inbox.accept(a_message("k2", address=an_address("1", "home")))
    assert await chat() == "home"
    await inbox.accept(a_message("k3", address=an_address("1", "group", private=False)))
    assert await chat() == "home"


async def test_a_message_shows_that_somebody_can_be_reached_again(store: Store, inbox: Inbox) -> None:
    async def unreachable() -> bool:
        async with store.reading() as connection:
            return (await connection.execute(select(tables.accounts.c.unreachable))).scalar_one()

    await inbox.accept(a_message("k1"))
    async with store.writing() as connection:
        await mark_unreachable(connection, an_address())
    assert await unreachable()
    await inbox.accept(a_message("k2"))
    assert not await unreachable()


async def test_what_cannot_be_written_is_not_accepted(
    store: Store, database_url: str, key_file: Path
) -> None:
    looking = await Store.open(database_url, key_file=key_file, read_only=True)
    with pytest.raises(StoreError):
        await Inbox(looking, a_character).accept(a_message("k"))
    await looking.close()
    assert await count(store, "incoming") == 0
    assert await get_setting(store, "none") is None
