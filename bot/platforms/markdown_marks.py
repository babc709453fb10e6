"""Reads the neutral Markdown she speaks: one linear pass that finds spans, fences and links.

It is deliberately smaller than CommonMark. A mark counts only when it has a partner in the same paragraph,
and never inside a word of a script with upper and lower case, so `2*3*4` and `snake_case` stay as they are
while `これは**強調**です` works. Cutting a text and turning it into a platform's own form read the same marks,
so the two can never disagree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

SpanKind = Literal["bold", "italic", "bold_italic", "strike", "spoiler", "code", "fence"]

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
_LONGEST_RUN = 16
"""Longer rows of backticks or tildes are decoration, not code."""

_LANGUAGE = r"[\w+#.\-]{0,32}"
_FENCE_AT_START = re.compile(
    rf"[ ]{{0,3}}(?P<run>`{{3,{_LONGEST_RUN}}}|~{{3,{_LONGEST_RUN}}})(?P<info>[^`~\n]*)$"
)
_FENCE_AT_END = re.compile(rf"(?<!`)(?P<run>`{{3,{_LONGEST_RUN}}})(?P<info>{_LANGUAGE})$")
_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")
_TICKS = re.compile("`+")
_URL = r"https?://(?:[^\s()<>\[\]*`|]++|\([^\s()<>\[\]*`|]*+\))++"
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>`+)"
    r"|(?P<mark>\*+|_+|~+|\|+)"
    rf"|(?P<link>\[(?P<label>[^\[\]\n]{{1,500}})\]\((?P<target>{_URL})\))"
    rf"|(?P<url>{_URL})"
)


@dataclass(frozen=True, slots=True)
class Span:
    """One formatted stretch: the opening mark is [start, inner_start), the closing one [inner_end, end).

    `mark` is what to write to open or close it again; `language` and `closed` matter for fences only.
    A fence's opening mark includes its line break, its closing mark the line break before it.
    """

    kind: SpanKind
    start: int
    inner_start: int
    inner_end: int
    end: int
    mark: str
    language: str = ""
    closed: bool = True

    @property
    def opening(self) -> str:
        """The text that opens this span again."""
        return f"{self.mark}{self.language}\n" if self.kind == "fence" else self.mark

    @property
    def closing(self) -> str:
        """The text that closes this span."""
        return f"\n{self.mark}" if self.kind == "fence" else self.mark


@dataclass(frozen=True, slots=True)
class Link:
    """A link with a label, `[label](target)`, or a bare address, whose `label` is empty."""

    start: int
    end: int
    label: str
    target: str


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
    fences = list(_find_fences(text))
    spans: list[Span] = list(fences)
    links: list[Link] = []
    escapes: list[int] = []
    for start, end in _outside(fences, len(text)):
        for paragraph_start, paragraph_end in _paragraphs(text, start, end):
            reader = _Paragraph(text, paragraph_start, paragraph_end)
            reader.read()
            spans += reader.spans
            links += reader.links
            escapes += reader.escapes
    return Marks(tuple(sorted(spans, key=lambda s: (s.start, -s.end))), tuple(links), tuple(escapes))


def _find_fences(text: str) -> Iterator[Span]:
    """Yield the code blocks; one that never ends reaches to the end of the text."""
    opened: _Fence | None = None
    position = 0
    for line in text.split("\n") if "```" in text or "~~~" in text else ():
        bare = line.rstrip()
        if opened is None:
            opened = _open_fence(bare, position, position + len(line) + 1)
        elif closing := opened.closing_part(bare):
            yield opened.closed_by(position, closing)
            opened = None
        position += len(line) + 1
    if opened is not None and not opened.has_prose and text[opened.inner_start :].strip():
        yield opened.left_open(len(text))


@dataclass(frozen=True, slots=True)
class _Fence:
    """A code block whose end has not been read yet."""

    run: str
    language: str
    start: int
    inner_start: int
    has_prose: bool

    def closing_part(self, line: str) -> str:
        """Return the part of a line up to the end of the closing run, or nothing.

        Models also write the run right behind the last code, or go on talking behind it.
        """
        if line.endswith(self.run):
            return line
        head = line.lstrip(" ")
        if head.startswith(self.run) and head[len(self.run)].isspace():
            return line[: len(line) - len(head) + len(self.run)]
        return ""

    def closed_by(self, line_start: int, line: str) -> Span:
        """End the block with a line (or the first part of one) that ends in its run."""
        code = line.rstrip(self.run[0])
        alone = not code.strip()
        inner_end = line_start - 1 if alone else line_start + len(code)
        inner_end = max(inner_end, self.inner_start)
        return self._span(inner_end, line_start + len(line), True)

    def left_open(self, length: int) -> Span:
        """End the block with the text."""
        return self._span(length, length, False)

    def _span(self, inner_end: int, end: int, closed: bool) -> Span:
        return Span("fence", self.start, self.inner_start, inner_end, end, self.run, self.language, closed)


def _open_fence(line: str, line_start: int, next_line: int) -> _Fence | None:
    """Read a line that opens a code block, at its start or (as models often do) at its end.

    Words behind the opening that are no language are part of the code, so that none is lost; such a block
    must also be closed, or the backticks are a slip of the pen.
    """
    match = _FENCE_AT_START.match(line) or _FENCE_AT_END.search(line)
    if match is None or "```" in line[: match.start("run")]:
        return None
    info = match["info"]
    has_prose = re.fullmatch(_LANGUAGE, info) is None
    inner_start = line_start + match.end("run") if has_prose else next_line
    language = "" if has_prose else info
    return _Fence(match["run"], language, line_start + match.start("run"), inner_start, has_prose)


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


class _Paragraph:
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
        if not places or length > _LONGEST_RUN:
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
