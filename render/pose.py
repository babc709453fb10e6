"""How she stands and where she looks: one small pose per emotion, for any humanoid.

Several moods share one expression (happy, excited, playful and affectionate all smile), so head, gaze
and shoulders tell them apart. Angles are degrees in the axes of VRM 1.0: she faces +Z, her left is +X;
x nods down, y turns to her left, z tilts to her right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

Angles = tuple[float, float, float]

ARM_DROP_DEGREES: Final = 75.0
"""How far below the horizontal a resting arm points."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Turns on top of the relaxed stance.

    `turns` are Euler angles (YXZ) by bone. `arm_drop` replaces the usual angle of the arms. `gaze` is
    (yaw, pitch) away from the viewer, yaw positive to her left, pitch positive downwards; (0, 0)
    holds eye contact however the head is turned.
    """

    turns: Mapping[str, Angles] = field(default_factory=dict)
    arm_drop: float = ARM_DROP_DEGREES
    gaze: tuple[float, float] = (0.0, 0.0)


_STANCE: Final[Mapping[str, Angles]] = {
    "hips": (0.0, 0.0, 1.5),
    "spine": (0.0, 0.0, -2.5),
    "chest": (0.0, 0.0, -1.0),
    "leftUpperLeg": (-2.0, 4.0, 0.5),
    "leftLowerLeg": (3.0, 0.0, 0.0),
    "leftFoot": (-1.0, 6.0, -2.0),
    "rightUpperLeg": (0.0, -3.0, -3.5),
    "rightFoot": (0.0, -5.0, 2.0),
    "leftUpperArm": (3.0, 0.0, 0.0),
    "rightUpperArm": (3.0, 0.0, 0.0),
    "leftLowerArm": (0.0, -16.0, -4.0),
    "rightLowerArm": (0.0, 14.0, 4.0),
    "leftHand": (0.0, -4.0, -4.0),
    "rightHand": (0.0, 4.0, 4.0),
}

_EMOTIONS: Final[Mapping[str, Pose]] = {
    "neutral": Pose({"head": (0.0, 2.0, 1.5)}),
    "happy": Pose({"neck": (-1.0, -2.0, 2.0), "head": (-2.0, -4.0, 4.5), "chest": (-1.0, 0.0, 0.0)}),
    "excited": Pose(
        {
            "spine": (-1.0, 0.0, 0.0),
            "chest": (-1.5, 0.0, 0.0),
            "neck": (0.0, 0.0, -2.0),
            "head": (-2.5, 3.0, -4.0),
            "leftShoulder": (0.0, 0.0, 6.0),
            "rightShoulder": (0.0, 0.0, -6.0),
            "leftLowerArm": (0.0, -30.0, 0.0),
            "rightLowerArm": (0.0, 30.0, 0.0),
        },
        arm_drop=63.0,
    ),
    "playful": Pose(
        {
            "spine": (2.0, 4.0, 3.0),
            "chest": (0.0, 3.0, 2.0),
            "neck": (1.0, 3.0, -4.0),
            "head": (2.0, 5.0, -9.0),
        },
        arm_drop=69.0,
    ),
    "affectionate": Pose(
        {"chest": (2.0, 0.0, 0.0), "neck": (3.0, -3.0, 3.0), "head": (4.0, -5.0, 8.0)}, arm_drop=76.0
    ),
    "content": Pose({"neck": (1.0, 2.0, -1.0), "head": (2.0, 3.0, -3.5)}),
    "curious": Pose(
        {
            "spine": (4.0, 0.0, 0.0),
            "chest": (2.0, -2.0, -2.0),
            "neck": (2.0, -3.0, 3.0),
            "head": (-3.0, -5.0, 9.0),
        }
    ),
    "flustered": Pose(
        {
            "chest": (2.0, 0.0, 0.0),
            "neck": (3.0, 5.0, 1.0),
            "head": (5.0, 9.0, 4.0),
            "leftShoulder": (0.0, 0.0, 7.0),
            "rightShoulder": (0.0, 0.0, -7.0),
        },
        arm_drop=76.0,
        gaze=(34.0, 12.0),
    ),
    "sad": Pose(
        {
            "spine": (1.0, 0.0, 0.0),
            "chest": (1.5, 0.0, 0.0),
            "neck": (2.5, 3.0, 2.0),
            "head": (4.0, 3.0, 3.0),
            "leftShoulder": (0.0, -6.0, -4.0),
            "rightShoulder": (0.0, 6.0, 4.0),
        },
        arm_drop=73.0,
        gaze=(0.0, 26.0),
    ),
    "melancholy": Pose(
        {"chest": (1.0, 2.0, 0.0), "neck": (2.0, 7.0, -1.0), "head": (3.0, 11.0, -3.0)},
        arm_drop=71.0,
        gaze=(40.0, 10.0),
    ),
    "anxious": Pose(
        {
            "chest": (3.0, -3.0, 0.0),
            "neck": (2.0, -4.0, -2.0),
            "head": (3.0, -5.0, -4.0),
            "leftShoulder": (0.0, -5.0, 8.0),
            "rightShoulder": (0.0, 5.0, -8.0),
        },
        arm_drop=75.0,
        gaze=(-26.0, 8.0),
    ),
    "frustrated": Pose(
        {
            "spine": (-1.0, 0.0, 0.0),
            "chest": (-1.0, -5.0, 0.0),
            "neck": (2.0, -3.0, 1.0),
            "head": (5.0, -6.0, 2.0),
            "leftShoulder": (0.0, 0.0, 4.0),
            "rightShoulder": (0.0, 0.0, -4.0),
        },
        arm_drop=67.0,
    ),
}


def for_emotion(emotion: str) -> Pose:
    """Return the pose of an emotion; an unknown one stands as neutral."""
    pose = _EMOTIONS.get(emotion, _EMOTIONS["neutral"])
    merged = dict(_STANCE)
    for bone, turn in pose.turns.items():
        x, y, z = merged.get(bone, (0.0, 0.0, 0.0))
        merged[bone] = (x + turn[0], y + turn[1], z + turn[2])
    return replace(pose, turns=merged)
