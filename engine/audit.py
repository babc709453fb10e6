"""The trail of a turn: each number from what, to what and why; and what takes it back."""

from __future__ import annotations

from typing import Final

from engine.character import CharacterState, StateUpdates
from engine.reply_block import updates_as_table
from engine.story import OpenScene, Told
from engine.undo import keep

_STATS: Final = ("affection", "trust", "intimacy", "comfort", "respect", "energy")


def audit_turn(
    stored: CharacterState,
    arrived: CharacterState,
    talked: CharacterState,
    after: CharacterState,
    baseline: StateUpdates,
    suggestion: StateUpdates | None,
    applied: StateUpdates,
    told: Told,
    touched: tuple[int, ...],
) -> dict[str, object]:
    """Return what changed, from what to what and why, as plain JSON values.

    The four sets of numbers are those before the turn, after the absence, after the talk and at the end;
    what lies between two of them is owed to decay, to the talk (`heuristic`, `model`, `applied`) and to
    the event. `undo` and `touched` let the turn be taken back.
    """
    event = told.record.event_id if told.record else told.opened.event_id if told.opened else None
    return {
        "before": _numbers(stored),
        "arrived": _numbers(arrived),
        "talked": _numbers(talked),
        "after": _numbers(after),
        "heuristic": updates_as_table(baseline),
        "model": updates_as_table(suggestion) if suggestion else None,
        "applied": updates_as_table(applied),
        "event": event,
        "undo": keep(stored),
        "touched": list(touched),
    }


def audit_choice(before: CharacterState, after: CharacterState, scene: OpenScene) -> dict[str, object]:
    """Return what a choice changed, as plain JSON values."""
    return {
        "before": _numbers(before),
        "after": _numbers(after),
        "event": scene.event_id,
        "undo": keep(before),
        "closed": scene.token,
    }


def _numbers(character: CharacterState) -> dict[str, object]:
    numbers: dict[str, object] = {name: getattr(character, name) for name in _STATS}
    return {
        **numbers,
        "mood": character.mood.primary,
        "intensity": character.mood.intensity,
        "stage": character.relationship_stage,
    }
