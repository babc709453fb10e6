"""Hair to the shoulders, parted at the side, ends turned inwards."""

from __future__ import annotations

import numpy as np

from render.figures.hair import Lock, scalp
from render.figures.hairdo import SWING_TOP, Hairdo, crown
from render.figures.head import Head
from render.figures.springs import Chain


def _bob_lock(head: Head, degrees: float, tip: float, width: float) -> Lock:
    """Return a lock of the bob."""
    path = crown(
        head, (0.012, -0.010), (degrees, 0.200, 0.014), (degrees, 0.150, 0.022), (degrees, 0.090, 0.024),
        (degrees, 0.035, 0.027), (degrees, 0.000, 0.024), (degrees, tip, 0.006),
    )  # fmt: skip
    return Lock(path, width, blunt=0.66, swings="back")


def _swept_locks(head: Head) -> list[Lock]:
    """Return a fringe swept from a side parting at the figure's left across the forehead."""
    sweep = [
        (0.047, 0.0095, ((18, 0.186, 0.014), (8, 0.162, 0.015), (-4, 0.142, 0.013), (-10, 0.128, 0.010))),
        (0.044, 0.0135, ((14, 0.190, 0.015), (-6, 0.164, 0.018), (-22, 0.139, 0.016), (-31, 0.121, 0.011))),
        (0.038, 0.0155, ((8, 0.196, 0.015), (-20, 0.168, 0.019), (-40, 0.138, 0.018), (-49, 0.106, 0.013))),
        (0.028, 0.0170, ((2, 0.202, 0.014), (-34, 0.174, 0.019), (-57, 0.138, 0.021), (-67, 0.092, 0.018), (-66, 0.052, 0.013))),
        (0.014, 0.0175, ((-2, 0.210, 0.012), (-46, 0.182, 0.016), (-70, 0.142, 0.022), (-77, 0.092, 0.022), (-74, 0.030, 0.018), (-66, -0.012, 0.008))),
        (0.046, 0.0120, ((34, 0.186, 0.013), (47, 0.158, 0.017), (55, 0.124, 0.016), (57, 0.092, 0.012))),
        (0.038, 0.0150, ((42, 0.190, 0.013), (60, 0.156, 0.019), (68, 0.108, 0.019), (67, 0.056, 0.015))),
        (0.024, 0.0175, ((48, 0.194, 0.012), (70, 0.152, 0.020), (78, 0.098, 0.022), (75, 0.034, 0.019), (67, -0.010, 0.008))),
    ]  # fmt: skip
    return [Lock(crown(head, side_root(z), *steps), width) for z, width, steps in sweep]


def side_root(z: float) -> tuple[float, float]:
    """Return where a lock leaves the parting at the figure's left: x and z."""
    return 0.030 - 0.3 * max(0.03 - z, 0.0), z


def bob_hair(head: Head) -> Hairdo:
    """Return hair to the shoulders, parted at the side."""
    angles = [*np.linspace(74, 286, 17)]
    tips = -0.034 + 0.010 * np.sin(np.arange(17) * 1.9)
    locks = _swept_locks(head) + [
        _bob_lock(head, float(a), float(t), 0.0225) for a, t in zip(angles, tips, strict=True)
    ]
    columns = np.linspace(88, 272, 21)
    rows = [
        scalp(head, columns, y, lift)
        for y, lift in ((0.13, 0.010), (0.09, 0.013), (0.04, 0.015), (0.0, 0.012), (-0.02, 0.004))
    ]
    chains = []
    for i, degrees in enumerate((85.0, 130.0, 180.0, 230.0, 275.0)):
        points = scalp(
            head, np.full(3, degrees), np.array([SWING_TOP, 0.0, -0.034]), np.array([0.022, 0.020, 0.006])
        )
        chains.append(Chain(f"hair_back_{i}", "head", points, 1.30, 0.50, 0.010, 0.10, "trunk"))
    return Hairdo(locks, np.array(rows), chains)
