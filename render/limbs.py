"""Words for writing motions: arms, hands and legs by what they do instead of by quaternions.

All angles are degrees. Bones rest in T-pose: arms level, palms down, fingers along the arm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

import numpy as np

from render import rotations
from render.rotations import Quaternion

Side = Literal["left", "right"]
Turns = dict[str, Quaternion]

SIDES: Final[tuple[Side, ...]] = ("left", "right")

_FINGERS: Final = ("Index", "Middle", "Ring", "Little")
_KNUCKLES: Final = {"Proximal": 78.0, "Intermediate": 95.0, "Distal": 60.0}
"""How far each joint of a closed fist bends."""
_FAN: Final = {"Index": -1.0, "Middle": -0.2, "Ring": 0.5, "Little": 1.0}
_MIRROR: Final = np.array([1.0, -1.0, -1.0, 1.0])
"""Takes a rotation of her left side to her right side."""


def arm(
    side: Side, *, out: float = 14.0, front: float = 0.0, twist: float = 0.0, bend: float = 16.0
) -> Turns:
    """Return an arm's turns.

    Args:
        side: Which arm.
        out: Away from the body to the side: 0 hangs down, 90 is level, 180 points up.
        front: Forwards from there: 90 points at the viewer.
        twist: About the upper arm: positive brings the bent forearm in front of the body, negative outwards.
        bend: Of the elbow: 0 is straight.
    """
    raised = rotations.about((0.0, 0.0, 1.0), -(90.0 - out))
    forwards = rotations.about((1.0, 0.0, 0.0), -front)
    upper = rotations.multiply(rotations.multiply(forwards, raised), rotations.about((1.0, 0.0, 0.0), twist))
    lower = rotations.about((0.0, 1.0, 0.0), -bend)
    return sided(side, {"UpperArm": upper, "LowerArm": lower})


def wrist(side: Side, *, down: float = 0.0, forwards: float = 0.0, turn: float = 0.0) -> Turns:
    """Return a hand's turn: bent towards its palm, towards its thumb, and about the forearm."""
    hand = rotations.multiply(rotations.about((1.0, 0.0, 0.0), turn), rotations.euler(y=-forwards, z=-down))
    return sided(side, {"Hand": hand})


def fingers(
    side: Side,
    *,
    thumb: float = 0.15,
    curls: tuple[float, float, float, float] = (0.15, 0.2, 0.25, 0.3),
    fan: float = 0.0,
) -> Turns:
    """Return the turns of all fingers.

    Args:
        side: Which hand.
        thumb: 0 is stretched, 1 lies over the palm.
        curls: The same for index, middle, ring and little finger.
        fan: How far the fingers are spread, in degrees between the outer ones and the middle.
    """
    turns: Turns = {
        "ThumbMetacarpal": rotations.euler(y=22.0 * thumb, z=-18.0 * thumb),
        "ThumbProximal": rotations.euler(y=42.0 * thumb),
        "ThumbDistal": rotations.euler(y=50.0 * thumb),
    }
    for finger, curl in zip(_FINGERS, curls, strict=True):
        for joint, degrees in _KNUCKLES.items():
            spread = _FAN[finger] * fan if joint == "Proximal" else 0.0
            turns[f"{finger}{joint}"] = rotations.euler(y=spread, z=-degrees * curl)
    return sided(side, turns)


def leg(side: Side, *, front: float = 0.0, out: float = 0.0, bend: float = 0.0, toes: float = 0.0) -> Turns:
    """Return a leg's turns: thigh forwards and outwards, knee bent, foot turned out; the sole stays level."""
    thigh = rotations.euler(x=-front, y=toes, z=out)
    return sided(
        side,
        {
            "UpperLeg": thigh,
            "LowerLeg": rotations.euler(x=bend),
            "Foot": rotations.euler(x=front - bend, z=-out),
        },
    )


def sided(side: Side, left: Mapping[str, Quaternion]) -> Turns:
    """Return turns written for the left side under the names, and for the right mirrored, of a side."""
    return {f"{side}{name}": turn if side == "left" else turn * _MIRROR for name, turn in left.items()}


def swell(seconds: float, start: float, end: float) -> float:
    """Return 0 before `start`, 1 after `end`, and a soft rise between."""
    share = min(max((seconds - start) / (end - start), 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def wave(seconds: float, period_s: float, shift: float = 0.0) -> float:
    """Return a sine of -1..1; `shift` is in periods."""
    return math.sin(2.0 * math.pi * (seconds / period_s + shift))
