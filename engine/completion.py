"""What finishing a scene does, and which variant of a scene is shown next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from zlib import crc32

from engine.character import CharacterState, Stage
from engine.events import EventDefinition, EventRecord
from engine.scenes import FALLBACK_LANGUAGE, Scene, SceneChoice
from engine.stages import promote
from engine.updates import add_updates


@dataclass(frozen=True, slots=True)
class Completion:
    """Her state after a finished scene, the dated record, and what the choice unlocked."""

    character: CharacterState
    record: EventRecord
    unlocks: tuple[str, ...] = ()


def scene_for(
    event: EventDefinition, language: str, character: CharacterState, records: Iterable[EventRecord]
) -> Scene | None:
    """Return the variant of an event's scene that comes next, in a language or else in English.

    Variants take turns with each completion; where they begin differs from one relationship to another.
    """
    variants = event.scenes.get(language) or event.scenes.get(FALLBACK_LANGUAGE) or ()
    if not variants:
        return None
    times = sum(record.event_id == event.id for record in records)
    start = crc32(f"{event.id} {character.first_met.isoformat()}".encode())
    return variants[(start + times) % len(variants)]


def completion_markers(event: EventDefinition, choice_index: int | None = None) -> tuple[str, ...]:
    """Return what is added to the completed events: the event's id and the choice's marker.

    Raises:
        ValueError: The event has no such choice.
    """
    choice = _choice(event, choice_index)
    return (event.id, choice.marker) if choice is not None and choice.marker else (event.id,)


def complete_event(
    character: CharacterState,
    event: EventDefinition,
    choice_index: int | None,
    now: datetime,
    *,
    highest: Stage = "soulmate",
) -> Completion:
    """Apply a finished scene: the choice's changes if there was a choice, else the event's own.

    Finishing a scene is no interaction: counts and the away-time clock stay. (A record without any talk,
    which an old save may hold, is taken to have begun with the scene.) Id and marker may each promote at
    once and never demote.

    Args:
        character: Her state.
        event: The event that was shown.
        choice_index: Which choice was taken, from 0; None for a scene without choices.
        now: Aware UTC.
        highest: The highest stage that a promotion may reach.

    Raises:
        ValueError: The event has no such choice.
    """
    choice = _choice(event, choice_index)
    changed = add_updates(character, choice.state_changes if choice else event.state_changes)
    for marker in completion_markers(event, choice_index):
        changed = promote(_with_marker(changed, marker), highest)
    outcome = None if choice_index is None else f"Choice {choice_index + 1}"
    return Completion(
        replace(
            changed,
            total_interactions=max(1, character.total_interactions),
            last_interaction=character.last_interaction or now,
            updated_at=now,
        ),
        EventRecord(event.id, now, choice_index, outcome),
        event.unlocks + (choice.unlocks if choice else ()),
    )


def _choice(event: EventDefinition, choice_index: int | None) -> SceneChoice | None:
    if choice_index is None:
        return None
    choices = event.scenes[FALLBACK_LANGUAGE][0].choices
    if not 0 <= choice_index < len(choices):
        raise ValueError(f"{event.id} has no choice {choice_index}")
    return choices[choice_index]


def _with_marker(character: CharacterState, marker: str) -> CharacterState:
    if marker in character.completed_events:
        return character
    return replace(character, completed_events=(*character.completed_events, marker))
