"""`otomo admin events`: what events there are, and whether their files are sound."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bot.event_files import load_events
from bot.settings import CONFIG_DIR
from engine.events import EventBook, EventDefinition


def show_events(folder: Path | None = None, *, only_check: bool = False) -> int:
    """Print the events, or only their number; returns the exit code.

    Raises:
        ConfigError: A file is missing or wrong; the text names file, line and reason.
    """
    book = load_events(folder or CONFIG_DIR / "events")
    if not only_check:
        for event in (*book.pool, book.strain):
            print(_line(event))
        print()
    print(_counts(book))
    return 0


def _line(event: EventDefinition) -> str:
    conditions = ", ".join(f"{each.type} {each.value}" for each in event.conditions) or "a demotion"
    when = "once" if event.one_time else f"every {event.cooldown_days:g} days at most"
    return f"{event.priority:>3}  {event.id:<24} {event.type:<12} {when:<22} {conditions}"


def _counts(book: EventBook) -> str:
    events = (*book.pool, book.strain)
    types = Counter(event.type for event in events)
    languages = sorted({language for event in events for language in event.scenes})
    scenes = sum(len(variants) for event in events for variants in event.scenes.values())
    kinds = ", ".join(f"{number} {kind}" for kind, number in types.most_common())
    return f"{len(events)} events ({kinds}), {scenes} scenes in {', '.join(languages)}: all sound."
