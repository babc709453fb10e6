"""The figures she can wear: the shipped ones, and the .vrm files of the operator's folder."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from render.figures import NAMES

log = logging.getLogger(__name__)

DEFAULT_FIGURE: Final = "default"
MAX_FILES: Final = 100
"""Avatar files that are offered."""
_LABEL_CHARS: Final = 40
_TOKEN_CHARS: Final = 12


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
    """

    usual: str = DEFAULT_FIGURE
    folder: Path | None = None

    def listed(self) -> tuple[Figure, ...]:
        """Return every figure that can be chosen."""
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
        chosen = self.find(figure_id) if figure_id else None
        rungs = (chosen.model if chosen else None, model_of(self.usual), model_of(DEFAULT_FIGURE))
        return tuple(dict.fromkeys(rung for rung in rungs if rung))

    def _files(self) -> list[Path]:
        try:
            return sorted(self.folder.glob("*.vrm"))[:MAX_FILES] if self.folder else []
        except OSError as error:
            log.warning("%s cannot be read: %s", self.folder, error.strerror)
            return []


def model_of(figure: str) -> str:
    """Return the renderer's name of a figure: a file's path, or one of the shipped figures by name."""
    if figure.endswith(".vrm"):
        return figure
    return f"default:{NAMES[0] if figure == DEFAULT_FIGURE else figure}"
