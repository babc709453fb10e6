"""What makes up somebody's hair, and how locks leave the crown of the head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.curves import Array, ease
from render.figures.hair import Lock, over, scalp
from render.figures.head import Head
from render.figures.springs import Chain

SWING_TOP = 0.03
"""Height (head coordinates) where hair begins to swing."""


@dataclass(frozen=True, slots=True)
class Hairdo:
    """Locks, a backing sheet and the chains they hang on, head coordinates.

    Attributes:
        locks: All locks.
        sheet: (rows, columns, 3) behind them, or None.
        chains: Swinging bones.
    """

    locks: list[Lock]
    sheet: Array | None
    chains: list[Chain]


def _crown_height(head: Head, x: float, z: float, lift: float) -> float:
    """Return the height of the hair on top of the head above (x, z), metres."""
    heights = np.linspace(0.12, 0.2219, 80)
    points = scalp(head, np.full(80, np.degrees(np.arctan2(x, z))), heights, lift)
    reach = np.hypot(points[:, 0], points[:, 2])
    return float(np.interp(np.hypot(x, z), reach[::-1], points[::-1, 1]))


def crown(head: Head, root: tuple[float, float], *steps: tuple[float, float, float]) -> Array:
    """Return the path of a lock that lies on the crown first and then follows `steps`.

    Args:
        head: The head.
        root: x and z where it leaves the parting, metres of the table's head.
        steps: (degrees, y, lift) as for `over`.
    """
    # Hair lies flat on the top of the head and gains volume on its way down.
    low = [
        (degrees, y, lift * (1 - 0.45 * float(ease(np.array(y), 0.150, 0.195)))) for degrees, y, lift in steps
    ]
    path = over(head, *low)
    start, first, lift = np.array(root) * head.scale, path[0, [0, 2]], low[0][2]
    lead = []
    for share in (0.0, 0.3, 0.65):
        x, z = start * (1 - share) + first * share
        above = 0.0036 * (1 - share) + lift * share
        lead.append((x, _crown_height(head, float(x), float(z), above), z))
    return np.vstack([lead, path])
