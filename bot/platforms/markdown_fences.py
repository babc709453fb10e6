"""Finds the code blocks of a text, the way models write them and not only as CommonMark wants them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.platforms.markdown_spans import LONGEST_RUN, Span

_LANGUAGE = r"[\w+#.\-]{0,32}"
_FENCE_AT_START = re.compile(
    rf"[ ]{{0,3}}(?P<run>`{{3,{LONGEST_RUN}}}|~{{3,{LONGEST_RUN}}})(?P<info>[^`~\n]*)$"
)
_FENCE_AT_END = re.compile(rf"(?<!`)(?P<run>`{{3,{LONGEST_RUN}}})(?P<info>{_LANGUAGE})$")


def find_fences(text: str) -> Iterator[Span]:
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
