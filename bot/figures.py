"""The figures she can wear: the shipped ones, and the .vrm files of the operator's folder."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from render.figures import NAMES

log = logging.getLogger(__name__)

DEFAULT_FIGURE: Final = "default"
MAX_FILES: Final = 100
"""Avatar files that are offered."""
_LABEL_CHARS: Final = 40
_TOKEN_CHARS: Final = 12
MAX_OWN: Final = 3
"""Files of a user's own that are kept; the oldest makes room."""
OWN_PREFIX: Final = "own/"
_OWN: Final = re.compile(r"own/([0-9]{1,19})/([0-9a-f]{16})\.vrm", re.ASCII)
"""The id of a user's own file: whose it is, and the start of its SHA-256."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One avatar: `id` as a user's choice is kept, `label` for people, `model` the renderer's name of it."""

    id: str
    label: str
    model: str

    @property
    def token(self) -> str:
        """A short name for a button's data: file names may be too long for one."""
        if self.id in NAMES:
            return self.id
        return hashlib.blake2s(self.id.encode(), digest_size=_TOKEN_CHARS // 2).hexdigest()


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures, as they are now.

    Attributes:
        usual: What everybody sees who has chosen nothing: a shipped figure's name or a file's path.
        folder: Where the operator's files are; it may be missing.
        uploads: Where users' own files are, a folder for each; None where uploads are off.
        owner: The user to whom these figures are shown; None for nobody in particular.
        names: What the owner calls their own files, by figure id.
    """

    usual: str = DEFAULT_FIGURE
    folder: Path | None = None
    uploads: Path | None = None
    owner: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def shown_to(self, owner: int, names: Mapping[str, str]) -> Figures:
        """Return the figures as one user sees them: with the user's own files and nobody else's."""
        return replace(self, owner=owner, names=names)

    def own(self) -> tuple[Figure, ...]:
        """Return the owner's own figures, the newest first."""
        if self.uploads is None or self.owner is None:
            return ()
        ids = {f"own/{self.owner}/{path.name}": path for path in own_files(self.uploads / str(self.owner))}
        return tuple(
            Figure(name, self.names.get(name) or path.stem[:8], str(path)) for name, path in ids.items()
        )

    def listed(self) -> tuple[Figure, ...]:
        """Return every figure that the owner can choose, their own ones last."""
        return self._shared() + self.own()

    def _shared(self) -> tuple[Figure, ...]:
        shipped = tuple(Figure(name, name.capitalize(), model_of(name)) for name in NAMES)
        files = tuple(Figure(path.name, path.stem[:_LABEL_CHARS], str(path)) for path in self._files())
        usual = model_of(self.usual)
        if any(usual == figure.model for figure in (*shipped, *files)):
            return shipped + files
        return (Figure("", Path(self.usual).stem[:_LABEL_CHARS], usual), *shipped, *files)

    def find(self, figure_id: str) -> Figure | None:
        """Return the figure of a user's choice; None when its file has vanished."""
        return next((figure for figure in self.listed() if figure.id == figure_id), None)

    def meant(self, word: str) -> Figure | None:
        """Return the figure that somebody's word or a button's token means."""
        wanted = word.strip().casefold()
        return next(
            (one for one in self.listed() if wanted in (one.label.casefold(), one.id.casefold(), one.token)),
            None,
        )

    def ladder(self, figure_id: str) -> tuple[str, ...]:
        """Return the renderer's names to try for a choice, the best first: it, the usual one, the shipped one."""
        rungs = (self._model(figure_id), model_of(self.usual), model_of(DEFAULT_FIGURE))
        return tuple(dict.fromkeys(rung for rung in rungs if rung))

    def _model(self, figure_id: str) -> str | None:
        """Return what to draw for a face's figure: a face comes from its own user's turn, whoever that is."""
        owned = _OWN.fullmatch(figure_id)
        if owned is None:
            chosen = self.find(figure_id) if figure_id else None
            return chosen.model if chosen else None
        foreign = self.owner is not None and owned[1] != str(self.owner)
        path = None if foreign or self.uploads is None else self.uploads / owned[1] / f"{owned[2]}.vrm"
        return str(path) if path is not None and path.is_file() else None

    def _files(self) -> list[Path]:
        try:
            return sorted(self.folder.glob("*.vrm"))[:MAX_FILES] if self.folder else []
        except OSError as error:
            log.warning("%s cannot be read: %s", self.folder, error.strerror)
            return []


def own_files(folder: Path) -> list[Path]:
    """Return a user's own files, the newest first."""
    found = []
    for path in folder.glob("*.vrm"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def model_of(figure: str) -> str:
    """Return the renderer's name of a figure: a file's path, or one of the shipped figures by name."""
    if figure.endswith(".vrm"):
        return figure
    return f"default:{NAMES[0] if figure == DEFAULT_FIGURE else figure}"
