"""Makes the contact sheets of the documentation: `python -m render.sheet docs/pictures`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw

from render import emotes, figures
from render.requests import SnapshotRequest
from render.shipped import FACES
from render.snapshot import Studio

TILE_PX: Final = 256
_FACES_IN_A_ROW: Final = 6
_EMPTY: Final = (236, 236, 246)
_LABEL: Final = (52, 48, 66)

Cell = tuple[str, SnapshotRequest]


def faces(size_px: int = TILE_PX) -> list[list[Cell]]:
    """Return one row a figure with all twelve moods."""
    return [
        [
            (emotion, SnapshotRequest(f"default:{name}", *face, emotion, size_px=size_px))
            for emotion, face in FACES.items()
        ]
        for name in figures.NAMES
    ]


def motions(size_px: int = TILE_PX) -> list[list[Cell]]:
    """Return one row of emotes and one of idles, each by another figure in turn."""
    rows = []
    for row, clips in enumerate((emotes.EMOTES, {**emotes.IDLES, **emotes.TALKING})):
        rows.append(
            [
                (clip, SnapshotRequest(_figure(row + place + 1), framing="full", size_px=size_px, pose=clip))
                for place, clip in enumerate(clips)
            ]
        )
    return rows


def _figure(place: int) -> str:
    return f"default:{figures.NAMES[place % len(figures.NAMES)]}"


def draw(studio: Studio, rows: Sequence[Sequence[Cell]]) -> Image.Image:
    """Return all pictures in rows, each with its name in the corner."""
    side = rows[0][0][1].size_px
    sheet = Image.new("RGB", (side * max(map(len, rows)), side * len(rows)), _EMPTY)
    pen = ImageDraw.Draw(sheet)
    for y, row in enumerate(rows):
        for x, (label, request) in enumerate(row):
            with Image.open(io.BytesIO(studio.snapshot(request))) as tile:
                sheet.paste(tile.convert("RGB"), (x * side, y * side))
            pen.text((x * side + 6, y * side + 4), label.replace("_", " "), fill=_LABEL)
    return sheet


def wrapped(rows: Sequence[Sequence[Cell]], longest: int) -> list[Sequence[Cell]]:
    """Return rows cut into shorter ones of at most `longest` cells."""
    return [row[start : start + longest] for row in rows for start in range(0, len(row), longest)]


def main(arguments: Sequence[str]) -> int:
    """Write faces.webp and emotes.webp into the folder named first; return the exit code."""
    folder = Path(arguments[0] if arguments else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    studio = Studio()
    try:
        for name, rows in (("faces", wrapped(faces(), _FACES_IN_A_ROW)), ("emotes", motions())):
            draw(studio, rows).save(folder / f"{name}.webp", quality=88)
            print(folder / f"{name}.webp")
    finally:
        studio.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
