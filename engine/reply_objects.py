"""Objects in braces inside a reply: state blocks, remnants of them, and JSON that is somebody's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from engine.character import StateUpdates
from engine.lenient_json import Unreadable, read_value
from engine.lookahead import NeedMore
from engine.state_block import LEAK_KEYS, TELLING_KEYS, block_kind, find_state, updates_from

_WINDOW: Final = 400
_UNSETTLED: Final = 16
"""An error this near to the end of a stream may vanish with the next piece."""
_MIN_COST: Final = 256

_KEYS: Final = "|".join(sorted(TELLING_KEYS))
_ANY_KEYS: Final = "|".join(sorted(TELLING_KEYS | LEAK_KEYS))
_OPEN: Final = r"\{\s{0,200}"
_DOUBLE: Final = r'"[^"{}\n]{0,60}'
_SINGLE: Final = r"'[^'{}\n]{0,60}"
_CURLY: Final = "“[^“”{}\n]{0,60}"
_BARE: Final = r"[^\W\d]\w{0,40}"
_QUOTED_KEY: Final = rf"[\"'“](?:{_KEYS})[\"'”]"

_OBJECT: Final = re.compile(
    rf"{_OPEN}(?:(?:{_DOUBLE}\"|{_SINGLE}'|{_CURLY}”|{_BARE})\s{{0,8}}[:：]|/[/*]|\#|{_QUOTED_KEY})"
)
_OBJECT_BEGINNING: Final = re.compile(
    rf"{_OPEN}(?:(?:{_DOUBLE}\"?|{_SINGLE}'?|{_CURLY}”?|{_BARE})\s{{0,8}}|/)?\Z"
)
_FIRST_KEY: Final = re.compile(rf"{_OPEN}[\"'“]?(?:{_ANY_KEYS})[\"'”]?\s{{0,8}}:")
_LATER_KEY: Final = re.compile(rf"\{{[^{{}}]{{0,{_WINDOW}}}?{_QUOTED_KEY}")


class Finding(Enum):
    """What a brace or a fence turned out to be."""

    TEXT = auto()
    LEAK = auto()
    STATE = auto()
    CUT_SHORT = auto()
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class FoundObject:
    """A recognised brace: what it is, the index behind it, and the characters read in vain."""

    finding: Finding
    end: int
    updates: StateUpdates | None = None
    cost: int = 0


def match_object(text: str, at: int, *, afford: bool = True, final: bool = True) -> FoundObject:
    """Recognise what begins at the brace at index `at`, by its keys alone.

    Args:
        text: The reply or its part that has come so far.
        at: Index of an opening brace.
        afford: Whether reading may be tried; if not, only a telling first key counts.
        final: Whether the text is complete.

    Raises:
        NeedMore: Only if not `final`: an object may begin here.
    """
    if not _OBJECT.match(text, at):
        if not final and _OBJECT_BEGINNING.match(text, at):
            raise NeedMore
        return FoundObject(Finding.TEXT, at + 1)
    failed_at = at
    if afford:
        try:
            value, end = read_value(text, at)
        except Unreadable as unreadable:
            failed_at = unreadable.at
        else:
            return _classified(value, end)
    if not final and (failed_at >= len(text) - _UNSETTLED or len(text) < at + _WINDOW + 80):
        raise NeedMore(far=True)
    cost = max(failed_at - at, _MIN_COST) if afford else 0
    if _FIRST_KEY.match(text, at) or _LATER_KEY.match(text, at):
        return FoundObject(Finding.CUT_SHORT, at + 1, cost=cost)
    return FoundObject(Finding.TEXT, at + 1, cost=cost)


def _classified(value: object, end: int) -> FoundObject:
    kind = block_kind(value)
    if kind == "state":
        return FoundObject(Finding.STATE, end, updates_from(find_state(value) or {}))
    return FoundObject(Finding.LEAK if kind == "leak" else Finding.TEXT, end)
