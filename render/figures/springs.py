"""Swinging bones for hair and cloth (VRMC_springBone-1.0), with the body as collider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from render.figures.curves import Array
from render.figures.skeleton import Skeleton, chain_shares
from render.figures.style import Frame

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of swinging bones.

    Attributes:
        name: Prefix of the bones' names.
        parent: The bone it hangs on.
        points: (n, 3) rest positions of its bones, the last one being the tip.
        stiffness: Force back to the rest pose.
        drag: Loss of speed, 0 to 1.
        hit_radius: Metres, against colliders.
        gravity: Force downwards.
        avoids: The group of colliders it keeps out of.
    """

    name: str
    parent: str
    points: Array
    stiffness: float
    drag: float
    hit_radius: float
    gravity: float
    avoids: Literal["trunk", "legs"]

    @property
    def bones(self) -> tuple[str, ...]:
        """Names of its bones, root first; the last is only the end."""
        return tuple(f"{self.name}_{i}" for i in range(len(self.points)))


def add_chains(skeleton: Skeleton, chains: list[Chain]) -> None:
    """Add the bones of all chains."""
    for chain in chains:
        parent = chain.parent
        for bone, point in zip(chain.bones, chain.points, strict=True):
            skeleton.add(bone, point, parent)
            parent = bone


def _ball(node: int, offset: tuple[float, float, float], radius: float) -> Json:
    """Return a sphere as a collider."""
    return {"node": node, "shape": {"sphere": {"offset": list(offset), "radius": radius}}}


def _capsule(
    node: int, ends: tuple[tuple[float, float, float], tuple[float, float, float]], radius: float
) -> Json:
    """Return a capsule as a collider."""
    start, tail = ends
    return {"node": node, "shape": {"capsule": {"offset": list(start), "tail": list(tail), "radius": radius}}}


def _trunk(skeleton: Skeleton, frame: Frame) -> list[Json]:
    """Return what hair keeps out of: head, shoulders, chest and back."""
    k, x = frame.chin / 1.438, frame.shoulder
    head, chest = skeleton.number("head"), skeleton.number("upperChest")
    return [
        _ball(head, (0, 0.105, -0.004), 0.072),
        _capsule(chest, ((-x * 0.85, 0.075 * k, -0.004), (x * 0.85, 0.075 * k, -0.004)), 0.046),
        _capsule(chest, ((-0.050, -0.01, 0.024), (0.050, -0.01, 0.024)), 0.078),
        _capsule(chest, ((0, 0.05, -0.006), (0, -0.14, -0.006)), 0.096),
    ]


def _legs(skeleton: Skeleton, frame: Frame) -> list[Json]:
    """Return what a skirt or coat keeps out of."""
    k = frame.chin / 1.438
    found = []
    for side in ("left", "right"):
        found.append(_capsule(skeleton.number(f"{side}UpperLeg"), ((0, -0.04, 0), (0, -0.39 * k, 0)), 0.074))
        found.append(_capsule(skeleton.number(f"{side}LowerLeg"), ((0, 0, 0), (0, -0.36 * k, 0)), 0.056))
    return found


def all_springs(skeleton: Skeleton, frame: Frame, chains: list[Chain]) -> Json:
    """Return the extension's block."""
    trunk, legs = _trunk(skeleton, frame), _legs(skeleton, frame)
    numbers = list(range(len(trunk) + len(legs)))
    return {
        "specVersion": "1.0",
        "colliders": [*trunk, *legs],
        "colliderGroups": [
            {"name": "trunk", "colliders": numbers[: len(trunk)]},
            {"name": "legs", "colliders": numbers[len(trunk) :]},
        ],
        "springs": [_spring(skeleton, chain) for chain in chains],
    }


def _spring(skeleton: Skeleton, chain: Chain) -> Json:
    """Return one chain as a spring."""
    joints = [
        {
            "node": skeleton.number(bone),
            "hitRadius": chain.hit_radius,
            "stiffness": chain.stiffness,
            "gravityPower": chain.gravity,
            "gravityDir": [0, -1, 0],
            "dragForce": chain.drag,
        }
        for bone in chain.bones
    ]
    groups = [("trunk", "legs").index(chain.avoids)]
    return {"name": chain.name, "joints": joints, "colliderGroups": groups}


def ring_shares(points: Array, loose: Array, progress: Array, chains: list[Chain]) -> dict[str, Array]:
    """Return shares of a surface hung on a ring of chains around the y axis.

    Args:
        points: (n, 3) world.
        loose: (n,) share that swings, 0 to 1.
        progress: (n,) way down the chain, 0 at its first bone, 1 at its tip.
        chains: Chains of equal length.
    """
    angles = np.array([np.arctan2(c.points[1:, 0].mean(), c.points[1:, 2].mean()) for c in chains])
    at = np.arctan2(points[:, 0], points[:, 2])
    gap = np.abs((at[:, None] - angles + np.pi) % (2 * np.pi) - np.pi)
    second = np.sort(gap, 1)[:, min(1, len(chains) - 1)][:, None]
    near = np.where(gap <= second + 1e-9, 1.0 / (gap + 0.06) ** 2, 0.0)
    near /= near.sum(1, keepdims=True)
    shares: dict[str, Array] = {}
    for i, chain in enumerate(chains):
        count = len(chain.bones) - 1
        stops = tuple(k / count for k in range(1, count))
        levels = chain_shares(progress, chain.bones[:-1], stops, 0.35 / count)
        shares |= {bone: near[:, i] * level * loose for bone, level in levels.items()}
    return shares
