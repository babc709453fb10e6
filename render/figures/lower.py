"""Below the waist: skirt, trousers, shoes."""

from __future__ import annotations

import numpy as np

from render.figures.body import Body
from render.figures.curves import Array, ease, profile
from render.figures.field import Field, ball, grown, limb, polygonise, soft_minimum, union
from render.figures.mesh import Part, Surface, sheet
from render.figures.springs import Chain, ring_shares
from render.figures.tailor import UPWARDS, Tailor, above, below, hoop

_SKIRT_Y = np.array([0.33, 0.60, 0.80, 0.925, 1.00, 1.045])
_SKIRT_X = np.array([0.226, 0.204, 0.180, 0.160, 0.126, 0.108])
_SKIRT_Z = np.array([0.200, 0.170, 0.140, 0.115, 0.092, 0.082])
SKIRT_CHAINS = 8


def skirt_wave(angle: Array) -> Array:
    """Return the folds of a skirt around the body, about -1 (valley) to 1 (ridge)."""
    return np.asarray((np.cos(angle * 13 + 0.8 * np.sin(angle * 2)) + 0.3 * np.cos(angle * 5)) / 1.3)


def _skirt_ring(y: float, angle: Array, folds: float) -> Array:
    """Return points of the skirt at one height, (n, 3)."""
    wave = skirt_wave(angle)
    depth = folds * 0.088 * float(ease(np.array(y), 0.96, 0.36))
    reach = 1 + depth * wave
    x, z = profile(y, _SKIRT_Y, _SKIRT_X), profile(y, _SKIRT_Y, _SKIRT_Z)
    return np.column_stack(
        [x * reach * np.sin(angle), np.full_like(angle, y), z * reach * np.cos(angle) - 0.010]
    )


def leg_or_hips(degrees: float) -> str:
    """Return the bone a chain of cloth hangs on: in front and at the sides cloth lies on the thighs."""
    turn = (degrees + 180) % 360 - 180
    if abs(turn) > 115:
        return "hips"
    return "leftUpperLeg" if turn > 0 else "rightUpperLeg"


def skirt_chains() -> list[Chain]:
    """Return the chains a long skirt swings on."""
    chains = []
    for i, degrees in enumerate(np.arange(22.5, 360, 360 / SKIRT_CHAINS)):
        angle = np.radians(degrees)
        points = np.vstack([_skirt_ring(y, np.array([angle]), 0.0) for y in (0.90, 0.71, 0.52, 0.335)])
        chains.append(Chain(f"skirt_{i}", leg_or_hips(float(degrees)), points, 0.9, 0.55, 0.02, 0.35, "legs"))
    return chains


def build_skirt(tailor: Tailor, chains: list[Chain]) -> list[Part]:
    """Return a long skirt with soft folds."""
    angle = np.linspace(0, 2 * np.pi, 84, endpoint=False)
    heights = np.concatenate([np.linspace(1.045, 0.90, 7), np.linspace(0.87, 0.33, 12)])
    points = np.array([_skirt_ring(y, angle, 1.0) for y in heights])
    surface = sheet(points, _away(points), closed=True, uvs=_skirt_uvs(angle, heights))
    y = surface.points[:, 1]
    loose = ease(y, 0.90, 0.72)
    spine = ease(y, 0.98, 1.04) * 0.8
    shares = {"hips": (1 - loose) * (1 - spine), "spine": (1 - loose) * spine}
    shares |= ring_shares(surface.points, loose, np.clip((0.90 - y) / 0.57, 0, 1), chains)
    return [tailor.skeleton.skinned(surface, "skirt", shares), _waistband(tailor)]


def _skirt_uvs(angle: Array, heights: Array) -> Array:
    """Return texture coordinates of the skirt; the picture repeats after half a turn's mirror."""
    v, u = np.meshgrid((heights[0] - heights) / (heights[0] - heights[-1]), angle / np.pi, indexing="ij")
    return np.column_stack([np.minimum(u, 2 - u).ravel(), v.ravel()])


def _away(points: Array) -> Array:
    """Return directions away from the y axis, flattened like the points."""
    flat = points.reshape(-1, 3)
    return flat * [1, 0, 1]


def _waistband(tailor: Tailor) -> Part:
    """Return the belt of the skirt."""
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rows = [(1.018, 0.004), (1.020, 0.008), (1.044, 0.006), (1.048, 0.001)]
    points = []
    for y, out in rows:
        x, z = profile(y, _SKIRT_Y, _SKIRT_X) + out, profile(y, _SKIRT_Y, _SKIRT_Z) + out
        points.append(np.column_stack([x * np.sin(angle), np.full_like(angle, y), z * np.cos(angle) - 0.010]))
    grid = np.array(points)
    return tailor.on_torso(sheet(grid, _away(grid), closed=True), "accent")


def build_trousers(tailor: Tailor, *, hem: float = 0.10) -> list[Part]:
    """Return straight trousers from the waist to the ankle."""
    body, k = tailor.body, tailor.k

    def leg(side: float) -> Field:
        return grown(_creased(_trouser_leg(body, side), side), 0.004)

    both = union([leg(1.0), leg(-1.0)], 0.012)
    hips = grown(body.torso(), 0.009)
    whole = below(1.035 * k, above(hem, lambda p: soft_minimum(hips(p), both(p), 0.05), 0.004), 0.004)
    size = 0.21
    surface = polygonise(whole, (-size, hem - 0.03, -0.16), (size, 1.06 * k, 0.16), (0.0160, 0.0280, 0.0160))
    belt = hoop(grown(body.torso(), 0.010), np.array([0, 1.022 * k, -0.01]), UPWARDS, 0.0, (0.016, 0.0035))
    return [tailor.on_legs(surface, "lower"), tailor.on_torso(belt, "shoe")]


def _trouser_leg(body: Body, side: float) -> Field:
    """Return one leg of the trousers: straighter than the leg inside."""
    k, t = body.k, body.frame.limb**0.5
    x = side * 0.072
    hip, knee, hem = (
        np.array(spot)
        for spot in ((x, 0.860 * k, -0.006), (side * 0.083, 0.470 * k, 0.002), (side * 0.084, 0.060, -0.016))
    )
    thigh = body.frame.hip + 0.003 - 0.072
    return union([limb(hip, knee, thigh, 0.0575 * t), limb(knee, hem, 0.0575 * t, 0.0480 * t)], 0.012)


def _creased(leg: Field, side: float) -> Field:
    """Return a trouser leg with a few folds at knee and ankle."""

    def distance(points: Array) -> Array:
        y = points[:, 1]
        knee = np.exp(-(((y - 0.50) / 0.07) ** 2)) * np.sin(
            y * 110 + points[:, 0] * side * 40 + points[:, 2] * 20
        )
        ankle = np.exp(-(((y - 0.15) / 0.06) ** 2)) * np.sin(y * 90 - points[:, 0] * side * 50)
        return np.asarray(leg(points) + 0.0016 * (knee + ankle))

    return distance


def _shoe(body: Body, side: float, shaft: float) -> Field:
    """Return a shoe; `shaft` is the height of its upper edge."""
    x, s = side * 0.082, body.frame.limb**0.5
    parts = [
        limb(
            np.array([x, 0.080, -0.016]),
            np.array([x + side * 0.003, 0.026, 0.070 * s]),
            0.0320 * s,
            0.0250 * s,
        ),
        ball((x + side * 0.004, 0.016, 0.086 * s), (0.0310 * s, 0.0230, 0.0580 * s)),
        ball((x, 0.030, -0.034), (0.0285 * s, 0.052, 0.0310 * s)),
        limb(np.array([x, 0.085, -0.020]), np.array([x, 0.36, -0.008]), 0.0315 * s, 0.0480 * s),
    ]
    return above(0.0, below(shaft, union(parts, 0.022), 0.004), 0.004)


def build_shoes(tailor: Tailor, *, shaft: float) -> list[Part]:
    """Return a pair of shoes or boots."""
    parts = []
    for side in (1.0, -1.0):
        low = (min(side * 0.02, side * 0.16), -0.01, -0.11)
        high = (max(side * 0.02, side * 0.16), shaft + 0.02, 0.17)
        surface: Surface = polygonise(_shoe(tailor.body, side, shaft), low, high, (0.0125, 0.0145, 0.0140))
        parts.append(tailor.on_legs(surface, "shoe"))
    return parts
