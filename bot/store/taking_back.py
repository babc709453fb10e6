"""The last turn once more: read for /why, taken back by /undo, said again by /again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.arrivals import row_of
from bot.store.characters import write_character
from bot.store.outgoing import OutgoingRow
from bot.store.store import Store
from bot.store.story_tables import event_records, scenes
from bot.store.tables import facts, incoming, messages, outgoing, turns
from bot.store.turns import Loaded, finish
from bot.store.values import incoming_of
from engine.character import CharacterState
from engine.conversation import Incoming


@dataclass(frozen=True, slots=True)
class LastTurn:
    """A settled turn that can be explained and taken back: its trail, and what it had answered."""

    turn_id: int
    applied: Mapping[str, Any]
    incoming: tuple[Incoming, ...]


async def last_turn(store: Store, user_id: int) -> LastTurn | None:
    """Return the user's newest turn that changed something and was not taken back."""
    mine = and_(turns.c.user_id == user_id, turns.c.status == "settled", turns.c.applied.is_not(None))
    newest = select(turns.c.id, turns.c.applied).where(mine).order_by(turns.c.id.desc()).limit(1)
    async with store.reading() as connection:
        row = (await connection.execute(newest)).first()
        if row is None:
            return None
        said = select(incoming).where(incoming.c.turn_id == row.id).order_by(incoming.c.id)
        rows = (await connection.execute(said)).all()
    return LastTurn(row.id, row.applied, tuple(incoming_of(one) for one in rows))


async def take_back(
    store: Store,
    loaded: Loaded,
    last: LastTurn,
    character: CharacterState,
    rows: Sequence[OutgoingRow],
    again: Sequence[Incoming] = (),
) -> None:
    """Undo a turn in one transaction: its words, facts, events and scene go, the character is as before.

    Args:
        loaded: The turn that asks for it.
        last: What is taken back.
        character: Her record as it was before.
        rows: What the user is told.
        again: What waits to be answered anew.

    Raises:
        Fenced: Somebody else has loaded the asking turn, or changed the character, since.
    """
    async with store.writing() as connection:
        await finish(connection, store, loaded, rows)
        await write_character(connection, loaded.user_id, character, loaded.character.version)
        await _erase(connection, loaded.user_id, last)
        for one in again:
            await connection.execute(insert(incoming).values(row_of(one, loaded.user_id)))
    store.outgoing_bell.set()
    store.lane_bell.set()


async def _erase(connection: AsyncConnection, user_id: int, last: LastTurn) -> None:
    for table in (messages, facts, event_records, scenes):
        mine = and_(table.c.user_id == user_id, table.c.turn_id == last.turn_id)
        await connection.execute(delete(table).where(mine))
    touched = and_(facts.c.user_id == user_id, facts.c.id.in_(last.applied.get("touched", ())))
    used = and_(touched, facts.c.reference_count > 0)
    await connection.execute(update(facts).where(used).values(reference_count=facts.c.reference_count - 1))
    if token := last.applied.get("closed"):
        waiting = and_(scenes.c.user_id == user_id, scenes.c.token == token)
        await connection.execute(update(scenes).where(waiting).values(status="open", closed_at=None))
    await connection.execute(update(turns).where(turns.c.id == last.turn_id).values(applied=None))
    unsent = and_(outgoing.c.turn_id == last.turn_id, outgoing.c.status == "pending")
    await connection.execute(update(outgoing).where(unsent).values(status="failed", reason="taken back"))
