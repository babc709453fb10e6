"""How she stands and where she looks: one small pose per emotion, for any humanoid.

Several moods share one expression (happy, excited, playful and affectionate all smile), so head, gaze
and shoulders tell them apart. Angles are degrees in the axes of VRM 1.0: she faces +Z, her left is +X;
x nods down, y turns to her left, z tilts to her right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from render import rotations
from render.rotations import Quaternion
from render.vrm import Model

Angles = tuple[float, float, float]

ARM_DROP_DEGREES: Final = 75.0
"""How far below the horizontal a resting arm points."""
_CURLS: Final = {"Index": 12.0, "Middle": 16.0, "Ring": 20.0, "Little": 24.0}
_SEGMENTS: Final = {"Proximal": 1.0, "Intermediate": 1.3, "Distal": 0.8}


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


@dataclass(frozen=True, slots=True)
class Posed:
    """What a pose comes to on one model: (nodes, 4) local rotations, and look expressions to add."""

    local: Quaternion
    look_weights: Mapping[str, float]


def apply(model: Model, pose: Pose) -> Posed:
    """Put a model into a pose; bones it lacks are left out."""
    normalised = {bone: rotations.euler(*turn) for bone, turn in pose.turns.items()}
    for bone, lowering in _lowered_arms(model, pose.arm_drop).items():
        normalised[bone] = rotations.multiply(lowering, normalised.get(bone, rotations.IDENTITY))
    normalised |= _curled_fingers()
    local = turned(model, normalised)
    if model.look_at is None:
        return Posed(local, {})
    yaw, pitch = _gaze_angles(model, local, pose.gaze)
    local = turned(model, model.look_at.eyes(yaw, pitch), local)
    return Posed(local, model.look_at.expressions(yaw, pitch))


def turned(model: Model, normalised: Mapping[str, Quaternion], start: Quaternion | None = None) -> Quaternion:
    """Return local rotations after turning bones by normalised rotations (VRMC_vrm_animation 1.0).

    Args:
        model: The avatar.
        normalised: Rotations by bone in 1.0 axes, as if every bone rested unrotated.
        start: Local rotations to change, the rest pose if None.
    """
    local = (model.tree.rotations if start is None else start).copy()
    for bone, rotation in normalised.items():
        node = model.bones.get(bone)
        if node is None:
            continue
        parent = int(model.tree.parents[node])
        above = model.rest_turns[parent] if parent >= 0 else rotations.IDENTITY
        inside = rotations.multiply(
            rotations.inverse(above), rotations.multiply(_own(model, rotation), above)
        )
        local[node] = rotations.multiply(inside, model.tree.rotations[node])
    return local


def _own(model: Model, rotation: Quaternion) -> Quaternion:
    # A 0.x file looks along -Z: in its own axes x and z point the other way.
    return rotation * (-1.0, 1.0, -1.0, 1.0) if model.version == "0.x" else rotation


def _lowered_arms(model: Model, arm_drop: float) -> dict[str, Quaternion]:
    """Turns that bring the upper arms down from wherever they rest (most files are in T-pose, not all)."""
    lowered = {}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        upper, lower = model.bones.get(f"{side}UpperArm"), model.bones.get(f"{side}LowerArm")
        if upper is None or lower is None:
            continue
        along = model.rest_world[lower][:3, 3] - model.rest_world[upper][:3, 3]
        already = math.degrees(math.atan2(-along[1], math.hypot(along[0], along[2])))
        lowered[f"{side}UpperArm"] = rotations.about((0.0, 0.0, 1.0), sign * (arm_drop - already))
    return lowered


def _curled_fingers() -> dict[str, Quaternion]:
    curled = {}
    for side, sign in (("left", -1.0), ("right", 1.0)):
        for finger, degrees in _CURLS.items():
            for segment, share in _SEGMENTS.items():
                turn = rotations.about((0.0, 0.0, 1.0), sign * degrees * share)
                curled[f"{side}{finger}{segment}"] = turn
    return curled


def _gaze_angles(model: Model, local: Quaternion, away: tuple[float, float]) -> tuple[float, float]:
    """Return the eyes' (yaw, pitch) in the head: towards the viewer, plus the wanted angle away."""
    head = model.bones.get("head")
    if head is None:
        return away
    now = _world_turn(model, local, head)
    nod = _own(model, rotations.multiply(now, rotations.inverse(model.rest_turns[head])))
    ahead = rotations.to_matrix(rotations.inverse(nod)) @ np.array([0.0, 0.0, 1.0])
    yaw = math.degrees(math.atan2(ahead[0], ahead[2]))
    pitch = math.degrees(math.atan2(-ahead[1], math.hypot(ahead[0], ahead[2])))
    return yaw + away[0], pitch + away[1]


def _world_turn(model: Model, local: Quaternion, node: int) -> Quaternion:
    turn: Quaternion = local[node]
    while (node := int(model.tree.parents[node])) >= 0:
        turn = rotations.multiply(local[node], turn)
    return turn
