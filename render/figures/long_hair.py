"""Long hair with a parted fringe, falling behind the shoulders."""

from __future__ import annotations

import numpy as np

from render.figures.hair import Lock, at, scalp
from render.figures.hairdo import SWING_TOP, Hairdo, crown
from render.figures.head import Head
from render.figures.springs import Chain


def _fall(degrees: float, y: float) -> tuple[float, float, float]:
    """Return where long hair hangs below the neck: a curtain behind the shoulders."""
    a = np.radians(degrees)
    back = float(np.interp(-y, [0.05, 0.10, 0.18, 0.28, 0.42], [-0.074, -0.106, -0.134, -0.138, -0.124]))
    wide = float(np.interp(-y, [0.05, 0.15, 0.30, 0.42], [0.096, 0.106, 0.108, 0.084]))
    return float(wide * np.sin(a)), y, float(back + 0.020 * np.cos(a))


def _curtain_locks(head: Head, side: int) -> list[Lock]:
    """Return the parted fringe of one side, from the middle outwards."""
    s = side
    return [
        Lock(crown(head, _root(0.050), (s * 10, 0.186, 0.013), (s * 22, 0.166, 0.014), (s * 31, 0.146, 0.011)), 0.0085),
        Lock(crown(head, _root(0.046), (s * 18, 0.189, 0.014), (s * 38, 0.163, 0.017), (s * 50, 0.134, 0.016), (s * 55, 0.108, 0.012)), 0.0125),
        Lock(crown(head, _root(0.036), (s * 31, 0.191, 0.014), (s * 52, 0.157, 0.019), (s * 62, 0.114, 0.019), (s * 63, 0.070, 0.016)), 0.0155),
        Lock(crown(head, _root(0.022), (s * 45, 0.193, 0.014), (s * 68, 0.152, 0.021), (s * 76, 0.100, 0.022), (s * 75, 0.050, 0.021), (s * 66, 0.004, 0.013)), 0.0170),
        Lock(crown(head, _root(0.010), (s * 60, 0.192, 0.014), (s * 82, 0.150, 0.020), (s * 88, 0.100, 0.021), (s * 86, 0.050, 0.020), (s * 80, -0.010, 0.016)), 0.0180),
    ]  # fmt: skip


def _wisps(head: Head) -> list[Lock]:
    """Return thin strands over the middle of the forehead."""
    tips = (
        ((4, 0.188, 0.013), (-3, 0.170, 0.014), (-9, 0.152, 0.011), (-11, 0.142, 0.008)),
        ((6, 0.186, 0.012), (9, 0.170, 0.013), (8, 0.156, 0.011), (5, 0.146, 0.008)),
        ((2, 0.188, 0.013), (-11, 0.172, 0.014), (-21, 0.152, 0.012), (-25, 0.138, 0.009)),
    )
    return [Lock(crown(head, _root(0.050), *steps), 0.0058) for steps in tips]


def _root(z: float) -> tuple[float, float]:
    """Return where a lock leaves the parting on top of the head: x and z."""
    return 0.008, z


def _front_locks(head: Head, side: int, tip: float) -> list[Lock]:
    """Return the long locks in front of a shoulder: a broad one and a strand beside it."""
    s, name = side, f"front_{'left' if side > 0 else 'right'}"
    top = crown(head, _root(0.008), (s * 58, 0.194, 0.013), (s * 80, 0.150, 0.022), (s * 82, 0.090, 0.024))
    broad = at(head, (s * 0.092, 0.030, 0.020), (s * 0.093, -0.035, 0.044), (s * 0.082, -0.100, 0.086), (s * 0.081, -0.165, 0.116), (s * 0.063, tip, 0.129))  # fmt: skip
    strand = at(head, (s * 0.088, 0.030, 0.034), (s * 0.083, -0.030, 0.058), (s * 0.069, -0.085, 0.094), (s * 0.066, -0.140, 0.114), (s * 0.053, tip + 0.052, 0.127))  # fmt: skip
    return [
        Lock(np.vstack([top, broad]), 0.0225, blunt=0.5, swings=name),
        Lock(np.vstack([top, strand]), 0.0125, blunt=0.4, swings=name),
    ]


def _back_lock(head: Head, degrees: float, tip: float, width: float) -> Lock:
    """Return a lock from the crown down the back."""
    path = np.vstack([
        crown(head, (0.006, -0.012), (degrees, 0.202, 0.012), (degrees, 0.150, 0.020), (degrees, 0.090, 0.024), (degrees, 0.030, 0.025)),
        at(head, _fall(degrees, -0.055), _fall(degrees, -0.16), _fall(degrees, -0.28), _fall(degrees, tip)),
    ])  # fmt: skip
    return Lock(path, width, blunt=0.62, swings="back")


def long_hair(head: Head) -> Hairdo:
    """Return long hair with a parted fringe."""
    locks = [
        *_curtain_locks(head, 1),
        *_curtain_locks(head, -1),
        *_wisps(head),
        *_front_locks(head, 1, -0.235),
        *_front_locks(head, -1, -0.250),
    ]
    angles = np.linspace(99, 261, 12)
    tips = -0.385 + 0.022 * np.sin(np.arange(12) * 2.4)
    locks += [_back_lock(head, float(a), float(t), 0.0225) for a, t in zip(angles, tips, strict=True)]
    columns = np.linspace(97, 263, 19)
    rows = [scalp(head, columns, y, 0.009) for y in (0.13, 0.09, 0.04)]
    rows += [at(head, *[_fall(a, y) for a in columns]) for y in (-0.05, -0.12, -0.20, -0.28, -0.34)]
    return Hairdo(locks, np.array(rows), _long_chains(head))


def _long_chains(head: Head) -> list[Chain]:
    """Return chains for the back and for the two locks in front."""
    chains = []
    for i, degrees in enumerate((115.0, 148.0, 180.0, 212.0, 245.0)):
        points = np.vstack(
            [
                scalp(head, degrees, SWING_TOP, 0.015),
                at(head, *[_fall(degrees, y) for y in (-0.10, -0.23, -0.38)]),
            ]
        )
        chains.append(Chain(f"hair_back_{i}", "head", points, 0.55, 0.45, 0.010, 0.30, "trunk"))
    for side, s in (("left", 1), ("right", -1)):
        points = at(
            head,
            (s * 0.089, 0.03, 0.010),
            (s * 0.086, -0.07, 0.068),
            (s * 0.074, -0.16, 0.115),
            (s * 0.064, -0.24, 0.128),
        )
        chains.append(Chain(f"hair_front_{side}", "head", points, 1.20, 0.45, 0.008, 0.10, "trunk"))
    return chains
