"""The three ways the figures wear their hair."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from render.figures.curves import Array, ease
from render.figures.hair import HAIR_LENGTH, Lock, at, backing, build_cap, lock_surface, over, scalp
from render.figures.head import Head
from render.figures.mesh import Part, Surface
from render.figures.skeleton import Skeleton
from render.figures.springs import Chain, ring_shares
from render.figures.style import Style

_PART = 0.008
_SWING_TOP = 0.03
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


def _moved(points: Array, chin: float) -> Array:
    """Return head coordinates as world coordinates."""
    return points + np.array([0.0, chin, 0.0])


def hairdo(head: Head, style: Style) -> Hairdo:
    """Return the hair a figure wears."""
    return {"long": _long, "bob": _bob, "short": _short}[style.hair](head)


def world_chains(style: Style, dress: Hairdo) -> list[Chain]:
    """Return the chains in world coordinates."""
    return [replace(chain, points=_moved(chain.points, style.frame.chin)) for chain in dress.chains]


def build_hair(
    head: Head, style: Style, dress: Hairdo, chains: list[Chain], skeleton: Skeleton
) -> list[Part]:
    """Return the parts of the hair in world coordinates; `chains` are those of `world_chains`."""
    length, chin = HAIR_LENGTH[style.hair], style.frame.chin
    parts = [skeleton.rigid(_raised(build_cap(head, length), chin), "hair", "head")]
    for lock in dress.locks:
        surface = _raised(lock_surface(head, lock, length), chin)
        parts.append(_hung(surface, "hair", lock.swings, chains, chin, skeleton))
    if dress.sheet is not None:
        surface = _raised(backing(head, dress.sheet, length), chin)
        parts.append(_hung(surface, "hair_deep", "back", chains, chin, skeleton))
    return parts


def _raised(surface: Surface, chin: float) -> Surface:
    """Return a surface of the head moved to its place in the world."""
    return replace(surface, points=_moved(surface.points, chin))


def _hung(
    surface: Surface, material: str, prefix: str, chains: list[Chain], chin: float, skeleton: Skeleton
) -> Part:
    """Return a part that swings on the chains whose name begins with `prefix`."""
    own = [chain for chain in chains if prefix and chain.name.startswith(f"hair_{prefix}")]
    if not own:
        return skeleton.rigid(surface, material, "head")
    y = surface.points[:, 1]
    loose = ease(y, chin + _SWING_TOP + 0.02, chin + _SWING_TOP - 0.06)
    low = min(float(chain.points[-1, 1]) for chain in own)
    progress = np.clip((chin + _SWING_TOP - y) / (chin + _SWING_TOP - low), 0, 1)
    return skeleton.skinned(
        surface, material, {"head": 1 - loose} | ring_shares(surface.points, loose, progress, own)
    )


# ------------------------------------------------------------------ long, parted, falling behind the shoulders


def _fall(degrees: float, y: float) -> tuple[float, float, float]:
    """Return where long hair hangs below the neck: a curtain behind the shoulders."""
    a = np.radians(degrees)
    back = float(np.interp(-y, [0.05, 0.10, 0.18, 0.28, 0.42], [-0.070, -0.096, -0.124, -0.130, -0.118]))
    wide = float(np.interp(-y, [0.05, 0.15, 0.30, 0.42], [0.096, 0.106, 0.108, 0.084]))
    return float(wide * np.sin(a)), y, float(back + 0.020 * np.cos(a))


def _curtain_locks(head: Head, side: int) -> list[Lock]:
    """Return the parted fringe of one side, from the middle outwards."""
    s = side
    return [
        Lock(np.vstack([_root(head, 0.050), over(head, (s * 10, 0.186, 0.013), (s * 22, 0.166, 0.014), (s * 31, 0.146, 0.011))]), 0.0085),
        Lock(np.vstack([_root(head, 0.046), over(head, (s * 18, 0.189, 0.014), (s * 38, 0.163, 0.017), (s * 50, 0.134, 0.016), (s * 55, 0.108, 0.012))]), 0.0125),
        Lock(np.vstack([_root(head, 0.036), over(head, (s * 31, 0.191, 0.014), (s * 52, 0.157, 0.019), (s * 62, 0.114, 0.019), (s * 63, 0.070, 0.016))]), 0.0155),
        Lock(np.vstack([_root(head, 0.022), over(head, (s * 45, 0.193, 0.014), (s * 68, 0.152, 0.021), (s * 76, 0.100, 0.022), (s * 75, 0.050, 0.021), (s * 66, 0.004, 0.013))]), 0.0170),
        Lock(np.vstack([_root(head, 0.010), over(head, (s * 60, 0.192, 0.014), (s * 82, 0.150, 0.020), (s * 88, 0.100, 0.021), (s * 86, 0.050, 0.020), (s * 80, -0.010, 0.016))]), 0.0180),
    ]  # fmt: skip


def _root(head: Head, z: float) -> Array:
    """Return where a lock leaves the parting on top of the head."""
    y = float(np.interp(z, [-0.02, 0.0, 0.02, 0.035, 0.052], [0.239, 0.241, 0.237, 0.230, 0.215]))
    return at(head, (_PART, y, z))


def _front_lock(head: Head, side: int, tip: float) -> Lock:
    """Return the long lock in front of a shoulder."""
    s = side
    path = np.vstack([
        _root(head, 0.008),
        over(head, (s * 58, 0.194, 0.014), (s * 80, 0.150, 0.023), (s * 82, 0.090, 0.025)),
        at(head, (s * 0.093, 0.030, 0.020), (s * 0.093, -0.035, 0.046), (s * 0.081, -0.100, 0.088), (s * 0.078, -0.165, 0.116), (s * 0.062, tip, 0.128)),
    ])  # fmt: skip
    return Lock(path, 0.0185, blunt=0.5, swings=f"front_{'left' if s > 0 else 'right'}")


def _back_lock(head: Head, degrees: float, tip: float, width: float) -> Lock:
    """Return a lock from the crown down the back."""
    path = np.vstack([
        at(head, (0.004, 0.241, -0.010)),
        over(head, (degrees, 0.202, 0.012), (degrees, 0.150, 0.020), (degrees, 0.090, 0.024), (degrees, 0.030, 0.025)),
        at(head, _fall(degrees, -0.055), _fall(degrees, -0.16), _fall(degrees, -0.28), _fall(degrees, tip)),
    ])  # fmt: skip
    return Lock(path, width, blunt=0.62, swings="back")


def _long(head: Head) -> Hairdo:
    """Return long hair with a parted fringe."""
    locks = [
        *_curtain_locks(head, 1),
        *_curtain_locks(head, -1),
        _front_lock(head, 1, -0.235),
        _front_lock(head, -1, -0.250),
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
                scalp(head, degrees, _SWING_TOP, 0.015),
                at(head, *[_fall(degrees, y) for y in (-0.10, -0.23, -0.38)]),
            ]
        )
        chains.append(Chain(f"hair_back_{i}", "head", points, 0.9, 0.45, 0.012))
    for side, s in (("left", 1), ("right", -1)):
        points = at(
            head,
            (s * 0.089, 0.03, 0.010),
            (s * 0.086, -0.07, 0.068),
            (s * 0.074, -0.16, 0.115),
            (s * 0.064, -0.24, 0.128),
        )
        chains.append(Chain(f"hair_front_{side}", "head", points, 1.0, 0.45, 0.010))
    return chains


# ------------------------------------------------------------------ to the shoulders, ends turned inwards


def _bob_lock(head: Head, degrees: float, tip: float, width: float) -> Lock:
    """Return a lock of the bob."""
    path = np.vstack([
        at(head, (0.010, 0.241, -0.006)),
        over(
            head, (degrees, 0.200, 0.016), (degrees, 0.150, 0.022), (degrees, 0.090, 0.024),
            (degrees, 0.035, 0.027), (degrees, 0.000, 0.024), (degrees, tip, 0.006),
        ),
    ])  # fmt: skip
    return Lock(path, width, blunt=0.66, swings="back")


def _swept_locks(head: Head) -> list[Lock]:
    """Return a fringe swept from a side parting at the figure's left across the forehead."""
    root = (0.030, 0.209, 0.044)
    sweep = [
        ((14, 0.186, 0.017), (-6, 0.160, 0.018), (-24, 0.132, 0.015), (-34, 0.112, 0.010)),
        ((8, 0.192, 0.018), (-20, 0.166, 0.019), (-40, 0.134, 0.017), (-50, 0.102, 0.012)),
        (
            (2, 0.197, 0.018),
            (-34, 0.172, 0.020),
            (-56, 0.136, 0.019),
            (-66, 0.090, 0.015),
            (-66, 0.055, 0.012),
        ),
        ((18, 0.182, 0.015), (6, 0.156, 0.015), (-8, 0.136, 0.012), (-15, 0.120, 0.009)),
    ]
    other = [
        ((38, 0.184, 0.016), (52, 0.150, 0.018), (59, 0.112, 0.015), (60, 0.080, 0.011)),
        ((46, 0.190, 0.018), (66, 0.150, 0.021), (73, 0.100, 0.018), (70, 0.045, 0.014)),
    ]
    widths = (0.0135, 0.0155, 0.0165, 0.0095, 0.0140, 0.0165)
    return [
        Lock(np.vstack([at(head, root), over(head, *steps)]), w)
        for steps, w in zip(sweep + other, widths, strict=True)
    ]


def _bob(head: Head) -> Hairdo:
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
        points = scalp(head, np.full(3, degrees), np.array([_SWING_TOP, 0.0, -0.034]), np.array([0.022, 0.020, 0.006]))
        chains.append(Chain(f"hair_back_{i}", "head", points, 1.3, 0.5, 0.012))
    return Hairdo(locks, np.array(rows), chains)


# ------------------------------------------------------------------ short, swept to the side


def _short(head: Head) -> Hairdo:
    """Return short hair: a swept fringe, tufts on top, close sides."""
    fringe = [
        ((26, 0.196, 0.024), (8, 0.190, 0.030), (-14, 0.166, 0.026), (-28, 0.140, 0.016)),
        ((20, 0.202, 0.026), (-8, 0.196, 0.031), (-32, 0.168, 0.027), (-46, 0.138, 0.017)),
        ((10, 0.208, 0.026), (-28, 0.196, 0.029), (-52, 0.166, 0.025), (-62, 0.132, 0.015)),
        ((30, 0.188, 0.020), (18, 0.176, 0.024), (3, 0.154, 0.020), (-8, 0.136, 0.013)),
        ((38, 0.186, 0.018), (42, 0.170, 0.022), (40, 0.150, 0.018), (34, 0.134, 0.012)),
        ((46, 0.190, 0.018), (60, 0.166, 0.021), (66, 0.140, 0.017), (64, 0.116, 0.011)),
    ]
    locks = [
        Lock(np.vstack([at(head, (0.034, 0.216, 0.028)), over(head, *steps)]), 0.0165, flat=0.42)
        for steps in fringe
    ]
    locks += [_tuft(head, float(a), 0.192, 0.128) for a in np.linspace(76, 284, 15)]
    locks += [_tuft(head, float(a), 0.150, 0.078) for a in np.linspace(104, 256, 12)]
    locks += [_tuft(head, float(a), 0.100, 0.030) for a in np.linspace(122, 238, 10)]
    locks += [_tuft(head, s * 80.0, 0.140, 0.086) for s in (1, -1)]
    return Hairdo(locks, None, [])


def _tuft(head: Head, degrees: float, start: float, end: float) -> Lock:
    """Return a short lock that lies on the hair below it."""
    swirl = 7 * np.sin(degrees)
    middle = (start + end) / 2
    path = over(
        head, (degrees, start + 0.022, 0.006), (degrees + swirl * 0.4, start, 0.016),
        (degrees + swirl, middle, 0.017), (degrees + 1.6 * swirl, end, 0.008),
    )  # fmt: skip
    return Lock(path, 0.0185, flat=0.30, blunt=0.45)
