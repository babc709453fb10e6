"""Smaller copies of a texture for where it is seen from afar.

Made here because a software driver compiles programs for it, a third of a second at every start.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from render.vrm.textures import Pixels

_STEPS: Final = 16
"""How finely a level of 255 is kept while means are taken."""
_MOST: Final = 255 * _STEPS

Wide = npt.NDArray[np.uint16]


def halved(pixels: Pixels, *, srgb: bool) -> list[Pixels]:
    """Return a picture and its copies, each half as large as the one before, down to one pixel.

    Args:
        pixels: (h, w, 4).
        srgb: Its colours are sRGB: means are taken of the light, not of the numbers.
    """
    decoding, encoding = _tables(srgb)
    light = decoding[pixels]
    light[..., 3] = pixels[..., 3] * np.uint16(_STEPS)
    levels = [pixels]
    while max(light.shape[:2]) > 1:
        total = _pairs(_pairs(light).swapaxes(0, 1)).swapaxes(0, 1)
        light = (total + np.uint16(2)) >> np.uint16(2)
        level = encoding[light]
        level[..., 3] = (light[..., 3] + _STEPS // 2) // _STEPS
        levels.append(level)
    return levels


def _pairs(rows: Wide) -> Wide:
    """Sums of neighbouring rows; a last odd one is dropped, a single one counts twice."""
    if len(rows) == 1:
        return rows * np.uint16(2)
    even = len(rows) // 2 * 2
    summed: Wide = rows[0:even:2] + rows[1:even:2]
    return summed


@lru_cache(maxsize=2)
def _tables(srgb: bool) -> tuple[Wide, Pixels]:
    """From a level to its light (0 to 4080), and back."""
    level, light = np.arange(256) / 255, np.arange(_MOST + 1) / _MOST
    if srgb:
        level = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
        light = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(level * _MOST).astype(np.uint16), np.round(light * 255).astype(np.uint8)
