from __future__ import annotations

import math

import numpy as np
import pytest

from render import rotations
from render.vrm.lookat import LookAt, Range, read_0, read_1


def forward(turn: np.ndarray) -> np.ndarray:
    return rotations.to_matrix(turn) @ np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("range_", "angle", "output"),
    [(Range(90, 10), 45, 5), (Range(90, 10), -200, 10), (Range(0, 8), 3, 8), (Range(10, 1), 5, 0.5)],
)
def test_angles_are_mapped(range_: Range, angle: float, output: float) -> None:
    assert range_.map(angle) == pytest.approx(output)


def test_eyes_turn_to_her_left_for_a_positive_yaw_and_down_for_a_positive_pitch() -> None:
    look = LookAt("bone", Range(90, 10), Range(90, 20), Range(90, 10), Range(90, 10))
    eyes = look.eyes(45, 90)
    assert forward(eyes["leftEye"])[0] == pytest.approx(math.sin(math.radians(10)), abs=0.01)
    assert forward(eyes["rightEye"])[0] == pytest.approx(math.sin(math.radians(5)), abs=0.01)
    assert forward(eyes["leftEye"])[1] == pytest.approx(-math.sin(math.radians(10)), abs=0.01)
    assert look.expressions(45, 90) == {}


def test_look_expressions_use_the_outer_map() -> None:
    look = LookAt("expression", Range(90, 0.2), Range(90, 1), Range(90, 1), Range(90, 0.5))
    assert look.expressions(-45, -45) == {"lookRight": pytest.approx(0.5), "lookUp": pytest.approx(0.25)}
    assert look.eyes(45, 45) == {}


def test_missing_look_at_is_none() -> None:
    assert read_1({}) is None
    assert read_0({}) is None


def test_old_look_at_is_read_from_first_person() -> None:
    look = read_0(
        {"firstPerson": {"lookAtTypeName": "BlendShape", "lookAtVerticalUp": {"xRange": 60, "yRange": 1}}}
    )
    assert look is not None
    assert (look.kind, look.up, look.inner) == ("expression", Range(60, 1), Range(90, 10))
