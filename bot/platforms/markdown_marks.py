"""Reads the neutral Markdown she speaks: one linear pass that finds spans, fences and links.

It is deliberately smaller than CommonMark. A mark counts only when it has a partner in the same paragraph,
and never inside a word of a script with upper and lower case, so `2*3*4` and `snake_case` stay as they are
while `これは**強調**です` works. Cutting a text and turning it into a platform's own form read the same marks,
so the two can never disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.platforms.markdown_fences import find_fences
from bot.platforms.markdown_inline import Paragraph
from bot.platforms.markdown_spans import Link, Span

__all__ = ["Link", "Marks", "Span", "read_marks"]

_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Marks:
    """All that a text's Markdown says, in source positions; every tuple is sorted by start."""

    spans: tuple[Span, ...]
    links: tuple[Link, ...]
    escapes: tuple[int, ...]

    def around(self, position: int) -> list[Span]:
        """Return the spans whose inside reaches over `position`, outermost first."""
        return [s for s in self.spans if s.start < position and (position < s.end or not s.closed)]


def read_marks(text: str) -> Marks:
    """Find every span, link and escape of a text in one pass."""
    fences = list(find_fences(text))
    spans: list[Span] = list(fences)
    links: list[Link] = []
    escapes: list[int] = []
    for start, end in _outside(fences, len(text)):
        for paragraph_start, paragraph_end in _paragraphs(text, start, end):
            reader = Paragraph(text, paragraph_start, paragraph_end)
            reader.read()
            spans += reader.spans
            links += reader.links
            escapes += reader.escapes
    return Marks(tuple(sorted(spans, key=lambda s: (s.start, -s.end))), tuple(links), tuple(escapes))


def _outside(fences: list[Span], length: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches between the code blocks."""
    position = 0
    for fence in fences:
        yield position, fence.start
        position = fence.end
    yield position, length


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs of a stretch: no mark reaches over an empty line."""
    for found in _PARAGRAPH_BREAK.finditer(text, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end
