"""What swings: hair, ribbons, skirts (VRMC_springBone 1.0 and secondaryAnimation of VRM 0.x)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.fields import Json
from render.vrm.nodes import NodeTree, Vectors

MAX_COLLIDERS: Final = 1024
MAX_PAIRS: Final = 1 << 18
"""Joints times colliders: every step looks at all of them."""
_VIRTUAL_TAIL_M: Final = 0.07
"""VRM 0.x lets the last bone of a chain swing as if it went on for 7 cm."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A swinging node.

    `tail` (3,) is its free end in its own space (metres), `gravity` (3,) the pull in the world,
    `stiffness` what draws it back to rest, `drag` (0..1) what slows it, `radius` its size in metres,
    `colliders` what it cannot pass, as places in the list of colliders.
    """

    node: int
    tail: Vectors
    stiffness: float
    gravity: Vectors
    drag: float
    radius: float
    colliders: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Collider:
    """A sphere at `start` of a node's own space, or a capsule if `end` differs."""

    node: int
    start: Vectors
    end: Vectors
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class Springs:
    """All that swings; a node is in it once."""

    joints: tuple[Joint, ...]
    colliders: tuple[Collider, ...]


NO_SPRINGS: Final = Springs((), ())


def read_1(document: Json, tree: NodeTree) -> Springs:
    """Read the springs of VRM 1.0.

    Raises:
        VrmError: A node or collider does not exist, or there are too many.
    """
    extension = fields.table(fields.table(document, "extensions"), "VRMC_springBone")
    count = len(tree.parents)
    colliders = tuple(_collider_1(body, count) for body in fields.tables(extension, "colliders"))
    groups = [
        [fields.as_index(value, "colliders") for value in fields.items(group, "colliders")]
        for group in fields.tables(extension, "colliderGroups")
    ]
    joints: dict[int, Joint] = {}
    for spring in fields.tables(extension, "springs"):
        chosen = _chosen(fields.items(spring, "colliderGroups"), groups)
        for joint in _joints_1(spring, tree, chosen):
            joints.setdefault(joint.node, joint)
    return _checked(joints, colliders)


def _chosen(values: list[object], groups: list[list[int]]) -> tuple[int, ...]:
    chosen: list[int] = []
    for value in values:
        number = fields.as_index(value, "colliderGroups")
        if not 0 <= number < len(groups):
            raise VrmError(f"collider group {number} does not exist")
        chosen += groups[number]
    return tuple(dict.fromkeys(chosen))


def _joints_1(spring: Json, tree: NodeTree, colliders: tuple[int, ...]) -> Iterator[Joint]:
    declared = fields.tables(spring, "joints")
    chain = [fields.index(joint, "node", len(tree.parents)) for joint in declared]
    for body, node, following in zip(declared, chain, chain[1:], strict=False):
        # The next joint is usually a child; where it is deeper, the rest pose says where it is.
        tail = tree.translations[following]
        if tree.parents[following] != node:
            tail = _place_in(tree, node, following)
        gravity = fields.vector(body, "gravityDir", (0.0, -1.0, 0.0))
        yield Joint(
            node,
            tail * tree.scales[node],
            fields.number(body, "stiffness", 1.0),
            gravity * fields.number(body, "gravityPower", 0.0),
            min(max(fields.number(body, "dragForce", 0.5), 0.0), 1.0),
            max(fields.number(body, "hitRadius", 0.0), 0.0),
            colliders,
        )


def _place_in(tree: NodeTree, node: int, other: int) -> Vectors:
    world = tree.world()
    place: Vectors = (np.linalg.pinv(world[node]) @ world[other])[:3, 3]
    return place


def _collider_1(body: Json, node_count: int) -> Collider:
    node = fields.index(body, "node", node_count)
    shape = fields.table(body, "shape")
    kind = "capsule" if "capsule" in shape else "sphere"
    declared = fields.table(shape, kind)
    start = fields.vector(declared, "offset", (0.0, 0.0, 0.0))
    x, y, z = start.tolist()
    end = fields.vector(declared, "tail", (x, y, z)) if kind == "capsule" else start
    return Collider(node, start, end, fields.number(declared, "radius", 0.0))


def read_0(extension: Json, tree: NodeTree) -> Springs:
    """Read the springs of VRM 0.x.

    Raises:
        VrmError: A node or collider group does not exist, or there are too many.
    """
    declared = fields.table(extension, "secondaryAnimation")
    colliders: list[Collider] = []
    groups: list[list[int]] = []
    for group in fields.tables(declared, "colliderGroups"):
        node = fields.optional_index(group, "node", len(tree.parents))
        found = [] if node is None else [_collider_0(c, node) for c in fields.tables(group, "colliders")]
        groups.append(list(range(len(colliders), len(colliders) + len(found))))
        colliders += found
    children = _children(tree)
    joints: dict[int, Joint] = {}
    for group in fields.tables(declared, "boneGroups"):
        chosen = _chosen(fields.items(group, "colliderGroups"), groups)
        for value in fields.items(group, "bones"):
            root = fields.as_index(value, "bones")
            if not -1 <= root < len(tree.parents):
                raise VrmError("a spring names a bone that does not exist")
            for joint in _joints_0(group, root, tree, children, chosen) if root >= 0 else ():
                joints.setdefault(joint.node, joint)
    return _checked(joints, tuple(colliders))


def _collider_0(body: Json, node: int) -> Collider:
    # Unity is left-handed: its z points the other way.
    offset = _xyz(fields.table(body, "offset")) * (1.0, 1.0, -1.0)
    return Collider(node, offset, offset, fields.number(body, "radius", 0.0))


def _xyz(body: Json) -> Vectors:
    return np.array([fields.number(body, axis, 0.0) for axis in "xyz"])


def _children(tree: NodeTree) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in tree.parents]
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def _joints_0(
    group: Json, root: int, tree: NodeTree, children: list[list[int]], colliders: tuple[int, ...]
) -> Iterator[Joint]:
    gravity = _xyz(fields.table(group, "gravityDir")) if "gravityDir" in group else np.array([0.0, -1.0, 0.0])
    # The key is misspelt in the format itself.
    stiffness = fields.number(group, "stiffiness", 1.0)
    for node in sorted(tree.below(root)):
        if children[node]:
            tail = tree.translations[children[node][0]] * tree.scales[node]
        else:
            along = tree.translations[node]
            length = float(np.linalg.norm(along))
            tail = along / length * _VIRTUAL_TAIL_M if length > 1e-9 else np.zeros(3)
        yield Joint(
            node,
            tail,
            stiffness,
            gravity * fields.number(group, "gravityPower", 0.0),
            min(max(fields.number(group, "dragForce", 0.4), 0.0), 1.0),
            max(fields.number(group, "hitRadius", 0.02), 0.0),
            colliders,
        )


def _checked(joints: dict[int, Joint], colliders: tuple[Collider, ...]) -> Springs:
    crowded = len(joints) * len(colliders) > MAX_PAIRS
    if crowded or len(joints) > limits.MAX_JOINTS or len(colliders) > MAX_COLLIDERS:
        raise VrmError("too many springs")
    for joint in joints.values():
        if any(not 0 <= number < len(colliders) for number in joint.colliders):
            raise VrmError("a spring names a collider that does not exist")
    # A bone without length cannot swing (and would divide by zero).
    return Springs(tuple(joint for joint in joints.values() if np.linalg.norm(joint.tail) > 1e-6), colliders)
