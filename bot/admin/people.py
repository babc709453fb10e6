"""Reads the scripted users under config/simulation.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Final

from pydantic import ConfigDict, Field, StrictInt, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from bot.errors import ConfigError
from engine.character import Emotion, MoodChange, StateUpdates
from engine.simulation import Line, ScriptedUser

Delta = Annotated[StrictInt, Field(ge=-10, le=10)]
Span = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
_CLOSED: Final = ConfigDict(extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True, slots=True, config=_CLOSED)
class WrittenLine:
    """One line as the file has it."""

    text: Annotated[str, Field(min_length=1)]
    emotion: Emotion
    intensity: Delta = 0
    affection: Delta | None = None
    trust: Delta | None = None
    intimacy: Delta | None = None
    comfort: Delta | None = None
    respect: Delta | None = None

    def line(self) -> Line:
        """Return what the engine plays."""
        suggestion = StateUpdates(
            mood_change=MoodChange(self.emotion, self.intensity),
            affection_delta=self.affection,
            trust_delta=self.trust,
            intimacy_delta=self.intimacy,
            comfort_delta=self.comfort,
            respect_delta=self.respect,
        )
        return Line(self.text, suggestion)


@dataclass(frozen=True, slots=True, config=_CLOSED)
class WrittenUser:
    """One user as the file has them."""

    talks_per_day: Annotated[int, Field(ge=1, le=1000)]
    lines: Annotated[tuple[WrittenLine, ...], Field(min_length=1)]
    silent_days: Annotated[float, Field(ge=0, lt=1)] = 0.0
    away: tuple[Span, ...] = ()


_FILE: Final = TypeAdapter(dict[str, WrittenUser])


def load_people(path: Path) -> dict[str, ScriptedUser]:
    """Return the scripted users by name, in the file's order.

    Raises:
        ConfigError: The file is missing or wrong; the text names file, place and reason.
    """
    try:
        written = _FILE.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {place}: {first['msg']}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    return {name: _user(name, one) for name, one in written.items()}


def _user(name: str, written: WrittenUser) -> ScriptedUser:
    lines = tuple(line.line() for line in written.lines)
    return ScriptedUser(name, lines, written.talks_per_day, written.silent_days, written.away)
