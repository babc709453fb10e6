"""Taking a turn back: what of her record a turn may change, kept before and put back after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import TypeAdapter

from engine.character import CharacterState

MOVED: Final = (
    "mood",
    "energy",
    "affection",
    "trust",
    "intimacy",
    "comfort",
    "respect",
    "relationship_stage",
    "last_interaction",
    "last_decay_at",
    "days_known",
    "total_interactions",
    "current_streak",
    "longest_streak",
    "streak_last_date",
    "completed_events",
    "absence",
    "gains",
    "app_mode",
)
"""The fields that a turn of talk or a choice may change, and the mode they belong to."""
_ALWAYS: Final = ("first_met", "created_at", "updated_at")
_RECORD: Final = TypeAdapter(CharacterState)


def keep(character: CharacterState) -> dict[str, Any]:
    """Return what `put_back` needs, as plain JSON values."""
    kept: dict[str, Any] = _RECORD.dump_python(character, mode="json", include={*MOVED, *_ALWAYS})
    return kept


def put_back(character: CharacterState, kept: Mapping[str, Any]) -> CharacterState:
    """Return her record with everything that a turn has moved as it was before.

    Persona, zone and version stay as they are. The stage stays too where the mode was changed since.

    Raises:
        pydantic.ValidationError: `kept` is not what `keep` has made.
    """
    old = _RECORD.validate_python(dict(kept))
    moved = {name: getattr(old, name) for name in MOVED if name != "app_mode"}
    if old.app_mode != character.app_mode:
        del moved["relationship_stage"]
    return replace(character, **moved)
