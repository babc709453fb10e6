"""Reads the marks inside one paragraph."""

from __future__ import annotations

import re
import unicodedata

from bot.platforms.markdown_spans import LONGEST_RUN, Link, Span, SpanKind

_KINDS: dict[str, SpanKind] = {
    "*": "italic",
    "_": "italic",
    "**": "bold",
    "__": "bold",
    "***": "bold_italic",
    "___": "bold_italic",
    "~~": "strike",
    "||": "spoiler",
}

_TICKS = re.compile("`+")
_URL = r"https?://(?:[^\s()<>\[\]*`|]++|\([^\s()<>\[\]*`|]*+\))++"
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>`+)"
    r"|(?P<mark>\*+|_+|~+|\|+)"
    rf"|(?P<link>\[(?P<label>[^\[\]\n]{{1,500}})\]\((?P<target>{_URL})\))"
    rf"|(?P<url>{_URL})"
)


class Paragraph:
    """The reader of one paragraph: a stack of open marks, each token looked at once.

    `_open` holds (mark, start) in order, `_where` the place of each mark in it. Of two equal openers only
    the later one can still be closed, so spans of one kind never lie inside each other.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.spans: list[Span] = []
        self.links: list[Link] = []
        self.escapes: list[int] = []
        self._open: list[tuple[str, int]] = []
        self._where: dict[str, int] = {}
        self._ticks: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text, start, end):
            self._ticks.setdefault(len(run[0]), []).append(run.start())
        for places in self._ticks.values():
            places.reverse()

    def read(self) -> None:
        """Walk over all tokens."""
        position = self.start
        while found := _TOKEN.search(self.text, position, self.end):
            position = found.end()
            if found["escape"]:
                self.escapes.append(found.start())
            elif found["code"]:
                position = self._code(found.start(), found.end())
            elif found["mark"]:
                self._mark(found["mark"], found.start())
            else:
                target = found["target"] or found["url"]
                self.links.append(Link(found.start(), found.end(), found["label"] or "", target))

    def _code(self, start: int, after: int) -> int:
        """Read a code span if the same row of backticks comes again; return where to go on."""
        length = after - start
        places = self._ticks.get(length, [])
        while places and places[-1] < after:
            places.pop()
        if not places or length > LONGEST_RUN:
            return after
        close = places[-1]
        self.spans.append(Span("code", start, after, close, close + length, "`" * length))
        return close + length

    def _mark(self, run: str, start: int) -> None:
        """Close what a row of marks closes, else remember it as an opener."""
        end = start + len(run)
        before = self.text[start - 1] if start > self.start else " "
        after = self.text[end] if end < self.end else " "
        if not before.isspace() and not _inside_word(run, after) and self._close(run, start):
            return
        if run in _KINDS and not after.isspace() and not _inside_word(run, before):
            self._push(run, start)

    def _push(self, mark: str, start: int) -> None:
        self._where[mark] = len(self._open)
        self._open.append((mark, start))

    def _close(self, run: str, start: int) -> bool:
        """Close the open mark equal to `run`; three in a row may be a one and a two, in either order."""
        if run in self._where:
            self._finish(run, start)
            return True
        triple = run[0] * 3
        if len(run) < 3 and triple in self._where and run[0] in "*_":
            opened = self._drop(triple)
            rest = triple[len(run) :]
            self._push(rest, opened)
            self._push(run, opened + len(rest))
            self._finish(run, start)
            return True
        waiting = sorted(self._where, key=self._where.__getitem__)[-2:]
        if run == triple and "".join(waiting) == run:
            self._finish(waiting[1], start)
            self._finish(waiting[0], start + len(waiting[1]))
            return True
        return False

    def _drop(self, mark: str) -> int:
        """Take the open `mark` and all openers inside it off the stack; return where it starts."""
        place = self._where[mark]
        start = self._open[place][1]
        for gone, _ in self._open[place:]:
            if self._where.get(gone, -1) >= place:
                del self._where[gone]
        del self._open[place:]
        return start

    def _finish(self, mark: str, start: int) -> None:
        """Record the span of the open `mark`; openers inside it stay plain characters."""
        opened = self._drop(mark)
        inner_start = opened + len(mark)
        self.spans.append(Span(_KINDS[mark], opened, inner_start, start, start + len(mark), mark))


def _inside_word(run: str, neighbour: str) -> bool:
    """Tell whether a mark touches a word from outside, so that it is no formatting."""
    if run[0] == "_":
        return neighbour.isalnum()
    return neighbour.isdecimal() or unicodedata.category(neighbour) in ("Lu", "Ll", "Lt")
