"""Skins: which joints move which vertices (glTF 2.0, 3.7.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from render.errors import VrmError
from render.rotations import Matrix
from render.vrm import fields, limits
from render.vrm.accessors import Accessors, Floats, Integers
from render.vrm.fields import Json

_JOINTS_PER_VERTEX = 4
_WEIGHT_STEPS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """`joints` (j,) are node indices, `inverse_binds` (j, 4, 4) take the mesh to each joint's space."""

    joints: npt.NDArray[np.int64]
    inverse_binds: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """Vertices share few different weightings: c of them, and `which` (n,) one each vertex has.

    `joints` (c, 4) index the skin's joints, `weights` (c, 4) sum to 1.
    """

    joints: npt.NDArray[np.int64]
    weights: Floats
    which: npt.NDArray[np.int64]


def read_all(document: Json, accessors: Accessors, node_count: int) -> tuple[Skin, ...]:
    """Read all skins.

    Raises:
        VrmError: A joint does not exist, there are too many, or the matrices are not finite.
    """
    skins = []
    total = 0
    for declared in fields.tables(document, "skins"):
        total += len(fields.items(declared, "joints"))
        if total > limits.MAX_JOINTS:
            raise VrmError(f"more than {limits.MAX_JOINTS} joints")
        skins.append(_read(declared, accessors, node_count))
    return tuple(skins)


def _read(declared: Json, accessors: Accessors, node_count: int) -> Skin:
    joints = np.array(
        [fields.as_index(value, "joints") for value in fields.items(declared, "joints")], np.int64
    )
    if not len(joints):
        raise VrmError("a skin has no joints")
    if joints.min() < 0 or joints.max() >= node_count:
        raise VrmError("a skin names a joint that does not exist")
    inverse_binds = np.tile(np.eye(4), (len(joints), 1, 1))
    number = fields.optional_index(declared, "inverseBindMatrices", accessors.count)
    if number is not None:
        stored = accessors.floats(number, 16).reshape(-1, 4, 4).transpose(0, 2, 1)
        # Fewer matrices than joints are seen in the wild; the rest stay the identity.
        known = min(len(stored), len(joints))
        inverse_binds[:known] = stored[:known]
    return Skin(joints, inverse_binds)


def bind(joints: Integers, weights: Floats, joint_count: int) -> Binding:
    """Clean up (n, 4 or 8) joints and weights and fold equal rows.

    Weights that are not finite or negative count as 0, a row without weight hangs on its first joint,
    more than four joints are cut to the heaviest, joints out of range are clamped.
    """
    heavy = np.nan_to_num(np.maximum(weights, 0.0), nan=0.0, posinf=0.0)
    if heavy.shape[1] > _JOINTS_PER_VERTEX:
        best = np.argsort(-heavy, axis=1, kind="stable")[:, :_JOINTS_PER_VERTEX]
        joints, heavy = np.take_along_axis(joints, best, 1), np.take_along_axis(heavy, best, 1)
    sums = heavy.sum(axis=1)
    heavy[sums < 1e-6, 0] = 1.0
    heavy /= heavy.sum(axis=1, keepdims=True)
    chosen = np.where(heavy > 0, np.minimum(joints, joint_count - 1), 0)
    return _folded(chosen, heavy)


def _folded(joints: Integers, weights: Floats) -> Binding:
    steps = np.round(weights * _WEIGHT_STEPS).astype(np.int64)
    # Two 64-bit words hold a row (12 bits a joint, 13 a weight); sorting words is far cheaper than rows.
    words = joints * (2 * _WEIGHT_STEPS) + steps
    keys = np.empty((len(words), 2), np.int64)
    keys[:, 0] = words[:, 0] << 26 | words[:, 1]
    keys[:, 1] = words[:, 2] << 26 | words[:, 3]
    view = np.ascontiguousarray(keys).view([("a", np.int64), ("b", np.int64)]).ravel()
    _, first, which = np.unique(view, return_index=True, return_inverse=True)
    return Binding(joints[first], weights[first], which.reshape(-1))
