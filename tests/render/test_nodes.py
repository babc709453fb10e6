from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from render.errors import VrmError
from render.vrm import nodes


def read(*declared: dict[str, Any], **document: Any) -> nodes.NodeTree:
    return nodes.read({"nodes": list(declared), **document}, faces_backwards=False)


def test_world_is_the_product_of_the_parents() -> None:
    half = math.sqrt(0.5)
    tree = read(
        {"translation": [1, 0, 0], "rotation": [0, half, 0, half], "children": [1]},
        {"translation": [0, 0, 2], "scale": [2, 2, 2]},
    )
    assert tree.world()[1] @ [0, 1, 0, 1] == pytest.approx([3, 2, 0, 1])


def test_matrix_is_taken_apart() -> None:
    angle = 0.7
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.array([[2 * c, -3 * s, 0, 5], [2 * s, 3 * c, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1.0]])
    tree = read({"matrix": matrix.T.ravel().tolist()})
    assert tree.world()[0] == pytest.approx(matrix)


def test_mirrored_matrix_keeps_its_mirror() -> None:
    matrix = np.diag([-1.0, 1.0, 1.0, 1.0])
    assert read({"matrix": matrix.ravel().tolist()}).world()[0] == pytest.approx(matrix)


def test_zero_quaternion_is_no_turn() -> None:
    assert read({"rotation": [0, 0, 0, 0]}).world()[0] == pytest.approx(np.eye(4))


def test_old_files_are_turned_to_face_the_viewer() -> None:
    tree = nodes.read({"nodes": [{"translation": [1, 2, 3]}]}, faces_backwards=True)
    assert tree.world()[0][:3, 3] == pytest.approx([-1, 2, -3])


def test_only_what_the_scene_reaches_is_drawn() -> None:
    tree = read({"children": [1]}, {}, {}, scenes=[{"nodes": [0]}])
    assert tree.drawn.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ([{"children": [1]}, {"children": [0]}], "cycle"),
        ([{"children": [0]}], "cycle"),
        ([{"children": [2]}, {"children": [2]}, {}], "two parents"),
        ([{"children": [5]}], "does not exist"),
        ([{"children": [-1]}], "does not exist"),
        ([{"children": [i + 1]} for i in range(300)] + [{}], "deeper"),
        ([{}] * 9000, "more than"),
        ([{"translation": [1e999, 0, 0]}], "not finite"),
        ([{"rotation": ["a", 0, 0, 1]}], "not a number"),
        ([{"scale": {"x": 1}}], "not a list"),
        ([7], "not an object"),
    ],
)
def test_broken_trees_are_refused(declared: list[Any], why: str) -> None:
    with pytest.raises(VrmError, match=why):
        read(*declared)
