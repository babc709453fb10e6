"""Small things on clothes: buttons, pocket flaps, a necklace."""

from __future__ import annotations

import numpy as np

from render.figures.curves import Array, unit
from render.figures.field import Field, gradient, grown
from render.figures.mesh import Part, ellipsoid, merged
from render.figures.tailor import AHEAD, Tailor, band, cast


def build_buttons(tailor: Tailor, cloth: Field, places: list[tuple[float, float]], radius: float) -> Part:
    """Return round buttons on the front of a garment; places are (x, y), metres."""
    start = np.array([(x, y, 0.3) for x, y in places])
    points = cast(cloth, start, AHEAD)
    normals = gradient(cloth, points, 0.008)
    discs = [
        ellipsoid(point + normal * 0.004, np.array([radius, 0.0022, radius]), _facing(normal), 6, 12)
        for point, normal in zip(points, normals, strict=True)
    ]
    return tailor.on_torso(merged(discs), "accent")


def _facing(normal: Array) -> Array:
    """Return the (3, 3) rotation that turns +y towards a normal."""
    side = unit(np.cross(normal, np.array([0.0, 0.0, 1.0]) + normal * 0.01 + np.array([0.0, 1e-3, 0.0])))
    return np.column_stack([side, normal, np.cross(side, normal)])


def build_flap(
    tailor: Tailor, cloth: Field, side: float, x: tuple[float, float], y: float, material: str
) -> Part:
    """Return the flap of a pocket from `x[0]` to `x[1]` on one side, slightly slanted."""
    across = np.linspace(*x, 8)
    start = np.column_stack([side * across, y + 0.10 * (across - x[0]), np.full(8, 0.3)])
    return tailor.on_torso(band(cloth, start, AHEAD, np.full(8, 0.0125), 0.0032), material)


def build_necklace(tailor: Tailor, bottom: float) -> list[Part]:
    """Return a fine chain with a drop that ends at the height `bottom`."""
    k, torso = tailor.k, grown(tailor.body.torso(), 0.0026)
    share = np.linspace(-1, 1, 13)
    height = bottom + (1.366 * k - bottom) * np.abs(share) ** 1.5
    start = np.column_stack([0.036 * k * share, height, np.full(13, 0.3)])
    chain = band(torso, start, AHEAD, np.full(13, 0.0011), 0.0011)
    drop = ellipsoid(
        cast(torso, start[6:7], AHEAD)[0] + [0, -0.005, 0.002], np.array([0.0034, 0.0052, 0.0024])
    )
    return [tailor.on_torso(chain, "accent"), tailor.on_torso(drop, "accent")]
