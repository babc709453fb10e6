"""Worn on the skin: neck and throat, turtleneck, shirt with a collar."""

from __future__ import annotations

import numpy as np

from render.figures.curves import ease
from render.figures.field import polygonise
from render.figures.mesh import Part, Surface, rings, sheet
from render.figures.tailor import AHEAD, Tailor, above, band, below, collar_ring, front_opening, without

_CELL = 0.0105


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


def build_shirt(tailor: Tailor, depth: float) -> list[Part]:
    """Return a shirt with an open collar, and the throat it shows; `depth` is the opening's, metres."""
    k, frame = tailor.k, tailor.body.frame
    torso = tailor.body.torso()
    top, size = 1.378 * k, frame.shoulder + 0.06
    bottom = 1.335 * k - depth
    neckline = front_opening(np.array([bottom, top]), np.array([0.0, 0.45 * (top - bottom)]))
    cut = below(top, above(0.98 * k, without(above(bottom, neckline), lambda p: torso(p) - 0.005, 0.003)))
    shirt = polygonise(cut, (-size, 0.96 * k, -0.15), (size, 1.40 * k, 0.16), 0.0095)
    skin = above(1.20 * k, below(1.40 * k, lambda p: torso(p) - 0.0015))
    throat = polygonise(skin, (-0.07, 1.22 * k, 0.0), (0.07, 1.385 * k, 0.16), 0.0105)
    return [tailor.on_torso(shirt, "top"), tailor.on_torso(throat, "skin"), *_collar(tailor), _placket(tailor, bottom)]


def _collar(tailor: Tailor) -> list[Part]:
    """Return the two halves of a turned-down collar."""
    k, r, chin = tailor.k, tailor.body.frame.neck, tailor.body.frame.chin
    parts = []
    for side in (1.0, -1.0):
        angle = np.radians(np.linspace(16, 182, 22))
        point = ease(angle, 1.1, 0.25)
        rows = []
        for y, z, reach, drop, spread in (
            (chin - 0.088 * k, -0.018, 1.22, 0.0, 0.0), (chin - 0.058 * k, -0.016, 1.13, 0.005, 0.0),
            (chin - 0.050 * k, -0.016, 1.18, 0.006, 0.02), (chin - 0.062 * k, -0.017, 1.36, 0.012, 0.10),
            (chin - 0.082 * k, -0.018, 1.62, 0.022, 0.28),
        ):  # fmt: skip
            radius = r * (reach + spread * point)
            turn = angle + 0.10 * spread * point
            rows.append(
                np.column_stack([side * radius * np.sin(turn), y - drop * k * point, z + radius * np.cos(turn)])
            )
        grid = np.array(rows)
        away = grid.reshape(-1, 3) * [1, 0, 1] - [0, 0, -0.017]
        parts.append(tailor.on_torso(sheet(grid, away), "top"))
    return parts


def _placket(tailor: Tailor, top: float) -> Part:
    """Return the button border down the front."""
    y = np.linspace(1.03 * tailor.k, top - 0.004, 14)
    start = np.column_stack([np.zeros_like(y), y, np.full_like(y, 0.3)])
    torso = tailor.body.torso()
    return tailor.on_torso(band(lambda p: torso(p) - 0.005, start, AHEAD, np.full(14, 0.0105), 0.0022), "top")

