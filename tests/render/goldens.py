"""Pictures of our figures that were looked at and found right, and how far others may be from them.

`python -m tests.render.goldens` draws them anew: look at every one before committing it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from engine.character import EMOTIONS, MoodState
from engine.mood_face import face_for
from render import figures
from render.framing import Framing
from render.requests import SnapshotRequest
from render.snapshot import Studio

FOLDER = Path(__file__).parent / "golden"
SIDE_PX = 128
COLUMNS = 4
INTENSITIES = (30, 100)

MOST_MEAN = 0.8
"""Mean difference of a picture, of 255; Mesa's other rasteriser, softpipe, is 0.2 away from llvmpipe."""
MOST_BLURRED = 12.0
"""Largest difference after a blur of 2 px, of 255: edges that moved by a fraction of a pixel vanish in it.

softpipe is 5 away, a face with a wrong expression 29 and more.
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All twelve emotions of one figure in one framing and intensity: one file."""

    figure: str
    framing: Framing
    intensity: int

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.figure}-{self.framing}-{self.intensity}.webp"

    def requests(self, studio: Studio) -> Iterator[SnapshotRequest]:
        model = f"default:{self.figure}"
        available = studio.expressions(model)
        for emotion in EMOTIONS:
            face = face_for(MoodState(emotion, self.intensity), None, available)
            yield SnapshotRequest(
                model, face.expression, face.weight, emotion, framing=self.framing, size_px=SIDE_PX
            )

    def kept(self) -> list[Image.Image]:
        """Return the twelve pictures of the file."""
        with Image.open(self.path) as sheet:
            whole = sheet.convert("RGB")
        return [whole.crop(_box(place)) for place in range(len(EMOTIONS))]

    def write(self, studio: Studio) -> None:
        rows = -(-len(EMOTIONS) // COLUMNS)
        sheet = Image.new("RGB", (COLUMNS * SIDE_PX, rows * SIDE_PX))
        for place, request in enumerate(self.requests(studio)):
            sheet.paste(drawn(studio, request), _box(place))
        sheet.save(self.path, lossless=True, method=6)


SHEETS = tuple(
    Sheet(figure, framing, intensity)
    for figure in figures.NAMES
    for framing in (("portrait", "full") if figure == figures.NAMES[0] else ("portrait",))
    for intensity in INTENSITIES
)


def _box(place: int) -> tuple[int, int, int, int]:
    x, y = place % COLUMNS * SIDE_PX, place // COLUMNS * SIDE_PX
    return x, y, x + SIDE_PX, y + SIDE_PX


def drawn(studio: Studio, request: SnapshotRequest) -> Image.Image:
    return Image.open(io.BytesIO(studio.snapshot(request))).convert("RGB")


def distance(one: Image.Image, other: Image.Image) -> tuple[float, float]:
    """Return the mean difference and the largest one after a blur, of 255."""
    plain = np.abs(np.subtract(one, other, dtype=np.int16)).mean()
    soft = [np.asarray(picture.filter(ImageFilter.GaussianBlur(2)), np.int16) for picture in (one, other)]
    return float(plain), float(np.abs(soft[0] - soft[1]).max())


def same(one: Image.Image, other: Image.Image) -> bool:
    mean, blurred = distance(one, other)
    return mean <= MOST_MEAN and blurred <= MOST_BLURRED


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    studio = Studio()
    try:
        for sheet in SHEETS:
            sheet.write(studio)
            print(sheet.path)
    finally:
        studio.close()


if __name__ == "__main__":
    main()
