"""What stays of a talk: both sides of it, the facts, and the face last shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.instants import now
from bot.store.tables import faces, facts, messages
from bot.store.values import OWNER, face_json, face_of, insert_new
from engine.conversation import Address, Face, Fact, HistoryTurn, NewFact

_MOST: Final = bindparam("most", type_=BigInteger)
_HISTORY: Final = (
    select(messages).where(messages.c.user_id == OWNER).order_by(messages.c.id.desc()).limit(_MOST)
)
_FACTS: Final = (
    select(facts)
    .where(facts.c.user_id == OWNER)
    .order_by(facts.c.importance.desc(), facts.c.id.desc())
    .limit(_MOST)
)


async def read_history(connection: AsyncConnection, user_id: int, limit: int) -> tuple[HistoryTurn, ...]:
    """Read the last `limit` sides of the talk, oldest first."""
    found = await connection.execute(_HISTORY, {"owner": user_id, "most": limit})
    return tuple(HistoryTurn(row.role, row.content, row.created_at) for row in reversed(found.all()))


async def add_messages(
    connection: AsyncConnection, user_id: int, turn_id: int, sides: Sequence[HistoryTurn]
) -> None:
    """Write sides of the talk in their order."""
    rows = [
        {
            "user_id": user_id,
            "turn_id": turn_id,
            "role": side.role,
            "content": side.content,
            "created_at": side.created_at,
        }
        for side in sides
    ]
    if rows:  # as parameter sets they are written one after the other: ids follow the order
        await connection.execute(insert(messages), rows)


async def read_facts(connection: AsyncConnection, user_id: int, limit: int) -> tuple[Fact, ...]:
    """Read up to `limit` facts, the most important first, among equals the newest first."""
    found = await connection.execute(_FACTS, {"owner": user_id, "most": limit})
    return tuple(
        Fact(
            id=row.id,
            content=row.content,
            category=row.category,
            importance=row.importance,
            created_at=row.created_at,
            confidence=row.confidence,
            source=row.source,
            reference_count=row.reference_count,
            last_accessed=row.last_accessed,
        )
        for row in found
    )


async def add_facts(
    connection: AsyncConnection, user_id: int, turn_id: int | None, new: Sequence[NewFact], at: datetime
) -> tuple[int, ...]:
    """Write new facts and return their ids in the same order."""
    ids = []
    for fact in new:
        row = {
            "user_id": user_id,
            "turn_id": turn_id,
            "content": fact.content,
            "category": fact.category,
            "importance": fact.importance,
            "confidence": fact.confidence,
            "source": fact.source,
            "created_at": at,
        }
        added = await connection.execute(insert(facts).values(row).returning(facts.c.id))
        ids.append(added.scalar_one())
    return tuple(ids)


async def touch_facts(connection: AsyncConnection, user_id: int, ids: Sequence[int], at: datetime) -> None:
    """Count one more use of facts; ids of other users are ignored."""
    if ids:
        await connection.execute(
            update(facts)
            .where(facts.c.user_id == user_id, facts.c.id.in_(sorted(set(ids))))
            .values(reference_count=facts.c.reference_count + 1, last_accessed=at)
        )


async def read_face(connection: AsyncConnection, user_id: int, address: Address) -> Face | None:
    """Return the face last shown to a user in a chat."""
    here = (
        (faces.c.user_id == user_id) & (faces.c.platform == address.platform) & (faces.c.chat == address.chat)
    )
    shown = (await connection.execute(select(faces.c.face).where(here))).scalar()
    return None if shown is None else face_of(shown)


async def keep_face(connection: AsyncConnection, user_id: int, address: Address, face: Face) -> None:
    """Remember the face that a user is shown in a chat."""
    row = {
        "user_id": user_id,
        "platform": address.platform,
        "chat": address.chat,
        "face": face_json(face),
        "shown_at": now(),
    }
    written = insert_new(connection, faces).values(row)
    await connection.execute(
        written.on_conflict_do_update(
            index_elements=["user_id", "platform", "chat"],
            set_={"face": written.excluded.face, "shown_at": written.excluded.shown_at},
        )
    )
