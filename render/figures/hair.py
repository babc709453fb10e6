"""Hair: a cap on the skull and tapered locks over it. Head coordinates, metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array, ease, profile, spline, unit
from render.figures.head import Head
from render.figures.mesh import Surface, facing, grid_triangles, tube

HAIR_LENGTH = {"long": 0.66, "bob": 0.32, "short": 0.26}
"""Metres from the crown that the hair's picture covers."""
CROWN = 0.252
VOLUME = 0.019
"""Metres by which hair stands higher than the crown of the skull."""
_STEP = np.array([100.0, 0.15, 0.15])
"""Degrees and metres that count alike when a path over the skull is smoothed."""
_HOLD = 0.098
"""Below this height hair hangs straight down instead of following jaw and neck."""

_LINE_ANGLE = np.radians([0, 40, 62, 78, 92, 112, 140, 180])
_LINE_HEIGHT = np.array([0.199, 0.190, 0.160, 0.116, 0.092, 0.062, 0.034, 0.028])


def scalp(head: Head, degrees: Array | float, y: Array | float, lift: Array | float) -> Array:
    """Return points above the skull, (n, 3).

    Args:
        head: The head.
        degrees: Angle about the neck's axis, 0 in front, positive to the figure's left.
        y: Height in metres of the table's head (scaled here).
        lift: Distance from the skin.
    """
    s = head.scale
    angle = np.atleast_1d(np.radians(degrees))
    height = np.atleast_1d(np.asarray(y, float)) * s
    skin = head.around(angle, np.maximum(height, _HOLD * s))
    out = head.round_normals(skin)
    points = skin + out * (np.atleast_1d(np.asarray(lift, float)) * s)[:, None]
    points[:, 1] -= np.maximum(_HOLD * s - height, 0)
    volume = VOLUME * s * ease(height / s, 0.110, 0.220)
    points[:, 1] += volume * np.clip(np.atleast_1d(np.asarray(lift, float)) / 0.009, 0, 1)
    return points


def cylinder_uvs(head: Head, points: Array, about: Array, length: float) -> Array:
    """Return hair's texture coordinates; `about` (n,) are angles near which u must stay (no seam)."""
    angle = np.arctan2(points[:, 0], points[:, 2])
    angle = about + (angle - about + np.pi) % (2 * np.pi) - np.pi
    return np.column_stack([angle / (2 * np.pi) + 0.5, (CROWN - points[:, 1] / head.scale) / length])


def hair_normals(head: Head, points: Array) -> Array:
    """Return outward directions: a skull above the ears, a column below them."""
    s = head.scale
    centre = np.column_stack(
        [np.zeros(len(points)), np.maximum(points[:, 1], 0.11 * s), np.full(len(points), -0.005)]
    )
    return unit((points - centre) / (np.array([0.080, 0.118, 0.092]) * s) ** 2)


def build_cap(head: Head, length: float, lift: float = 0.0060) -> Surface:
    """Return the hair that lies on the skull, ending at the hairline."""
    angles = np.linspace(-np.pi, np.pi, 61)
    line = profile(np.abs(angles), _LINE_ANGLE, _LINE_HEIGHT)
    share = np.linspace(0, 1, 15)[:, None]
    heights = 0.2219 - (0.2219 - line)[None, :] * share**1.35
    degrees = np.degrees(np.broadcast_to(angles, heights.shape))
    lifts = lift * (1 - 0.88 * ease(np.broadcast_to(share, heights.shape), 0.72, 1.0))
    points = scalp(head, degrees.ravel(), heights.ravel(), lifts.ravel())
    uvs = cylinder_uvs(head, points, np.radians(degrees.ravel()), length)
    surface = facing(points, uvs, grid_triangles(len(share), len(angles)), points - [0, 0.1, 0])
    return Surface(points, hair_normals(head, points), uvs, surface.triangles)


@dataclass(frozen=True, slots=True)
class Lock:
    """One lock of hair.

    Attributes:
        path: (k, 3) control points from root to tip, head coordinates.
        width: Half width at its broadest, metres.
        flat: Thickness as a share of the width.
        blunt: How late it begins to taper, 0 to 1.
        swings: Prefix of the chains it hangs on, empty for none.
    """

    path: Array
    width: float
    flat: float = 0.34
    blunt: float = 0.40
    swings: str = ""


def lock_surface(head: Head, lock: Lock, length: float, sides: int = 6) -> Surface:
    """Return the mesh of a lock."""
    reach = float(np.linalg.norm(np.diff(lock.path, axis=0), axis=1).sum())
    steps = int(np.clip(reach / (0.0190 if lock.swings == "back" else 0.0080), 12, 40))
    path = spline(lock.path, steps)
    t = np.linspace(0, 1, steps)
    width = (
        lock.width
        * (0.06 + 0.94 * ease(t, 0, 0.32))
        * (1 - 0.96 * np.clip((t - lock.blunt) / (1 - lock.blunt), 0, 1) ** 1.25)
    )
    out = hair_normals(head, path)
    surface = tube(path, out, width, width * lock.flat + 0.0006, sides, bend=0.075)
    about = np.unwrap(np.arctan2(path[:, 0], path[:, 2]))
    about = np.concatenate([np.repeat(about, sides), [about[0], about[-1]]])
    uvs = cylinder_uvs(head, surface.points, about, length)
    normals = unit(0.45 * surface.normals + 0.55 * hair_normals(head, surface.points))
    return Surface(surface.points, normals, uvs, surface.triangles)


def backing(head: Head, points: Array, length: float) -> Surface:
    """Return a sheet of hair, (rows, columns, 3), that closes the gaps behind the locks."""
    flat = points.reshape(-1, 3)
    about = np.unwrap(np.arctan2(points[0, :, 0], points[0, :, 2]))
    uvs = cylinder_uvs(head, flat, np.tile(about, len(points)), length)
    out = hair_normals(head, flat)
    surface = facing(flat, uvs, grid_triangles(*points.shape[:2]), out)
    return Surface(flat, out, uvs, surface.triangles)


def over(head: Head, *steps: tuple[float, float, float]) -> Array:
    """Return control points given as (degrees, y, lift)."""
    table = spline(np.array(steps) / _STEP, 3 * len(steps) - 2) * _STEP
    return scalp(head, table[:, 0], table[:, 1], table[:, 2])


def at(head: Head, *points: Sequence[float]) -> Array:
    """Return control points given as x, y, z on the table's head."""
    return np.array(points, float) * head.scale
