"""Painting with numpy: a canvas of floats and soft-edged masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from render.figures.curves import Array


def rgb(colour: str) -> Array:
    """Return `#rrggbb` as three floats from 0 to 255."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], float)


def linear(colour: str) -> list[float]:
    """Return `#rrggbb` (sRGB) as linear factors from 0 to 1, the way glTF wants them."""
    share = rgb(colour) / 255
    return [
        round(float(c), 5) for c in np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    ]


def mixed(first: str, second: str, share: float) -> str:
    """Return a colour between two, `share` of the second."""
    red, green, blue = np.round(rgb(first) * (1 - share) + rgb(second) * share).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


@dataclass(slots=True)
class Canvas:
    """A picture being painted.

    Attributes:
        x: (height, width) coordinates of the pixels' centres, whatever unit the painter chose.
        y: The same, downwards or upwards as the painter chose.
        colour: (height, width, 3), 0 to 255.
    """

    x: Array
    y: Array
    colour: Array

    def wash(self, mask: Array, colour: str) -> None:
        """Lay a colour over the picture where `mask` (0 to 1) says so."""
        share = np.clip(np.broadcast_to(mask, self.x.shape), 0, 1)[..., None]
        self.colour = self.colour * (1 - share) + rgb(colour) * share

    def image(self, alpha: Array | None = None) -> Image.Image:
        """Return the picture; `alpha` (0 to 1) makes it RGBA."""
        solid = np.clip(self.colour, 0, 255)
        if alpha is not None:
            solid = np.dstack([solid, np.clip(alpha, 0, 1) * 255])
        return Image.fromarray(np.round(solid).astype(np.uint8))


def canvas(width: int, height: int, window: tuple[float, float, float, float], colour: str) -> Canvas:
    """Return an empty canvas; `window` gives x at the left and right, y at the top and bottom."""
    left, right, top, bottom = window
    x = left + (np.arange(width) + 0.5) / width * (right - left)
    y = top + (np.arange(height) + 0.5) / height * (bottom - top)
    grid_x, grid_y = np.meshgrid(x, y)
    return Canvas(grid_x, grid_y, np.ones((height, width, 3)) * rgb(colour))


def spot(on: Canvas, x: float, y: float, radius_x: float, radius_y: float, edge: float = 0.12) -> Array:
    """Return the mask of a filled ellipse; `edge` is its soft border in radii."""
    distance = np.sqrt(((on.x - x) / radius_x) ** 2 + ((on.y - y) / radius_y) ** 2)
    return np.asarray(np.clip((1 - distance) / edge + 0.5, 0, 1))


def glow(on: Canvas, x: float, y: float, radius_x: float, radius_y: float) -> Array:
    """Return the mask of a Gaussian spot."""
    return np.exp(-(((on.x - x) / radius_x) ** 2) - ((on.y - y) / radius_y) ** 2)
