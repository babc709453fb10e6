"""Quaternions (x, y, z, w) as float64 arrays, and the few rotations built from them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

Quaternion = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

IDENTITY: Final[Quaternion] = np.array([0.0, 0.0, 0.0, 1.0])
IDENTITY.flags.writeable = False

_NEARLY_PARALLEL: Final = 0.9995


def multiply(left: Quaternion, right: Quaternion) -> Quaternion:
    """Return the rotation that applies `right` first, then `left`."""
    ax, ay, az, aw = left.tolist()
    bx, by, bz, bw = right.tolist()
    return np.array(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def multiply_all(left: Quaternion, right: Quaternion) -> Quaternion:
    """Return products of (n, 4) and (n, 4) quaternions; either may be a single (4,) one."""
    ax, ay, az, aw = np.moveaxis(left, -1, 0)
    bx, by, bz, bw = np.moveaxis(right, -1, 0)
    parts = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def inverse(rotation: Quaternion) -> Quaternion:
    """Return the inverse of a unit quaternion."""
    return rotation * (-1.0, -1.0, -1.0, 1.0)


def normalised(rotation: Quaternion) -> Quaternion:
    """Return the unit quaternion; a zero quaternion becomes the identity."""
    length = float(np.linalg.norm(rotation))
    return rotation / length if length > 1e-9 else IDENTITY


def about(axis: tuple[float, float, float], degrees: float) -> Quaternion:
    """Return the rotation by `degrees` about a unit `axis`."""
    half = math.radians(degrees) / 2
    return np.array([*(math.sin(half) * part for part in axis), math.cos(half)])


def euler(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Quaternion:
    """Return the rotation by Euler angles in degrees, order YXZ (three.js and UniVRM use it for eyes)."""
    turn = multiply(about((0.0, 1.0, 0.0), y), about((1.0, 0.0, 0.0), x))
    return multiply(turn, about((0.0, 0.0, 1.0), z))


def to_matrix(rotation: Quaternion) -> Matrix:
    """Return the (3, 3) rotation matrix of a unit quaternion."""
    matrix: Matrix = to_matrices(rotation[None])[0]
    return matrix


def to_matrices(rotations: Quaternion) -> Matrix:
    """Return (n, 3, 3) matrices of (n, 4) unit quaternions."""
    x, y, z, w = rotations.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def from_matrix(matrix: Matrix) -> Quaternion:
    """Return the quaternion of a (3, 3) rotation matrix (Shepperd's method)."""
    m = matrix
    diagonal = np.array([m[0, 0], m[1, 1], m[2, 2]])
    if diagonal.sum() > 0:
        s = math.sqrt(diagonal.sum() + 1.0) * 2
        return normalised(np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], s * s / 4]) / s)
    i = int(np.argmax(diagonal))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = math.sqrt(max(m[i, i] - m[j, j] - m[k, k] + 1.0, 1e-12)) * 2
    rotation = np.empty(4)
    rotation[i] = s / 4
    rotation[j] = (m[j, i] + m[i, j]) / s
    rotation[k] = (m[k, i] + m[i, k]) / s
    rotation[3] = (m[k, j] - m[j, k]) / s
    return normalised(rotation)


def between(start: npt.NDArray[np.float64], end: npt.NDArray[np.float64]) -> Quaternion:
    """Return the shortest rotation that turns unit vector `start` to unit vector `end`."""
    w = 1.0 + float(start @ end)
    if w < 1e-6:
        other = np.array([0.0, 1.0, 0.0]) if abs(start[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        return normalised(np.array([*np.cross(start, other), 0.0]))
    return normalised(np.array([*np.cross(start, end), w]))


def slerp(start: Quaternion, end: Quaternion, share: float) -> Quaternion:
    """Return the rotation `share` (0..1) of the way from `start` to `end`, the short way round."""
    cosine = float(start @ end)
    if cosine < 0:
        end, cosine = -end, -cosine
    if cosine > _NEARLY_PARALLEL:
        return normalised(start + (end - start) * share)
    angle = math.acos(min(cosine, 1.0))
    return normalised(
        (math.sin((1 - share) * angle) * start + math.sin(share * angle) * end) / math.sin(angle)
    )
