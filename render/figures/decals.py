"""Drawn shapes that lie on the face: patches between two curves, with their movements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from render.figures.curves import Array
from render.figures.head import Head
from render.figures.mesh import Surface, grid_triangles, sheet, unit_uvs

Curves = tuple[Array, Array]
"""Upper and lower border of a patch: two (n, 2) arrays in face coordinates, metres."""


def _ruled(curves: Curves, rows: int) -> Array:
    """Return the (rows * n, 2) points between two borders."""
    share = np.linspace(0, 1, rows)[:, None, None]
    return np.asarray(curves[0][None] * (1 - share) + curves[1][None] * share).reshape(-1, 2)


def patch(
    head: Head,
    rest: Curves,
    moved: Mapping[str, Curves],
    *,
    lift: float | Array,
    rows: int = 3,
    skin: bool = False,
) -> tuple[Surface, dict[str, Array]]:
    """Return a patch on the face and its displacements.

    Args:
        head: The head it lies on.
        rest: Its borders at rest.
        moved: Its borders for each movement.
        lift: Height above the skin in metres, or one per row.
        rows: Rows of vertices between the borders.
        skin: Textured like the face instead of by the unit square.
    """
    columns = len(rest[0])
    heights = np.repeat(np.broadcast_to(np.asarray(lift, float), (rows,)), columns)
    points, normals = head.onto_face(_ruled(rest, rows), heights)
    # The winding follows the drawing's direction: a closed mouth has no area to tell it by.
    triangles = grid_triangles(rows, columns)
    if rest[0][-1, 0] < rest[0][0, 0]:
        triangles = triangles[:, ::-1]
    uvs = head.face_uvs(points) if skin else unit_uvs(rows, columns)
    surface = Surface(points, normals, uvs, triangles)
    shifts = {
        name: head.onto_face(_ruled(curves, rows), heights)[0] - points for name, curves in moved.items()
    }
    return surface, shifts


def quad(
    head: Head,
    centre: tuple[float, float],
    half: tuple[float, float],
    moved: Mapping[str, tuple[float, float, float]],
    *,
    lift: float,
    cells: int = 8,
) -> tuple[Surface, dict[str, Array]]:
    """Return a rectangle bent over the face; `moved` gives x shift, y shift and scale per movement."""
    steps = np.linspace(-1, 1, cells + 1)
    grid = np.stack(np.meshgrid(steps, -steps), -1).reshape(-1, 2)

    def place(dx: float, dy: float, scale: float) -> Array:
        return np.asarray(np.array(centre) + (dx, dy) + grid * np.array(half) * scale)

    points, normals = head.onto_face(place(0, 0, 1), lift)
    flat = sheet(points.reshape(cells + 1, cells + 1, 3), np.array([0.0, 0.0, 1.0]))
    surface = Surface(points, normals, flat.uvs, flat.triangles)
    shifts = {name: head.onto_face(place(*to), lift)[0] - points for name, to in moved.items()}
    return surface, shifts


def each(shapes: Mapping[str, Curves], draw: Callable[[Curves], Curves]) -> dict[str, Curves]:
    """Return what `draw` makes of every shape."""
    return {name: draw(curves) for name, curves in shapes.items()}
