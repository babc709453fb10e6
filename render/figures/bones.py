"""The humanoid skeleton of a figure, by its measures (VRM 1.0 humanoid, T-pose)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array
from render.figures.skeleton import ARM_DROP, FINGERS, Skeleton
from render.figures.style import Frame

FOREARM_DEPTH = -0.012
SEGMENTS = {
    "Thumb": ("Metacarpal", "Proximal", "Distal"),
    **dict.fromkeys(FINGERS[1:], ("Proximal", "Intermediate", "Distal")),
}


@dataclass(frozen=True, slots=True)
class Finger:
    """One finger of the left hand; offsets from the wrist in metres, the arm along +x.

    Attributes:
        root: Where it leaves the palm.
        direction: Unit direction of its first segment.
        lengths: Lengths of its three segments.
        radius: Radius at the root.
        curl: Bend at each joint, radians, towards the palm.
    """

    root: tuple[float, float, float]
    direction: tuple[float, float, float]
    lengths: tuple[float, float, float]
    radius: float
    curl: float


HAND = {
    "Thumb": Finger((0.022, -0.006, 0.024), (0.76, -0.26, 0.60), (0.030, 0.028, 0.022), 0.0098, 0.10),
    "Index": Finger((0.084, 0.000, 0.0270), (0.990, -0.06, 0.10), (0.036, 0.022, 0.018), 0.0080, 0.20),
    "Middle": Finger((0.088, 0.001, 0.0088), (0.997, -0.07, 0.02), (0.040, 0.026, 0.019), 0.0082, 0.24),
    "Ring": Finger((0.084, 0.000, -0.0088), (0.994, -0.08, -0.06), (0.037, 0.024, 0.018), 0.0078, 0.28),
    "Little": Finger((0.076, -0.002, -0.0250), (0.984, -0.09, -0.13), (0.029, 0.018, 0.016), 0.0068, 0.32),
}  # fmt: skip


def finger_points(finger: Finger) -> Array:
    """Return the four joints of a finger, (4, 3), relative to the wrist."""
    direction = np.array(finger.direction) / np.linalg.norm(finger.direction)
    points, bend = [np.array(finger.root)], 0.0
    for length in finger.lengths:
        c, s = np.cos(bend), np.sin(bend)
        turned = np.array(
            [c * direction[0] + s * direction[1], -s * direction[0] + c * direction[1], direction[2]]
        )
        points.append(points[-1] + turned * length)
        bend += finger.curl
    return np.array(points)


def arm_points(frame: Frame) -> Array:
    """Return shoulder joint, elbow and wrist of the left arm in the T-pose, (3, 3)."""
    k = frame.chin / 1.438
    y = frame.chin - 0.119 * k
    reach = np.array([0.0, 0.255, 0.490]) * k
    return np.column_stack([frame.shoulder + reach, np.full(3, y), np.full(3, FOREARM_DEPTH)])


def lowered(frame: Frame, points: Array) -> Array:
    """Return points of the left arm as they are in the sculpting pose."""
    pivot = arm_points(frame)[0]
    c, s = np.cos(ARM_DROP), np.sin(ARM_DROP)
    d = points - pivot
    turned = np.column_stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1], d[:, 2]])
    return np.asarray(turned + pivot)


def humanoid(frame: Frame) -> Skeleton:
    """Return the humanoid bones, hips first."""
    k = frame.chin / 1.438
    skeleton = Skeleton()
    spine = (
        ("hips", 0.905, 0.0), ("spine", 1.010, -0.004), ("chest", 1.120, -0.010), ("upperChest", 1.230, -0.014),
        ("neck", 1.372, -0.020), ("head", 1.446, -0.006),
    )  # fmt: skip
    parent: str | None = None
    for name, y, z in spine:
        skeleton.add(name, (0.0, y * k, z), parent)
        parent = name
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _add_eye(skeleton, frame, side, sign)
        _add_arm(skeleton, frame, side, sign)
        _add_leg(skeleton, k, side, sign)
    return skeleton


def _add_eye(skeleton: Skeleton, frame: Frame, side: str, sign: float) -> None:
    """Add an eye's bone; nothing hangs on it, gaze is a movement of the face."""
    s = frame.head / 0.222
    skeleton.add(f"{side}Eye", (sign * 0.0348 * s, frame.chin + 0.1015 * s, 0.050 * s), "head")


def _add_arm(skeleton: Skeleton, frame: Frame, side: str, sign: float) -> None:
    """Add shoulder, arm, hand and fingers of one side."""
    mirror = np.array([sign, 1.0, 1.0])
    arm = arm_points(frame)
    skeleton.add(f"{side}Shoulder", (sign * 0.030, arm[0][1] + 0.006, -0.012), "upperChest")
    parent = f"{side}Shoulder"
    for name, point in zip(("UpperArm", "LowerArm", "Hand"), arm, strict=True):
        skeleton.add(side + name, point * mirror, parent)
        parent = side + name
    scale = hand_scale(frame)
    for name, finger in HAND.items():
        parent = f"{side}Hand"
        for segment, point in zip(SEGMENTS[name], finger_points(finger)[:3], strict=True):
            skeleton.add(f"{side}{name}{segment}", (arm[2] + point * scale) * mirror, parent)
            parent = f"{side}{name}{segment}"


def hand_scale(frame: Frame) -> float:
    """Return the size of a hand relative to the table above."""
    return 0.95 if frame.limb < 1.1 else 1.10


def _add_leg(skeleton: Skeleton, k: float, side: str, sign: float) -> None:
    """Add the leg of one side."""
    leg = (("UpperLeg", 0.078, 0.865, 0.0), ("LowerLeg", 0.080, 0.470, 0.006), ("Foot", 0.080, 0.088, -0.018), ("Toes", 0.083, 0.022, 0.090))  # fmt: skip
    parent = "hips"
    for name, x, y, z in leg:
        skeleton.add(side + name, (sign * x, y * k if name != "Toes" else y, z), parent)
        parent = side + name
