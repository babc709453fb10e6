"""Hair as parts of a figure: locks, backing and slides, tied to the bones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from render.figures.bob_hair import bob_hair
from render.figures.curves import Array, ease
from render.figures.hair import HAIR_LENGTH, backing, build_cap, lock_surface, over
from render.figures.hairdo import SWING_TOP, Hairdo
from render.figures.head import Head
from render.figures.long_hair import long_hair
from render.figures.mesh import Part, Surface, tube
from render.figures.short_hair import short_hair
from render.figures.skeleton import Skeleton
from render.figures.springs import Chain, ring_shares
from render.figures.style import Style


def _moved(points: Array, chin: float) -> Array:
    """Return head coordinates as world coordinates."""
    return np.asarray(points + np.array([0.0, chin, 0.0]))


def hairdo(head: Head, style: Style) -> Hairdo:
    """Return the hair a figure wears."""
    return {"long": long_hair, "bob": bob_hair, "short": short_hair}[style.hair](head)


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
        material = "hair_back" if lock.swings == "back" else "hair"
        parts.append(_hung(surface, material, lock.swings, chains, chin, skeleton))
    if dress.sheet is not None:
        surface = _raised(backing(head, dress.sheet, length), chin)
        parts.append(_hung(surface, "hair_deep", "back", chains, chin, skeleton))
    if style.hair == "long":
        parts += _build_pins(head, skeleton, chin)
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
    loose = ease(y, chin + SWING_TOP + 0.02, chin + SWING_TOP - 0.06)
    low = min(float(chain.points[-1, 1]) for chain in own)
    progress = np.clip((chin + SWING_TOP - y) / (chin + SWING_TOP - low), 0, 1)
    return skeleton.skinned(
        surface, material, {"head": 1 - loose} | ring_shares(surface.points, loose, progress, own)
    )


def _build_pins(head: Head, skeleton: Skeleton, chin: float) -> list[Part]:
    """Return two hair slides at the figure's left temple."""
    parts = []
    for y in (0.166, 0.154):
        path = over(head, (47, y + 0.004, 0.024), (54, y, 0.027), (61, y - 0.005, 0.028))
        steps = np.ones(len(path))
        bar = tube(path, head.round_normals(path), steps * 0.0026, steps * 0.0022, 8)
        parts.append(skeleton.rigid(_raised(bar, chin), "accent", "head"))
    return parts
