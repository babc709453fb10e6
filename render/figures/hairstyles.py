"""The three ways the figures wear their hair."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from render.figures.curves import Array, ease
from render.figures.hair import HAIR_LENGTH, Lock, at, backing, build_cap, lock_surface, over, scalp
from render.figures.head import Head
from render.figures.mesh import Part, Surface, tube
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
    return np.asarray(points + np.array([0.0, chin, 0.0]))


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
    parts = [skeleton.rigid(_raised(build_cap(head, length), chin), "hair_cap", "head")]
    for lock in dress.locks:
        surface = _raised(lock_surface(head, lock, length), chin)
        parts.append(_hung(surface, "hair", lock.swings, chains, chin, skeleton))
    if dress.sheet is not None:
        surface = _raised(backing(head, dress.sheet, length), chin)
        parts.append(_hung(surface, "hair_deep", "back", chains, chin, skeleton))
    if style.hair == "long":
        parts += build_pins(head, skeleton, chin)
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
    back = float(np.interp(-y, [0.05, 0.10, 0.18, 0.28, 0.42], [-0.074, -0.106, -0.134, -0.138, -0.124]))
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


def _wisps(head: Head) -> list[Lock]:
    """Return thin strands over the middle of the forehead."""
    tips = (
        ((4, 0.188, 0.013), (-3, 0.170, 0.014), (-9, 0.152, 0.011), (-11, 0.142, 0.008)),
        ((6, 0.186, 0.012), (9, 0.170, 0.013), (8, 0.156, 0.011), (5, 0.146, 0.008)),
        ((2, 0.188, 0.013), (-11, 0.172, 0.014), (-21, 0.152, 0.012), (-25, 0.138, 0.009)),
    )
    return [Lock(np.vstack([_root(head, 0.050), over(head, *steps)]), 0.0058) for steps in tips]


def build_pins(head: Head, skeleton: Skeleton, chin: float) -> list[Part]:
    """Return two hair slides at the figure's left temple."""
    parts = []
    for y in (0.166, 0.154):
        path = over(head, (47, y + 0.004, 0.024), (54, y, 0.027), (61, y - 0.005, 0.028))
        steps = np.ones(len(path))
        bar = tube(path, head.round_normals(path), steps * 0.0026, steps * 0.0022, 8)
        parts.append(skeleton.rigid(_raised(bar, chin), "accent", "head"))
    return parts


def _root(head: Head, z: float) -> Array:
    """Return where a lock leaves the parting on top of the head."""
    y = float(np.interp(z, [-0.02, 0.0, 0.02, 0.035, 0.052], [0.235, 0.237, 0.233, 0.227, 0.212]))
    return at(head, (_PART, y, z))


def _front_lock(head: Head, side: int, tip: float) -> Lock:
    """Return the long lock in front of a shoulder."""
    s = side
    path = np.vstack([
        _root(head, 0.008),
        over(head, (s * 58, 0.194, 0.014), (s * 80, 0.150, 0.023), (s * 82, 0.090, 0.025)),
        at(head, (s * 0.093, 0.030, 0.020), (s * 0.093, -0.035, 0.046), (s * 0.081, -0.100, 0.088), (s * 0.078, -0.165, 0.116), (s * 0.062, tip, 0.128)),
    ])  # fmt: skip
    return Lock(path, 0.0235, blunt=0.5, swings=f"front_{'left' if s > 0 else 'right'}")


def _back_lock(head: Head, degrees: float, tip: float, width: float) -> Lock:
    """Return a lock from the crown down the back."""
    path = np.vstack([
        at(head, (0.004, 0.231, -0.012)),
        over(head, (degrees, 0.202, 0.012), (degrees, 0.150, 0.020), (degrees, 0.090, 0.024), (degrees, 0.030, 0.025)),
        at(head, _fall(degrees, -0.055), _fall(degrees, -0.16), _fall(degrees, -0.28), _fall(degrees, tip)),
    ])  # fmt: skip
    return Lock(path, width, blunt=0.62, swings="back")


def _long(head: Head) -> Hairdo:
    """Return long hair with a parted fringe."""
    locks = [
        *_curtain_locks(head, 1),
        *_curtain_locks(head, -1),
        *_wisps(head),
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
        at(head, (0.010, 0.231, -0.008)),
        over(
            head, (degrees, 0.200, 0.016), (degrees, 0.150, 0.022), (degrees, 0.090, 0.024),
            (degrees, 0.035, 0.027), (degrees, 0.000, 0.024), (degrees, tip, 0.006),
        ),
    ])  # fmt: skip
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
    return [Lock(np.vstack([_side_root(head, z), over(head, *steps)]), width) for z, width, steps in sweep]


def _side_root(head: Head, z: float) -> Array:
    """Return where a lock leaves the parting at the figure's left."""
    y = float(np.interp(z, [0.0, 0.02, 0.035, 0.050], [0.234, 0.230, 0.223, 0.207]))
    return at(head, (0.030 - 0.12 * max(0.03 - z, 0), y, z))


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
        points = scalp(
            head, np.full(3, degrees), np.array([_SWING_TOP, 0.0, -0.034]), np.array([0.022, 0.020, 0.006])
        )
        chains.append(Chain(f"hair_back_{i}", "head", points, 1.3, 0.5, 0.012))
    return Hairdo(locks, np.array(rows), chains)


# ------------------------------------------------------------------ short, swept to the side


def _short(head: Head) -> Hairdo:
    """Return short hair: a swept fringe, layers from the crown, close sides."""
    fringe = [
        (0.048, 0.0125, ((26, 0.188, 0.011), (14, 0.176, 0.016), (0, 0.156, 0.016), (-9, 0.140, 0.012))),
        (0.044, 0.0155, ((20, 0.196, 0.011), (-6, 0.182, 0.017), (-26, 0.158, 0.018), (-36, 0.136, 0.013))),
        (0.036, 0.0165, ((10, 0.204, 0.011), (-24, 0.186, 0.017), (-46, 0.158, 0.018), (-56, 0.128, 0.012))),
        (0.024, 0.0175, ((0, 0.212, 0.010), (-40, 0.188, 0.016), (-64, 0.156, 0.019), (-73, 0.116, 0.012))),
        (0.046, 0.0120, ((38, 0.186, 0.010), (43, 0.170, 0.014), (43, 0.152, 0.014), (38, 0.136, 0.010))),
        (0.038, 0.0150, ((46, 0.190, 0.010), (57, 0.168, 0.015), (62, 0.142, 0.015), (60, 0.116, 0.011))),
        (0.024, 0.0165, ((54, 0.194, 0.010), (70, 0.164, 0.016), (77, 0.128, 0.015), (76, 0.094, 0.008))),
    ]
    locks = [
        Lock(np.vstack([_side_root(head, z), over(head, *steps)]), width, flat=0.40)
        for z, width, steps in fringe
    ]
    locks += [_layer(head, float(a)) for a in np.linspace(78, 282, 14)]
    locks += [_tuft(head, float(a), 0.135, 0.078) for a in np.linspace(100, 260, 12)]
    locks += [_tuft(head, float(a), 0.088, 0.036) for a in np.linspace(132, 228, 8)]
    locks += [_tuft(head, s * 79.0, 0.130, 0.082) for s in (1, -1)]
    return Hairdo(locks, None, [])


def _layer(head: Head, degrees: float) -> Lock:
    """Return a lock from the crown to the widest part of the head."""
    swirl = 6 * np.sin(degrees)
    end = 0.118 + 0.010 * np.sin(degrees * 1.7)
    path = np.vstack([
        at(head, (0.006, 0.227, -0.018)),
        over(head, (degrees + swirl, 0.206, 0.013), (degrees + swirl, 0.168, 0.019), (degrees - swirl, end, 0.011)),
    ])  # fmt: skip
    return Lock(path, 0.0200, flat=0.32, blunt=0.5)


def _tuft(head: Head, degrees: float, start: float, end: float) -> Lock:
    """Return a short lock that lies on the hair below it."""
    swirl = 7 * np.sin(degrees)
    middle = (start + end) / 2
    path = over(
        head, (degrees, start + 0.022, 0.006), (degrees + swirl * 0.4, start, 0.014),
        (degrees + swirl, middle, 0.014), (degrees + 1.6 * swirl, end, 0.004),
    )  # fmt: skip
    return Lock(path, 0.0165, flat=0.28, blunt=0.45)
