"""What all clothes share: cutting fields, laying bands on them, tying them to the bones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from render.figures.body import Body, leg_shares, upper_shares
from render.figures.curves import Array, spline, unit
from render.figures.field import Field, gradient, soft_maximum
from render.figures.mesh import Part, Surface, rings, tube
from render.figures.skeleton import Skeleton, unfolded

AHEAD = np.array([0.0, 0.0, -1.0])
"""Direction of rays that meet the front of a body."""
DOWN = np.array([0.0, -1.0, 0.0])
UPWARDS = -DOWN


@dataclass(frozen=True, slots=True)
class Tailor:
    """Makes parts of surfaces that were sculpted around one body."""

    body: Body
    skeleton: Skeleton

    @property
    def k(self) -> float:
        """Height relative to the first woman's."""
        return self.body.k

    def on_torso(self, surface: Surface, material: str) -> Part:
        """Return a surface around torso and arms as a part, unfolded to the T-pose."""
        shares = upper_shares(self.body, self.skeleton, surface.points)
        part = self.skeleton.skinned(surface, material, shares)
        flat = unfolded(surface, self.skeleton, part.joints, part.weights)
        return Part(flat, material, part.joints, part.weights)

    def on_legs(self, surface: Surface, material: str) -> Part:
        """Return a surface around hips and legs as a part."""
        return self.skeleton.skinned(surface, material, leg_shares(self.skeleton, surface.points))


def above(height: float, one: Field, soft: float = 0.006) -> Field:
    """Return what of a field lies above a height."""
    return lambda p: soft_maximum(one(p), height - p[:, 1], soft)


def below(height: float, one: Field, soft: float = 0.006) -> Field:
    """Return what of a field lies below a height."""
    return lambda p: soft_maximum(one(p), p[:, 1] - height, soft)


def without(hole: Field, one: Field, soft: float = 0.008) -> Field:
    """Return a field with a hole cut into it."""
    return lambda p: soft_maximum(one(p), -hole(p), soft)


def front_opening(heights: Array, half_widths: Array) -> Field:
    """Return the hole of a garment worn open: in front of the body, as wide as said at each height."""

    def distance(points: Array) -> Array:
        half = np.interp(points[:, 1], heights, half_widths)
        return np.maximum(np.abs(points[:, 0]) - half, -points[:, 2])

    return distance


def cast(one: Field, start: Array, direction: Array, reach: float = 0.4) -> Array:
    """Return where rays from outside first meet a field, (n, 3), by marching and bisection."""
    direction = unit(np.broadcast_to(direction, start.shape))
    travelled = np.zeros(len(start))
    for _ in range(60):
        step = np.clip(one(start + direction * travelled[:, None]) * 0.8, -0.004, 0.04)
        travelled = np.clip(travelled + step, 0, reach)
        if float(np.abs(step).max()) < 1e-4:
            break
    return start + direction * travelled[:, None]


def band(one: Field, start: Array, direction: Array, widths: Array, thick: float) -> Surface:
    """Return a flat band of cloth along the points where rays meet a field.

    Args:
        one: The field it lies on.
        start: (n, 3) where the rays start.
        direction: (n, 3) or (3,) where they go.
        widths: (n,) half widths of the band, metres.
        thick: Half its thickness.
    """
    path = spline(cast(one, start, direction), 44)
    normal = gradient(one, path, 0.008)
    wide = np.interp(np.linspace(0, 1, 44), np.linspace(0, 1, len(widths)), widths)
    return tube(path + normal * 0.001, normal, wide, np.full(44, thick), 8)


def hoop(one: Field, centre: Array, axis: Array, open_degrees: float, size: tuple[float, float]) -> Surface:
    """Return a band of cloth around a field, such as a hem or a cuff.

    Args:
        one: The field it lies on.
        centre: (3,) a point inside.
        axis: (3,) the direction around which it runs.
        open_degrees: Half the angle left free in front; 0 closes the ring.
        size: Half width along the axis and half thickness, metres.
    """
    axis = unit(axis)
    ahead = unit(np.array([0.0, 0.0, 1.0]) - axis * axis[2])
    side = np.cross(axis, ahead)
    angle = np.radians(np.linspace(open_degrees, 360 - open_degrees, 45))[:, None]
    out = np.cos(angle) * ahead + np.sin(angle) * side
    path = cast(one, centre + out * 0.30, -out)
    normal = unit(out + 0 * path)
    ends = np.array([path[0] - (path[1] - path[0]), path[-1]])
    if open_degrees == 0:
        ends = np.array([path[-2], path[1]])
    along = unit(np.gradient(np.vstack([ends[:1], path, ends[1:]]), axis=0)[1:-1])
    wide, thick = size
    across = unit(np.cross(along, normal))
    turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    ring = (
        across[:, None] * (np.cos(turn) * wide)[None, :, None]
        + normal[:, None] * (np.sin(turn) * thick)[None, :, None]
    )
    return rings(path[:, None] + ring, start_cap=open_degrees > 0, end_cap=open_degrees > 0)


def ribbed(surface: Surface, length: float, rib: float = 0.0062) -> Surface:
    """Return a band with ribs across it; `length` is the band's, metres."""
    count = max(round(length / rib), 1)
    return replace(surface, uvs=surface.uvs[:, ::-1] * [count, 1.0])


def collar_ring(sections: Array, squash: float, sides: int = 32) -> Surface:
    """Return a ring of cloth around the neck; sections are (y, z, radius), squash is depth by width."""
    angle = np.linspace(np.pi, 3 * np.pi, sides, endpoint=False)
    points = [
        np.column_stack([r * np.sin(angle), np.full(sides, y), z + r * squash * np.cos(angle)])
        for y, z, r in sections
    ]
    return rings(np.array(points))
