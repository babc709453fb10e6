"""Events in the database: dated completions, and the scene that waits for a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import and_, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.instants import from_now, now
from bot.store.story_tables import event_records, scenes
from bot.store.values import OWNER
from engine.character import MoodChange, StateUpdates
from engine.events import EventRecord
from engine.scenes import Scene, SceneChoice
from engine.story import OpenScene

SCENE_WAITS: Final = timedelta(hours=24)
"""A scene that nobody has answered for this long is dropped; its event may come back."""


async def read_records(connection: AsyncConnection, user_id: int) -> tuple[EventRecord, ...]:
    """Read all completions of a user, the oldest first."""
    found = await connection.execute(_READ_RECORDS, {"owner": user_id})
    return tuple(EventRecord(row.event_id, row.completed_at, row.choice_index, row.outcome) for row in found)


async def add_records(
    connection: AsyncConnection, user_id: int, turn_id: int | None, records: Sequence[EventRecord]
) -> None:
    """Write completions."""
    for record in records:
        values = asdict(record) | {"user_id": user_id, "turn_id": turn_id}
        await connection.execute(insert(event_records).values(values))


async def read_open_scene(connection: AsyncConnection, user_id: int) -> OpenScene | None:
    """Return the scene that waits for a choice of this user."""
    row = (await connection.execute(_READ_OPEN_SCENE, {"owner": user_id})).first()
    return None if row is None else OpenScene(row.token, row.event_id, _scene(row.body))


_READ_RECORDS: Final = (
    select(event_records).where(event_records.c.user_id == OWNER).order_by(event_records.c.id)
)
_READ_OPEN_SCENE: Final = select(scenes).where(
    scenes.c.user_id == OWNER,
    scenes.c.status == "open",
    scenes.c.opened_at > from_now(-SCENE_WAITS.total_seconds()),
)


async def open_scene(connection: AsyncConnection, user_id: int, turn_id: int, opened: OpenScene) -> None:
    """Write a scene; one that waited too long makes room for it."""
    waiting = and_(scenes.c.user_id == user_id, scenes.c.status == "open")
    await connection.execute(update(scenes).where(waiting).values(status="dropped", closed_at=now()))
    await connection.execute(
        insert(scenes).values(
            user_id=user_id,
            turn_id=turn_id,
            token=opened.token,
            event_id=opened.event_id,
            body=asdict(opened.scene),
            status="open",
            opened_at=now(),
        )
    )


async def close_scene(connection: AsyncConnection, user_id: int, token: str) -> bool:
    """Mark a scene as answered. Returns False if it was answered already: a press counts once."""
    waiting = and_(scenes.c.user_id == user_id, scenes.c.token == token, scenes.c.status == "open")
    done = await connection.execute(update(scenes).where(waiting).values(status="done", closed_at=now()))
    return done.rowcount == 1


def _scene(body: dict[str, Any]) -> Scene:
    return Scene(**{**body, "choices": tuple(_choice(choice) for choice in body["choices"])})


def _choice(body: dict[str, Any]) -> SceneChoice:
    changes = body["state_changes"]
    mood = changes["mood_change"]
    effects = StateUpdates(**{**changes, "mood_change": MoodChange(**mood) if mood else None})
    return SceneChoice(**{**body, "state_changes": effects, "unlocks": tuple(body["unlocks"])})
