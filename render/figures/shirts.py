"""Worn on the skin: neck and throat, turtleneck, shirt with a collar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from render.figures.curves import Array, ease
from render.figures.details import build_buttons
from render.figures.field import Field, grown, polygonise
from render.figures.mesh import Part, Surface, rings, slab
from render.figures.tailor import AHEAD, Tailor, above, band, below, cast, collar_ring, front_opening, without

_CELL = (0.0140, 0.0180, 0.0140)
_RIB = 0.0085
"""Width of one rib of a knitted fabric, metres."""
_FINE = (0.0105, 0.0125, 0.0125)
_SHOWN = 0.128
"""Half the width of what a garment worn open ever shows of the shirt below, metres."""
_BEHIND = -0.085
"""No shirt is seen further back than this."""


def build_neck(tailor: Tailor) -> Part:
    """Return the skin of neck and throat."""
    k, r = tailor.k, tailor.body.frame.neck
    chin = tailor.body.frame.chin
    angle = np.linspace(0, 2 * np.pi, 28, endpoint=False) + np.pi
    rows = [
        (chin + 0.045, -0.010, 0.90), (chin + 0.015, -0.011, 0.92), (chin - 0.020, -0.013, 0.94),
        (chin - 0.055 * k, -0.017, 1.0), (chin - 0.075 * k, -0.019, 1.12), (chin - 0.095 * k, -0.020, 1.36),
    ]  # fmt: skip
    points = [
        np.column_stack([r * f * np.sin(angle), np.full(28, y), z + r * f * np.cos(angle)])
        for y, z, f in rows
    ]
    surface = rings(np.array(points))
    shown = np.clip((chin + 0.012 - surface.points[:, 1]) / 0.10, 0, 1)
    u = np.clip(surface.points[:, 0] / (2.4 * r) + 0.5, 0, 1)
    surface = Surface(surface.points, surface.normals, np.column_stack([u, shown]), surface.triangles)
    up = ease(surface.points[:, 1], chin - 0.03, chin + 0.01)
    low = ease(surface.points[:, 1], chin - 0.06 * k, chin - 0.09 * k)
    return tailor.skeleton.skinned(
        surface, "neck", {"head": up, "neck": (1 - up) * (1 - low), "upperChest": low}
    )


def build_turtleneck(tailor: Tailor) -> list[Part]:
    """Return a fitted pullover with a rolled collar (its sleeves are under the cardigan)."""
    k, r, chin = tailor.k, tailor.body.frame.neck, tailor.body.frame.chin
    torso = tailor.body.torso()
    cut = below(1.372 * k, above(0.98 * k, lambda p: torso(p) - 0.004))
    pullover = polygonise(cut, (-_SHOWN, 0.96 * k, _BEHIND), (_SHOWN, 1.39 * k, 0.15), _CELL)
    rows = np.array([
        (chin - 0.095 * k, -0.020, r * 1.42), (chin - 0.080 * k, -0.019, r * 1.22), (chin - 0.068 * k, -0.018, r * 1.20),
        (chin - 0.062 * k, -0.018, r * 1.27), (chin - 0.048 * k, -0.0165, r * 1.28), (chin - 0.030 * k, -0.015, r * 1.22),
        (chin - 0.026 * k, -0.015, r * 1.16), (chin - 0.029 * k, -0.015, r * 1.04),
    ])  # fmt: skip
    pullover = replace(pullover, uvs=pullover.uvs / _RIB)
    collar = collar_ring(rows, 1.0)
    collar = replace(collar, uvs=collar.uvs * [round(2 * np.pi * r * 1.22 / _RIB), 1.0])
    return [tailor.on_torso(pullover, "knit"), tailor.on_torso(collar, "knit")]


def build_shirt(tailor: Tailor, depth: float) -> list[Part]:
    """Return a shirt with an open collar, and the throat it shows; `depth` is the opening's, metres."""
    k, top = tailor.k, 1.378 * tailor.k
    torso = tailor.body.torso()
    bottom = 1.335 * k - depth
    neckline = front_opening(np.array([bottom, top]), np.array([0.0, 0.45 * (top - bottom)]))
    cut = below(top, above(1.015 * k, without(above(bottom, neckline), lambda p: torso(p) - 0.005, 0.003)))
    shirt = polygonise(cut, (-_SHOWN, 0.96 * k, _BEHIND), (_SHOWN, 1.40 * k, 0.16), _FINE)
    skin = above(1.20 * k, below(1.40 * k, lambda p: torso(p) - 0.0015))
    throat = polygonise(skin, (-0.07, 1.22 * k, 0.0), (0.07, 1.385 * k, 0.16), _FINE)
    return [
        tailor.on_torso(shirt, "top"),
        tailor.on_torso(throat, "skin"),
        *_collar(tailor),
        *_edges(tailor, bottom),
    ]


_COLLAR = (
    (22, 1.372, 0.006, 0.003), (25, 1.397, 0.012, 0.004), (25, 1.401, 0.012, 0.007),
    (21, 1.386, 0.020, 0.011), (16, 1.364, 0.042, 0.012),
)  # fmt: skip
"""Rows of a collar: angle of its front edge (degrees), height, drop at the point, lift (metres)."""
_COLLAR_END = 62.0
"""Where a collar ends (degrees): further back the coat's own collar would cut through it."""


def _collar(tailor: Tailor) -> list[Part]:
    """Return the two halves of a turned-down collar: a stand around the neck and a leaf over it."""
    k = tailor.k
    parts = []
    for side in (1.0, -1.0):
        rows = []
        for start, height, drop, lift in _COLLAR:
            angle = np.radians(np.linspace(start, _COLLAR_END, 20))
            tip = ease(angle, np.radians(start + 55), np.radians(start))
            rows.append(_ring(tailor, side, angle, height * k - drop * tip, np.full(20, lift)))
        grid = np.array(rows)
        away = grid.reshape(-1, 3) * [1, 0, 1] - [0, 0, -0.017]
        parts.append(tailor.on_torso(slab(grid, away, 0.0026), "top"))
    return parts


def _ring(tailor: Tailor, side: float, angle: Array, heights: Array, lift: Array) -> Array:
    """Return points around the neck, `lift` (n,) metres above what is below the collar."""
    torso, r = tailor.body.torso(), tailor.body.frame.neck
    out = np.column_stack([side * np.sin(angle), np.zeros_like(angle), np.cos(angle)])
    axis = np.column_stack([np.zeros_like(angle), heights, np.full_like(angle, -0.017)])
    points = cast(torso, axis + out * 0.3, -out)
    reach = np.maximum(np.linalg.norm(points - axis, axis=1), r * 1.04) + lift
    return np.asarray(axis + out * reach[:, None])


def _edges(tailor: Tailor, bottom: float) -> list[Part]:
    """Return the borders of the neckline and the button border below it."""
    k = tailor.k
    torso = tailor.body.torso()
    cloth = grown(torso, 0.005)
    down = np.linspace(1.035 * k, bottom + 0.006, 14)
    parts = [_strip(tailor, cloth, 0.0, down, 0.0105)]
    places = [(0.0, float(y)) for y in np.arange(bottom - 0.030, 1.06 * k, -0.062)]
    parts.append(build_buttons(tailor, grown(cloth, 0.0012), places, 0.0042))
    for side in (1.0, -1.0):
        up = np.linspace(bottom - 0.004, 1.372 * k, 10)
        parts.append(_strip(tailor, cloth, side * 0.45, up, 0.0065))
    return parts


def _strip(tailor: Tailor, cloth: Field, slope: float, heights: Array, width: float) -> Part:
    """Return a border that starts at x = 0 and moves sideways by `slope` per metre of height."""
    x = slope * np.maximum(heights - heights[0], 0)
    start = np.column_stack([x, heights, np.full_like(heights, 0.3)])
    surface = band(cloth, start, AHEAD, np.full(len(heights), width), 0.0024)
    return tailor.on_torso(surface, "top")
