"""One figure a row, printed as Markdown, so that a run can be pasted into docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tests.bench.samples import quantile

HEAD = ("figure", "median", "p95", "unit", "bar", "beside")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing. `p95` None: it is no distribution. `beside` holds what helps to read it."""

    name: str
    median: float
    p95: float | None
    unit: str
    bar: str = ""
    beside: str = ""

    @classmethod
    def of(cls, name: str, samples: Sequence[float], unit: str, bar: str = "", beside: str = "") -> Figure:
        """Make a figure of samples."""
        return cls(name, quantile(samples, 0.5), quantile(samples, 0.95), unit, bar, beside)

    def cells(self) -> tuple[str, ...]:
        p95 = "" if self.p95 is None else number(self.p95)
        return (self.name, number(self.median), p95, self.unit, self.bar, self.beside)


@dataclass(frozen=True, slots=True)
class Table:
    """One topic's figures."""

    title: str
    figures: tuple[Figure, ...]
    note: str = ""

    def as_markdown(self) -> str:
        rows = [HEAD, *(figure.cells() for figure in self.figures)]
        widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
        lines = [
            "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
            for row in rows
        ]
        lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        return "\n".join([f"### {self.title}", "", *lines, *(["", self.note] if self.note else [])])


def number(value: float) -> str:
    """Write a number with about three digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
