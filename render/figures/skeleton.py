"""Bones of a figure and the weights that tie a surface to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from render.figures.curves import Array, ease, unit
from render.figures.mesh import Indices, Part, Surface

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
ARM_DROP = np.radians(62.0)
"""Bodies are sculpted with the arms lowered by this angle, then unfolded to the T-pose of VRM 1.0."""


@dataclass(slots=True)
class Skeleton:
    """Bones by name; every bone's rest rotation is the identity.

    Attributes:
        positions: Name -> rest position in world metres, in order of creation.
        parents: Name -> name of the parent; None for the root.
    """

    positions: dict[str, Array] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)

    def add(self, name: str, position: tuple[float, float, float] | Array, parent: str | None) -> None:
        """Add a bone at a world position."""
        self.positions[name] = np.asarray(position, float)
        self.parents[name] = parent

    def number(self, name: str) -> int:
        """Return the index of a bone, which is also its node's index in the file."""
        return list(self.positions).index(name)

    def rigid(
        self, surface: Surface, material: str, bone: str, morphs: Mapping[str, Array] | None = None
    ) -> Part:
        """Return a part that follows one bone."""
        return self.skinned(surface, material, {bone: np.ones(len(surface.points))}, morphs)

    def skinned(
        self,
        surface: Surface,
        material: str,
        shares: Mapping[str, Array],
        morphs: Mapping[str, Array] | None = None,
    ) -> Part:
        """Return a part that follows several bones; shares (n,) need not sum to 1, the four largest stay."""
        names = list(shares)
        table = np.stack([shares[name] for name in names], 1)
        if len(names) < 4:
            table = np.pad(table, ((0, 0), (0, 4 - len(names))))
        best = np.argsort(-table, axis=1, kind="stable")[:, :4]
        weights = np.take_along_axis(table, best, 1)
        weights = weights / np.maximum(weights.sum(1, keepdims=True), 1e-9)
        numbers = np.array([self.number(name) for name in names] + [0] * max(0, 4 - len(names)))
        joints = np.where(weights > 0, numbers[best], 0)
        return Part(surface, material, joints, weights, morphs or {})


def chain_shares(
    at: Array, bones: tuple[str, ...], stops: tuple[float, ...], blend: float
) -> dict[str, Array]:
    """Return shares along a chain of bones.

    Args:
        at: (n,) coordinate along the chain, metres.
        bones: k names.
        stops: k - 1 coordinates where one bone hands over to the next, rising or falling.
        blend: Half length of the hand-over, metres.
    """
    sign = -1.0 if len(stops) > 1 and stops[-1] < stops[0] else 1.0
    steps = [ease(sign * at, sign * stop - blend, sign * stop + blend) for stop in stops]
    ones = np.ones_like(at)
    upper = [ones, *steps]
    lower = [*steps, 0 * ones]
    return {bone: np.clip(a - b, 0, 1) for bone, a, b in zip(bones, upper, lower, strict=True)}


def unfolded(surface: Surface, skeleton: Skeleton, joints: Indices, weights: Array) -> Surface:
    """Return a surface sculpted with lowered arms as it is in the T-pose (inverse linear skinning)."""
    matrices = np.stack([_lowering(skeleton, name) for name in skeleton.positions])
    blended = np.einsum("nk,nkij->nij", weights, matrices[joints])
    inverse = np.linalg.inv(blended)
    points = np.einsum("nij,nj->ni", inverse[:, :3, :3], surface.points) + inverse[:, :3, 3]
    normals = np.einsum("nji,nj->ni", blended[:, :3, :3], surface.normals)
    return Surface(points, unit(normals), surface.uvs, surface.triangles)


def _lowering(skeleton: Skeleton, name: str) -> Array:
    """Return the (4, 4) movement of a bone when the arms are lowered for sculpting."""
    side = _side_of_arm(skeleton, name)
    if side is None:
        return np.eye(4)
    sign = 1.0 if side == "left" else -1.0
    return about(skeleton.positions[f"{side}UpperArm"], -sign * ARM_DROP)


def about(pivot: Array, angle: float) -> Array:
    """Return a (4, 4) rotation by `angle` radians about z through `pivot`."""
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(4)
    matrix[:2, :2] = (c, -s), (s, c)
    matrix[:3, 3] = pivot - matrix[:3, :3] @ pivot
    return matrix


def _side_of_arm(skeleton: Skeleton, name: str) -> str | None:
    """Return the side whose upper arm is this bone or one of its forebears."""
    current: str | None = name
    while current is not None:
        for side in ("left", "right"):
            if current == f"{side}UpperArm":
                return side
        current = skeleton.parents[current]
    return None
