"""The events of a playthrough under its chart: numbered discs for what comes once, ticks for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from bot.admin.sheet import GRID, INK, SOFT_INK, Colour, Sheet
from engine.events import EventBook, EventDefinition
from engine.simulation import Mark, Playthrough

LANES: Final = 3
LANE_PITCH: Final = 20
RADIUS: Final = 9.5
COLUMNS: Final = 4
LEFT, COLUMN_WIDTH = 24, 310
LINE_HEIGHT: Final = 21
ONCE: Final[Colour] = (74, 66, 92)
ROMANTIC: Final[Colour] = (196, 44, 96)
TICK: Final[Colour] = (150, 142, 158)


def draw_events(
    sheet: Sheet, play: Playthrough, book: EventBook, x_of: Callable[[float], float], top: float
) -> None:
    """Draw marks and, below them, the key.

    Args:
        sheet: What is drawn on.
        play: What happened.
        book: The events' names.
        x_of: Where a day lies.
        top: The upper end of the strip, in pixels.
    """
    lane_ends = [float("-inf")] * LANES
    for number, mark in enumerate(_once(play, book), 1):
        x = x_of(mark.day)
        lane = min(range(LANES), key=lambda lane: (max(x, lane_ends[lane]), lane))
        x = max(x, lane_ends[lane])
        lane_ends[lane] = x + 2 * RADIUS
        y = top + lane * LANE_PITCH
        sheet.disc((x, y), RADIUS, _colour(book.find(mark.event_id)))
        sheet.text((x, y), str(number), 12, (255, 255, 255), "mm")
    y = top + LANES * LANE_PITCH
    for mark in _again(play, book):
        sheet.line([(x_of(mark.day), y - 6), (x_of(mark.day), y + 2)], TICK, 0.75)
    _draw_key(sheet, play, book, y + 22)


def key_height(play: Playthrough, book: EventBook) -> float:
    """Return how much room the key takes, in pixels."""
    rows = -(-len(_once(play, book)) // COLUMNS)
    return (rows + 3) * LINE_HEIGHT


def _draw_key(sheet: Sheet, play: Playthrough, book: EventBook, top: float) -> None:
    once = _once(play, book)
    rows = max(1, -(-len(once) // COLUMNS))
    sheet.line([(LEFT, top - 8), (sheet.width - LEFT, top - 8)], GRID, 0.5)
    for place, mark in enumerate(once):
        x, y = LEFT + 10 + place // rows * COLUMN_WIDTH, top + 10 + place % rows * LINE_HEIGHT
        event = book.find(mark.event_id)
        sheet.disc((x, y), RADIUS - 1, _colour(event))
        sheet.text((x, y), str(place + 1), 11, (255, 255, 255), "mm")
        name = event.name if event else mark.event_id
        sheet.text((x + 15, y), f"{name}, day {mark.day:.0f}", 13, INK)
    _draw_counts(sheet, play, book, top + 14 + rows * LINE_HEIGHT)


def _draw_counts(sheet: Sheet, play: Playthrough, book: EventBook, y: float) -> None:
    again = Counter(mark.event_id for mark in _again(play, book))
    sheet.line([(LEFT + 10, y - 4), (LEFT + 10, y + 4)], TICK)
    words = f"{again.total() or 'no'} smaller scene{'' if again.total() == 1 else 's'}"
    named = [f"{_name(book, event_id)} {count}x" for event_id, count in again.most_common(6)]
    sheet.text((LEFT + 25, y), ": ".join([words, ", ".join(named)]) if named else words, 13, SOFT_INK)


def _once(play: Playthrough, book: EventBook) -> list[Mark]:
    return [mark for mark in play.marks if _is_once(book, mark)]


def _again(play: Playthrough, book: EventBook) -> list[Mark]:
    return [mark for mark in play.marks if not _is_once(book, mark)]


def _is_once(book: EventBook, mark: Mark) -> bool:
    event = book.find(mark.event_id)
    return event is not None and event.one_time


def _name(book: EventBook, event_id: str) -> str:
    event = book.find(event_id)
    return event.name if event else event_id


def _colour(event: EventDefinition | None) -> Colour:
    return ROMANTIC if event is not None and event.romantic else ONCE
