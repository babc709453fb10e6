"""Surfaces and the primitives they are made of: sheets, tubes, rings, ellipsoids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from render.figures.curves import Array, unit

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Surface:
    """A triangle mesh in metres, seen from the side its triangles turn counter-clockwise.

    Attributes:
        points: (n, 3).
        normals: (n, 3), unit length.
        uvs: (n, 2), glTF texture coordinates (v grows downwards).
        triangles: (m, 3) indices into points.
    """

    points: Array
    normals: Array
    uvs: Array
    triangles: Indices


@dataclass(frozen=True, slots=True)
class Part:
    """A surface with its material, its bones and its movements.

    Attributes:
        surface: The shape in the rest pose (T-pose), world coordinates.
        material: Name of a material of `materials`.
        joints: (n, 4) indices of bones.
        weights: (n, 4), rows sum to 1.
        morphs: Name of a movement -> (n, 3) displacement in metres at full weight.
    """

    surface: Surface
    material: str
    joints: Indices
    weights: Array
    morphs: Mapping[str, Array] = field(default_factory=dict)


def grid_triangles(rows: int, columns: int, *, closed: bool = False) -> Indices:
    """Return the triangles of a grid of vertices, row by row; `closed` joins last and first column."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns if closed else columns - 1), indexing="ij")
    right = (j + 1) % columns
    a, b, c, d = (
        (row * columns + col).ravel() for row, col in ((i, j), (i, right), (i + 1, j), (i + 1, right))
    )
    return np.concatenate([np.stack([a, c, d], 1), np.stack([a, d, b], 1)])


def vertex_normals(points: Array, triangles: Indices) -> Array:
    """Return area-weighted unit normals, (n, 3)."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    return unit(normals)


def facing(points: Array, uvs: Array, triangles: Indices, outward: Array) -> Surface:
    """Return a surface whose triangles and normals look along `outward` ((n, 3) or (3,))."""
    normals = vertex_normals(points, triangles)
    if float((normals * outward).sum()) < 0:
        triangles, normals = triangles[:, ::-1], -normals
    return Surface(points, normals, uvs, triangles)


def unit_uvs(rows: int, columns: int) -> Array:
    """Return texture coordinates of a grid: u along the columns, v along the rows."""
    v, u = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
    return np.stack([u.ravel(), v.ravel()], 1)


def sheet(points: Array, outward: Array, *, closed: bool = False, uvs: Array | None = None) -> Surface:
    """Return a surface through a grid of points.

    Args:
        points: (rows, columns, 3).
        outward: (3,) or (rows * columns, 3): the side to be seen.
        closed: Joins the last column to the first.
        uvs: (rows * columns, 2); the unit square if absent.
    """
    rows, columns = points.shape[:2]
    flat = points.reshape(-1, 3)
    uvs = unit_uvs(rows, columns) if uvs is None else uvs
    return facing(flat, uvs, grid_triangles(rows, columns, closed=closed), outward)


def slab(points: Array, outward: Array, thick: float) -> Surface:
    """Return a sheet with a thickness, so that its borders get an outline too.

    Args:
        points: (rows, columns, 3) of the outer side.
        outward: (3,) or (rows * columns, 3).
        thick: Metres.
    """
    rows, columns = points.shape[:2]
    normals = sheet(points, outward).normals.reshape(rows, columns, 3)
    inner = points - normals * thick
    ring = np.concatenate([points, inner[:, ::-1]], 1)
    middle = np.concatenate([(points + inner) / 2, ((points + inner) / 2)[:, ::-1]], 1)
    ring = np.concatenate([middle[:1], ring, middle[-1:]])
    looks = np.concatenate([normals, -normals[:, ::-1]], 1)
    looks = np.concatenate([looks[:1], looks, looks[-1:]])
    return sheet(ring, looks.reshape(-1, 3), closed=True)


def rings(points: Array, *, start_cap: bool = False, end_cap: bool = False) -> Surface:
    """Return a closed surface around rings of points, (rings, sides, 3), with caps where asked."""
    count, sides = points.shape[:2]
    centres = points.mean(1)
    flat, uvs = points.reshape(-1, 3), unit_uvs(count, sides)
    outward = (points - centres[:, None]).reshape(-1, 3)
    body = facing(flat, uvs, grid_triangles(count, sides, closed=True), outward)
    for wanted, ring, other in ((start_cap, 0, 1), (end_cap, count - 1, count - 2)):
        if wanted:
            body = _capped(body, ring, sides, centres[ring], unit(centres[ring] - centres[other]))
    return body


def _capped(body: Surface, ring: int, sides: int, centre: Array, outward: Array) -> Surface:
    """Return the body closed at one ring by a fan around `centre`."""
    edge = ring * sides + np.arange(sides)
    fan = np.stack([np.full(sides, len(body.points)), edge, np.roll(edge, -1)], 1)
    corner = body.points[edge[:2]] - centre
    if float(np.cross(corner[0], corner[1]) @ outward) < 0:
        fan = fan[:, ::-1]
    return Surface(
        np.vstack([body.points, centre]),
        np.vstack([body.normals, outward]),
        np.vstack([body.uvs, body.uvs[edge].mean(0)]),
        np.vstack([body.triangles, fan]),
    )


def frames(path: Array, normal: Array) -> tuple[Array, Array]:
    """Return two unit vectors across a path: to the side, and along `normal` made perpendicular.

    Args:
        path: (n, 3).
        normal: (n, 3) or (3,), never parallel to the path.
    """
    along = unit(np.gradient(path, axis=0))
    normal = np.broadcast_to(normal, path.shape)
    up = unit(normal - along * (normal * along).sum(1, keepdims=True))
    return np.cross(along, up), up


def tube(
    path: Array, normal: Array, half_widths: Array, half_heights: Array, sides: int, bend: float = np.inf
) -> Surface:
    """Return a closed tube with elliptic cross-sections.

    Args:
        path: (n, 3) centre line.
        normal: (n, 3) or (3,), the direction of the heights.
        half_widths: (n,) metres, across.
        half_heights: (n,) metres, along the normal.
        sides: Vertices of one ring.
        bend: Radius of the round body the tube clings to across its width, metres.
    """
    side, up = frames(path, normal)
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    across = np.cos(angle)[None, :] * np.asarray(half_widths)[:, None]
    height = np.sin(angle)[None, :] * np.asarray(half_heights)[:, None] - across**2 / (2 * bend)
    ring = side[:, None] * across[..., None] + up[:, None] * height[..., None]
    return rings(path[:, None] + ring, start_cap=True, end_cap=True)


def ellipsoid(
    centre: Array, radii: Array, turn: Array | None = None, rows: int = 9, sides: int = 14
) -> Surface:
    """Return an ellipsoid; `turn` is a (3, 3) rotation applied before it is moved to `centre`."""
    polar = np.linspace(0.02, np.pi - 0.02, rows)
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    x = np.sin(polar)[:, None] * np.sin(angle)
    z = np.sin(polar)[:, None] * np.cos(angle)
    y = np.broadcast_to(np.cos(polar)[:, None], x.shape)
    points = np.stack([x, y, z], -1) * radii
    if turn is not None:
        points = points @ np.asarray(turn).T
    return rings(points + centre, start_cap=True, end_cap=True)


def merged(surfaces: list[Surface]) -> Surface:
    """Return several surfaces as one."""
    starts = np.cumsum([0] + [len(s.points) for s in surfaces[:-1]])
    return Surface(
        np.vstack([s.points for s in surfaces]),
        np.vstack([s.normals for s in surfaces]),
        np.vstack([s.uvs for s in surfaces]),
        np.vstack([s.triangles + start for s, start in zip(surfaces, starts, strict=True)]),
    )
