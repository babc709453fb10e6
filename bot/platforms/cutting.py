"""Where a text is cut, and what closes and opens again around a cut."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.platforms.characters import is_boundary, utf16_length
from bot.platforms.markdown_marks import Marks, Span, read_marks

Measure = Callable[[str], int]
"""The length of a piece after the platform's own conversion."""

_EARLIEST_SHARE = 4
"""A paragraph, line or sentence end counts only behind this part (one fourth) of the room."""

_SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’»)\]*_~|]*+(?=\s)|[。！？]+[」』”’）]*""")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    following: int


class Cutter:
    """Cuts one text; every piece is looked at a bounded number of times."""

    def __init__(self, text: str, limit: int, measure: Measure | None) -> None:
        self.text, self.limit, self.measure = text, limit, measure
        self.marks = read_marks(text)
        self.whole = sorted(_unbreakable(text, self.marks, limit))
        self.whole_starts = [start for start, _ in self.whole]
        self.fences = [span for span in self.marks.spans if span.kind == "fence"]

    def pieces(self) -> tuple[str, ...]:
        """Return all pieces."""
        found: list[str] = []
        start = 0
        while start < len(self.text):
            piece = self._next(start)
            start = piece.following
            if piece.text.strip():
                found.append(piece.text)
        return tuple(found)

    def _size(self, piece: str) -> int:
        own = self.measure(piece) if self.measure else 0
        return max(utf16_length(piece), own)

    def _next(self, start: int) -> _Piece:
        """Make the piece that begins at `start`, as long as it may be."""
        prefix = self._prefix(start)
        end = self._reach(start, self.limit - len(prefix))
        while end > start:
            cut = end if end == len(self.text) else self._best_cut(start, end)
            piece = self._piece(prefix, start, cut)
            size = self._size(piece.text)
            if size <= self.limit:
                return piece
            end = start + min((cut - start) * self.limit // size, cut - start - 1)
        return self._bare(start)

    def _bare(self, start: int) -> _Piece:
        """Make a piece of one character and no repair, where the marks alone would fill it."""
        end = start + 1
        while end - start < self.limit and not is_boundary(self.text, end):
            end += 1
        return _Piece(self.text[start:end], end)

    def _reach(self, start: int, room: int) -> int:
        """Return the last position so that the text from `start` takes at most `room` units."""
        end = min(len(self.text), start + max(room, 0))
        while end > start and (over := utf16_length(self.text[start:end]) - room) > 0:
            end -= (over + 1) // 2
        return max(end, start)

    def _prefix(self, start: int) -> str:
        """Return what opens again all that was closed before `start`."""
        around = [span for span in self.marks.around(start) if span.inner_start <= start]
        if any(span.kind == "fence" for span in around):
            return around[0].opening
        line = self.text.rfind("\n", 0, start) + 1
        quote = "> " if start > line and self.text.startswith("> ", line) else ""
        return quote + "".join(span.opening for span in around)

    def _piece(self, prefix: str, start: int, cut: int) -> _Piece:
        """Close what is open at `cut` and find where the next piece begins."""
        fence = self._fence_around(cut)
        if fence is not None and fence.inner_start <= cut:
            end = min(cut, fence.inner_end)
            following = fence.end if cut >= fence.inner_end else cut + (self.text[cut] == "\n")
            return _Piece(_balanced(prefix + self.text[start:end] + fence.closing), following)
        end = len(self.text[start:cut].rstrip()) + start
        around = self.marks.around(end)
        end = min([end, *(span.inner_end for span in around if span.inner_end > start)])
        closing = "".join(span.closing for span in reversed(around))
        return _Piece(_balanced(prefix + self.text[start:end] + closing), self._following(cut, around))

    def _following(self, cut: int, around: list[Span]) -> int:
        """Return where the next piece begins: behind white space and behind marks that are closed already."""
        position = self._skip_space(cut)
        for span in reversed(around):
            if position >= span.inner_end:
                position = self._skip_space(max(position, span.end))
        return position

    def _skip_space(self, position: int) -> int:
        while self._is_space(position):
            position += 1
        return position

    def _fence_around(self, position: int) -> Span | None:
        """Return the code block that `position` lies in, from behind its first character to its end."""
        place = bisect_left(self.fences, position, key=lambda fence: fence.start) - 1
        if place < 0:
            return None
        fence = self.fences[place]
        return fence if position < fence.end or (position == fence.end and not fence.closed) else None

    def _best_cut(self, start: int, end: int) -> int:
        """Choose where to end the piece that begins at `start` and may reach to `end`."""
        floor = start + (end - start) // _EARLIEST_SHARE
        cut = self._tidy_end(floor, end) or self._word_end(start, end) or self._character_end(start, end)
        return self._pulled_back(start, cut, floor)

    def _tidy_end(self, floor: int, end: int) -> int:
        """Return the last end of a paragraph, else line, else sentence, behind `floor`; 0 if there is none."""
        for mark in ("\n\n", "\n"):
            if (cut := self.text.rfind(mark, floor + 1, end + len(mark))) > 0:
                return cut
        ends = (found.end() for found in _SENTENCE_END.finditer(self.text, floor, end + 1))
        return max((cut for cut in ends if floor < cut <= end and is_boundary(self.text, cut)), default=0)

    def _word_end(self, start: int, end: int) -> int:
        """Return the last white space, unless the word behind it fits into no message at all; 0 if none."""
        cut = end
        while cut > start and not self._is_space(cut):
            cut -= 1
        if not self.text[start:cut].strip():
            return 0
        behind = _SPACE.search(self.text, cut + 1, cut + self.limit + 2)
        if behind is None and cut < end and len(self.text) - cut > self.limit:
            return 0
        word_end = behind.start() if behind else len(self.text)
        return cut if self._size(self.text[cut + 1 : word_end]) <= self.limit else 0

    def _character_end(self, start: int, end: int) -> int:
        """Return the last place that tears no character; `end` itself where one fills the whole room."""
        cut = end
        while cut > start and not is_boundary(self.text, cut):
            cut -= 1
        return cut if cut > start else end

    def _is_space(self, position: int) -> bool:
        """Tell whether white space that carries no combining mark stands at `position`."""
        return self.text[position : position + 1].isspace() and is_boundary(self.text, position + 1)

    def _pulled_back(self, start: int, cut: int, floor: int) -> int:
        """Move a cut before what must stay in one piece, if that still leaves something before it."""
        fence = self._fence_around(cut)
        if (
            fence is not None
            and fence.start > floor
            and fence.end - fence.start + len(fence.closing) <= self.limit
        ):
            return fence.start
        moved = cut
        while (earlier := self._before_whole(moved)) < moved:
            moved = earlier
        return moved if moved > start and self.text[start:moved].strip() else cut

    def _before_whole(self, cut: int) -> int:
        """Return the start of an unbreakable stretch that `cut` lies in, else `cut`."""
        place = bisect_left(self.whole_starts, cut)
        for start, end in self.whole[max(0, place - 2) : place]:
            if cut < end:
                return start
        return cut


def _balanced(piece: str) -> str:
    """Close a code block that only the cut has made: a stray row of backticks that now begins a line."""
    if "```" not in piece and "~~~" not in piece:
        return piece
    opened = next((span for span in read_marks(piece).spans if not span.closed), None)
    return piece + opened.closing if opened else piece


def _unbreakable(text: str, marks: Marks, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches that no cut may fall into: opening marks with what follows, escapes, links."""
    for span in marks.spans:
        inner = text[span.inner_start : span.inner_end]
        yield span.start, span.inner_start + len(inner) - len(inner.lstrip()) + 1
    for escape in marks.escapes:
        yield escape, escape + 2
    for link in marks.links:
        if link.end - link.start <= limit // 2:
            yield link.start, link.end
