"""Where the camera stands: portrait, bust or full figure, for any body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from render.deform import deform
from render.rotations import Matrix
from render.vrm import Model
from render.vrm.meshes import Primitive

Framing = Literal["portrait", "bust", "full"]
FRAMINGS: Final[tuple[Framing, ...]] = get_args(Framing)

FIELD_OF_VIEW_DEGREES: Final = 22.0
_HEAD_IS_BODY: Final = 0.45
"""A head box that is a larger share of the body is no head to cut out: the whole is shown."""
_NEAR_M: Final = 0.05
_TRUNK: Final[dict[Framing, float]] = {"portrait": 0.27, "bust": 1.05}
"""How far a picture reaches below the head joint, in distances from that joint to the hips."""
_TRUNK_IN_HEADS: Final = 2.2
"""That distance of a body without hips, in heights of the head above its joint."""
_HEAD_ABOVE: Final[dict[Framing, float]] = {"portrait": 0.13, "bust": 0.20}
"""Air above the head, in heights of the head above its joint."""
_HEAD_WIDTHS: Final[dict[Framing, float]] = {"portrait": 1.12, "bust": 1.3}
"""The least picture height in widths of the head with its hair."""
_FOLLOW: Final[dict[Framing, float]] = {"portrait": 0.8, "bust": 0.5}
_FULL_MARGIN: Final = 0.02
_THING_MARGIN: Final = 0.05
"""A thing reaches nearer to the camera than its middle and looks larger for it."""

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """A body at rest, in metres: its box, where the head joint is, and the head's box if it has one.

    `trunk` is the height of the head joint above the hips.
    """

    low: Vector
    high: Vector
    head: Vector
    head_low: Vector
    head_high: Vector
    trunk: float
    has_head: bool


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """`view` and `projection` (4, 4), and the eye's `position` (3,) in the world."""

    view: Matrix
    projection: Matrix
    position: Vector


def measure(model: Model) -> Measures:
    """Measure a model in its rest pose."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    head_low, head_high = low.copy(), high.copy()
    head_nodes = model.tree.below(model.bones["head"]) if "head" in model.bones else frozenset()
    for primitive in model.primitives:
        if not primitive.visible or not len(primitive.positions):
            continue
        points, _ = deform(model, primitive, (), model.rest_world)
        low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
        on_head = points[_share_of(model, primitive, head_nodes) > 0.5]
        if len(on_head):
            # A few stray vertices (an ahoge, a halo) must not push the face out of the middle.
            head_low = np.minimum(head_low, np.percentile(on_head, 0.5, axis=0))
            head_high = np.maximum(head_high, np.percentile(on_head, 99.5, axis=0))
    if not np.isfinite(low).all() or not np.isfinite(high).all():
        low, high = np.zeros(3), np.ones(3)
    return _measures(model, low, high, head_low, head_high)


def _measures(model: Model, low: Vector, high: Vector, head_low: Vector, head_high: Vector) -> Measures:
    known = "head" in model.bones and bool(np.isfinite(head_low).all())
    head = model.rest_world[model.bones["head"]][:3, 3] if known else (low + high) / 2
    height = high[1] - low[1]
    has_head = known and head_high[1] > head[1] and head_high[1] - head_low[1] < _HEAD_IS_BODY * height
    trunk = float(head[1] - model.rest_world[model.bones["hips"]][1, 3]) if "hips" in model.bones else 0.0
    if trunk <= 0 and has_head:
        trunk = _TRUNK_IN_HEADS * float(head_high[1] - head[1])
    return Measures(low, high, head, head_low, head_high, trunk, has_head)


def head_shift(model: Model, measures: Measures, world: Matrix) -> Vector:
    """Return how far a pose moves the middle of the head, (3,) in metres."""
    if not measures.has_head:
        return np.zeros(3)
    node = model.bones["head"]
    middle = np.array([*((measures.head_low + measures.head_high) / 2), 1.0])
    moved = world[node] @ np.linalg.pinv(model.rest_world[node]) @ middle
    shift: Vector = (moved - middle)[:3]
    return shift


def _share_of(model: Model, primitive: Primitive, nodes: frozenset[int]) -> npt.NDArray[np.float64]:
    if primitive.skin is None or primitive.binding is None:
        return np.full(len(primitive.positions), float(primitive.node in nodes))
    ours = np.isin(model.skins[primitive.skin].joints, list(nodes))
    binding = primitive.binding
    shares: npt.NDArray[np.float64] = (binding.weights * ours[binding.joints]).sum(axis=1)[binding.which]
    return shares


def camera(measures: Measures, framing: Framing, head_shift: Vector | None = None) -> Camera:
    """Place the camera for a square picture.

    Args:
        measures: The body at rest.
        framing: How much of it is shown.
        head_shift: How far the pose moves the middle of the head (3,): a near camera follows it.
    """
    low, high, middle = _extent(measures, framing)
    if head_shift is not None and framing != "full" and measures.has_head:
        follow = _FOLLOW[framing] * head_shift
        low, high, middle = low + follow[1], high + follow[1], middle + follow * (1.0, 0.0, 1.0)
    height = max(high - low, 0.01)
    distance = height / 2 / math.tan(math.radians(FIELD_OF_VIEW_DEGREES) / 2)
    depth = float((measures.high - measures.low).max())
    position = np.array([middle[0], (low + high) / 2, middle[2] + distance])
    view = np.eye(4)
    view[:3, 3] = -position
    return Camera(view, _projection(max(_NEAR_M, distance - 2 * depth), distance + 2 * depth), position)


def _extent(measures: Measures, framing: Framing) -> tuple[float, float, Vector]:
    if framing == "full" or not measures.has_head:
        return _whole(measures)
    above = float(measures.head_high[1] - measures.head[1])
    low = float(measures.head[1]) - _TRUNK[framing] * measures.trunk
    high = float(measures.head_high[1]) + _HEAD_ABOVE[framing] * above
    wide = _HEAD_WIDTHS[framing] * float(measures.head_high[0] - measures.head_low[0])
    low = min(low, high - wide)
    # The plane of the face, not of the joint, is what the picture's height is measured at.
    front = np.array([measures.head[0], 0.0, max(measures.head[2], measures.head_high[2] - 0.4 * above)])
    return low, high, front


def _whole(measures: Measures) -> tuple[float, float, Vector]:
    size = measures.high - measures.low
    # Of a person in T-pose only the height counts; of a thing the width as well.
    if measures.has_head:
        side = float(size[1]) * (1 + 2 * _FULL_MARGIN)
    else:
        side = float(max(size[0], size[1])) * (1 + 2 * _THING_MARGIN)
    middle = (measures.low + measures.high) / 2
    return float(middle[1]) - side / 2, float(middle[1]) + side / 2, middle


def _projection(near: float, far: float) -> Matrix:
    scale = 1.0 / math.tan(math.radians(FIELD_OF_VIEW_DEGREES) / 2)
    matrix = np.zeros((4, 4))
    matrix[0, 0] = matrix[1, 1] = scale
    matrix[2, 2] = (far + near) / (near - far)
    matrix[2, 3] = 2 * far * near / (near - far)
    matrix[3, 2] = -1.0
    return matrix
