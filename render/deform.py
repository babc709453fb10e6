"""Vertices where they stand now: morph targets, then the skin (glTF 2.0, 3.7)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from render.rotations import Matrix
from render.vrm import Model
from render.vrm.accessors import Floats
from render.vrm.meshes import Primitive

Morphs = tuple[tuple[int, float], ...]


def deform(model: Model, primitive: Primitive, morphs: Morphs, world: Matrix) -> tuple[Floats, Floats]:
    """Return world positions and unit normals, (n, 3) each.

    Args:
        model: The avatar.
        primitive: One of its primitives.
        morphs: (target, weight) pairs; weights may exceed 1.
        world: (nodes, 4, 4) world matrices.
    """
    positions, normals = morphed(primitive, morphs)
    if primitive.skin is None or primitive.binding is None:
        return _rigid(positions, normals, world[primitive.node].astype(np.float32))
    binding = primitive.binding
    palette = skin_palette(model, primitive.skin, world)
    blended = np.einsum("cw,cwk->ck", binding.weights, palette[binding.joints].reshape(-1, 4, 12))
    matrices = blended[binding.which].reshape(-1, 3, 4)
    moved = np.matmul(matrices[:, :, :3], positions[:, :, None])[:, :, 0] + matrices[:, :, 3]
    return moved, _unit(np.matmul(matrices[:, :, :3], normals[:, :, None])[:, :, 0])


def morphed(primitive: Primitive, morphs: Morphs) -> tuple[Floats, Floats]:
    """Return positions and normals with morph targets added, in the mesh's own space."""
    positions, normals = primitive.positions, primitive.normals
    if not morphs:
        return positions, normals
    positions, normals = positions.copy(), normals.copy()
    for number, weight in morphs:
        target = primitive.targets[number]
        positions[target.rows] += np.float32(weight) * target.positions
        if target.normals is not None:
            normals[target.rows] += np.float32(weight) * target.normals
    return positions, _unit(normals)


def skin_palette(model: Model, skin: int, world: Matrix) -> npt.NDArray[np.float32]:
    """Return (joints, 3, 4) matrices that take vertices from the mesh to the world."""
    joints = model.skins[skin]
    matrices: npt.NDArray[np.float32] = (world[joints.joints] @ joints.inverse_binds)[:, :3].astype(
        np.float32
    )
    return matrices


def _rigid(positions: Floats, normals: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    moved = positions @ matrix[:3, :3].T + matrix[:3, 3]
    # The cofactor matrix turns normals rightly and needs no inverse (a scale may be zero).
    rows = matrix[:3, :3]
    cofactors = np.stack([np.cross(rows[(i + 1) % 3], rows[(i + 2) % 3]) for i in range(3)])
    return moved, _unit(normals @ cofactors.T)


def _unit(vectors: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    unit: Floats = vectors / np.maximum(lengths, np.float32(1e-12))[:, None]
    return unit
