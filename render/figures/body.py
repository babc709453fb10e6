"""The body under the clothes: fields for torso, arms and legs, and the weights that move them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from render.figures.bones import arm_points, lowered
from render.figures.curves import Array, ease
from render.figures.field import Field, ball, grown, limb, soft_maximum, soft_minimum, union
from render.figures.skeleton import Skeleton, chain_shares
from render.figures.style import Frame

_SIDES = (("left", 1.0), ("right", -1.0))
_SPINE = ("hips", "spine", "chest", "upperChest", "neck", "head")


@dataclass(frozen=True, slots=True)
class Body:
    """Fields of one body in the sculpting pose (arms lowered), world metres."""

    frame: Frame

    @property
    def k(self) -> float:
        """Height relative to the first woman's."""
        return self.frame.chin / 1.438

    def torso(self) -> Field:
        """Return chest, waist, hips and the slope of the shoulders, without arms."""
        f, k = self.frame, self.k
        broad = f.shoulder / 0.134
        x, y = f.shoulder - 0.012, f.chin - 0.124 * k
        parts = [
            ball((0, 1.215 * k, -0.014), (0.122 * broad, 0.150 * k, 0.088 * k)),
            ball((0, 1.070 * k, -0.008), (f.waist, 0.150 * k, 0.076 * k)),
            ball((0, 0.925 * k, -0.012), (f.hip, 0.125 * k, 0.104 * k)),
            limb(np.array([0, y + 0.020, -0.016]), np.array([x, y, -0.014]), 0.046 * k, 0.036 * k),
            limb(np.array([0, y + 0.020, -0.016]), np.array([-x, y, -0.014]), 0.046 * k, 0.036 * k),
            self._neck(),
        ]
        body = union(parts, 0.075)
        chest = self._bust() if f.bust else self._pectorals()
        return lambda p: soft_minimum(body(p), chest(p), 0.045)

    def _neck(self) -> Field:
        """Return the root of the neck with the slope to the shoulders."""
        k, r = self.k, self.frame.neck
        return limb(np.array([0, 1.300 * k, -0.022]), np.array([0, 1.400 * k, -0.018]), r * 1.45, r * 0.9)

    def _bust(self) -> Field:
        """Return a modest bust."""
        size = 0.85 + 0.15 * self.frame.bust
        return union(
            [ball((s * 0.056, 1.215, 0.046), (0.058 * size, 0.062 * size, 0.048 * size)) for _, s in _SIDES],
            0.03,
        )

    def _pectorals(self) -> Field:
        """Return a flat, broad chest."""
        k = self.k
        return union([ball((s * 0.070, 1.255 * k, 0.040), (0.085, 0.070, 0.040)) for _, s in _SIDES], 0.04)

    def arm(self, side: float, grow: float = 0.0, length: float = 1.0) -> Field:
        """Return one arm or sleeve.

        Args:
            side: 1 left, -1 right.
            grow: Metres of cloth and air around the skin; a sleeve has folds at the elbow.
            length: Where it is cut, as a share of the way from shoulder to wrist.
        """
        f = self.frame
        shoulder, elbow, wrist = lowered(f, arm_points(f)) * [side, 1, 1]
        shoulder = shoulder - np.array([side * 0.006, 0.004, 0.0])
        t = f.limb
        limbs = union(
            [
                limb(shoulder, elbow, 0.0415 * t + grow * 0.6, 0.0335 * t + grow),
                limb(elbow, wrist, 0.0340 * t + grow, 0.0225 * t + grow * 0.9),
            ],
            0.02,
        )
        end = float(np.linalg.norm(wrist - shoulder)) * length
        mirror = np.array([side, 1.0, 1.0])

        def distance(points: Array) -> Array:
            along = along_arm(f, points * mirror)
            folds = grow * 0.07 * _sleeve_folds(points * mirror, along, end)
            return soft_maximum(limbs(points) + folds, along - end, 0.008)

        return distance

    def upper(self, grow: float = 0.0, length: float = 1.0) -> Field:
        """Return torso and both arms in one, `grow` metres above the skin."""
        sleeves = [self.arm(1.0, grow, length), self.arm(-1.0, grow, length)]
        return union([grown(self.torso(), grow), *sleeves], 0.040)


def upper_shares(body: Body, skeleton: Skeleton, points: Array) -> dict[str, Array]:
    """Return the shares of a surface around torso and arms, points in the sculpting pose."""
    spine = chain_shares(points[:, 1], _SPINE, tuple(skeleton.positions[b][1] for b in _SPINE[1:]), 0.05)
    torso = body.torso()(points)
    total = dict(spine)
    for side, sign in _SIDES:
        on = points[:, 0] * sign
        along = along_arm(body.frame, points * [sign, 1, 1])
        share = (
            ease(torso - body.arm(sign)(points), -0.045, 0.050)
            * ease(along, -0.05, 0.045)
            * ease(on, 0.03, 0.07)
        )
        for name in total:
            total[name] = total[name] * (1 - share)
        chain = chain_shares(along, _arm_bones(side), _arm_stops(body), 0.035)
        total |= {bone: value * share for bone, value in chain.items()}
    return total


def _arm_bones(side: str) -> tuple[str, ...]:
    """Return the names of an arm's bones."""
    return f"{side}UpperArm", f"{side}LowerArm", f"{side}Hand"


def _arm_stops(body: Body) -> tuple[float, ...]:
    """Return where elbow and wrist lie along the arm, metres from the shoulder joint."""
    points = arm_points(body.frame)
    return float(points[1][0] - points[0][0]), float(points[2][0] - points[0][0]) + 0.02


def along_arm(frame: Frame, points: Array) -> Array:
    """Return how far points lie along the lowered left arm, metres from the shoulder joint."""
    shoulder, _, wrist = lowered(frame, arm_points(frame))
    axis = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    return np.asarray((points - shoulder) @ axis)


def _sleeve_folds(points: Array, along: Array, end: float) -> Array:
    """Return folds of a left sleeve, -1 to 1, strongest at the elbow and above the cuff."""
    twist = points[:, 2] * 34 + points[:, 0] * 18
    elbow = np.exp(-(((along - end * 0.54) / 0.055) ** 2)) * np.sin(along * 120 + twist)
    cuff = np.exp(-(((along - end * 0.90) / 0.045) ** 2)) * np.sin(along * 130 - twist)
    return np.asarray(elbow + 0.8 * cuff)


def leg_shares(skeleton: Skeleton, points: Array) -> dict[str, Array]:
    """Return the shares of a surface around hips and legs."""
    at = skeleton.positions
    lower = ease(points[:, 1], at["leftUpperLeg"][1] + 0.05, at["leftUpperLeg"][1] - 0.07)
    spine = chain_shares(points[:, 1], ("hips", "spine"), (at["spine"][1],), 0.05)
    total = {bone: share * (1 - lower) for bone, share in spine.items()}
    for side, sign in _SIDES:
        share = lower * ease(points[:, 0] * sign, -0.015, 0.015)
        bones = (f"{side}UpperLeg", f"{side}LowerLeg", f"{side}Foot")
        stops = at[bones[1]][1], at[bones[2]][1] - 0.01
        total |= {
            bone: value * share for bone, value in chain_shares(points[:, 1], bones, stops, 0.045).items()
        }
    return total
