"""The mouth: an inside between two lips' lines, and blush on the cheeks.

Shapes are drawn with x from -1 to 1 across the mouth and y in millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array, spline
from render.figures.decals import Curves, patch, quad
from render.figures.head import Head
from render.figures.mesh import Part
from render.figures.skeleton import Skeleton

COUNT = 33
HEIGHT = 0.0405
_T = np.linspace(0, 1, COUNT)


@dataclass(frozen=True, slots=True)
class Lips:
    """One shape of the mouth.

    Attributes:
        half_width: Metres.
        upper: Upper lip's line, points (x in -1..1, y in mm).
        lower: Lower lip's line, or None for a closed mouth.
        line: Thickness of the upper line, metres.
    """

    half_width: float
    upper: tuple[tuple[float, float], ...]
    lower: tuple[tuple[float, float], ...] | None = None
    line: float = 0.00095


REST = Lips(0.0172, ((-1, 1.5), (-0.5, -0.1), (0, -0.25), (0.5, -0.1), (1, 1.5)))
_MOVED = {
    "happy": Lips(
        0.0205, ((-1, 4.6), (-0.5, 2.2), (0, 1.5), (0.5, 2.2), (1, 4.6)),
        ((-1, 4.4), (-0.72, -4.6), (0, -10.2), (0.72, -4.6), (1, 4.4)),
    ),
    "angry": Lips(
        0.0150, ((-1, -4.4), (-0.55, 0.6), (0, 1.7), (0.55, 0.6), (1, -4.4)),
        ((-1, -4.7), (-0.55, -3.4), (0, -2.8), (0.55, -3.4), (1, -4.7)), 0.0009,
    ),
    "sad": Lips(0.0148, ((-1, -3.8), (-0.5, -0.2), (0, 0.9), (0.5, -0.2), (1, -3.8)), None, 0.0011),
    "relaxed": Lips(0.0180, ((-1, 3.6), (-0.5, -0.2), (0, -1.2), (0.5, -0.2), (1, 3.6)), None, 0.0011),
    "surprised": Lips(
        0.0078, ((-1, -2.4), (-0.62, 3.2), (0, 5.0), (0.62, 3.2), (1, -2.4)),
        ((-1, -2.6), (-0.66, -8.2), (0, -10.4), (0.66, -8.2), (1, -2.6)),
    ),
    "flustered": Lips(
        0.0145, ((-1, -1.2), (-0.68, 1.9), (-0.30, -1.9), (0, 1.6), (0.30, -1.9), (0.68, 1.9), (1, -1.2)), None, 0.0011
    ),
    "aa": Lips(
        0.0158, ((-1, 0.4), (-0.5, 2.6), (0, 3.0), (0.5, 2.6), (1, 0.4)),
        ((-1, 0.0), (-0.70, -8.0), (0, -11.6), (0.70, -8.0), (1, 0.0)),
    ),
    "ih": Lips(
        0.0185, ((-1, 1.6), (-0.5, 1.9), (0, 1.6), (0.5, 1.9), (1, 1.6)),
        ((-1, 1.2), (-0.6, -2.4), (0, -3.2), (0.6, -2.4), (1, 1.2)),
    ),
    "ou": Lips(
        0.0070, ((-1, -0.8), (-0.6, 2.2), (0, 3.0), (0.6, 2.2), (1, -0.8)),
        ((-1, -1.0), (-0.62, -4.2), (0, -5.2), (0.62, -4.2), (1, -1.0)),
    ),
    "ee": Lips(
        0.0178, ((-1, 2.2), (-0.5, 2.4), (0, 2.0), (0.5, 2.4), (1, 2.2)),
        ((-1, 1.8), (-0.66, -4.4), (0, -5.8), (0.66, -4.4), (1, 1.8)),
    ),
    "oh": Lips(
        0.0105, ((-1, -1.6), (-0.62, 3.4), (0, 4.8), (0.62, 3.4), (1, -1.6)),
        ((-1, -1.8), (-0.64, -7.8), (0, -9.6), (0.64, -7.8), (1, -1.8)),
    ),
}  # fmt: skip


def _curve(head: Head, lips: Lips, points: tuple[tuple[float, float], ...]) -> Array:
    """Return one line of the mouth in face coordinates, evenly spaced across."""
    drawn = spline(np.array(points) * (1.0, 0.1), COUNT * 4)
    x = np.linspace(-1, 1, COUNT)
    y = np.interp(x, drawn[:, 0], drawn[:, 1]) * 10
    return np.column_stack([x * lips.half_width, HEIGHT + y * 1e-3]) * head.scale


def _borders(head: Head, lips: Lips) -> Curves:
    """Return upper and lower line of a mouth."""
    upper = _curve(head, lips, lips.upper)
    return upper, upper.copy() if lips.lower is None else _curve(head, lips, lips.lower)


def _stroke(curve: Array, half: float) -> Curves:
    """Return a line as a thin patch, pointed at its ends."""
    swell = half * (0.30 + 0.70 * np.sin(np.pi * _T) ** 0.7)
    return curve + np.column_stack([0 * swell, swell]), curve - np.column_stack([0 * swell, swell])


def build_mouth(head: Head, skeleton: Skeleton) -> list[Part]:
    """Return the inside of the mouth and its two lines, in head coordinates."""
    rest = _borders(head, REST)
    moved = {name: _borders(head, lips) for name, lips in _MOVED.items()}
    inside = patch(head, rest, moved, lift=0.0012, rows=7)
    upper = patch(
        head,
        _stroke(rest[0], REST.line),
        {name: _stroke(curves[0], _MOVED[name].line) for name, curves in moved.items()},
        lift=0.0018,
    )
    lower = patch(
        head,
        _stroke(rest[1], 0.0004),
        {
            name: _stroke(curves[1], 0.0004 if _MOVED[name].lower is None else 0.0006)
            for name, curves in moved.items()
        },
        lift=0.0017,
    )
    drawn = (("mouth", inside), ("mouth_line", upper), ("mouth_line", lower))
    return [skeleton.rigid(surface, name, "head", shifts) for name, (surface, shifts) in drawn]


def build_blush(head: Head, skeleton: Skeleton) -> list[Part]:
    """Return the blush on both cheeks: a soft one and strokes, invisible until an expression shows them."""
    parts = []
    for side in (1, -1):
        for material, half, lift in (
            ("blush", (0.0205, 0.0120), 0.0013),
            ("blush_strokes", (0.0120, 0.0062), 0.0016),
        ):
            s = head.scale
            centre = (side * 0.0435 * s, 0.0705 * s)
            surface, _ = quad(head, centre, (half[0] * s, half[1] * s), {}, lift=lift, cells=6)
            parts.append(skeleton.rigid(surface, material, "head"))
    return parts
