"""Code fences inside a reply: the one around the state block, and those around code for the user."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.character import StateUpdates
from engine.lenient_json import Unreadable, read_value
from engine.lookahead import NEAR, NeedMore
from engine.reply_objects import Finding
from engine.state_block import LEAK_KEYS, TELLING_KEYS, block_kind, find_state, snake_keys, updates_from

_OPENER: Final = re.compile(r"`{3,}(?:[ \t]{1,3}(?=json))?(?P<tag>[A-Za-z0-9_+#.\-]*)")
_OPENER_BEGINNING: Final = re.compile(r"`{3,}[ \t]{0,3}j?s?o?n?\Z")
_TICKS: Final = re.compile(r"`+")
_NONBLANK: Final = re.compile(r"\S")
_STATE_WORD: Final = re.compile("|".join(sorted(LEAK_KEYS | TELLING_KEYS)), re.IGNORECASE)
_TELLING_WORD: Final = re.compile("|".join(sorted(TELLING_KEYS)))
_QUOTED_KEY: Final = re.compile(r"[\"'“][^\"'“”\n]{1,80}[\"'”]\s{0,8}:")
_MAX_TRIES: Final = 8
_UNSETTLED: Final = 16


@dataclass(frozen=True, slots=True)
class Fence:
    """A run of backticks: a block (with its end), the opener of code, or mere text."""

    finding: Finding
    end: int
    updates: StateUpdates | None = None
    opens_code: bool = False


def match_fence(text: str, at: int, *, final: bool = True) -> Fence:
    """Recognise what begins at the backtick at index `at`.

    A fence holds the state block if an object with state keys is its content, whatever its tag; in a
    fence tagged json, words may stand around the object. A json fence that holds neither a state
    object nor anything worth keeping counts as a broken block.

    Raises:
        NeedMore: Only if not `final`: the fence's content decides and has not come yet.
    """
    opener = _OPENER.match(text, at)
    if opener is None:
        ticks = _TICKS.match(text, at)
        end = ticks.end() if ticks else at + 1
        if end == len(text) and not final:
            raise NeedMore(far=end - at > NEAR)
        return Fence(Finding.TEXT, end)
    if not final and _OPENER_BEGINNING.match(text, at):
        raise NeedMore(far=len(text) - at > NEAR)
    first = _NONBLANK.search(text, opener.end())
    if first is None:
        if not final:
            raise NeedMore(far=len(text) - at > NEAR)
        return Fence(Finding.CUT_SHORT, len(text))
    tagged = opener["tag"].lower().startswith("json")
    if not tagged and text[first.start()] != "{":
        return Fence(Finding.TEXT, opener.end(), opens_code=True)
    return _match_content(text, opener.end(), first.start(), tagged, final)


def _match_content(text: str, opened: int, first: int, tagged: bool, final: bool) -> Fence:
    found = _read_state(text, opened, first, tagged, final)
    if isinstance(found, Fence):
        return found
    close = _closing(text, found, final)
    content = text[opened : close if close >= 0 else len(text)].strip()
    if _worth_keeping(content, tagged):
        return Fence(Finding.TEXT, opened, opens_code=True)
    end = _behind(text, close)
    if close < 0:
        return Fence(Finding.CUT_SHORT, end)
    return Fence(Finding.LEAK if content == "{}" else Finding.BROKEN, end)


def _read_state(text: str, opened: int, first: int, tagged: bool, final: bool) -> Fence | int:
    """Read the fence's objects; return the block, or the index from which its end is to be sought."""
    close = text.find("```", opened)
    limit = close if close >= 0 else len(text)
    start = first if text[first] in "{[" else text.find("{", first, limit)
    first_try = start
    for _ in range(_MAX_TRIES):
        if start < 0:
            break
        try:
            value, end = read_value(text, start)
        except Unreadable as unreadable:
            if not final and unreadable.at >= len(text) - _UNSETTLED:
                raise NeedMore(far=True) from None
            start = text.find("{", start + 1, limit) if tagged else -1
            continue
        if (updates := _updates(value, tagged and start == first_try)) is not None:
            return Fence(Finding.STATE, _behind(text, _closing(text, end, final)), updates)
        return end
    return opened


def _updates(value: object, side_keys_count: bool) -> StateUpdates | None:
    kind = block_kind(value)
    if kind == "state":
        return updates_from(find_state(value) or {})
    # Side keys alone are a block only where the model said that a block comes.
    if kind == "leak" and side_keys_count and isinstance(value, dict):
        return updates_from(snake_keys(value))
    return None


def _closing(text: str, at: int, final: bool) -> int:
    """Find the closing backticks from `at` on, or -1; while streaming, only once all of them are there."""
    close = text.find("```", at)
    if not final and (close < 0 or _behind(text, close) == len(text)):
        raise NeedMore(far=True)
    return close


def _behind(text: str, close: int) -> int:
    if close < 0:
        return len(text)
    ticks = _TICKS.match(text, close)
    return ticks.end() if ticks else close


def _worth_keeping(content: str, tagged: bool) -> bool:
    """Whether a fence without state object is code or JSON that the user asked for."""
    if not tagged:
        return not _TELLING_WORD.search(content)
    try:
        value, _ = read_value(content)
    except Unreadable:
        return not _STATE_WORD.search(content) and _QUOTED_KEY.search(content) is not None
    return block_kind(value) == "foreign"
