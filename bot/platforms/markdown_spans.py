"""The values that reading Markdown yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

SpanKind = Literal["bold", "italic", "bold_italic", "strike", "spoiler", "code", "fence"]

LONGEST_RUN: Final = 16
"""Longer rows of backticks or tildes are decoration, not code."""


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
