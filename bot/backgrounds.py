"""What stands behind her in the photo booth: light of a time of day, nothing at all, or the operator's pictures."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from render.compose import DAYTIMES, MOOD, TRANSPARENT

log = logging.getLogger(__name__)

STUDIO: Final = "studio"
BUILT_IN: Final = (STUDIO, *DAYTIMES, TRANSPARENT)
MAX_FILES: Final = 12
"""Pictures that are offered: with the built-in backgrounds they must fit Discord's 25 buttons."""
_SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".webp")
_NAME: Final = re.compile(r"[a-z0-9_-]{1,16}")


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """All backgrounds, as they are now; `folder` holds the operator's pictures and may be missing."""

    folder: Path | None = None

    def own(self) -> dict[str, Path]:
        """Return the operator's pictures by name: the file's, in a-z, 0-9, _ and -, at most 16 characters."""
        try:
            paths = sorted(self.folder.iterdir()) if self.folder and self.folder.is_dir() else []
        except OSError as error:
            log.warning("%s cannot be read: %s", self.folder, error.strerror)
            return {}
        fit = (path for path in paths if path.suffix.lower() in _SUFFIXES and _NAME.fullmatch(path.stem))
        return dict([(path.stem, path) for path in fit if path.stem not in BUILT_IN][:MAX_FILES])

    def names(self) -> tuple[str, ...]:
        """Return what can be chosen."""
        return (*BUILT_IN, *self.own())

    def asked(self, name: str) -> str:
        """Return what the renderer is asked for; a picture that has vanished gives the usual background."""
        if name == TRANSPARENT:
            return TRANSPARENT
        path = self.own().get(name) if name else None
        return MOOD if path is None else str(path)
