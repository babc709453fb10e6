"""A character's row: every number in a column of its own, her words sealed."""

from __future__ import annotations

import json
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import Fenced
from bot.store.tables import ABSENCE, COUNTS, GAINS, STATS, TRAITS, characters
from bot.store.values import OWNER, AnyRow
from engine.character import AbsenceTaken, CharacterState, DailyGains, MoodState, Personality

_SAME = (
    "name",
    "system_prompt",
    "affection",
    *STATS,
    *COUNTS,
    "app_mode",
    "relationship_stage",
    "saved_dating_sim_stage",
    "streak_last_date",
    "timezone",
    "first_met",
    "created_at",
    "updated_at",
    "last_interaction",
    "last_decay_at",
)
"""Fields with a column of the same name and form."""
_TRAITS = (*TRAITS, "likes_teasing", "romantic_style")


def character_columns(state: CharacterState) -> dict[str, Any]:
    """Return the columns of a character without its owner."""
    return {
        **{name: getattr(state, name) for name in _SAME},
        "extensions": dict(state.extensions),
        "completed_events": json.dumps(state.completed_events),
        "mood_primary": state.mood.primary,
        "mood_secondary": state.mood.secondary,
        "mood_intensity": state.mood.intensity,
        "mood_causes": list(state.mood.causes),
        **{f"trait_{name}": getattr(state.personality, name) for name in _TRAITS},
        **{f"absence_{name}": getattr(state.absence, name) for name in ABSENCE},
        **{f"gains_{name}": getattr(state.gains, name) for name in ("day", *GAINS)},
    }


def character_of(row: AnyRow) -> CharacterState:
    """Read a character."""
    columns = row._mapping
    return CharacterState(
        **{name: columns[name] for name in _SAME},
        extensions=row.extensions,
        completed_events=tuple(json.loads(row.completed_events)),
        mood=MoodState(row.mood_primary, row.mood_intensity, row.mood_secondary, tuple(row.mood_causes)),
        personality=Personality(**{name: columns[f"trait_{name}"] for name in _TRAITS}),
        absence=AbsenceTaken(**{name: columns[f"absence_{name}"] for name in ABSENCE}),
        gains=DailyGains(**{name: columns[f"gains_{name}"] for name in ("day", *GAINS)}),
    )


async def add_character(connection: AsyncConnection, user_id: int, state: CharacterState) -> None:
    """Write a new user's character."""
    await connection.execute(insert(characters).values(user_id=user_id, **character_columns(state)))


async def read_character(connection: AsyncConnection, user_id: int) -> CharacterState:
    """Read a user's character."""
    return character_of((await connection.execute(_READ, {"owner": user_id})).one())


async def write_character(
    connection: AsyncConnection, user_id: int, state: CharacterState, loaded_version: int
) -> None:
    """Write a changed character as the next version.

    Raises:
        Fenced: Somebody else has changed it since it was loaded.
    """
    columns = character_columns(state) | {"version": loaded_version + 1}
    written = await connection.execute(_WRITTEN, {**columns, "owner": user_id, "loaded": loaded_version})
    if written.rowcount != 1:
        raise Fenced(f"the character of user {user_id} is no longer version {loaded_version}")


_READ: Final = select(characters).where(characters.c.user_id == OWNER)
# The columns come as parameters: as values of the statement each would cost a look at its expression.
_WRITTEN: Final = update(characters).where(
    characters.c.user_id == OWNER,
    characters.c.version == bindparam("loaded", type_=BigInteger),
)
