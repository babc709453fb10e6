"""Her words as they will be read: trimmed, without holes of blank lines, built up piece by piece."""

from __future__ import annotations

from typing import Final

_TAIL: Final = 8


class DialogueText:
    """Collects kept pieces of a reply; what has been released never changes afterwards.

    Blanks at the end are held until more text comes, so that the whole is always trimmed.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blank = ""
        self._blank_is_code = False
        self._tail = ""

    def add(self, text: str, *, code: bool = False) -> None:
        """Append a piece. Three and more line breaks in a row become two, except inside code."""
        body = text.strip()
        if not body:
            self._hold(text, code)
            return
        start = text.index(body[0]) if text[0].isspace() else 0
        self._hold(text[:start], code)
        if self._parts:
            self._parts.append(self._blank if self._blank_is_code else _without_hole(self._blank))
        self._parts.append(body)
        self._tail = body[-_TAIL:]
        self._blank, self._blank_is_code = "", False
        self._hold(text[start + len(body) :], code)

    def _hold(self, blank: str, code: bool) -> None:
        self._blank += blank
        self._blank_is_code = self._blank_is_code or (code and "\n" in blank)

    @property
    def before(self) -> str:
        """The end of what was kept, blanks included: "" at the very start."""
        return (self._tail + self._blank)[-_TAIL:] if self._parts else ""

    @property
    def empty(self) -> bool:
        """Whether nothing that can be read has been kept yet."""
        return not self._parts

    def take(self) -> str:
        """Return what was released since the last call (for streaming)."""
        released = "".join(self._parts)
        # Something stays behind, so that `empty` goes on telling the truth.
        self._parts = [""] if self._parts else []
        return released


def _without_hole(blank: str) -> str:
    if blank.count("\n") < 3:
        return blank
    return "\n\n" + blank[blank.rindex("\n") + 1 :]
