"""Eyes: a white, an iris, lids of skin that close like shutters, lashes, a crease, brows.

Shapes are drawn in eye coordinates: x from -1 (inner corner) to 1 (outer corner), y in the
same unit (half the eye's width); `_place` brings them onto the face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array, ease, spline
from render.figures.decals import Curves, each, patch, quad
from render.figures.head import Head
from render.figures.mesh import Part, Surface
from render.figures.skeleton import Skeleton
from render.figures.style import Style

COUNT = 25
CENTRE = (0.0362, 0.0990)
HALF_WIDTH = 0.0228
IRIS = (0.0136, 0.0170)
_T = np.linspace(0, 1, COUNT)
_LID_LIFT = np.array([0.0, 0.0012, 0.0018, 0.0018, 0.0018, 0.0018])

_OPEN_UP = ((-1, -0.26), (-0.72, 0.26), (-0.08, 0.68), (0.58, 0.54), (1, 0.06))
_OPEN_LOW = ((-1, -0.26), (-0.58, -0.58), (0.08, -0.68), (0.66, -0.48), (1, 0.06))
_SHAPES: dict[str, tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]] = {
    "open": (_OPEN_UP, _OPEN_LOW),
    "blink": (
        ((-1, -0.28), (-0.58, -0.50), (0, -0.60), (0.58, -0.50), (1, -0.14)),
        ((-1, -0.26), (-0.58, -0.46), (0, -0.55), (0.58, -0.45), (1, -0.12)),
    ),
    # Lids that cross: the eyes are shut from three quarters of a smile on.
    "happy": (
        ((-1, -0.36), (-0.58, 0.04), (0, 0.22), (0.58, 0.08), (1, -0.30)),
        ((-1, -0.26), (-0.58, 0.42), (0, 0.66), (0.58, 0.46), (1, -0.20)),
    ),
    "angry": (
        ((-1, -0.38), (-0.66, -0.04), (-0.05, 0.36), (0.58, 0.48), (1, 0.16)),
        ((-1, -0.38), (-0.58, -0.54), (0.08, -0.56), (0.66, -0.34), (1, 0.16)),
    ),
    "sad": (
        ((-1, -0.16), (-0.66, 0.34), (-0.05, 0.46), (0.58, 0.16), (1, -0.22)),
        ((-1, -0.16), (-0.58, -0.54), (0.08, -0.66), (0.66, -0.56), (1, -0.22)),
    ),
    "relaxed": (
        ((-1, -0.30), (-0.68, 0.02), (-0.05, 0.22), (0.58, 0.14), (1, -0.06)),
        ((-1, -0.30), (-0.58, -0.50), (0.08, -0.54), (0.66, -0.40), (1, -0.06)),
    ),
    "surprised": (
        ((-1, -0.24), (-0.72, 0.48), (-0.05, 0.92), (0.60, 0.74), (1, 0.10)),
        ((-1, -0.24), (-0.60, -0.68), (0.08, -0.82), (0.68, -0.60), (1, 0.10)),
    ),
    "flustered": (
        ((-1, -0.24), (-0.68, 0.36), (-0.05, 0.60), (0.58, 0.36), (1, -0.04)),
        ((-1, -0.24), (-0.58, -0.46), (0.08, -0.52), (0.66, -0.38), (1, -0.04)),
    ),
}  # fmt: skip
_IRIS_MOVES = {
    "surprised": (0.0, 0.0, 0.80),
    "lookLeft": (0.0052, 0.0, 1.0),
    "lookRight": (-0.0052, 0.0, 1.0),
    "lookUp": (0.0, 0.0042, 1.0),
    "lookDown": (0.0, -0.0042, 1.0),
    "sad": (0.0, -0.0014, 1.0),
    "flustered": (-0.0030, -0.0012, 0.95),
}
_BROWS = {
    "happy": (0.0030, 0.0030, 1.45, 0.0),
    "angry": (-0.0105, 0.0030, 0.20, -0.0030),
    "sad": (0.0085, -0.0050, 0.35, -0.0005),
    "relaxed": (0.0010, -0.0020, 1.15, 0.0),
    "surprised": (0.0090, 0.0078, 1.35, 0.0),
    "flustered": (0.0080, 0.0000, 0.60, 0.0005),
}
"""Movements of the brows: inner end up, outer end up (metres), arch (factor), outward (metres)."""


@dataclass(frozen=True, slots=True)
class Eye:
    """One eye: `side` is 1 for the figure's left, -1 for its right."""

    head: Head
    style: Style
    side: int

    def shapes(self) -> dict[str, Curves]:
        """Return the borders of the opening on the face, for rest ("open") and each movement."""
        blink = "blinkLeft" if self.side > 0 else "blinkRight"
        made = {}
        for name, (upper, lower) in _SHAPES.items():
            curves = self._place(spline(np.array(upper), COUNT)), self._place(spline(np.array(lower), COUNT))
            made[blink if name == "blink" else name] = curves
        return made

    def _place(self, curve: Array) -> Array:
        """Return eye coordinates (n, 2) as face coordinates."""
        s = self.head.scale
        x = self.side * (CENTRE[0] + curve[:, 0] * HALF_WIDTH * self.style.eye_width)
        y = CENTRE[1] + curve[:, 1] * HALF_WIDTH * self.style.eye_height
        return np.column_stack([x, y]) * s

    def height(self, units: float) -> float:
        """Return a height in eye units as a face coordinate."""
        return (CENTRE[1] + units * HALF_WIDTH) * self.head.scale


def _upper_lid(eye: Eye, curves: Curves) -> Curves:
    """Return the skin between brow and eye."""
    far = curves[0].copy()
    far[:, 1] = eye.height(1.28)
    return far, curves[0]


def _lower_lid(eye: Eye, curves: Curves) -> Curves:
    """Return the skin between eye and cheek."""
    far = curves[1].copy()
    far[:, 1] = eye.height(-1.18)
    return curves[1], far


def _lash(eye: Eye, curves: Curves, weight: float) -> Curves:
    """Return the dark line of the upper lashes with its wing."""
    edge = curves[0]
    body = (0.0006 + 0.0032 * ease(_T, 0.02, 0.66)) * ease(_T, 1.06, 0.80) + 0.0006
    body = body * weight * eye.style.lash_weight * eye.head.scale
    wing = ease(_T, 0.74, 1.0) * (1.0 if eye.style.flicks else 0.35) * eye.head.scale
    upper, lower = edge.copy(), edge.copy()
    upper[:, 1] += body * 0.75 + wing * 0.0012
    lower[:, 1] -= body * 0.55 - wing * 0.0026
    upper[:, 0] += eye.side * wing * 0.0052
    lower[:, 0] += eye.side * wing * 0.0046
    return upper, lower


def _flick(eye: Eye, curves: Curves, at: float, length: float) -> Curves:
    """Return one single lash: a small pointed blade on the outer part of the upper lid."""
    edge = curves[0]
    x = np.interp(at, _T, edge[:, 0]), np.interp(at + 0.060, _T, edge[:, 0])
    y = np.interp(at, _T, edge[:, 1]), np.interp(at + 0.060, _T, edge[:, 1])
    tip = np.array([x[1] + eye.side * length * 0.80, y[1] + length * 0.62])
    share = np.linspace(0, 1, 5)[:, None]
    bend = np.array([eye.side * 0.25, -0.25]) * length * (share * (1 - share))
    first = np.array([x[0], y[0] + 0.0010]) * (1 - share) + tip * share + bend
    second = np.array([x[1], y[1] - 0.0003]) * (1 - share) + tip * share + bend * 1.4
    return first, second


def _crease(eye: Eye, curves: Curves) -> Curves:
    """Return the fold of the upper lid."""
    line = curves[0].copy()
    line[:, 1] += (0.0046 + 0.0008 * _T) * eye.head.scale
    half = 0.00055 * np.sin(np.pi * np.clip((_T - 0.10) / 0.84, 0, 1))
    return line + np.column_stack([0 * half, half]), line - np.column_stack([0 * half, half])


def _lower_lash(eye: Eye, curves: Curves) -> Curves:
    """Return the thin line under the outer half of the eye."""
    half = 0.0011 * ease(_T, 0.30, 0.85) * ease(_T, 1.02, 0.90) * eye.style.lash_weight
    upper, lower = curves[1].copy(), curves[1].copy()
    upper[:, 1] += half * 0.35
    lower[:, 1] -= half
    return upper, lower


def _hidden(curves: Curves) -> Curves:
    """Return a line without thickness."""
    return curves[1], curves[1].copy()


def build_eye(eye: Eye, skeleton: Skeleton) -> list[Part]:
    """Return the parts of one eye, in head coordinates."""
    shapes = eye.shapes()
    rest = shapes.pop("open")
    parts = [
        _part(skeleton, "eye_white", patch(eye.head, rest, shapes, lift=0.0005, rows=5)),
        _iris(eye, skeleton),
    ]
    for lid, lift in ((_upper_lid, _LID_LIFT), (_lower_lid, _LID_LIFT[::-1])):
        moved = each(shapes, lambda c, lid=lid: lid(eye, c))  # type: ignore[misc]
        drawn = patch(eye.head, lid(eye, rest), moved, lift=lift, rows=6, skin=True)
        parts.append(_part(skeleton, "face", drawn))
    return parts + _lines(eye, skeleton, rest, shapes)


def _lines(eye: Eye, skeleton: Skeleton, rest: Curves, shapes: dict[str, Curves]) -> list[Part]:
    """Return everything drawn around the opening."""
    closed = {"blinkLeft": 0.85, "blinkRight": 0.85, "happy": 1.0}
    lashes = {name: _lash(eye, c, closed.get(name, 1.0)) for name, c in shapes.items()}
    parts = [_part(skeleton, "lash", patch(eye.head, _lash(eye, rest, 1.0), lashes, lift=0.0027))]
    creases = each(shapes, lambda c: _crease(eye, c))
    parts.append(_part(skeleton, "crease", patch(eye.head, _crease(eye, rest), creases, lift=0.0023, rows=2)))
    lower = each(shapes, lambda c: _lower_lash(eye, c))
    lower["happy"] = _hidden(lower["happy"])
    parts.append(
        _part(skeleton, "crease", patch(eye.head, _lower_lash(eye, rest), lower, lift=0.0024, rows=2))
    )
    for at, length in ((0.56, 0.0056), (0.69, 0.0072), (0.82, 0.0082)) if eye.style.flicks else ():
        moved = each(shapes, lambda c, at=at, length=length: _flick(eye, c, at, length))  # type: ignore[misc]
        parts.append(
            _part(
                skeleton, "lash", patch(eye.head, _flick(eye, rest, at, length), moved, lift=0.0028, rows=2)
            )
        )
    return parts


def _iris(eye: Eye, skeleton: Skeleton) -> Part:
    """Return the iris, a painted rectangle."""
    s = eye.head.scale
    centre = (eye.side * (CENTRE[0] - 0.0006) * s, (CENTRE[1] - 0.0006) * s)
    half = (IRIS[0] * s, IRIS[1] * s * (0.25 + 0.75 * eye.style.eye_height))
    moves = {name: (dx * s, dy * s, scale) for name, (dx, dy, scale) in _IRIS_MOVES.items()}
    return _part(skeleton, "iris", quad(eye.head, centre, half, moves, lift=0.0011))


def _brow(eye: Eye, inner: float, outer: float, arch: float, out: float) -> Curves:
    """Return a brow: its upper and lower edge."""
    s = eye.head.scale
    x = 0.0150 + out + _T * 0.0400
    drop = eye.style.brow_drop
    # Low brows are drawn straighter.
    bow = 0.0062 * np.sin(np.pi * (_T * 0.86 + 0.06)) * arch * (1 - 60 * drop)
    y = 0.1330 - drop + bow + inner * (1 - _T) ** 1.4 + outer * _T**1.3
    half = (0.0007 + 0.00135 * eye.style.brow_weight * ease(_T, -0.06, 0.22) * ease(_T, 1.05, 0.35)) * ease(
        _T, 1.04, 0.9
    )
    return np.column_stack([eye.side * x, y + half]) * s, np.column_stack([eye.side * x, y - half]) * s


def build_brow(eye: Eye, skeleton: Skeleton) -> Part:
    """Return one brow."""
    moved = {name: _brow(eye, *values) for name, values in _BROWS.items()}
    return _part(skeleton, "brow", patch(eye.head, _brow(eye, 0, 0, 1, 0), moved, lift=0.0030))


def _part(skeleton: Skeleton, material: str, drawn: tuple[Surface, dict[str, Array]]) -> Part:
    """Return a drawn patch as a part of the head."""
    return skeleton.rigid(drawn[0], material, "head", drawn[1])
