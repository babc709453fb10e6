"""Putting one body into a pose: arms from wherever they rest, gaze, hips, feet on the ground."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from render import rotations
from render.motion import STILL, Motion
from render.pose import Pose
from render.rotations import Quaternion
from render.vrm import Model

_CURLS: Final = {"Index": 12.0, "Middle": 16.0, "Ring": 20.0, "Little": 24.0}
_SEGMENTS: Final = {"Proximal": 1.0, "Intermediate": 1.3, "Distal": 0.8}
_SIDES: Final = (("left", -1.0), ("right", 1.0))
"""Each side, and the sign of a turn about z that lowers its arm."""
_FORWARD: Final = (0.0, 0.0, 1.0)

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posed:
    """What a pose comes to on one model.

    `local` (nodes, 4) rotations, `moved` (nodes, 3) translations or None where none changed,
    `look_weights` the look expressions to add for eyes without bones.
    """

    local: Quaternion
    moved: Vectors | None
    look_weights: Mapping[str, float]


def apply(model: Model, pose: Pose, motion: Motion = STILL) -> Posed:
    """Put a model into a pose with a motion laid over it; bones it lacks are left out."""
    normalised = _standing(pose)
    for bone, turn in motion.turns.items():
        normalised[bone] = rotations.slerp(normalised.get(bone, rotations.IDENTITY), turn, motion.hold)
    for bone, nudge in motion.nudges.items():
        normalised[bone] = rotations.multiply(nudge, normalised.get(bone, rotations.IDENTITY))
    for bone, levelling in _levelled_arms(model).items():
        normalised[bone] = rotations.multiply(normalised[bone], levelling)
    local = turned(model, normalised)
    look_weights: Mapping[str, float] = {}
    if model.look_at is not None:
        away = pose.gaze if motion.gaze is None else motion.gaze
        yaw, pitch = _gaze_angles(model, local, away)
        local = turned(model, model.look_at.eyes(yaw, pitch), local)
        look_weights = model.look_at.expressions(yaw, pitch)
    return Posed(local, _moved(model, local, motion), look_weights)


def _standing(pose: Pose) -> dict[str, Quaternion]:
    normalised = {bone: rotations.euler(*turn) for bone, turn in pose.turns.items()}
    for side, sign in _SIDES:
        bone = f"{side}UpperArm"
        lowering = rotations.about(_FORWARD, sign * pose.arm_drop)
        normalised[bone] = rotations.multiply(lowering, normalised.get(bone, rotations.IDENTITY))
        for finger, degrees in _CURLS.items():
            for segment, share in _SEGMENTS.items():
                normalised[f"{side}{finger}{segment}"] = rotations.about(_FORWARD, sign * degrees * share)
    return normalised


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
        own = rotations.multiply(_own(model, rotation), above)
        inside = rotations.multiply(rotations.inverse(above), own)
        local[node] = rotations.multiply(inside, model.tree.rotations[node])
    return local


def _own(model: Model, rotation: Quaternion) -> Quaternion:
    # A 0.x file looks along -Z: in its own axes x and z point the other way.
    return rotation * (-1.0, 1.0, -1.0, 1.0) if model.version == "0.x" else rotation


def _levelled_arms(model: Model) -> dict[str, Quaternion]:
    """Turns that bring the upper arms level first (most files are in T-pose, not all)."""
    levelled = {}
    for side, sign in _SIDES:
        upper, lower = model.bones.get(f"{side}UpperArm"), model.bones.get(f"{side}LowerArm")
        if upper is None or lower is None:
            continue
        along = model.rest_world[lower][:3, 3] - model.rest_world[upper][:3, 3]
        already = math.degrees(math.atan2(-along[1], math.hypot(along[0], along[2])))
        levelled[f"{side}UpperArm"] = rotations.about(_FORWARD, -sign * already)
    return levelled


def _gaze_angles(model: Model, local: Quaternion, away: tuple[float, float]) -> tuple[float, float]:
    """Return the eyes' (yaw, pitch) in the head: towards the viewer, plus the wanted angle away."""
    head = model.bones.get("head")
    if head is None:
        return away
    now = _world_turn(model, local, head)
    nod = _own(model, rotations.multiply(now, rotations.inverse(model.rest_turns[head])))
    ahead = rotations.to_matrix(rotations.inverse(nod)) @ np.array(_FORWARD)
    yaw = math.degrees(math.atan2(ahead[0], ahead[2]))
    pitch = math.degrees(math.atan2(-ahead[1], math.hypot(ahead[0], ahead[2])))
    return yaw + away[0], pitch + away[1]


def _world_turn(model: Model, local: Quaternion, node: int) -> Quaternion:
    turn: Quaternion = local[node]
    while (node := int(model.tree.parents[node])) >= 0:
        turn = rotations.multiply(local[node], turn)
    return turn


def _moved(model: Model, local: Quaternion, motion: Motion) -> Vectors | None:
    """Translations with the hips where the motion wants them."""
    hips = model.bones.get("hips")
    if hips is None or not (motion.grounded or any(motion.hips)):
        return None
    moved = model.tree.translations.copy()
    rest = model.rest_world[hips][:3, 3]
    place = rest + np.array(motion.hips) * rest[1]
    moved[hips] = _in_parent(model, hips, place)
    if motion.grounded:
        drop = _foot_height(model, model.tree.world(local, moved)) - _foot_height(model, model.rest_world)
        moved[hips] = _in_parent(model, hips, place - (0.0, drop, 0.0))
    return moved


def _in_parent(model: Model, node: int, place: Vectors) -> Vectors:
    parent = int(model.tree.parents[node])
    above = model.rest_world[parent] if parent >= 0 else model.tree.root
    inside: Vectors = (np.linalg.pinv(above) @ np.array([*place, 1.0]))[:3]
    return inside


def _foot_height(model: Model, world: npt.NDArray[np.float64]) -> float:
    feet = [model.bones[bone] for bone in ("leftFoot", "rightFoot") if bone in model.bones]
    return float(min((world[foot][1, 3] for foot in feet), default=0.0))
