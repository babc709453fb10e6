"""Her animations as people and models know them: the built-in ones, and the operator's .vrma files.

A file of the operator's is parsed by the real loader, in the child, before it counts.
"""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import ChildError, ConfigError
from render.framing import Framing

log = logging.getLogger(__name__)

Check = Callable[[str], Awaitable[None]]
"""Parses an animation file in the child; raises ChildRefused with the reason, or ChildDied."""
Allowed = Literal["all"] | tuple[str, ...]

MAX_FILES: Final = 100
"""Animation files that are looked at; a menu of more helps nobody."""
_ID: Final = re.compile(r"[a-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Emote:
    """One animation.

    `id` is what the model writes, `names` what people call it, by language, `description` is for the
    model, `play` the renderer's name of it: a clip's id or a file's path. `for_her` tells whether the
    model may ask for it.
    """

    id: str
    names: Mapping[str, str]
    play: str
    description: str = ""
    framing: Framing = "full"
    for_her: bool = True

    def name(self, language: str) -> str:
        """Return what people of a language call it."""
        return self.names.get(language) or self.names["en"]

    def means(self, word: str) -> bool:
        """Tell whether somebody's word means this one, in any language."""
        return _plain(word) in {_plain(known) for known in (self.id, *self.names.values())}


class _Entry(BaseModel):
    """An entry of config/emotes.toml, or the file beside an operator's animation."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Annotated[str, Field(min_length=1, max_length=60)] | dict[str, str]
    description: Annotated[str, Field(max_length=200)] = ""
    companion_can_use: bool = True
    framing: Framing = "full"

    @property
    def names(self) -> dict[str, str]:
        names = {"en": self.name} if isinstance(self.name, str) else dict(self.name)
        return {"en": next(iter(names.values()), ""), **names}


@dataclass(slots=True)
class Emotes:
    """All that she can play, as it is now.

    Attributes:
        built_in: The emotes written by code.
        idles: What she does at rest; her stills take their poses from them.
        allowed: The ids that the operator lets her use, or "all".
        folder: Where the operator's files are; it may be missing.
    """

    built_in: tuple[Emote, ...]
    idles: tuple[Emote, ...]
    allowed: Allowed = "all"
    folder: Path | None = None
    _own: tuple[Emote, ...] = field(default=())

    def all(self) -> tuple[Emote, ...]:
        """Return every emote; a file that has vanished drops out."""
        return (*self.built_in, *(emote for emote in self._own if Path(emote.play).is_file()))

    def for_her(self) -> tuple[tuple[str, str], ...]:
        """Return id and description of what the model may ask for."""
        return tuple(
            (emote.id, emote.description)
            for emote in self.all()
            if emote.for_her and (self.allowed == "all" or emote.id in self.allowed)
        )

    def find(self, word: str) -> Emote | None:
        """Return the emote that a word means: its id, or its name in any language."""
        return next((emote for emote in self.all() if emote.means(word)), None)

    async def look(self, check: Check) -> list[str]:
        """Read the operator's folder again. Returns one line for each file that is wrong."""
        found, complaints = [], []
        for path in _files(self.folder):
            try:
                emote = self._read(path)
                await check(emote.play)
            except (ConfigError, ChildError) as error:
                complaints.append(f"{path.name}: {error}")
                continue
            found.append(emote)
        self._own = tuple(found)
        return complaints

    def _read(self, path: Path) -> Emote:
        if not _ID.fullmatch(path.stem):
            raise ConfigError("its name must be of a-z, 0-9, _ and -, at most 40 characters")
        if any(path.stem == known.id for known in (*self.built_in, *self.idles)):
            raise ConfigError("a built-in animation has this name")
        entry = _beside(path)
        for_her = entry.companion_can_use and bool(entry.description)
        return Emote(path.stem, entry.names, str(path), entry.description, entry.framing, for_her)


def load_emotes(path: Path, allowed: Allowed = "all", folder: Path | None = None) -> Emotes:
    """Read the built-in emotes.

    Raises:
        ConfigError: The file is missing or wrong, named with the entry.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return Emotes(_built_in(tables["emotes"]), _built_in(tables["idles"]), allowed, folder)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first(error)}") from None
    except (OSError, KeyError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _built_in(table: Mapping[str, Any]) -> tuple[Emote, ...]:
    entries = {name: _Entry.model_validate(value) for name, value in table.items()}
    return tuple(
        Emote(name, entry.names, name, entry.description, entry.framing, entry.companion_can_use)
        for name, entry in entries.items()
    )


def _files(folder: Path | None) -> Iterable[Path]:
    try:
        return sorted(folder.glob("*.vrma"))[:MAX_FILES] if folder else ()
    except OSError as error:
        log.warning("%s cannot be read: %s", folder, error.strerror)
        return ()


def _beside(path: Path) -> _Entry:
    """Read the words beside an animation; without them it has its file's name and is for people only."""
    words = path.with_suffix(".toml")
    try:
        return _Entry.model_validate(tomllib.loads(words.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return _Entry(name=path.stem.replace("_", " "), companion_can_use=False)
    except ValidationError as error:
        raise ConfigError(f"{words.name}: {_first(error)}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{words.name}: {error}") from None


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", word).strip().casefold()
