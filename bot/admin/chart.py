"""The chart of a playthrough: five stats over the days, stages as bands, events as marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from PIL import Image

from bot.admin.chart_events import draw_events, key_height
from bot.admin.sheet import GRID, INK, SOFT_INK, Colour, Place, Sheet
from engine.character import AFFECTION_MAX, STAT_MAX, Stage
from engine.events import EventBook
from engine.simulation import Playthrough
from engine.stages import REQUIREMENTS

WIDTH: Final = 1280
LEFT, RIGHT = 112, WIDTH - 64
TOP: Final = 172
FLAG_LANES: Final = 4
FLAG_PITCH: Final = 22
AFFECTION_HEIGHT: Final = 210
ROW_HEIGHT: Final = 66
ROW_GAP: Final = 14
EVENTS_HEIGHT: Final = 110

STATS: Final[dict[str, Colour]] = {
    "affection": (208, 44, 102),
    "trust": (28, 104, 196),
    "intimacy": (122, 66, 206),
    "comfort": (206, 112, 0),
    "respect": (10, 138, 102),
}
BANDS: Final[dict[Stage, Colour]] = {
    "companion": (240, 238, 240),
    "stranger": (240, 238, 241),
    "acquaintance": (228, 236, 247),
    "friend": (219, 240, 241),
    "close_friend": (226, 243, 222),
    "romantic_interest": (255, 244, 212),
    "dating": (255, 232, 214),
    "committed": (254, 220, 222),
    "soulmate": (247, 209, 228),
}
_DAY_STEPS: Final = (1, 2, 5, 7, 10, 14, 30, 60, 90, 180, 365)
_MOST_TICKS: Final = 14


@dataclass(frozen=True, slots=True)
class Frame:
    """Where days lie on the sheet, and the height that all rows take together."""

    days: float
    top: float
    bottom: float

    def x(self, day: float) -> float:
        """Return where a day lies."""
        return LEFT + (RIGHT - LEFT) * day / self.days


@dataclass(frozen=True, slots=True)
class Row:
    """One stat's own strip."""

    name: str
    top: float
    height: float
    most: int

    @property
    def floor(self) -> float:
        """Where 0 lies."""
        return self.top + self.height

    def y(self, value: float) -> float:
        """Return where a value lies."""
        return self.floor - self.height * value / self.most


@dataclass(frozen=True, slots=True)
class Flag:
    """A stage's name over the day on which it begins; `y` is its middle."""

    stage: Stage
    words: str
    x: float
    y: float
    width: float


def draw_chart(play: Playthrough, book: EventBook) -> Image.Image:
    """Draw a playthrough; `book` gives the events their names."""
    rows = tuple(_rows())
    bottom = rows[-1].floor
    frame = Frame(max(play.days, play.points[-1].day), TOP, bottom)
    sheet = Sheet(WIDTH, round(bottom + EVENTS_HEIGHT + key_height(play, book)))
    _draw_title(sheet, play)
    _draw_bands(sheet, frame, play)
    _draw_days(sheet, frame)
    for row in rows:
        _draw_row(sheet, frame, row, play)
    draw_events(sheet, play, book, frame.x, bottom + 44)
    return sheet.finished()


def _rows() -> Iterator[Row]:
    top: float = TOP + 10
    for name in STATS:
        height, most = (AFFECTION_HEIGHT, AFFECTION_MAX) if name == "affection" else (ROW_HEIGHT, STAT_MAX)
        yield Row(name, top, height, most)
        top += height + ROW_GAP


def _draw_title(sheet: Sheet, play: Playthrough) -> None:
    her = play.last
    sheet.text((24, 32), f"A {play.user} user", 24, INK, bold=True)
    end = her.relationship_stage.replace("_", " ")
    words = f"{play.days} days, {her.total_interactions:,} talks; at the end: {end}"
    sheet.text((24, 60), words, 15, SOFT_INK)


def spells(play: Playthrough) -> list[tuple[Stage, float, float]]:
    """Return each unbroken time in one stage: the stage, its first and its last day."""
    found: list[tuple[Stage, float, float]] = []
    for point in play.points:
        stage = point.character.relationship_stage
        if found and found[-1][0] != stage:
            found[-1] = (found[-1][0], found[-1][1], point.day)
        if not found or found[-1][0] != stage:
            found.append((stage, point.day, point.day))
    found[-1] = (found[-1][0], found[-1][1], max(float(play.days), play.points[-1].day))
    return found


def _draw_bands(sheet: Sheet, frame: Frame, play: Playthrough) -> None:
    for stage, first, last in spells(play):
        sheet.box((frame.x(first), frame.top), (frame.x(last), frame.bottom), BANDS[stage])
    flags = list(_flags(sheet, frame, play))
    for flag in flags:
        sheet.line([(flag.x, flag.y), (flag.x, frame.bottom)], SOFT_INK, 0.5)
    for flag in flags:
        sheet.box((flag.x, flag.y - 9), (flag.x + flag.width, flag.y + 9), BANDS[flag.stage], 3)
        sheet.text((flag.x + 6, flag.y), flag.words, 13, INK)


def _flags(sheet: Sheet, frame: Frame, play: Playthrough) -> Iterator[Flag]:
    """Yield the stages' flags, in the lowest lane with room; a short spell without room goes without."""
    lane_ends = [0.0] * FLAG_LANES
    for stage, first, _ in spells(play):
        x, words = frame.x(first), f"{stage.replace('_', ' ')} · day {first:.0f}"
        width = sheet.length(words, 13) + 12
        lane = next((number for number, end in enumerate(lane_ends) if x >= end), None)
        if lane is not None:
            lane_ends[lane] = x + width + 4
            yield Flag(stage, words, x, frame.top - 14 - lane * FLAG_PITCH, width)


def _draw_days(sheet: Sheet, frame: Frame) -> None:
    step = next((step for step in _DAY_STEPS if frame.days / step <= _MOST_TICKS), 365)
    for day in range(0, int(frame.days) + 1, step):
        x = frame.x(day)
        sheet.line([(x, frame.bottom), (x, frame.bottom + 5)], SOFT_INK)
        sheet.text((x, frame.bottom + 16), f"day {day}" if day == 0 else str(day), 13, SOFT_INK, "mm")


def _draw_row(sheet: Sheet, frame: Frame, row: Row, play: Playthrough) -> None:
    colour = STATS[row.name]
    for value in (0, row.most // 2, row.most):
        sheet.line([(LEFT, row.y(value)), (RIGHT, row.y(value))], GRID, 0.5)
        sheet.text((LEFT - 8, row.y(value)), str(value), 12, SOFT_INK, "rm")
    if row.name == "affection":
        _draw_floors(sheet, row)
    places = list(_places(frame, row, play))
    sheet.area(places, row.floor, colour, 0.12)
    sheet.line(places, colour, 2)
    sheet.text((24, row.y(row.most * 0.75)), row.name, 15, colour, bold=True)
    sheet.text((RIGHT + 8, places[-1][1]), str(getattr(play.last, row.name)), 15, colour, bold=True)


def _draw_floors(sheet: Sheet, row: Row) -> None:
    """Mark what affection each stage asks for."""
    for needed in REQUIREMENTS.values():
        if needed.affection:
            y = row.y(needed.affection)
            for x in range(LEFT, RIGHT, 12):
                sheet.line([(x, y), (x + 4, y)], GRID, 0.8)


def _places(frame: Frame, row: Row, play: Playthrough) -> Iterator[Place]:
    """Yield the line's places, one for each half pixel at most."""
    before = -1.0
    for point in play.points:
        x = frame.x(point.day)
        if x - before >= 0.5:
            before = x
            yield x, row.y(getattr(point.character, row.name))
    yield frame.x(frame.days), row.y(getattr(play.last, row.name))
