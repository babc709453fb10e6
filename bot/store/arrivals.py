"""Rows of `incoming`: written once for ever, then bound to the turn that answers them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.instants import NEVER, now
from bot.store.people import FirstCharacter, meet
from bot.store.store import Store
from bot.store.tables import incoming as table
from bot.store.tables import users
from bot.store.values import address_columns, incoming_body, insert_new
from engine.conversation import Incoming


async def write_down(store: Store, incoming: Incoming, first_character: FirstCharacter) -> bool:
    """Write an incoming for good and wake the lanes. Returns False for a key that is known already.

    Raises:
        StoreError: It could not be written; the platform must not be told that it was.
    """
    async with store.writing() as connection:
        new = await _insert(connection, incoming, first_character)
    if new:
        store.lane_bell.set()
    return new


async def _insert(connection: AsyncConnection, incoming: Incoming, first_character: FirstCharacter) -> bool:
    user_id = await meet(connection, incoming, first_character)
    row = row_of(incoming, user_id)
    written = await connection.execute(
        insert_new(connection, table).values(row).on_conflict_do_nothing().returning(table.c.id)
    )
    if written.first() is None:
        return False
    # Who writes again while a turn rests (the model was away) is tried at once.
    resting = (users.c.id == user_id) & (users.c.resting_until > now())
    await connection.execute(update(users).where(resting).values(resting_until=NEVER))
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_notify('otomo', 'lane')"))
    return True


def row_of(incoming: Incoming, user_id: int) -> dict[str, Any]:
    """Return the columns of a row that arrives now."""
    return {
        "user_id": user_id,
        "key": incoming.key,
        "kind": incoming.kind,
        **address_columns(incoming.address),
        "body": incoming_body(incoming),
        "at": now(),
    }
