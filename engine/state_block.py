"""What a state block may say: its keys, and the rules for each of its fields."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, Literal

from engine.character import Emotion, MoodChange, StateUpdates
from engine.emotion_words import canonical_emotion

MOOD_LIMIT: Final = 30
AFFECTION_LIMIT: Final = 20
STAT_LIMIT: Final = 10
"""How far one reply may move mood intensity, affection and any other stat, either way."""
MEMORY_CHARACTERS: Final = 240
ACTION_CHARACTERS: Final = 64

DELTA_LIMITS: Final = {
    "affection_delta": AFFECTION_LIMIT,
    "trust_delta": STAT_LIMIT,
    "intimacy_delta": STAT_LIMIT,
    "comfort_delta": STAT_LIMIT,
    "respect_delta": STAT_LIMIT,
}
TELLING_KEYS: Final = frozenset({"mood_change", "new_memory", *DELTA_LIMITS})
"""An object with one of these keys is a state block, whatever stands around it."""
SIDE_KEYS: Final = frozenset({"energy_delta", "action", "expression", "triggered_event"})
"""Keys of the block that alone prove nothing: a user's own JSON may have an "action"."""
LEAK_KEYS: Final = SIDE_KEYS | {"emotion", "intensity_delta", "mood"}

_KNOWN_KEYS: Final = TELLING_KEYS | LEAK_KEYS
_SPELLING: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|[-\s]+")
_BLANKS: Final = re.compile(r"\s{2,}|[^\S\n]")
_SURROGATE: Final = re.compile("[\ud800-\udfff\x00]")
_ACTION: Final = re.compile(rf"[a-z0-9_-]{{1,{ACTION_CHARACTERS}}}")
_NOTHING: Final = frozenset({"", "null", "none", "n/a", "nil", "undefined", "nothing"})

BlockKind = Literal["state", "leak", "empty", "foreign"]


def snake_keys(block: Mapping[str, object]) -> dict[str, object]:
    """Bring the keys of a block to the specification's spelling ("moodChange" -> "mood_change")."""
    return {_snake(key): value for key, value in block.items()}


def _snake(key: str) -> str:
    return key if key in _KNOWN_KEYS else _SPELLING.sub("_", key.strip()).lower()


def find_state(value: object) -> dict[str, object] | None:
    """Return the state object in a read value: the value itself or one wrapped a single level deep.

    A list of one object is that object: small models write such.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    block = snake_keys(value)
    if not TELLING_KEYS.isdisjoint(block):
        return block
    for inner in block.values():
        if isinstance(inner, dict) and not TELLING_KEYS.isdisjoint(wrapped := snake_keys(inner)):
            return wrapped
    return None


def block_kind(value: object) -> BlockKind:
    """Tell a state block from a remnant of one, an empty container and somebody's own JSON.

    Scalars count as empty: a lone `null` or `5` is no suggestion and nobody's document.
    """
    if find_state(value) is not None:
        return "state"
    if not value or not isinstance(value, dict | list):
        return "empty"
    if isinstance(value, dict) and LEAK_KEYS.issuperset(snake_keys(value)):
        return "leak"
    return "foreign"


def updates_from(block: Mapping[str, object]) -> StateUpdates:
    """Apply the field rules to a state object (specification, "Response Parsing and Robustness").

    Args:
        block: The object with keys in the specification's spelling; any values.

    Returns:
        Bounded suggestions. What is missing, unreadable or of the wrong type is no suggestion.
    """
    # Small models shorten the key of the mood, leave its level out, or put everything inside it.
    mood = block.get("mood_change") or block.get("mood") or block
    if isinstance(mood, dict):
        block = {**{key: value for key, value in snake_keys(mood).items() if key in TELLING_KEYS}, **block}
    expression = canonical_emotion(block.get("expression"))
    return StateUpdates(
        mood_change=_mood_change(mood),
        affection_delta=bounded_delta(block.get("affection_delta"), AFFECTION_LIMIT),
        trust_delta=bounded_delta(block.get("trust_delta"), STAT_LIMIT),
        intimacy_delta=bounded_delta(block.get("intimacy_delta"), STAT_LIMIT),
        comfort_delta=bounded_delta(block.get("comfort_delta"), STAT_LIMIT),
        respect_delta=bounded_delta(block.get("respect_delta"), STAT_LIMIT),
        new_memory=clean_memory(block.get("new_memory")),
        triggered_event=_said(block.get("triggered_event")),
        action=clean_action(block.get("action")),
        expression=None if expression == "neutral" else expression,
    )


def bounded_delta(value: object, limit: int) -> int | None:
    """Read a number that a model may have written as a text; round half up, clamp to +-`limit`.

    Infinity clamps; NaN, booleans, lists and unreadable texts are no suggestion (None).
    """
    number = _number(value)
    if number is None or math.isnan(number):
        return None
    return math.floor(max(-limit, min(limit, number)) + 0.5)


def clean_memory(value: object) -> str | None:
    """Make a memory safe to store: no angle brackets, runs of blanks to one, at most 240 characters.

    A single line break stays; "null", "none" and what has no letter ("391.11") are not memories.
    """
    text = _said(value)
    if text is None or not any(map(str.isalpha, text)):
        return None
    text = _SURROGATE.sub("", text).replace("<", "").replace(">", "")
    return _said(_BLANKS.sub(" ", text.strip())[:MEMORY_CHARACTERS])


def clean_action(value: object) -> str | None:
    """Return an animation id in lower case, or None if it is not made of a-z, 0-9, _ and -."""
    text = _said(value)
    if text is None or not _ACTION.fullmatch(text.lower()):
        return None
    return text.lower()


def _said(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    text = value.strip()
    return None if text.lower() in _NOTHING else text


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        # An integer beyond a float's range clamps like infinity instead of overflowing.
        return float(value) if abs(value) < 10**300 else math.copysign(math.inf, value > 0 or -1)
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        try:
            return float(value.replace("−", "-"))
        except ValueError:
            return None
    return None


def _mood_change(value: object) -> MoodChange | None:
    if not isinstance(value, dict):
        return None
    fields = snake_keys(value)
    emotion: Emotion | None = canonical_emotion(fields.get("emotion"))
    if emotion is None:
        return None
    return MoodChange(emotion, bounded_delta(fields.get("intensity_delta"), MOOD_LIMIT) or 0)
