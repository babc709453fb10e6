"""Which expression her figure shows: the resting face of a mood and the flash of a moment.

Specification, "Mood State": the first candidate that the figure has wins, VRM 1.0 presets before 0.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

from engine.character import STAT_MAX, Emotion, MoodState
from engine.conversation import Face

FLASH_FACTOR: Final = 1.4
FLASH_MAX: Final = 0.9
WEIGHT_STEPS: Final = 8
"""Faces are drawn in eighths of an expression, so that few different pictures are needed."""


@dataclass(frozen=True, slots=True)
class MoodLook:
    """An emotion's expressions in order of preference, and the weight at full intensity."""

    candidates: tuple[str, ...]
    scale: float


LOOKS: Final[dict[Emotion, MoodLook]] = {
    "excited": MoodLook(("happy", "joy"), 0.8),
    "happy": MoodLook(("happy", "joy"), 0.6),
    "sad": MoodLook(("sad", "sorrow"), 0.6),
    "playful": MoodLook(("happy", "fun", "joy"), 0.5),
    "affectionate": MoodLook(("happy", "relaxed", "joy"), 0.5),
    "content": MoodLook(("relaxed", "fun"), 0.5),
    "frustrated": MoodLook(("angry",), 0.5),
    "melancholy": MoodLook(("sad", "sorrow"), 0.45),
    "flustered": MoodLook(("surprised",), 0.4),
    "anxious": MoodLook(("sad", "sorrow"), 0.3),
    "curious": MoodLook(("surprised",), 0.3),
    "neutral": MoodLook((), 0.0),
}


@dataclass(frozen=True, slots=True)
class ExpressionTarget:
    """An expression in the figure's own spelling, and its weight (0..1)."""

    name: str
    weight: float


def mood_expression_target(mood: MoodState, available: Sequence[str]) -> ExpressionTarget | None:
    """Return the resting face of a mood, or None where nothing shows."""
    look = LOOKS[mood.primary]
    return _target(look, available, look.scale * max(0, min(STAT_MAX, mood.intensity)) / STAT_MAX)


def flash_expression_target(emotion: Emotion, available: Sequence[str]) -> ExpressionTarget | None:
    """Return the face of a visible reaction, independent of intensity; `neutral` never flashes."""
    look = LOOKS[emotion]
    return _target(look, available, min(FLASH_MAX, look.scale * FLASH_FACTOR))


def face_for(mood: MoodState, expression: Emotion | None, available: Sequence[str]) -> Face:
    """Return the face for a picture: the flash if there is one, else the mood's resting face.

    Weights are in eighths; below a sixteenth the resting face stays plain.
    """
    flash = flash_expression_target(expression, available) if expression else None
    if expression and flash:
        return Face(expression, flash.name, _quantised(flash.weight), flash=True)
    target = mood_expression_target(mood, available)
    weight = _quantised(target.weight) if target else 0.0
    if target is None or weight == 0:
        return Face(mood.primary)
    return Face(mood.primary, target.name, weight)


def _target(look: MoodLook, available: Sequence[str], weight: float) -> ExpressionTarget | None:
    name = _first_match(look.candidates, available)
    rounded = floor(weight * 1000 + 0.5) / 1000
    if name is None or rounded == 0:
        return None
    return ExpressionTarget(name, rounded)


def _first_match(candidates: Sequence[str], available: Sequence[str]) -> str | None:
    spelling = {name.lower(): name for name in reversed(available)}
    return next((spelling[candidate] for candidate in candidates if candidate in spelling), None)


def _quantised(weight: float) -> float:
    return floor(weight * WEIGHT_STEPS + 0.5) / WEIGHT_STEPS
