"""How a moving face fades between expressions, frame by frame (specification, "Mood State").

The mood's face fades slowly, and the old one goes fully before a new one starts; a flash lies above it;
eyes blink. A still picture does not need this; a figure in motion does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from engine.mood_face import ExpressionTarget

FADE_PER_S: Final = 1.5
GONE_BELOW: Final = 0.01
ATTACK_S: Final = 0.25
HOLD_S: Final = 2.5
HOLD_MAX_S: Final = 8.0
HOLD_STEP_S: Final = 0.01
RELEASE_S: Final = 0.8
BLINK_EVERY_S: Final = (2.0, 6.0)
BLINK_S: Final = 0.125
BLINK_CLOSING: Final = 0.3
BLINK: Final = "blink"


@dataclass(frozen=True, slots=True)
class Flash:
    """A reaction of the moment: its face, its age, and since when (age) it is released."""

    target: ExpressionTarget
    age_s: float = 0.0
    hold_until_s: float | None = None


@dataclass(frozen=True, slots=True)
class Blink:
    """The eyes: seconds since the last blink, seconds until the next, and how far the present one is (0..1)."""

    timer_s: float = 0.0
    next_s: float = BLINK_EVERY_S[1]
    active: bool = False
    progress: float = 0.0


@dataclass(frozen=True, slots=True)
class Mix:
    """What the face shows now."""

    mood: ExpressionTarget | None = None
    flash: Flash | None = None
    blink: Blink = Blink()


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame's circumstances: its length, the mood's goal, and what she is doing."""

    length_s: float
    goal: ExpressionTarget | None = None
    speaking: bool = False
    emote_playing: bool = False
    photo_mode: bool = False


def compose(mix: Mix, frame: Frame, draw: Callable[[], float]) -> tuple[dict[str, float], Mix]:
    """Advance the face by one frame.

    Args:
        mix: The face before.
        frame: What happens in this frame. An emote suspends the mood's face and the blinking; photo mode
            ends a flash.
        draw: A random number in [0, 1), taken when a blink has ended, for the time to the next.

    Returns:
        The weight of each expression that is set in this frame (0 for one that has just gone), and the
        face after.
    """
    goal = None if frame.emote_playing else frame.goal
    mood = _faded(mix.mood, goal, min(1.0, FADE_PER_S * frame.length_s))
    flash, flash_weight = _flashed(mix.flash, frame)
    blink = mix.blink if frame.emote_playing else _blinked(mix.blink, frame.length_s, draw)
    weights = {} if mood is None else {mood.name: mood.weight}
    if mix.mood is not None and mood is None:
        weights[mix.mood.name] = 0.0
    if mix.flash is not None:
        name = mix.flash.target.name
        weights[name] = max(weights.get(name, 0.0), flash_weight)
    if blink.active:
        weights[BLINK] = _eyelids(blink.progress)
    return weights, Mix(mood, flash, blink)


def _faded(
    now: ExpressionTarget | None, goal: ExpressionTarget | None, share: float
) -> ExpressionTarget | None:
    if now is None:
        return None if goal is None else ExpressionTarget(goal.name, goal.weight * share)
    if goal is not None and goal.name == now.name:
        return ExpressionTarget(now.name, now.weight + (goal.weight - now.weight) * share)
    weight = now.weight - now.weight * share
    return None if weight < GONE_BELOW else ExpressionTarget(now.name, weight)


def _flashed(flash: Flash | None, frame: Frame) -> tuple[Flash | None, float]:
    """Return the flash after the frame and its weight; once it is released it never holds again."""
    if flash is None or frame.photo_mode:
        return None, 0.0
    age = flash.age_s + frame.length_s
    hold = min(HOLD_MAX_S, max(HOLD_S, age + HOLD_STEP_S)) if frame.speaking else HOLD_S
    until = flash.hold_until_s
    if until is None and age >= hold:
        until = age
    released = 0.0 if until is None else age - until
    if released >= RELEASE_S:
        return None, 0.0
    strength = min(1.0, age / ATTACK_S) * (1 - max(0.0, released) / RELEASE_S)
    return replace(flash, age_s=age, hold_until_s=until), flash.target.weight * strength


def _blinked(blink: Blink, length_s: float, draw: Callable[[], float]) -> Blink:
    timer = blink.timer_s + length_s
    if not blink.active:
        due = timer >= blink.next_s
        return Blink(0.0, blink.next_s, active=True) if due else replace(blink, timer_s=timer)
    progress = blink.progress + length_s / BLINK_S
    if progress < 1:
        return replace(blink, progress=progress)
    shortest, longest = BLINK_EVERY_S
    return Blink(0.0, shortest + draw() * (longest - shortest))


def _eyelids(progress: float) -> float:
    if progress < BLINK_CLOSING:
        return progress / BLINK_CLOSING
    return 1 - (progress - BLINK_CLOSING) / (1 - BLINK_CLOSING)
