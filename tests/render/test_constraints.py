from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from render import rotations
from render.vrm import constraints, nodes


def follow(
    declared: list[dict[str, Any]], turned: dict[int, np.ndarray]
) -> tuple[nodes.NodeTree, np.ndarray]:
    document = {"nodes": declared}
    tree = nodes.read(document, faces_backwards=False)
    local = tree.rotations.copy()
    for node, rotation in turned.items():
        local[node] = rotation
    return tree, constraints.follow(constraints.read(document), tree, local)


def bound(**constraint: Any) -> dict[str, Any]:
    return {"extensions": {"VRMC_node_constraint": {"constraint": constraint}}}


def degrees_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(2 * np.arccos(np.clip(abs(a @ b), 0, 1))))


@pytest.mark.parametrize(("weight", "left"), [(1.0, 0.0), (0.5, 20.0), (0.0, 40.0)])
def test_rotation_follows_by_its_weight(weight: float, left: float) -> None:
    turn = rotations.euler(y=40)
    _, local = follow([{}, bound(rotation={"source": 0, "weight": weight})], {0: turn})
    assert degrees_between(local[1], turn) == pytest.approx(left, abs=1e-4)


def test_rotation_is_relative_to_both_rests() -> None:
    rest = rotations.euler(z=90).tolist()
    _, local = follow([{"rotation": rest}, bound(rotation={"source": 0})], {0: np.array(rest)})
    assert local[1] == pytest.approx(rotations.IDENTITY)


def test_roll_takes_only_the_turn_about_its_axis() -> None:
    roll = bound(roll={"source": 0, "rollAxis": "X"})
    _, local = follow([{}, roll], {0: rotations.euler(x=30)})
    assert degrees_between(local[1], rotations.euler(x=30)) == pytest.approx(0, abs=1e-4)
    _, local = follow([{}, roll], {0: rotations.euler(z=50)})
    assert degrees_between(local[1], rotations.IDENTITY) == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("axis", ["PositiveX", "NegativeZ"])
def test_aim_points_its_axis_at_the_source(axis: str) -> None:
    declared = [
        {"translation": [1.0, 2.0, 3.0]},
        {"rotation": rotations.euler(y=30).tolist(), "children": [2]},
        {"translation": [0.0, 1.0, 0.0], **bound(aim={"source": 0, "aimAxis": axis})},
    ]
    tree, local = follow(declared, {})
    world = tree.world(local)
    towards = world[0][:3, 3] - world[2][:3, 3]
    own = {"PositiveX": [1.0, 0, 0], "NegativeZ": [0, 0, -1.0]}[axis]
    assert world[2][:3, :3] @ own == pytest.approx(towards / np.linalg.norm(towards))


def test_followers_of_followers_come_after_them() -> None:
    declared = [bound(rotation={"source": 1}), bound(rotation={"source": 2}), {}]
    _, local = follow(declared, {2: rotations.euler(x=20)})
    assert degrees_between(local[0], rotations.euler(x=20)) == pytest.approx(0, abs=1e-4)


def test_circles_and_self_followers_are_dropped() -> None:
    declared = [bound(rotation={"source": 1}), bound(rotation={"source": 0}), bound(rotation={"source": 2})]
    assert constraints.read({"nodes": declared}) == ()
