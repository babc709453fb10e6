"""Worn open over the rest: cardigan, long coat, jacket."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.bones import arm_points, lowered
from render.figures.curves import Array, ease, profile
from render.figures.details import build_buttons, build_flap
from render.figures.field import Field, ball, grown, limb, polygonise, soft_maximum, soft_minimum
from render.figures.lower import leg_or_hips
from render.figures.mesh import Part, slab
from render.figures.springs import Chain, ring_shares
from render.figures.tailor import (
    AHEAD,
    DOWN,
    UPWARDS,
    Tailor,
    above,
    band,
    below,
    cast,
    front_opening,
    hoop,
    ribbed,
    without,
)

_CELL = (0.0130, 0.0190, 0.0130)
_CUT = 0.985
"""Where sleeves end, as a share of the way to the wrist."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How a garment is cut; heights and widths for the first woman, metres.

    Attributes:
        grow: Cloth and air around the skin.
        loose: How much wider it is at the hips.
        hem: Height of its lower edge.
        heights: Heights at which the next two are given.
        opening: Half the width of the front opening.
        border: Half the width of band or lapel along the opening, from hem to neck.
        collar: Half the width of the border around the neck.
        neck: Radius of the neck hole.
        ribbed: Hem and cuffs have bands of their own.
        pocket: From where to where the pockets' flaps reach, sideways.
        pocket_height: Their height.
    """

    grow: float
    loose: float
    hem: float
    heights: tuple[float, ...]
    opening: tuple[float, ...]
    border: tuple[float, ...]
    collar: float
    neck: float
    ribbed: bool
    pocket: tuple[float, float]
    pocket_height: float


CARDIGAN = Cut(
    0.011, 0.012, 0.880, (0.86, 1.10, 1.25, 1.33, 1.40), (0.070, 0.056, 0.054, 0.058, 0.058),
    (0.0125, 0.0125, 0.0125, 0.0125, 0.0125), 0.0125, 0.062, True, (0.088, 0.132), 0.960,
)  # fmt: skip
COAT = Cut(
    0.016, 0.006, 1.008, (0.86, 1.08, 1.20, 1.33, 1.40), (0.030, 0.020, 0.034, 0.060, 0.060),
    (0.010, 0.010, 0.026, 0.034, 0.030), 0.026, 0.069, False, (0.075, 0.135), 0.905,
)  # fmt: skip
JACKET = Cut(
    0.013, 0.006, 0.815, (0.80, 1.02, 1.18, 1.33, 1.40), (0.075, 0.040, 0.040, 0.058, 0.060),
    (0.009, 0.010, 0.026, 0.030, 0.026), 0.020, 0.071, False, (0.082, 0.132), 0.905,
)  # fmt: skip


def _widened(tailor: Tailor, cut: Cut, fitted: Field) -> Field:
    """Return a garment made looser towards the hips."""
    k = tailor.k

    def distance(points: Array) -> Array:
        wide = ease(points[:, 1], 1.16 * k, 0.93 * k) * ease(np.abs(points[:, 0]), 0.24, 0.18)
        return fitted(points) - cut.loose * wide

    return distance


def _worn(tailor: Tailor, cut: Cut) -> Field:
    """Return a garment around torso and arms before it is cut open."""
    fitted = tailor.body.upper(cut.grow, _CUT)
    if cut.hem < 0.86:
        trunk = _trunk(tailor, cut)
        return _widened(tailor, cut, lambda p: soft_minimum(fitted(p), trunk(p), 0.02))
    return _widened(tailor, cut, fitted)


def _trunk(tailor: Tailor, cut: Cut) -> Field:
    """Return the hips as straight as a garment hangs from them."""
    frame, k = tailor.body.frame, tailor.k
    hips = ball((0, 0.875 * k, -0.010), (frame.hip + 0.010, 0.28 * k, 0.112 * k))
    return below(1.02 * k, grown(hips, cut.grow * 0.5), 0.06)


def _around(tailor: Tailor, cut: Cut) -> Field:
    """Return a garment without its sleeves: what bands around the body lie on."""
    return _widened(tailor, cut, grown(tailor.body.torso(), cut.grow))


def _opened(tailor: Tailor, cut: Cut, worn: Field) -> Field:
    """Return a garment cut open in front and around the neck."""
    k = tailor.k
    around = limb(
        np.array([0, 1.20 * k, -0.014]), np.array([0, 1.50 * k, -0.014]), cut.neck * k, cut.neck * k
    )
    neck = below(1.50 * k, above(1.315 * k, around))
    wedge = front_opening(np.array(cut.heights) * k, np.array(cut.opening) * k)
    opened = without(neck, without(wedge, worn))

    def distance(points: Array) -> Array:
        # Sleeves hang lower than a short garment's hem and must not be cut by it.
        sleeve = 2.0 * ease(np.abs(points[:, 0]), 0.20 * k, 0.235 * k)
        return soft_maximum(opened(points), cut.hem * k - points[:, 1] - sleeve, 0.006)

    return distance


def _border(tailor: Tailor, cut: Cut, worn: Field, side: float) -> Part:
    """Return band or lapel of one side: up the front, around the neck."""
    k = tailor.k
    y = np.linspace(cut.hem * k + 0.004, 1.295 * k, 14)
    wide = np.interp(y, np.array(cut.heights) * k, np.array(cut.border) * k)
    x = side * (np.interp(y, np.array(cut.heights) * k, np.array(cut.opening) * k) + wide * 0.9 - 0.005)
    front = np.column_stack([x, y, np.full_like(y, 0.3)])
    angle = np.radians(np.linspace(72, 184, 9))
    radius = cut.neck * k + cut.collar * 0.5 - 0.004
    neck = np.column_stack(
        [side * radius * np.sin(angle), np.full(9, 1.48 * k), radius * np.cos(angle) - 0.014]
    )
    start, along = np.vstack([front, neck]), np.vstack([np.tile(AHEAD, (14, 1)), np.tile(DOWN, (9, 1))])
    widths = np.concatenate([wide, np.full(9, cut.collar * k)])
    surface = band(worn, start, along, widths, 0.0045)
    if cut.ribbed:
        return tailor.on_torso(ribbed(surface, 0.62), "knit_trim")
    return tailor.on_torso(surface, "outer_trim")


def build_jacket(tailor: Tailor, cut: Cut) -> list[Part]:
    """Return a garment worn open with its borders."""
    k, worn = tailor.k, _worn(tailor, cut)
    size = tailor.body.frame.shoulder + 0.33 * k
    low = (-size, min(cut.hem, 0.86) * k - 0.04, -0.18)
    surface = polygonise(_opened(tailor, cut, worn), low, (size, 1.43 * k, 0.18), _CELL)
    parts = [tailor.on_torso(surface, "outer")]
    parts += [_border(tailor, cut, worn, side) for side in (1.0, -1.0)]
    if cut.ribbed:
        centre = np.array([0, cut.hem * k + 0.014, -0.01])
        parts.append(
            tailor.on_torso(
                ribbed(hoop(_around(tailor, cut), centre, UPWARDS, 30.0, (0.018, 0.0035)), 0.80), "knit_trim"
            )
        )
    if cut.pocket_height > cut.hem:
        parts += _pockets(tailor, cut, worn)
    if cut.ribbed:
        places = [(0.067, y) for y in (0.93, 1.01, 1.09)]
        parts.append(build_buttons(tailor, grown(worn, 0.0045), places, 0.0065))
    return parts + _cuffs(tailor, cut)


def _pockets(tailor: Tailor, cut: Cut, cloth: Field) -> list[Part]:
    """Return the flaps of two pockets."""
    height = cut.pocket_height * tailor.k
    return [build_flap(tailor, cloth, side, cut.pocket, height, "outer_trim") for side in (1.0, -1.0)]


def _cuffs(tailor: Tailor, cut: Cut) -> list[Part]:
    """Return bands around the ends of both sleeves, and the shirt's cuffs below them."""
    parts = []
    frame = tailor.body.frame
    for side in (1.0, -1.0):
        shoulder, _, wrist = lowered(frame, arm_points(frame)) * [side, 1, 1]
        axis = wrist - shoulder
        sleeve = tailor.body.arm(side, cut.grow, 1.2)
        if cut.ribbed:
            ring = hoop(sleeve, shoulder + axis * (_CUT - 0.035), axis, 0.0, (0.019, 0.0035))
            parts.append(tailor.on_torso(ribbed(ring, 0.24), "knit_trim"))
        else:
            inner = tailor.body.arm(side, cut.grow * 0.45, 1.2)
            parts.append(
                tailor.on_torso(
                    hoop(inner, shoulder + axis * (_CUT + 0.008), axis, 0.0, (0.012, 0.0030)), "top"
                )
            )
    return parts


_TAIL_Y = np.array([0.42, 0.60, 0.80, 0.92, 0.985, 1.03])
_TAIL_OUT = np.array([0.062, 0.046, 0.030, 0.014, 0.004, 0.002])
COAT_CHAINS = 8


def _tail_ring(tailor: Tailor, degrees: Array, y: float) -> Array:
    """Return points of the coat's tails at one height; above the hips they lie on the coat, below they hang."""
    worn = _around(tailor, COAT)
    angle = np.radians(degrees)
    out = np.column_stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)])
    at = np.array([0.0, max(y, 0.905), -0.010])
    points = cast(worn, at + out * 0.35, -out)
    folds = 0.016 * float(ease(np.array(y), 0.90, 0.45)) * np.cos(angle * 9)
    hung = np.asarray(points + out * (profile(y, _TAIL_Y, _TAIL_OUT) + folds)[:, None])
    hung[:, 1] = y
    return hung


def coat_chains(tailor: Tailor) -> list[Chain]:
    """Return the chains a long coat swings on."""
    chains = []
    for i, degrees in enumerate(np.linspace(25, 335, COAT_CHAINS)):
        points = np.vstack([_tail_ring(tailor, np.array([degrees]), y) for y in (0.90, 0.74, 0.58, 0.425)])
        chains.append(Chain(f"coat_{i}", leg_or_hips(float(degrees)), points, 1.2, 0.55, 0.02, 0.35, "legs"))
    return chains


def build_coat_tails(tailor: Tailor, chains: list[Chain]) -> list[Part]:
    """Return the long part of a coat below its belt, and the belt."""
    degrees = np.linspace(12, 348, 57)
    heights = np.concatenate([np.linspace(1.02, 0.90, 5), np.linspace(0.86, 0.42, 9)])
    points = np.array([_tail_ring(tailor, degrees, float(y)) for y in heights])
    surface = slab(points, points.reshape(-1, 3) * [1, 0, 1], 0.004)
    y = surface.points[:, 1]
    loose = ease(y, 0.90, 0.74)
    spine = ease(y, 0.96, 1.03) * 0.8
    shares = {"hips": (1 - loose) * (1 - spine), "spine": (1 - loose) * spine}
    shares |= ring_shares(surface.points, loose, np.clip((0.90 - y) / 0.48, 0, 1), chains)
    belt = hoop(_around(tailor, COAT), np.array([0, 1.030, -0.01]), UPWARDS, 9.0, (0.021, 0.006))
    pockets = _pockets(tailor, COAT, grown(_around(tailor, COAT), 0.0165))
    return [tailor.skeleton.skinned(surface, "outer", shares), tailor.on_torso(belt, "outer_trim"), *pockets]
