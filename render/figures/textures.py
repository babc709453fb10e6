"""The painted pictures of a figure: iris, white of the eye, face, mouth, blush, hair, neck."""

from __future__ import annotations

import numpy as np
from PIL import Image

from render.figures.curves import Array, ease
from render.figures.hair import HAIR_LENGTH
from render.figures.head import FACE_WINDOW
from render.figures.lower import skirt_wave
from render.figures.paint import Canvas, canvas, glow, mixed, spot
from render.figures.style import Palette, Style

Pictures = dict[str, Image.Image]


def paint_iris(palette: Palette) -> Image.Image:
    """Return an iris: dark above, bright below, with pupil, inner glow and highlights; clear outside."""
    on = canvas(256, 256, (-1, 1, -1, 1), palette.iris_top)
    radius = np.sqrt((on.x / 0.94) ** 2 + (on.y / 0.95) ** 2)
    on.wash(ease(on.y, -0.55, 0.75), palette.iris_bottom)
    on.wash(glow(on, 0, 0.62, 0.62, 0.30) * 0.55, mixed(palette.iris_bottom, "#ffffff", 0.75))
    rays = 0.5 + 0.5 * np.sin(np.arctan2(on.y - 0.05, on.x) * 26)
    on.wash(rays * ease(radius, 0.42, 0.75) * 0.14, palette.iris_ring)
    on.wash(ease(radius, 0.80, 0.93), palette.iris_ring)
    on.wash(ease(on.y, -0.15, -0.75) * 0.55, palette.iris_ring)
    on.wash(spot(on, 0, 0.02, 0.34, 0.42, 0.22), palette.iris_ring)
    on.wash(glow(on, 0, 0.30, 0.16, 0.10) * 0.30, palette.iris_bottom)
    on.wash(spot(on, -0.34, -0.36, 0.25, 0.25, 0.14), "#ffffff")
    on.wash(spot(on, 0.38, 0.40, 0.13, 0.13, 0.2) * 0.92, "#ffffff")
    on.wash(spot(on, 0.44, -0.10, 0.065, 0.065, 0.3) * 0.6, "#ffffff")
    return on.image(ease(radius, 1.01, 0.965))


def paint_white(palette: Palette) -> Image.Image:
    """Return the white of the eye with the lid's shadow on its upper part (v runs from lid to lid)."""
    on = canvas(32, 64, (0, 1, 0, 1), "#fffdfd")
    on.wash(ease(on.y, 0.45, 0.18) * 0.75, mixed(palette.skin_shade, "#c6cbe6", 0.75))
    on.wash(ease(on.y, 0.90, 1.0) * 0.35, mixed(palette.skin_shade, "#ffffff", 0.3))
    return on.image()


def paint_mouth() -> Image.Image:
    """Return the inside of the mouth: teeth above, tongue below."""
    on = canvas(128, 128, (-1, 1, 0, 1), "#7d2836")
    on.wash(spot(on, 0, 1.02, 0.72, 0.46, 0.10), "#ee8589")
    on.wash(ease(on.y, 0.275, 0.235) * ease(np.abs(on.x), 0.97, 0.86), "#fffaf8")
    return on.image()


def paint_face(style: Style) -> Image.Image:
    """Return the skin of the face seen from the front, in head coordinates."""
    palette = style.palette
    left, right, bottom, top = FACE_WINDOW
    on = canvas(512, 640, (left, right, top, bottom), palette.skin)
    warm = mixed(palette.skin, palette.blush, 0.55)
    for side in (-1, 1):
        on.wash(glow(on, side * 0.043, 0.071, 0.017, 0.0105) * 0.36 * style.glow, warm)
        on.wash(glow(on, side * 0.0355, 0.112, 0.024, 0.008) * 0.16, palette.skin_shade)
    _paint_hair_shadow(on, style)
    _paint_nose(on, palette)
    _paint_lips(on, style)
    return on.image()


def _paint_hair_shadow(on: Canvas, style: Style) -> None:
    """Darken the forehead's upper edge and the temples, where hair hangs over them."""
    edge = 0.1790 - 0.030 * (np.abs(on.x) / 0.05) ** 1.3
    on.wash(ease(on.y, edge - 0.003, edge + 0.003) * 0.85, style.palette.skin_shade)
    low = 0.095 if style.hair == "short" else 0.035
    border = 0.0600 + 0.06 * np.clip(on.y - 0.075, -0.05, 0.05)
    on.wash(
        ease(np.abs(on.x), border, border + 0.0035) * ease(on.y, low, low + 0.015) * 0.75,
        style.palette.skin_shade,
    )


def _paint_nose(on: Canvas, palette: Palette) -> None:
    """Mark the nose: a soft bridge, a small shadow under the tip."""
    on.wash(
        glow(on, 0.0015, 0.0610, 0.0046, 0.0018) * 0.75, mixed(palette.skin_shade, palette.skin_line, 0.30)
    )
    on.wash(glow(on, 0, 0.0690, 0.0022, 0.0034) * 0.85, mixed(palette.skin, "#ffffff", 0.75))
    on.wash(glow(on, 0.0052, 0.0750, 0.0014, 0.0100) * 0.22, palette.skin_shade)


def _paint_lips(on: Canvas, style: Style) -> None:
    """Tint the lips and shade the dip below them."""
    tint = 0.62 * style.glow
    on.wash(glow(on, 0, 0.0373, 0.0088, 0.0021) * tint, style.palette.lips)
    on.wash(glow(on, 0, 0.0417, 0.0095, 0.0014) * tint * 0.7, style.palette.lips)
    on.wash(glow(on, 0.001, 0.0381, 0.0030, 0.0008) * tint * 0.8, "#ffffff")
    on.wash(glow(on, 0, 0.0305, 0.0060, 0.0015) * 0.55, style.palette.skin_shade)


def paint_blush(palette: Palette) -> Image.Image:
    """Return the soft blush, clear at its borders."""
    on = canvas(96, 64, (-1, 1, -1, 1), palette.blush)
    return on.image(np.exp(-(((on.x**2 + on.y**2) * 2.1) ** 1.15)) * 0.80)


def paint_strokes(palette: Palette) -> Image.Image:
    """Return slanted strokes across the cheek."""
    on = canvas(192, 96, (-1, 1, -1, 1), mixed(palette.blush, palette.skin_line, 0.35))
    alpha = np.zeros_like(on.x)
    for at in (-0.58, 0.0, 0.58):
        across = np.abs(on.x - at - 0.16 * -on.y)
        alpha = np.maximum(alpha, ease(across, 0.10, 0.055) * ease(np.abs(on.y), 0.95, 0.45))
    return on.image(alpha * 0.85)


def paint_hair(style: Style) -> Image.Image:
    """Return hair on a cylinder around the head: u around, v from the crown (0) to the tips (1).

    The canvas counts metres below the crown, so that the ring of light lies at one height in all styles.
    """
    palette, length = style.palette, HAIR_LENGTH[style.hair]
    on = canvas(1024, 512, (0, 1, 0, length), palette.hair)
    strands = _strands(on.x)
    on.wash(ease(on.y, 0.060, 0.0) * 0.40, palette.hair_dark)
    on.wash(ease(on.y, 0.13, 0.13 + 0.55 * length) * 0.50, palette.hair_dark)
    on.wash(ease(on.y, 0.16, 0.95 * length) * 0.60, palette.hair_tip)
    on.wash(np.clip(strands - 0.25, 0, 1) * 0.55, palette.hair_dark)
    on.wash(np.clip(-strands - 0.30, 0, 1) * 0.30, palette.hair_light)
    _paint_shine(on, palette, strands)
    return on.image()


def _strands(u: Array) -> Array:
    """Return a pattern of strands around the head, about -1 to 1, that joins at u = 0 and 1."""
    rng = np.random.default_rng(7)
    pattern = np.zeros_like(u)
    for waves in (11, 17, 31, 53, 89):
        pattern += np.sin(2 * np.pi * (u * waves + rng.uniform())) / waves**0.35
    return np.asarray(pattern / np.abs(pattern).max())


def _paint_shine(on: Canvas, palette: Palette, strands: Array) -> None:
    """Paint the ring of light with its jagged borders."""
    teeth = np.abs(((on.x * 34 + 0.3 * np.sin(on.x * 2 * np.pi * 5)) % 1) - 0.5) * 2
    fine = np.abs(((on.x * 71) % 1) - 0.5) * 2
    middle = 0.066 + 0.004 * np.sin(on.x * 2 * np.pi * 3)
    reach = 0.004 + 0.013 * teeth**1.5 + 0.004 * fine + 0.004 * strands
    inside = ease(np.abs(on.y - middle), reach, reach - 0.003)
    on.wash(inside * 0.55, palette.hair_light)
    core = ease(np.abs(on.y - middle), reach * 0.45, reach * 0.45 - 0.003)
    on.wash(core * 0.40, mixed(palette.hair_light, "#ffffff", 0.6))


def paint_skirt(palette: Palette) -> Image.Image:
    """Return half a skirt (u: front to back, v: waist to hem) with shadow in the valleys of its folds."""
    on = canvas(512, 128, (0, np.pi, 0, 1), palette.lower)
    wave = skirt_wave(on.x)
    border = -0.25 - 1.1 * ease(on.y, 0.75, 0.22)
    on.wash(np.clip((border - wave) / 0.10 + 0.5, 0, 1) * 0.9, palette.lower_shade)
    on.wash(
        np.clip((wave - 0.55 - 0.8 * ease(on.y, 0.8, 0.3)) / 0.25, 0, 1) * 0.20,
        mixed(palette.lower, "#ffffff", 0.5),
    )
    return on.image()


def paint_neck(palette: Palette) -> Image.Image:
    """Return the skin of the neck: in the shadow of the chin above, lit below (v downwards)."""
    on = canvas(64, 64, (-1, 1, 0, 1), palette.skin)
    edge = 0.66 + 0.10 * np.cos(on.x * np.pi)
    on.wash(ease(on.y, edge + 0.02, edge - 0.02) * 0.95, palette.skin_shade)
    return on.image()


def paint_ribs() -> Image.Image:
    """Return one rib of a knitted fabric, light on a ridge and darker in the furrow; it repeats along u."""
    on = canvas(32, 8, (0, 1, 0, 1), "#ffffff")
    furrow = 0.5 + 0.5 * np.cos(2 * np.pi * on.x)
    on.wash(furrow**3 * 0.20, "#6b5a66")
    return on.image()


def paint_all(style: Style) -> Pictures:
    """Return every picture of a figure by name."""
    palette = style.palette
    return {
        "iris": paint_iris(palette),
        "eye_white": paint_white(palette),
        "mouth": paint_mouth(),
        "face": paint_face(style),
        "blush": paint_blush(palette),
        "blush_strokes": paint_strokes(palette),
        "hair": paint_hair(style),
        "neck": paint_neck(palette),
        "skirt": paint_skirt(palette),
        "ribs": paint_ribs(),
    }
