"""The head: a superelliptic surface around the y axis, with chin, cheeks and nose.

Head coordinates: metres, origin below the chin on the axis of the neck, +y up, +z forward,
+x to the figure's left. `MOVE` into the world is done by whoever assembles the figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array, ease, profile, unit
from render.figures.mesh import Surface, facing, grid_triangles
from render.figures.style import Frame

_SQUARENESS = 2.22
_HEIGHT = np.array(
    [0, 0.003, 0.010, 0.022, 0.038, 0.055, 0.075, 0.100, 0.130, 0.160, 0.186, 0.206, 0.218, 0.222]
)
_WIDTH = np.array(
    [
        0.008,
        0.0178,
        0.0290,
        0.0422,
        0.0540,
        0.0620,
        0.0685,
        0.0735,
        0.0758,
        0.0732,
        0.0636,
        0.0458,
        0.0250,
        0.001,
    ]
)
_FRONT = np.array(
    [
        0.060,
        0.0680,
        0.0735,
        0.0752,
        0.0765,
        0.0775,
        0.0785,
        0.0795,
        0.0818,
        0.0790,
        0.0680,
        0.0480,
        0.0250,
        0.001,
    ]
)
_BACK = np.array(
    [0, 0.002, 0.008, 0.018, 0.034, 0.052, 0.070, 0.086, 0.096, 0.094, 0.080, 0.056, 0.030, 0.001]
)
FACE_WINDOW = (-0.085, 0.085, -0.010, 0.205)
"""The part of the face's plane that its texture covers: left, right, bottom, top in metres."""


@dataclass(frozen=True, slots=True)
class Head:
    """The shape of one head.

    Attributes:
        frame: The figure's measures.
    """

    frame: Frame

    @property
    def scale(self) -> float:
        """Size relative to the head the tables describe."""
        return self.frame.head / 0.222

    def half_width(self, y: Array) -> Array:
        """Return half the width at heights y."""
        width = profile(y / self.scale, _HEIGHT, _WIDTH) * self.scale * self.frame.width
        jaw = 1 + (self.frame.jaw - 1) * ease(y / self.scale, 0.105, 0.045)
        return np.asarray(width * jaw)

    def front(self, y: Array) -> Array:
        """Return how far the face reaches forward at heights y, without the nose."""
        return profile(y / self.scale, _HEIGHT, _FRONT) * self.scale

    def back(self, y: Array) -> Array:
        """Return how far the skull reaches back at heights y."""
        return profile(y / self.scale, _HEIGHT, _BACK) * self.scale

    def nose(self, x: Array, y: Array) -> Array:
        """Return how much the nose adds to the face's depth."""
        s = self.scale
        tip = 0.0105 * np.exp(-((x / (0.0062 * s)) ** 2) - ((y / s - 0.0655) / 0.0085) ** 2)
        bridge = (
            0.0045
            * np.exp(-((x / (0.0052 * s)) ** 2))
            * ease(y / s, 0.060, 0.070)
            * ease(y / s, 0.115, 0.080)
        )
        return np.asarray((tip + bridge) * s)

    def depth(self, x: Array, y: Array) -> Array:
        """Return z of the face at (x, y), (n,)."""
        across = np.clip(np.abs(x) / np.maximum(self.half_width(y), 1e-4), 0, 0.999)
        bulge = (1 - across**_SQUARENESS) ** (1 / _SQUARENESS)
        return np.asarray(self.front(y) * bulge + self.nose(x, y))

    def around(self, angle: Array, y: Array) -> Array:
        """Return points (..., 3) at angles about the neck's axis (0 in front, left positive)."""
        s, c = np.sin(angle), np.cos(angle)
        reach = (np.abs(s) ** _SQUARENESS + np.abs(c) ** _SQUARENESS) ** (-1 / _SQUARENESS)
        depth = np.where(c >= 0, self.front(y), self.back(y))
        x, z = self.half_width(y) * s * reach, depth * c * reach
        z = z + np.where(c > 0, self.nose(x, y), 0)
        return np.stack(np.broadcast_arrays(x, y, z), -1)

    def round_normals(self, points: Array) -> Array:
        """Return normals of a skull-sized ellipsoid: hair and cranium are shaded by them."""
        s = self.scale
        return unit((points - np.array([0, 0.118, -0.008]) * s) / (np.array([0.083, 0.118, 0.095]) * s) ** 2)

    def face_normals(self, points: Array) -> Array:
        """Return normals flatter than the face is: two-tone shading needs one calm border."""
        s = self.scale
        flat = unit((points - np.array([0, 0.095, -0.060]) * s) / (np.array([0.098, 0.165, 0.135]) * s) ** 2)
        return unit(0.78 * flat + 0.22 * self.round_normals(points))

    def onto_face(self, outline: Array, lift: Array | float) -> tuple[Array, Array]:
        """Return points and normals of (n, 2) face coordinates, `lift` metres above the skin."""
        points = np.column_stack([outline, self.depth(outline[:, 0], outline[:, 1])])
        normals = self.face_normals(points)
        return points + normals * np.broadcast_to(np.asarray(lift), (len(points),))[:, None], normals

    def face_uvs(self, points: Array) -> Array:
        """Return coordinates on the face's texture, a straight projection from the front."""
        left, right, bottom, top = FACE_WINDOW
        s = self.scale
        uv = np.column_stack(
            [(points[:, 0] / s - left) / (right - left), (top - points[:, 1] / s) / (top - bottom)]
        )
        return np.clip(uv, 0.002, 0.998)


def _angles() -> Array:
    """Return the columns of the head's grid: dense around the nose."""
    front = np.concatenate(
        [np.linspace(0, 0.22, 7)[:-1], np.linspace(0.22, 1.45, 13)[:-1], np.linspace(1.45, np.pi, 12)]
    )
    return np.concatenate([-front[:0:-1], front[:-1]])


def build_head(head: Head) -> Surface:
    """Return the skin of the head in head coordinates."""
    heights = head.scale * np.concatenate(
        [
            np.linspace(0.0, 0.05, 13),
            np.linspace(0.0535, 0.082, 12),
            np.linspace(0.088, 0.17, 13),
            np.linspace(0.178, 0.222, 8),
        ]
    )
    angles = _angles()
    points = head.around(angles[None, :], heights[:, None]).reshape(-1, 3)
    triangles = grid_triangles(len(heights), len(angles), closed=True)
    bottom = np.array([[0.0, -0.0005, 0.030]]) * head.scale
    edge = np.arange(len(angles))
    fan = np.stack([np.full(len(edge), len(points)), edge, np.roll(edge, -1)], 1)
    points, triangles = np.vstack([points, bottom]), np.vstack([triangles, fan])
    surface = facing(points, head.face_uvs(points), triangles, points - [0, 0.11 * head.scale, 0])
    # Under the jaw the true normal: the outline of a calm one would break through the chin.
    under = ease(-surface.normals[:, 1], 0.45, 0.85)[:, None]
    normals = unit(head.face_normals(points) * (1 - under) + surface.normals * under)
    return Surface(points, normals, surface.uvs, surface.triangles)
