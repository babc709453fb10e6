"""Hands: a palm and five fingers of three segments."""

from __future__ import annotations

import numpy as np

from render.figures.bones import HAND, SEGMENTS, Finger, arm_points, finger_points, hand_scale
from render.figures.curves import Array, spline
from render.figures.mesh import Part, Surface, rings, tube
from render.figures.skeleton import Skeleton, chain_shares
from render.figures.style import Frame

_PALM = (
    (-0.030, 0.0, 0.0185, 0.0205), (-0.005, 0.0, 0.0165, 0.0190), (0.015, -0.001, 0.0155, 0.0240),
    (0.040, -0.001, 0.0145, 0.0320), (0.066, 0.0, 0.0125, 0.0345), (0.086, 0.0, 0.0105, 0.0335), (0.094, -0.001, 0.0070, 0.0290),
)  # fmt: skip
"""Cross-sections of the palm: x along the arm, y, half thickness, half breadth (metres from the wrist)."""


def build_hand(frame: Frame, skeleton: Skeleton, side: str) -> list[Part]:
    """Return one hand in the T-pose, palm down, world metres."""
    wrist, scale = arm_points(frame)[2], hand_scale(frame)
    sign = 1.0 if side == "left" else -1.0
    parts = [skeleton.rigid(_placed(_palm(), wrist, scale, sign), "skin", f"{side}Hand")]
    for name, finger in HAND.items():
        surface, along = _finger(finger)
        bones = tuple(f"{side}{name}{segment}" for segment in SEGMENTS[name])
        stops = finger.lengths[0], finger.lengths[0] + finger.lengths[1]
        shares = chain_shares(along, bones, stops, 0.005)
        parts.append(skeleton.skinned(_placed(surface, wrist, scale, sign), "skin", shares))
    return parts


def _palm() -> Surface:
    """Return the palm and the back of the hand."""
    angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    c, s = np.cos(angle), np.sin(angle)
    reach = (np.abs(c) ** 2.4 + np.abs(s) ** 2.4) ** (-1 / 2.4)
    points = [
        np.column_stack([np.full(16, x), y + thick * s * reach, breadth * c * reach])
        for x, y, thick, breadth in _PALM
    ]
    return rings(np.array(points), end_cap=True)


def _finger(finger: Finger) -> tuple[Surface, Array]:
    """Return a finger relative to the wrist, and how far each vertex lies along it."""
    joints = finger_points(finger)
    start = joints[0] - (joints[1] - joints[0]) * 0.45
    path = spline(np.vstack([start, joints]), 11)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    length = float(steps.sum())
    along = np.concatenate([[0.0], np.cumsum(steps)])
    round_tip = np.sqrt(np.clip(1 - np.clip((along / length - 0.90) / 0.10, 0, 1) ** 2, 0.04, 1))
    radius = finger.radius * (1.0 - 0.28 * along / length) * round_tip
    surface = tube(path, np.array([0.0, 1.0, 0.0]), radius, radius, 8)
    at = np.concatenate([np.repeat(along, 8), [along[0], along[-1]]])
    return surface, at - float(np.linalg.norm(joints[0] - start))


def _placed(surface: Surface, wrist: Array, scale: float, sign: float) -> Surface:
    """Return a shape of the left hand at its wrist, mirrored for the right hand."""
    mirror = np.array([sign, 1.0, 1.0])
    points = (surface.points * scale + wrist) * mirror
    triangles = surface.triangles if sign > 0 else surface.triangles[:, ::-1]
    return Surface(points, surface.normals * mirror, surface.uvs, triangles)
