"""Soft bodies as distance fields, and the meshes taken from them.

A field is a function from points (n, 3) in metres to signed distances (n,), negative inside.
Bodies and sleeves are sculpted this way because a smooth union gives shoulders without seams.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from render.figures.curves import Array, unit
from render.figures.mesh import Indices, Surface

Field = Callable[[Array], Array]
Triple = tuple[float, float, float]

_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1]


def ball(centre: tuple[float, float, float], radii: tuple[float, float, float]) -> Field:
    """Return an ellipsoid (the distance is a good estimate near the surface)."""
    middle, size = np.array(centre), np.array(radii)

    def distance(points: Array) -> Array:
        scaled = (points - middle) / size
        near = np.linalg.norm(scaled, axis=1)
        slope = np.maximum(np.linalg.norm(scaled / size, axis=1), 1e-9)
        return np.asarray(near * (near - 1.0) / slope)

    return distance


def limb(start: Array, end: Array, start_radius: float, end_radius: float, flat: float = 1.0) -> Field:
    """Return a tapered capsule; `flat` below 1 squeezes it along z."""
    scale = np.array([1.0, 1.0, 1.0 / flat])
    a, b = np.asarray(start, float) * scale, np.asarray(end, float) * scale
    axis = b - a

    def distance(points: Array) -> Array:
        p = points * scale - a
        t = np.clip(p @ axis / (axis @ axis), 0.0, 1.0)
        radius = start_radius + (end_radius - start_radius) * t
        return np.asarray(np.linalg.norm(p - t[:, None] * axis, axis=1) - radius)

    return distance


def union(fields: list[Field], soft: float) -> Field:
    """Return the union of fields, rounded over about `soft` metres where they meet."""

    def distance(points: Array) -> Array:
        total = fields[0](points)
        for one in fields[1:]:
            total = soft_minimum(total, one(points), soft)
        return total

    return distance


def soft_minimum(a: Array, b: Array, soft: float) -> Array:
    """Return the smaller of two distances, blended over `soft` metres."""
    h = np.maximum(soft - np.abs(a - b), 0.0) / soft
    return np.asarray(np.minimum(a, b) - h * h * soft / 4.0)


def soft_maximum(a: Array, b: Array, soft: float) -> Array:
    """Return the larger of two distances, blended over `soft` metres."""
    return -soft_minimum(-a, -b, soft)


def grown(one: Field, by: float) -> Field:
    """Return a field whose surface lies `by` metres further out."""
    return lambda points: one(points) - by


def gradient(one: Field, points: Array, step: float = 1e-3) -> Array:
    """Return the unit direction in which a field grows, (n, 3)."""
    parts = []
    for axis in np.eye(3) * step:
        parts.append(one(points + axis) - one(points - axis))
    return unit(np.stack(parts, 1))


def polygonise(
    one: Field, low: tuple[float, float, float], high: tuple[float, float, float], cell: Triple
) -> Surface:
    """Return the surface of a field inside a box, by naive surface nets.

    Args:
        one: The field.
        low: Lower corner of the box, metres.
        high: Upper corner.
        cell: Edges of a cell, metres: the size of the triangles.
    """
    size = np.array(cell)
    shape = np.ceil((np.array(high) - np.array(low)) / size).astype(int) + 1
    lattice = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), -1).reshape(-1, 3)
    values = one(np.array(low) + lattice * size).reshape(shape)
    cells, points = _cell_points(values)
    world = np.array(low) + points * size
    normals = gradient(one, world)
    for _ in range(2):
        world = world - normals * np.clip(one(world), -size.min(), size.min())[:, None] * 0.7
    return Surface(world, gradient(one, world), world[:, :2] * [1.0, -1.0], _quads(values, cells))


def _cell_points(values: Array) -> tuple[Indices, Array]:
    """Return a vertex for each cell the surface passes: (grid of vertex numbers, (n, 3) in cells)."""
    size = np.array(values.shape) - 1
    corner = [
        values[x : size[0] + x, y : size[1] + y, z : size[2] + z] for x, y, z in _CORNERS
    ]  # fmt: skip
    inside = sum((c < 0).astype(int) for c in corner)
    at = np.argwhere((inside > 0) & (inside < 8))
    v = np.stack([c[tuple(at.T)] for c in corner], 1)
    total, hits = np.zeros((len(at), 3)), np.zeros(len(at))
    for a, b in _EDGES:
        crossing = (v[:, a] < 0) != (v[:, b] < 0)
        t = np.where(crossing, v[:, a] / np.where(crossing, v[:, a] - v[:, b], 1.0), 0.0)
        spot = _CORNERS[a] + t[:, None] * (_CORNERS[b] - _CORNERS[a])
        total += spot * crossing[:, None]
        hits += crossing
    numbers = np.full(size, -1)
    numbers[tuple(at.T)] = np.arange(len(at))
    return numbers, at + total / hits[:, None]


def _quads(values: Array, numbers: Indices) -> Indices:
    """Return the triangles that join the vertices of the four cells around each crossed edge."""
    found = []
    for axis in range(3):
        u, w = (axis + 1) % 3, (axis + 2) % 3
        step = np.eye(3, dtype=int)
        ahead = np.take(values, np.arange(1, values.shape[axis]), axis)
        here = np.take(values, np.arange(values.shape[axis] - 1), axis)
        at = np.argwhere((here < 0) != (ahead < 0))
        at = at[np.all((at[:, [u, w]] > 0) & (at[:, [u, w]] < np.array(values.shape)[[u, w]] - 1), axis=1)]
        leaving = here[tuple(at.T)] < 0
        a, b, c, d = (
            numbers[tuple((at - k).T)] for k in (step[u] + step[w], step[w], 0 * step[u], step[u])
        )  # fmt: skip
        quad = np.where(leaving[:, None], np.stack([a, b, c, d], 1), np.stack([a, d, c, b], 1))
        found += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return np.concatenate(found)
