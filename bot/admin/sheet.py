"""A sheet to draw on, in pixels of the finished picture; smooth, because it is drawn larger and reduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Place = tuple[float, float]

SCALE: Final = 2
PAPER: Final[Colour] = (255, 253, 251)
INK: Final[Colour] = (52, 46, 60)
SOFT_INK: Final[Colour] = (112, 104, 122)
GRID: Final[Colour] = (206, 200, 208)


@dataclass(slots=True)
class Sheet:
    """A picture in the making; `width` and `height` in pixels, the origin at the upper left."""

    width: int
    height: int
    _picture: Image.Image = field(init=False)
    _draw: ImageDraw.ImageDraw = field(init=False)

    def __post_init__(self) -> None:
        self._picture = Image.new("RGB", (self.width * SCALE, self.height * SCALE), PAPER)
        self._draw = ImageDraw.Draw(self._picture)

    def finished(self) -> Image.Image:
        """Return the picture in its own size."""
        return self._picture.resize((self.width, self.height), Image.Resampling.BOX)

    def box(self, upper_left: Place, lower_right: Place, colour: Colour, radius: float = 0) -> None:
        """Fill a rectangle."""
        corners = (*_scaled(upper_left), *_scaled(lower_right))
        self._draw.rounded_rectangle(corners, radius * SCALE, fill=colour)

    def line(self, places: Sequence[Place], colour: Colour, width: float = 1) -> None:
        """Draw a line through places."""
        self._draw.line([_scaled(place) for place in places], colour, round(width * SCALE), "curve")

    def area(self, places: Sequence[Place], floor_y: float, colour: Colour, share: float) -> None:
        """Tint what lies between a line and a floor; `share` (0..1) is how strong the colour is."""
        mask = Image.new("L", self._picture.size, 0)
        outline = [(places[0][0], floor_y), *places, (places[-1][0], floor_y)]
        ImageDraw.Draw(mask).polygon([_scaled(place) for place in outline], fill=round(255 * share))
        self._picture.paste(colour, (0, 0), mask)

    def disc(self, centre: Place, radius: float, colour: Colour, rim: Colour = PAPER) -> None:
        """Draw a filled circle with a thin rim."""
        x, y = _scaled(centre)
        reach = radius * SCALE
        self._draw.ellipse((x - reach, y - reach, x + reach, y + reach), colour, rim, SCALE)

    def text(
        self,
        place: Place,
        words: str,
        size: int,
        colour: Colour = INK,
        anchor: str = "lm",
        bold: bool = False,
    ) -> None:
        """Write one line; `anchor` in Pillow's letters: l m r, then t m b."""
        thickness = SCALE * 0.3 if bold else 0
        self._draw.text(
            _scaled(place), words, colour, _font(size), anchor, stroke_width=thickness, stroke_fill=colour
        )

    def length(self, words: str, size: int) -> float:
        """Return how wide a line is."""
        return self._draw.textlength(words, _font(size)) / SCALE


def _scaled(place: Place) -> Place:
    return place[0] * SCALE, place[1] * SCALE


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * SCALE)
