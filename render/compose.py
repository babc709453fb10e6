"""From drawn pixels to a finished picture: background and file format."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from render.errors import BadRequestError
from render.vrm.textures import Pixels

Format = Literal["png", "webp", "jpeg"]
Daytime = Literal["morning", "day", "evening", "night"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
DAYTIMES: Final[tuple[Daytime, ...]] = get_args(Daytime)

TRANSPARENT: Final = "transparent"
MOOD: Final = "mood"
"""The background that is drawn here from emotion and time of day."""

_MAX_PICTURE_SIDE_PX: Final = 8192
_PICTURE_FORMATS: Final = ("PNG", "JPEG", "WEBP")

Plane = npt.NDArray[np.float32]
Rgb = tuple[int, int, int]

_SKIES: Final[Mapping[str, tuple[Rgb, Rgb]]] = {
    "morning": ((255, 236, 214), (190, 214, 240)),
    "day": ((246, 250, 255), (178, 206, 240)),
    "evening": ((255, 206, 168), (134, 122, 178)),
    "night": ((92, 98, 150), (34, 38, 74)),
}
"""Upper and lower colour by time of day."""
_STUDIO: Final[tuple[Rgb, Rgb]] = ((250, 244, 247), (202, 212, 236))
_MOODS: Final[Mapping[str, Rgb]] = {
    "happy": (255, 222, 140),
    "excited": (255, 186, 120),
    "playful": (255, 188, 214),
    "affectionate": (255, 164, 186),
    "content": (196, 226, 190),
    "curious": (168, 222, 220),
    "flustered": (255, 176, 176),
    "sad": (140, 164, 208),
    "melancholy": (158, 158, 204),
    "anxious": (186, 180, 206),
    "frustrated": (226, 150, 130),
    "neutral": (226, 222, 236),
}
_MOOD_SHARE: Final = 0.4
_GLOW: Final = 0.30
_DISCS: Final = 9
_COARSER: Final = 4
_DISC_SHINE: Final = np.float32(0.16)


def over(figure: Pixels, background: Pixels) -> Pixels:
    """Lay a figure (h, w, 4; colours multiplied by alpha) over an opaque background (h, w, 3)."""
    left = np.uint16(255) - figure[..., 3:].astype(np.uint16)
    scaled: npt.NDArray[np.uint16] = background * left
    scaled += np.uint16(128)
    # Exact rounding of x / 255 in integers.
    scaled += scaled >> np.uint16(8)
    scaled >>= np.uint16(8)
    scaled += figure[..., :3]
    np.minimum(scaled, np.uint16(255), out=scaled)
    return scaled.astype(np.uint8)


def straight(figure: Pixels) -> Pixels:
    """Return a figure with colours no longer multiplied by alpha, for a transparent picture."""
    alpha = figure[..., 3:].astype(np.float32)
    colors = figure[..., :3].astype(np.float32) * 255.0 / np.maximum(alpha, 1.0)
    return np.concatenate([np.minimum(colors, 255.0).astype(np.uint8), figure[..., 3:]], axis=2)


def background(name: str, emotion: str, daytime: str | None, side_px: int) -> Pixels | None:
    """Return a square background (side_px, side_px, 3), None for a transparent one.

    Args:
        name: "mood", "transparent", or the path of a picture.
        emotion: Colours the "mood" background.
        daytime: "morning", "day", "evening", "night", or None for an even studio.
        side_px: Width and height.

    Raises:
        BadRequestError: The picture cannot be read.
    """
    if name == TRANSPARENT:
        return None
    if name == MOOD:
        return mood_background(emotion, daytime, side_px)
    path = Path(name)
    try:
        return picture_background(path, path.stat().st_mtime_ns, side_px)
    except OSError as error:
        raise BadRequestError(f"the background {path.name} cannot be read") from error


@lru_cache(maxsize=8)
def picture_background(path: Path, _changed_ns: int, side_px: int) -> Pixels:
    """Return a picture cropped to a square from its middle and slightly out of focus behind her.

    `_changed_ns` is the file's time of change: part of the cache's key only.
    """
    with Image.open(path, formats=_PICTURE_FORMATS) as picture:
        if max(picture.size) > _MAX_PICTURE_SIDE_PX:
            raise BadRequestError(f"the background {path.name} is larger than {_MAX_PICTURE_SIDE_PX} px")
        picture.draft("RGB", (side_px, side_px))
        whole = picture.convert("RGB")
    side = min(whole.size)
    left, top = (whole.width - side) // 2, (whole.height - side) // 2
    box = (left, top, left + side, top + side)
    square = whole.resize((side_px, side_px), Image.Resampling.BICUBIC, box=box, reducing_gap=2.0)
    return np.asarray(square.filter(ImageFilter.GaussianBlur(side_px / 200)))


@lru_cache(maxsize=24)
def mood_background(emotion: str, daytime: str | None, side_px: int) -> Pixels:
    """Return a soft gradient: the sky of the hour, tinted by her mood, with a glow behind her head."""
    upper, lower = _SKIES.get(daytime or "", _STUDIO)
    tint = np.array(_MOODS.get(emotion, _MOODS["neutral"]), np.float32)
    share = _MOOD_SHARE * (0.6 if daytime == "night" else 1.0)
    top = np.array(upper, np.float32) * (1 - share) + tint * share
    bottom = np.array(lower, np.float32) * (1 - share / 2) + tint * share / 2
    # Soft shapes need no more: worked out on a coarse grid and stretched.
    coarse_px = max(16, side_px // _COARSER)
    across = (np.arange(coarse_px, dtype=np.float32) + np.float32(0.5)) / np.float32(coarse_px)
    x, y = np.meshgrid(across, across)
    down = np.clip(y * 0.9 + x * 0.1, 0.0, 1.0)[..., None]
    picture: Plane = top * (1 - down) + bottom * down
    light = np.minimum(255.0, top * 0.4 + 160.0)
    picture += (light - picture) * _glow(x, y)[..., None]
    picture += (light - picture) * _discs(x, y, emotion)[..., None]
    coarse = Image.fromarray(np.clip(picture + 0.5, 0, 255).astype(np.uint8))
    return np.asarray(coarse.resize((side_px, side_px), Image.Resampling.BICUBIC))


def _glow(x: Plane, y: Plane) -> Plane:
    distance = ((x - 0.5) / 0.55) ** 2 + ((y - 0.42) / 0.5) ** 2
    return (_GLOW * np.exp(-1.4 * distance)).astype(np.float32)


def _discs(x: Plane, y: Plane, emotion: str) -> Plane:
    """Lights out of focus, at places that follow from the emotion's name."""
    shine: Plane = np.zeros_like(x)
    seed = sum(emotion.encode())
    for number in range(_DISCS):
        angle = seed + number * 2.399963
        radius = 0.28 + 0.30 * ((number * 0.618034 + seed * 0.1) % 1.0)
        center_x, center_y = 0.5 + radius * math.cos(angle), 0.45 + radius * math.sin(angle)
        size = 0.035 + 0.055 * ((number * 0.754878 + seed * 0.3) % 1.0)
        distance: Plane = np.hypot(x - np.float32(center_x), y - np.float32(center_y)) / np.float32(size)
        shine = shine + _DISC_SHINE * np.clip((1.0 - distance) * 6.0, 0.0, 1.0).astype(np.float32)
    return shine


def encode(pixels: Pixels, format_: Format) -> bytes:
    """Return a picture file of (h, w, 3 or 4) pixels; JPEG has no transparency and gets none."""
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    out = io.BytesIO()
    if format_ == "png":
        picture.save(out, "PNG", compress_level=2)
    elif format_ == "webp":
        picture.save(out, "WEBP", lossless=True, method=0, quality=0)
    else:
        picture.convert("RGB").save(out, "JPEG", quality=90)
    return out.getvalue()
