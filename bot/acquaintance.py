"""What is known of each avatar file: the expressions it has, and whether it is broken.

Kept on disk beside the pictures, so that after a restart a user's figure smiles at once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from bot.picture_files import fetch, keep
from render import RENDERER_VERSION
from render.errors import BadRequestError
from render.figures import EXPRESSIONS
from render.wardrobe import DEFAULT_PREFIX, identity

MOST_DEATHS: Final = 2
"""A figure over which the child died so often is not drawn again in this process, until its file changes."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an avatar can show, and the digest of its file."""

    expressions: tuple[str, ...]
    digest: str


@dataclass(slots=True)
class Acquaintance:
    """All avatars met so far; a changed file is a new one."""

    folder: Path
    _known: dict[str, Known] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _deaths: Counter[str] = field(default_factory=Counter)

    def is_possible(self, model: str) -> bool:
        """Tell whether a model's file is there and not known to be broken."""
        name = _identity(model)
        return name is not None and name not in self._refused and self._deaths[name] < MOST_DEATHS

    def of(self, model: str) -> Known | None:
        """Return what is known of a model."""
        name = _identity(model)
        if name is None:
            return None
        if name not in self._known and (known := _read(self._path(name))) is not None:
            self._known[name] = known
        return self._known.get(name)

    def expressions_of(self, model: str) -> tuple[str, ...] | None:
        """Return what a model can show, if that is known; our own figures can all show the same."""
        known = self.of(model)
        if known is None and model.startswith(DEFAULT_PREFIX):
            return EXPRESSIONS
        return known.expressions if known else None

    def learn(self, model: str, expressions: tuple[str, ...], digest: str) -> None:
        """Remember what a model can show."""
        if name := _identity(model):
            known = self._known[name] = Known(expressions, digest)
            keep(self._path(name), json.dumps(asdict(known)).encode())

    def refuse(self, model: str) -> None:
        """Remember that a model's file is broken."""
        if name := _identity(model):
            self._refused.add(name)

    def suspect(self, model: str) -> None:
        """Count that the child died over a file; our own figures are never the reason."""
        if not model.startswith(DEFAULT_PREFIX) and (name := _identity(model)):
            self._deaths[name] += 1

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(f"{RENDERER_VERSION} {name}".encode()).hexdigest()[:32]
        return self.folder / f"{digest}.json"


def _identity(model: str) -> str | None:
    try:
        return identity(model)
    except BadRequestError:
        return None


def _read(path: Path) -> Known | None:
    data = fetch(path)
    try:
        found = json.loads(data) if data else None
        return Known(tuple(map(str, found["expressions"])), str(found["digest"])) if found else None
    except (ValueError, KeyError, TypeError):
        return None
