"""Reading the JSON that models really write: comments, single quotes, trailing commas, raw line breaks.

Strict JSON goes through the standard library; everything else through a reader without recursion whose
time is linear in what it reads.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

MAX_DEPTH: Final = 48
"""Deeper nesting is nobody's state block, and refusing it keeps hostile text cheap."""

_STRICT: Final = json.JSONDecoder(strict=False)
_COMMENT: Final = 2000
_MARKS: Final = 200
"""Characters of a comment, and apostrophes or escapes (with what is between) of a single-quoted text, that
are read: what never ends must not be read to the reply's end at every fence.
"""
_BLANK: Final = re.compile(
    rf"(?:\s++|//[^\n]{{0,{_COMMENT}}}+|#[^\n]{{0,{_COMMENT}}}+|/\*(?:[^*]|\*(?!/)){{0,{_COMMENT}}}+(?:\*/)?)*+"
)
_DOUBLE: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
# An apostrophe inside a single-quoted text ends it only where JSON could go on.
_SINGLE: Final = re.compile(rf"'((?:[^'\\]++|\\.|'(?!\s*[,:}}\]])){{0,{_MARKS}}}+)'", re.DOTALL)
_CURLY: Final = re.compile(r"[“”]([^“”]*+)[“”]")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?(?![\w.])")
_WORD: Final = re.compile(r"[+-]?[^\W\d][\w$-]*+")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_WORDS: Final[dict[str, object]] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "undefined": None,
    "nan": float("nan"),
    "infinity": float("inf"),
    "+infinity": float("inf"),
    "-infinity": float("-inf"),
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}


class Unreadable(ValueError):
    """No value can be read; `at` is where reading stopped, an index into the text."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class _Open:
    """A container still being filled; `key` is the key whose value comes next, if any."""

    value: dict[str, object] | list[object]
    key: str | None = None

    def put(self, item: object) -> None:
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.key is not None:
            self.value[self.key] = item
            self.key = None


def read_value(text: str, start: int = 0) -> tuple[object, int]:
    """Read one object, list, text, number or word that begins at `start`.

    Args:
        text: Any text; what follows the value does not matter.
        start: Index of the value's first character.

    Returns:
        The value and the index behind it. Numbers out of range become infinite, as JSON's own reader
        does; an unknown bare word becomes a text.

    Raises:
        Unreadable: Nothing can be read there; `at` is the end of the text if it was cut short.
    """
    try:
        return _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _read_leniently(text, start)


def _read_leniently(text: str, start: int) -> tuple[object, int]:
    stack: list[_Open] = []
    at = start
    while True:
        opened = text[at : at + 1]
        if opened in ("{", "["):
            if len(stack) >= MAX_DEPTH:
                raise Unreadable(at)
            stack.append(_Open({} if opened == "{" else []))
            at = _next_slot(text, at + 1, stack[-1])
        else:
            value, at = _scalar(text, at)
            if not stack:
                return value, at
            stack[-1].put(value)
            at = _behind_item(text, at, stack[-1])
        while text[at] in "}]":
            if (text[at] == "}") != isinstance(stack[-1].value, dict):
                raise Unreadable(at)
            closed = stack.pop().value
            at += 1
            if not stack:
                return closed, at
            stack[-1].put(closed)
            at = _behind_item(text, at, stack[-1])


def _skip_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    end = blank.end() if blank else at
    if end >= len(text):
        raise Unreadable(len(text))
    return end


def _next_slot(text: str, at: int, container: _Open) -> int:
    """Go to the next item's first character (in an object: behind its key) or to the closing bracket."""
    at = _skip_blank(text, at)
    if text[at] in "}]" or isinstance(container.value, list):
        return at
    key, at = _scalar(text, at)
    at = _skip_blank(text, at)
    if text[at] not in ":：" or not isinstance(key, str):
        raise Unreadable(at)
    container.key = key
    return _skip_blank(text, at + 1)


def _behind_item(text: str, at: int, container: _Open) -> int:
    at = _skip_blank(text, at)
    if text[at] in "}]":
        return at
    if text[at] == ",":
        return _next_slot(text, at + 1, container)
    # A forgotten comma between two members is common; between two list items it would be a guess.
    if text[at] in "\"'“" and isinstance(container.value, dict):
        return _next_slot(text, at, container)
    raise Unreadable(at)


def _scalar(text: str, at: int) -> tuple[object, int]:
    first = text[at : at + 1]
    if first and first in "\"'“”":
        return _quoted(text, at, first)
    if number := _NUMBER.match(text, at):
        return float(number[0]), number.end()
    if word := _WORD.match(text, at):
        return _WORDS.get(word[0].casefold(), word[0]), word.end()
    raise Unreadable(at)


def _quoted(text: str, at: int, quote: str) -> tuple[str, int]:
    pattern = {'"': _DOUBLE, "'": _SINGLE}.get(quote, _CURLY)
    found = pattern.match(text, at)
    if found is None:
        raise Unreadable(len(text))
    body = found[1]
    return (_unescape(body) if "\\" in body else body), found.end()


def _unescape(body: str) -> str:
    decoded = _ESCAPE.sub(_escaped_character, body)
    return _SURROGATE_PAIR.sub(
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), decoded
    )


def _escaped_character(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)
