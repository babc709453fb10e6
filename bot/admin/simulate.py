"""`otomo admin simulate`: how a relationship grows with different users, as a table and a chart."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Final

from bot.admin.people import load_people
from bot.app import game_caps
from bot.errors import ConfigError
from bot.event_files import load_events
from bot.lexicon import load_keywords
from bot.settings import CONFIG_DIR, load_settings
from engine.character import STAGES
from engine.events import EventBook
from engine.simulation import Course, Playthrough, ScriptedUser, simulate
from engine.turn_values import Rules

ALL: Final = "all"
BEGIN: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
"""A Monday morning; any other beginning only moves the weekdays."""
_PATH: Final = STAGES[2:]


def simulate_users(parsed: argparse.Namespace) -> int:
    """Play the users that were asked for, print the table, draw the chart; returns the exit code.

    Raises:
        ConfigError: A user is unknown, a file under config/ or a setting is wrong.
    """
    book = load_events(CONFIG_DIR / "events")
    rules = _rules(book)
    course = Course(parsed.days, adult=parsed.adult, accepts=parsed.accepts)
    users = _chosen(load_people(CONFIG_DIR / "simulation.toml"), parsed.user, parsed.talks_per_day)
    played = []
    for user in users:
        play = simulate(user, course, rules, BEGIN, Random(parsed.seed))
        played.append(play)
        if parsed.out is not None:
            print(f"drawn: {_draw(play, book, _file(parsed.out, user, len(users)))}")
    print("\n".join(table(played)))
    return 0


def table(played: Iterable[Playthrough]) -> list[str]:
    """Return the lines of a table: the day on which each stage is reached, and the stats at the end."""
    names = [stage.replace("_", " ") for stage in _PATH]
    head = ["user", "talks", *names, "at the end", "aff", "tru", "int", "com", "res"]
    rows = [head, *map(_row, played)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _row(play: Playthrough) -> list[str]:
    reached, her = play.reached(), play.last
    days = [f"{reached[stage]:.1f}" if stage in reached else "-" for stage in _PATH]
    stats = (her.affection, her.trust, her.intimacy, her.comfort, her.respect)
    end = her.relationship_stage.replace("_", " ")
    return [play.user, str(her.total_interactions), *days, end, *map(str, stats)]


def _rules(book: EventBook) -> Rules:
    settings = load_settings()
    return Rules(
        load_keywords(CONFIG_DIR / "keywords"),
        caps=game_caps(settings),
        decay=settings.game.decay,
        book=book if settings.game.events else None,
    )


def _chosen(people: dict[str, ScriptedUser], name: str, talks: int | None) -> list[ScriptedUser]:
    if name != ALL and name not in people:
        raise ConfigError(f"--user: '{name}' is none of {', '.join((*people, ALL))}")
    chosen = list(people.values()) if name == ALL else [people[name]]
    return [replace(user, talks_per_day=talks) for user in chosen] if talks else chosen


def _file(out: Path, user: ScriptedUser, users: int) -> Path:
    return out if users == 1 else out.with_stem(f"{out.stem}-{user.name}")


def _draw(play: Playthrough, book: EventBook, out: Path) -> Path:
    from bot.admin.chart import draw_chart

    try:
        draw_chart(play, book).save(out, optimize=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"--out: {out}: {error}") from None
    return out
