"""Reads the event files under config/events/ into the engine's EventBook."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from bot.errors import ConfigError
from bot.toml_files import first_fault
from engine.event_schema import WrongEvent, build_book, parse_events
from engine.events import EventBook, EventDefinition

FILES: Final = ("milestones", "random", "romantic", "time_based", "strain")
"""The files in the pool's order, which decides between events of equal priority."""

_HEADER: Final = re.compile(r"^\s*\[\[\s*events\s*\]\]")


def load_events(folder: Path) -> EventBook:
    """Read and check all event files.

    Raises:
        ConfigError: A file is missing or wrong; the text names file, line and reason.
    """
    events = [event for name in FILES for event in _read(folder / f"{name}.toml")]
    try:
        return build_book(events)
    except WrongEvent as error:
        raise ConfigError(_found_in(folder, error)) from None


def _read(path: Path) -> tuple[EventDefinition, ...]:
    try:
        text = path.read_text(encoding="utf-8")
        return parse_events(tomllib.loads(text))
    except ValidationError as error:
        raise ConfigError(_where(path, text, error)) from None
    except WrongEvent as error:
        raise ConfigError(f"{path}:{_line_of(text, error)}: {error}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _where(path: Path, text: str, error: ValidationError) -> str:
    """Name the line of the first wrong value: inside its event, the line that holds it or its key."""
    first = error.errors(include_url=False)[0]
    steps = first["loc"]
    number = next((step for step in steps if isinstance(step, int)), None)
    key = str(next((step for step in reversed(steps) if isinstance(step, str)), ""))
    value = first["input"]
    wanted = value.strip()[:40] if isinstance(value, str) and value.strip() else key
    begin = _event_lines(text)[number] if number is not None else 0
    return f"{path}:{_search(text, begin, wanted)}: {first_fault(error)}"


def _event_lines(text: str) -> list[int]:
    return [number for number, line in enumerate(text.splitlines()) if _HEADER.match(line)]


def _search(text: str, begin: int, wanted: str) -> int:
    """Return the line (from 1) at or behind `begin` that holds a text; else the line of `begin`."""
    lines = text.splitlines()
    return next((number + 1 for number in range(begin, len(lines)) if wanted in lines[number]), begin + 1)


def _line_of(text: str, error: WrongEvent) -> int:
    event = _search(text, 0, f'id = "{error.event_id}"') - 1
    return _search(text, event, error.at)


def _found_in(folder: Path, error: WrongEvent) -> str:
    for name in reversed(FILES):
        path = folder / f"{name}.toml"
        text = path.read_text(encoding="utf-8")
        if f'id = "{error.event_id}"' in text:
            return f"{path}:{_line_of(text, error)}: {error}"
    return f"{folder}: {error}"
