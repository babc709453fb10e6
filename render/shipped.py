"""Makes the stills that ship with the product, for machines that cannot draw: `python -m render.shipped`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from render import figures
from render.snapshot import SnapshotRequest, Studio

STILLS: Final = Path(__file__).parent / "stills"
SIZE_PX: Final = 512

FACES: Final[Mapping[str, tuple[str | None, float]]] = {
    "happy": ("happy", 0.5),
    "sad": ("sad", 0.5),
    "excited": ("happy", 0.65),
    "anxious": ("sad", 0.25),
    "content": ("relaxed", 0.4),
    "frustrated": ("angry", 0.4),
    "curious": ("surprised", 0.25),
    "affectionate": ("happy", 0.4),
    "playful": ("happy", 0.4),
    "melancholy": ("sad", 0.35),
    "flustered": ("surprised", 0.3),
    "neutral": (None, 0.0),
}
"""What each mood shows at an intensity of 80 (the rule lives in the engine; our figures have all presets)."""


def make(folder: Path, figure: str, size_px: int = SIZE_PX) -> list[Path]:
    """Draw one JPEG per emotion, named after it, and return the files.

    Args:
        folder: Where to write; made if it is not there.
        figure: One of `render.figures.NAMES`.
        size_px: Width and height.
    """
    folder.mkdir(parents=True, exist_ok=True)
    studio = Studio()
    made = []
    try:
        for emotion, (expression, weight) in FACES.items():
            request = SnapshotRequest(
                f"default:{figure}", expression, weight, emotion, size_px=size_px, format="jpeg"
            )
            path = folder / f"{emotion}.jpg"
            path.write_bytes(studio.snapshot(request))
            made.append(path)
    finally:
        studio.close()
    return made


def main() -> int:
    """Write the stills of the first figure into the package; return the exit code."""
    for path in make(STILLS, figures.NAMES[0]):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
