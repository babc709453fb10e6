"""Nodes that follow other nodes: roll, aim and rotation (VRMC_node_constraint 1.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from render import rotations
from render.rotations import Quaternion
from render.vrm import fields
from render.vrm.fields import Json
from render.vrm.nodes import NodeTree, Vectors

Kind = Literal["roll", "aim", "rotation"]

_AXES: Final = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_AIMS: Final = {
    f"{sign}{axis}": tuple(part * factor for part in unit)
    for sign, factor in (("Positive", 1.0), ("Negative", -1.0))
    for axis, unit in _AXES.items()
}


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """`node` follows `source` by `weight` (0..1); `axis` is the node's own roll or aim axis."""

    node: int
    source: int
    kind: Kind
    axis: Vectors
    weight: float


def read(document: Json) -> tuple[Constraint, ...]:
    """Read all constraints, sources before what follows them; circles are dropped."""
    declared = fields.tables(document, "nodes")
    found: dict[int, Constraint] = {}
    for number, node in enumerate(declared):
        extension = fields.table(fields.table(node, "extensions"), "VRMC_node_constraint")
        constraint = _read(number, fields.table(extension, "constraint"), len(declared))
        if constraint is not None:
            found[number] = constraint
    return _in_order(found)


def _read(number: int, declared: Json, node_count: int) -> Constraint | None:
    kinds: tuple[Kind, ...] = ("roll", "aim", "rotation")
    for kind in kinds:
        body = fields.table(declared, kind)
        source = fields.optional_index(body, "source", node_count)
        if source is None or source == number:
            continue
        axis = _AXES.get(fields.text(body, "rollAxis", "X"), _AXES["X"])
        if kind == "aim":
            axis = _AIMS.get(fields.text(body, "aimAxis", "PositiveX"), _AXES["X"])  # type: ignore[assignment]
        weight = min(max(fields.number(body, "weight", 1.0), 0.0), 1.0)
        return Constraint(number, source, kind, np.array(axis), weight)
    return None


def _in_order(found: dict[int, Constraint]) -> tuple[Constraint, ...]:
    ordered: list[Constraint] = []
    waiting = dict(found)
    while waiting:
        ready = [node for node, constraint in waiting.items() if constraint.source not in waiting]
        if not ready:
            break
        ordered += [waiting.pop(node) for node in ready]
    return tuple(ordered)


def follow(constraints: tuple[Constraint, ...], tree: NodeTree, local: Quaternion) -> Quaternion:
    """Return local rotations (n, 4) with every constrained node turned after its source."""
    if not constraints:
        return local
    result = local.copy()
    for constraint in constraints:
        rest = tree.rotations[constraint.node]
        target = _TARGETS[constraint.kind](constraint, tree, result)
        result[constraint.node] = rotations.slerp(rest, target, constraint.weight)
    return result


def _rotation_target(constraint: Constraint, tree: NodeTree, local: Quaternion) -> Quaternion:
    source = constraint.source
    turn = rotations.multiply(rotations.inverse(tree.rotations[source]), local[source])
    return rotations.multiply(tree.rotations[constraint.node], turn)


def _roll_target(constraint: Constraint, tree: NodeTree, local: Quaternion) -> Quaternion:
    source_rest, rest = tree.rotations[constraint.source], tree.rotations[constraint.node]
    in_parent = rotations.multiply(local[constraint.source], rotations.inverse(source_rest))
    in_node = rotations.multiply(rotations.inverse(rest), rotations.multiply(in_parent, rest))
    # What bends the axis away is taken out again: only the turn about it stays.
    bent = rotations.between(constraint.axis, rotations.to_matrix(in_node) @ constraint.axis)
    return rotations.multiply(rest, rotations.multiply(rotations.inverse(bent), in_node))


def _aim_target(constraint: Constraint, tree: NodeTree, local: Quaternion) -> Quaternion:
    world = tree.world(local)
    turns = tree.world_rotations(local)
    parent = int(tree.parents[constraint.node])
    above = turns[parent] if parent >= 0 else rotations.IDENTITY
    rest: Quaternion = tree.rotations[constraint.node]
    towards = world[constraint.source][:3, 3] - world[constraint.node][:3, 3]
    distance = float(np.linalg.norm(towards))
    if distance < 1e-9:
        return rest
    now = rotations.to_matrix(rotations.multiply(above, rest)) @ constraint.axis
    turn = rotations.between(now, towards / distance)
    return rotations.multiply(
        rotations.inverse(above), rotations.multiply(turn, rotations.multiply(above, rest))
    )


_TARGETS: Final = {"rotation": _rotation_target, "roll": _roll_target, "aim": _aim_target}
