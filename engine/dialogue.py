"""Her words as they will be read: trimmed, without holes of blank lines, built up piece by piece."""

from __future__ import annotations

import re
from typing import Final

_TAIL: Final = 8
_LONG_BLANK: Final = re.compile(r"\s{3,}")


class DialogueText:
    """Collects kept pieces of a reply; what has been taken never changes afterwards.

    Blanks at the end are held until more text comes, so that the whole is always trimmed.
    """

    def __init__(self) -> None:
        self.empty = True
        self._fresh = False
        self._code = False
        self._pieces: list[str] = []
        self._tidied: list[str] = []
        self._tail = ""

    def add(self, text: str, *, code: bool = False) -> None:
        """Append a piece. Three and more line breaks in a row become two, except inside code."""
        if self.empty:
            text = text.lstrip()
            if not text:
                return
            self.empty = False
        if code is not self._code:
            self._tidy()
            self._code = code
        self._pieces.append(text)
        self._fresh = self._fresh or not text.isspace()
        self._tail = text if len(text) >= _TAIL else (self._tail + text)[-_TAIL:]

    @property
    def before(self) -> str:
        """The end of what was kept, blanks included: "" at the very start."""
        return self._tail[-_TAIL:]

    def take(self) -> str:
        """Return what was kept since the last call, but for blanks at its end."""
        if not self._fresh:
            return ""
        self._fresh = False
        self._tidy()
        text = "".join(self._tidied)
        released = text.rstrip()
        self._tidied, held = [], text[len(released) :]
        if held:
            self._pieces = [held]
        return released

    def _tidy(self) -> None:
        """Move the pieces at hand, which are all code or all words, to the tidied ones."""
        text = "".join(self._pieces)
        self._pieces = []
        if text:
            self._tidied.append(text if self._code else _LONG_BLANK.sub(_without_hole, text))


def _without_hole(blank: re.Match[str]) -> str:
    if blank[0].count("\n") < 3:
        return blank[0]
    return "\n\n" + blank[0][blank[0].rindex("\n") + 1 :]
