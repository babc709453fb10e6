"""What the figures wear above the waist, and the three outfits."""

from __future__ import annotations

import numpy as np

from render.figures.bones import arm_points, lowered
from render.figures.curves import Array, ease
from render.figures.field import Field, limb, polygonise
from render.figures.lower import build_shoes, build_skirt, build_trousers, skirt_chains
from render.figures.mesh import Part, Surface, rings
from render.figures.springs import Chain
from render.figures.style import Style
from render.figures.tailor import Tailor, above, band, below, collar_ring, front_opening, hoop, without

_CELL = 0.0095


def outfit_chains(style: Style) -> list[Chain]:
    """Return the swinging bones of an outfit."""
    return skirt_chains() if style.outfit == "cardigan" else []


def build_outfit(tailor: Tailor, style: Style, chains: list[Chain]) -> list[Part]:
    """Return all clothes of a figure."""
    own = [chain for chain in chains if chain.name.startswith(("skirt_", "coat_"))]
    if style.outfit == "cardigan":
        return [
            *build_turtleneck(tailor), *build_cardigan(tailor), *build_skirt(tailor, own), *build_shoes(tailor, shaft=0.36)
        ]  # fmt: skip
    return [
        *build_turtleneck(tailor),
        *build_cardigan(tailor),
        *build_trousers(tailor),
        *build_shoes(tailor, shaft=0.12),
    ]


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
    size = tailor.body.frame.shoulder + 0.06
    pullover = polygonise(cut, (-size, 0.96 * k, -0.15), (size, 1.39 * k, 0.15), _CELL)
    rows = np.array([
        (chin - 0.095 * k, -0.020, r * 1.42), (chin - 0.080 * k, -0.019, r * 1.22), (chin - 0.068 * k, -0.018, r * 1.20),
        (chin - 0.062 * k, -0.018, r * 1.27), (chin - 0.048 * k, -0.0165, r * 1.28), (chin - 0.030 * k, -0.015, r * 1.22),
        (chin - 0.026 * k, -0.015, r * 1.16), (chin - 0.029 * k, -0.015, r * 1.04),
    ])  # fmt: skip
    return [tailor.on_torso(pullover, "top"), tailor.on_torso(collar_ring(rows, 1.0), "top")]


_OPEN_Y = np.array([0.86, 1.10, 1.25, 1.33, 1.40])
_OPEN_X = np.array([0.070, 0.056, 0.054, 0.058, 0.058])
_COLLAR = 0.062
"""Radius of a cardigan's neck hole, metres."""


def _worn(tailor: Tailor, grow: float, loose: float) -> Field:
    """Return a garment around torso and arms, `loose` metres wider at the hips."""
    k = tailor.k
    fitted = tailor.body.upper(grow, 0.985)

    def distance(points: Array) -> Array:
        wide = ease(points[:, 1], 1.16 * k, 0.93 * k) * ease(np.abs(points[:, 0]), 0.24, 0.18)
        return fitted(points) - loose * wide

    return distance


def _opened(tailor: Tailor, worn: Field, hem: float) -> Field:
    """Return a garment cut open in front and around the neck."""
    k = tailor.k
    collar = limb(np.array([0, 1.20 * k, -0.014]), np.array([0, 1.50 * k, -0.014]), _COLLAR * k, _COLLAR * k)
    wedge = front_opening(_OPEN_Y * k, _OPEN_X * k)
    neck = below(1.50 * k, above(1.315 * k, collar))
    return above(hem, without(neck, without(wedge, worn)))


def _edge(tailor: Tailor, worn: Field, side: float, hem: float) -> tuple[Array, Array]:
    """Return points and ray directions along a garment's edge: up the front, around the neck."""
    k = tailor.k
    y = np.linspace(hem + 0.004, 1.295 * k, 12)
    x = side * (np.interp(y, _OPEN_Y * k, _OPEN_X * k) + 0.006)
    front = np.column_stack([x, y, np.full_like(y, 0.3)])
    angle = np.radians(np.linspace(72, 184, 9))
    radius = (_COLLAR + 0.002) * k
    neck = np.column_stack([side * radius * np.sin(angle), np.full(9, 1.48 * k), radius * np.cos(angle) - 0.014])
    along = np.vstack([np.tile([0.0, 0.0, -1.0], (12, 1)), np.tile([0.0, -1.0, 0.0], (9, 1))])
    return np.vstack([front, neck]), along


def build_cardigan(tailor: Tailor) -> list[Part]:
    """Return a cardigan worn open, with a knitted band along front and neck."""
    k = tailor.k
    hem = 0.880 * k
    worn = _worn(tailor, 0.011, 0.012)
    size = tailor.body.frame.shoulder + 0.33 * k
    surface = polygonise(_opened(tailor, worn, hem), (-size, 0.82 * k, -0.17), (size, 1.43 * k, 0.17), _CELL)
    parts = [tailor.on_torso(surface, "outer")]
    for side in (1.0, -1.0):
        start, along = _edge(tailor, worn, side, hem)
        parts.append(tailor.on_torso(band(worn, start, along, 0.0125, 0.0045), "outer_trim"))
    rib = hoop(worn, np.array([0, hem + 0.014, -0.01]), np.array([0.0, 1.0, 0.0]), 30.0, (0.018, 0.0035))
    return [*parts, tailor.on_torso(rib, "outer_trim"), *_cuffs(tailor, 0.011, 0.985, "outer_trim")]


def _cuffs(tailor: Tailor, grow: float, length: float, material: str) -> list[Part]:
    """Return bands around the ends of both sleeves."""
    parts = []
    frame = tailor.body.frame
    for side in (1.0, -1.0):
        shoulder, _, wrist = lowered(frame, arm_points(frame)) * [side, 1, 1]
        axis = wrist - shoulder
        centre = shoulder + axis * (length - 0.035)
        sleeve = tailor.body.arm(side, grow, 1.2)
        parts.append(tailor.on_torso(hoop(sleeve, centre, axis, 0.0, (0.019, 0.0035)), material))
    return parts
