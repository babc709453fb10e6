"""How suggested changes become her state: validate, merge, apply (specification, "State Merging")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from engine.character import (
    AFFECTION_MAX,
    EMOTIONS,
    MAX_CAUSES,
    STAT_MAX,
    AbsenceTaken,
    CharacterState,
    MoodChange,
    MoodState,
    StateUpdates,
)
from engine.state_block import AFFECTION_LIMIT, MEMORY_CHARACTERS, MOOD_LIMIT, STAT_LIMIT, clean_action

SUSPICIOUS_AFFECTION: Final = 50
SUSPICIOUS_TRUST: Final = 20
"""Beyond these a suggestion is not only clamped but reported."""
LEAST_AFFECTION_CAP: Final = 5
LEAST_TRUST_CAP: Final = 3
SMALL_STAT_RANGE: Final = (-3, 5)
"""What the model may move intimacy, comfort and respect by in one turn."""
CAUSE_CHARACTERS: Final = 60
PICTURE_CAUSE: Final = "what they showed"
SAID_CAUSE: Final = "they said: "
"""What a cause begins with that quotes the user; prompts show it as it is."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Suggested changes inside their bounds, and what was wrong with them."""

    updates: StateUpdates
    warnings: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether nothing was wrong."""
        return not self.warnings


def validate_updates(updates: StateUpdates) -> Validation:
    """Clamp a model's suggestion and drop what no rule knows.

    Energy never passes: it is the heuristics' own.
    """
    warnings = _warnings(updates)
    return Validation(
        StateUpdates(
            mood_change=_valid_mood(updates.mood_change),
            affection_delta=_clamp(updates.affection_delta, AFFECTION_LIMIT),
            trust_delta=_clamp(updates.trust_delta, STAT_LIMIT),
            intimacy_delta=_clamp(updates.intimacy_delta, STAT_LIMIT),
            comfort_delta=_clamp(updates.comfort_delta, STAT_LIMIT),
            respect_delta=_clamp(updates.respect_delta, STAT_LIMIT),
            new_memory=_clean_memory(updates.new_memory),
            triggered_event=(updates.triggered_event or "").strip() or None,
            action=clean_action(updates.action),
            expression=updates.expression if updates.expression in EMOTIONS else None,
        ),
        warnings,
    )


def merge_updates(baseline: StateUpdates, llm: StateUpdates, trust_llm_deltas: bool = False) -> StateUpdates:
    """Combine the heuristic baseline with the model's validated suggestion.

    Args:
        baseline: What the message changes by itself.
        llm: What the model suggests; a 0 overrides, a None leaves the baseline.
        trust_llm_deltas: For mostly non-Latin messages, which the heuristics cannot read: the model's
            deltas count as given.
    """
    caps = None if trust_llm_deltas else baseline
    return StateUpdates(
        mood_change=llm.mood_change or baseline.mood_change,
        energy_delta=baseline.energy_delta,
        affection_delta=_merged(baseline.affection_delta, _affection_within(llm.affection_delta, caps)),
        trust_delta=_merged(baseline.trust_delta, _trust_within(llm.trust_delta, caps)),
        intimacy_delta=_merged(baseline.intimacy_delta, _small_within(llm.intimacy_delta, caps)),
        comfort_delta=_merged(baseline.comfort_delta, _small_within(llm.comfort_delta, caps)),
        respect_delta=_merged(baseline.respect_delta, _small_within(llm.respect_delta, caps)),
        new_memory=llm.new_memory or baseline.new_memory,
        triggered_event=llm.triggered_event or baseline.triggered_event,
        action=llm.action or baseline.action,
        expression=llm.expression or baseline.expression,
    )


def name_cause(updates: StateUpdates, said: str) -> StateUpdates:
    """Give a mood change that has no cause the user's own words as one, so that she knows why."""
    change = updates.mood_change
    if change is None or change.cause:
        return updates
    return replace(updates, mood_change=replace(change, cause=_cause_from(said)))


def apply_updates(
    character: CharacterState, updates: StateUpdates, now: datetime, *, count_interaction: bool = True
) -> CharacterState:
    """Return her state after one turn.

    A machine turn (`count_interaction` false) changes nothing: it neither moves the relationship nor
    resets the away-time clock. In Companion Mode only mood and energy move.
    """
    if not count_interaction:
        return character
    return replace(
        add_updates(character, updates),
        total_interactions=character.total_interactions + 1,
        last_interaction=now,
        last_decay_at=None,
        absence=AbsenceTaken(),
        updated_at=now,
    )


def add_updates(character: CharacterState, updates: StateUpdates) -> CharacterState:
    """Add changes to mood, energy and (in Dating Sim Mode) the five stats; counts and clocks stay."""
    moved = replace(
        character,
        mood=change_mood(character.mood, updates.mood_change),
        energy=_bounded(character.energy, updates.energy_delta, STAT_MAX),
    )
    if character.app_mode == "companion":
        return moved
    return replace(
        moved,
        affection=_bounded(character.affection, updates.affection_delta, AFFECTION_MAX),
        trust=_bounded(character.trust, updates.trust_delta, STAT_MAX),
        intimacy=_bounded(character.intimacy, updates.intimacy_delta, STAT_MAX),
        comfort=_bounded(character.comfort, updates.comfort_delta, STAT_MAX),
        respect=_bounded(character.respect, updates.respect_delta, STAT_MAX),
    )


def change_mood(mood: MoodState, change: MoodChange | None) -> MoodState:
    """Replace the emotion, add to its intensity (0..100), and keep the last five causes."""
    if change is None:
        return mood
    causes = (*mood.causes, change.cause)[-MAX_CAUSES:] if change.cause else mood.causes
    return replace(
        mood,
        primary=change.emotion,
        intensity=_bounded(mood.intensity, change.intensity_delta, STAT_MAX),
        causes=tuple(cause for cause in causes if cause),
    )


def _warnings(updates: StateUpdates) -> tuple[str, ...]:
    found = []
    mood, action, expression = updates.mood_change, updates.action, updates.expression
    if mood is not None and mood.emotion not in EMOTIONS:
        found.append(f"Invalid emotion: {mood.emotion}")
    if abs(updates.affection_delta or 0) > SUSPICIOUS_AFFECTION:
        found.append(f"Affection delta too large: {updates.affection_delta}")
    if abs(updates.trust_delta or 0) > SUSPICIOUS_TRUST:
        found.append(f"Trust delta too large: {updates.trust_delta}")
    if action and clean_action(action) is None:
        found.append(f"Invalid action: {action}")
    if expression and expression not in EMOTIONS:
        found.append(f"Invalid expression: {expression}")
    return tuple(found)


def _valid_mood(change: MoodChange | None) -> MoodChange | None:
    if change is None or change.emotion not in EMOTIONS:
        return None
    delta = max(-MOOD_LIMIT, min(MOOD_LIMIT, change.intensity_delta))
    return replace(change, intensity_delta=delta)


def _clean_memory(memory: str | None) -> str | None:
    kept = " ".join((memory or "").replace("<", "").replace(">", "").split())
    return kept[:MEMORY_CHARACTERS].strip() or None


def _clamp(delta: int | None, limit: int) -> int | None:
    return None if delta is None else max(-limit, min(limit, delta))


def _merged(baseline: int | None, llm: int | None) -> int | None:
    return baseline if llm is None else llm


def _affection_within(delta: int | None, baseline: StateUpdates | None) -> int | None:
    if baseline is None:
        return delta
    return _clamp(delta, max(2 * abs(baseline.affection_delta or 0), LEAST_AFFECTION_CAP))


def _trust_within(delta: int | None, baseline: StateUpdates | None) -> int | None:
    if baseline is None:
        return delta
    return _clamp(delta, max(2 * abs(baseline.trust_delta or 0), LEAST_TRUST_CAP))


def _small_within(delta: int | None, baseline: StateUpdates | None) -> int | None:
    if delta is None or baseline is None:
        return delta
    lowest, highest = SMALL_STAT_RANGE
    return max(lowest, min(highest, delta))


def _bounded(value: int, delta: int | None, highest: int) -> int:
    return max(0, min(highest, value + (delta or 0)))


def _cause_from(said: str) -> str:
    words = " ".join(said.split())
    if not words:
        return PICTURE_CAUSE
    if len(words) > CAUSE_CHARACTERS:
        words = words[:CAUSE_CHARACTERS].rsplit(" ", 1)[0] + "…"
    return f"{SAID_CAUSE}{words}"
