"""A second look at suggested updates that did not come through the reply parser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.character import EMOTIONS, Emotion, MoodChange, StateUpdates
from engine.state_block import MOOD_LIMIT, bounded_delta, clean_action, snake_keys, updates_from

SUSPICIOUS_AFFECTION: Final = 50
SUSPICIOUS_TRUST: Final = 20
"""Beyond these a suggestion is not only clamped but reported."""


@dataclass(frozen=True, slots=True)
class CheckedUpdates:
    """Updates that are safe to apply, and what had to be refused or looks like a mistake."""

    updates: StateUpdates
    warnings: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing had to be complained about."""
        return not self.warnings


def check_updates(suggested: Mapping[str, object]) -> CheckedUpdates:
    """Clamp suggested updates and report what is wrong with them; energy never passes.

    Args:
        suggested: Fields of `StateUpdates` as a plain mapping, in snake_case or camelCase.
    """
    fields = snake_keys(suggested)
    warnings = [
        *_large(fields, "affection_delta", SUSPICIOUS_AFFECTION),
        *_large(fields, "trust_delta", SUSPICIOUS_TRUST),
    ]
    mood = fields.get("mood_change")
    change = snake_keys(mood) if isinstance(mood, dict) else {}
    emotion, expression = _emotion(change.get("emotion")), _emotion(fields.get("expression"))
    warnings += _unknown("emotion", change.get("emotion"), emotion)
    warnings += _unknown("action", fields.get("action"), clean_action(fields.get("action")))
    warnings += _unknown("expression", fields.get("expression"), expression)
    checked = replace(
        updates_from({**fields, "mood_change": None}),
        mood_change=_mood_change(emotion, change),
        expression=expression,
    )
    return CheckedUpdates(checked, tuple(warnings))


def _emotion(value: object) -> Emotion | None:
    return next((emotion for emotion in EMOTIONS if emotion == value), None)


def _mood_change(emotion: Emotion | None, change: Mapping[str, object]) -> MoodChange | None:
    if emotion is None:
        return None
    cause = change.get("cause")
    delta = bounded_delta(change.get("intensity_delta"), MOOD_LIMIT) or 0
    return MoodChange(emotion, delta, cause if isinstance(cause, str) and cause else None)


def _large(fields: Mapping[str, object], key: str, limit: int) -> list[str]:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) <= limit:
        return []
    return [f"{key.replace('_', ' ').capitalize()} too large: {value}"]


def _unknown(what: str, value: object, read: str | None) -> list[str]:
    return [] if read is not None or value in (None, "") else [f"Invalid {what}: {value}"]
