"""Her emotes and idles: short clips written by code, for any humanoid.

Names are ids; how they are called and described to people and models is data of the bot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from render import rotations
from render.limbs import SIDES, Turns, arm, fingers, leg, swell, wave, wrist
from render.motion import Motion
from render.rotations import Quaternion

_EASE_S: Final = 0.45
_OPEN: Final = (0.0, 0.02, 0.05, 0.08)
_FIST: Final = (1.0, 1.0, 1.0, 1.0)

euler = rotations.euler


@dataclass(frozen=True, slots=True)
class WrittenClip:
    """A clip given by a function of time.

    `best_s` is the moment a still is taken of. A clip that does not loop by itself rises out of the
    standing pose and sinks back into it, so that it can be repeated all the same.
    """

    duration_s: float
    body: Callable[[float], Motion]
    loops: bool
    best_s: float

    def sample(self, seconds: float) -> Motion:
        """Return the motion at a time of 0..duration_s."""
        motion = self.body(seconds)
        if self.loops:
            return motion
        hold = min(
            swell(seconds, 0.0, _EASE_S), 1.0 - swell(seconds, self.duration_s - _EASE_S, self.duration_s)
        )
        return faded(motion, hold)


def faded(motion: Motion, hold: float) -> Motion:
    """Return a motion that counts only by `hold` (0..1); what is left is the standing pose."""
    x, y, z = motion.hips
    return replace(
        motion,
        nudges={bone: _shared(turn, hold) for bone, turn in motion.nudges.items()},
        hips=(x * hold, y * hold, z * hold),
        expressions={name: weight * hold for name, weight in motion.expressions.items()},
        hold=motion.hold * hold,
    )


def _shared(turn: Quaternion, share: float) -> Quaternion:
    return rotations.slerp(rotations.IDENTITY, turn, share)


def _breath(seconds: float, period_s: float = 4.0) -> Mapping[str, Quaternion]:
    air = wave(seconds, period_s)
    return {
        "chest": euler(x=-0.9 * air),
        "neck": euler(x=0.5 * air),
        "leftShoulder": euler(z=0.9 * air),
        "rightShoulder": euler(z=-0.9 * air),
    }


def _greeting(seconds: float) -> Motion:
    swing = wave(seconds, 0.62)
    turns: Turns = (
        arm("right", out=66.0, front=18.0, twist=-92.0, bend=104.0 + 17.0 * swing)
        | wrist("right", forwards=-8.0 * swing)
        | fingers("right", thumb=0.0, curls=_OPEN, fan=7.0)
    )
    nudges = {"head": euler(x=-1.0, z=4.0 + 1.5 * swing), "spine": euler(z=1.5), "chest": euler(y=-4.0)}
    return Motion(turns, nudges, expressions={"happy": 0.7})


def _peace_sign(seconds: float) -> Motion:
    bounce = wave(seconds, 0.8)
    turns: Turns = (
        arm("right", out=38.0, front=26.0, twist=-58.0, bend=136.0 + 3.0 * bounce)
        | wrist("right", turn=-26.0)
        | fingers("right", thumb=0.95, curls=(0.0, 0.0, 0.95, 1.0), fan=13.0)
    )
    nudges = {
        "head": euler(y=-3.0, z=7.0 + bounce),
        "chest": euler(y=-5.0, z=2.0),
        "hips": euler(z=2.0),
    }
    return Motion(turns, nudges, grounded=True, expressions={"happy": 0.6})


def _shoot(seconds: float) -> Motion:
    kick = swell(seconds, 1.2, 1.26) * (1.0 - swell(seconds, 1.3, 1.75))
    turns: Turns = (
        arm("right", out=24.0, front=74.0 + 12.0 * kick, twist=-4.0, bend=20.0 + 22.0 * kick)
        | wrist("right", forwards=-6.0 + 18.0 * kick)
        | fingers("right", thumb=0.0, curls=(0.0, 0.95, 1.0, 1.0))
        | arm("left", out=34.0, front=-14.0, twist=62.0, bend=96.0)
        | fingers("left", thumb=0.6, curls=_FIST)
    )
    nudges = {
        "chest": euler(x=-4.0 * kick, y=10.0),
        "head": euler(x=-3.0 * kick, y=-8.0, z=5.0),
        "hips": euler(y=6.0),
    }
    return Motion(turns, nudges, grounded=True, expressions={"happy": 0.5})


def _spin(seconds: float) -> Motion:
    around = 360.0 * swell(seconds, 0.35, 1.75)
    lift = swell(seconds, 0.2, 0.7) * (1.0 - swell(seconds, 1.4, 1.9))
    turns: Turns = {}
    for side in SIDES:
        turns |= arm(side, out=14.0 + 46.0 * lift, bend=16.0 + 14.0 * lift)
    nudges = {"hips": euler(y=around), "head": euler(z=-3.0 * lift), "chest": euler(x=-3.0 * lift)}
    return Motion(turns, nudges, expressions={"happy": 0.7 * lift + 0.3})


def _model_pose(seconds: float) -> Motion:
    sway = wave(seconds, 3.0)
    turns: Turns = (
        arm("left", out=38.0, front=-12.0, twist=74.0, bend=104.0)
        | wrist("left", down=-20.0)
        | fingers("left", thumb=0.3, curls=(0.3, 0.35, 0.4, 0.45))
        | arm("right", out=20.0, front=4.0, twist=-10.0, bend=24.0)
        | leg("right", front=10.0, out=2.0, bend=20.0, toes=-4.0)
        | leg("left", out=-3.0, toes=8.0)
    )
    nudges = {
        "hips": euler(y=-12.0, z=5.0),
        "spine": euler(y=4.0, z=-6.0),
        "chest": euler(y=3.0, z=-2.0),
        "head": euler(x=-3.0, y=6.0 + 3.0 * sway, z=4.0),
    }
    return Motion(turns, nudges, grounded=True, expressions={"relaxed": 0.4})


def _squat(seconds: float) -> Motion:
    depth = swell(seconds, 0.3, 1.0) * (1.0 - swell(seconds, 1.2, 1.9))
    depth += swell(seconds, 1.9, 2.6) * (1.0 - swell(seconds, 2.8, 3.4))
    turns: Turns = {}
    for side in SIDES:
        turns |= leg(side, front=88.0 * depth, out=14.0 * depth, bend=112.0 * depth, toes=12.0)
        turns |= arm(side, out=12.0, front=78.0 * depth, bend=16.0)
    nudges = {"spine": euler(x=16.0 * depth), "chest": euler(x=6.0 * depth), "neck": euler(x=-14.0 * depth)}
    return Motion(turns, nudges, hips=(0.0, 0.0, -0.2 * depth), grounded=True)


def _show_full_body(seconds: float) -> Motion:
    side = swell(seconds, 0.3, 0.9) - 2.0 * swell(seconds, 1.4, 2.2) + swell(seconds, 2.7, 3.3)
    turns: Turns = {}
    for name in SIDES:
        turns |= arm(name, out=30.0, front=6.0, twist=-20.0, bend=22.0)
        turns |= fingers(name, thumb=0.0, curls=_OPEN, fan=4.0)
    nudges = {
        "hips": euler(y=46.0 * side),
        "head": euler(y=-28.0 * side, z=2.0),
        "chest": euler(y=-6.0 * side),
    }
    return Motion(turns, nudges, grounded=True, expressions={"happy": 0.5})


def _breathe(seconds: float) -> Motion:
    return Motion(nudges={**_breath(seconds), "head": euler(y=1.5 * wave(seconds, 4.0, 0.2))})


def _sway(seconds: float) -> Motion:
    lean = wave(seconds, 4.0)
    nudges = {
        **_breath(seconds, 2.0),
        "hips": euler(z=1.8 * lean),
        "spine": euler(z=-2.6 * lean),
        "head": euler(y=2.0 * lean, z=1.5 * wave(seconds, 4.0, 0.15)),
    }
    return Motion(nudges=nudges, grounded=True)


def _look_around(seconds: float) -> Motion:
    side = swell(seconds, 0.4, 1.1) - 2.0 * swell(seconds, 2.0, 3.0) + swell(seconds, 3.9, 4.6)
    nudges = {**_breath(seconds, 2.5), "neck": euler(y=7.0 * side), "head": euler(x=-1.0, y=11.0 * side)}
    return Motion(nudges=nudges, gaze=(34.0 * side, -2.0))


def _shift_weight(seconds: float) -> Motion:
    over = swell(seconds, 0.5, 1.5) * (1.0 - swell(seconds, 3.3, 4.3))
    nudges = {
        **_breath(seconds, 2.5),
        "hips": euler(z=-5.0 * over),
        "spine": euler(z=6.5 * over),
        "leftUpperLeg": euler(z=3.5 * over),
        "rightUpperLeg": euler(z=6.0 * over),
        "head": euler(z=-3.5 * over),
    }
    return Motion(nudges=nudges, grounded=True)


def _hands_behind(seconds: float) -> Motion:
    lean = wave(seconds, 5.0)
    turns: Turns = {}
    for side in SIDES:
        turns |= arm(side, out=17.0, front=-30.0, twist=58.0, bend=44.0)
    nudges = {
        **_breath(seconds, 2.5),
        "chest": euler(x=-3.0),
        "spine": euler(z=1.6 * lean),
        "head": euler(z=-2.0 * lean),
    }
    return Motion(turns, nudges)


_SYLLABLES: Final = ("aa", "ih", "ou", "ee", "oh")


def _talking(seconds: float) -> Motion:
    beat = seconds / 0.16
    opening = max(0.0, wave(seconds, 0.32))
    spoken = _SYLLABLES[int(beat / 2 * 3) % len(_SYLLABLES)]
    nudges = {
        **_breath(seconds, 1.28),
        "head": euler(x=1.6 * wave(seconds, 0.64), y=2.0 * wave(seconds, 2.56), z=1.5 * wave(seconds, 1.28)),
        "rightLowerArm": euler(y=10.0 + 5.0 * wave(seconds, 1.28)),
    }
    return Motion(nudges=nudges, expressions={spoken: 0.7 * opening})


IDLES: Final[Mapping[str, WrittenClip]] = {
    "breathe": WrittenClip(4.0, _breathe, True, 1.0),
    "sway": WrittenClip(4.0, _sway, True, 1.0),
    "look_around": WrittenClip(5.0, _look_around, True, 1.6),
    "shift_weight": WrittenClip(5.0, _shift_weight, True, 2.4),
    "hands_behind": WrittenClip(5.0, _hands_behind, True, 1.2),
}
"""What she does while nothing happens; resting stills take their pose from one of them."""

TALKING: Final[Mapping[str, WrittenClip]] = {"talking": WrittenClip(2.56, _talking, True, 0.08)}

EMOTES: Final[Mapping[str, WrittenClip]] = {
    "show_full_body": WrittenClip(3.6, _show_full_body, False, 1.1),
    "greeting": WrittenClip(2.6, _greeting, False, 1.24),
    "peace_sign": WrittenClip(2.4, _peace_sign, False, 1.2),
    "shoot": WrittenClip(2.6, _shoot, False, 1.0),
    "spin": WrittenClip(2.2, _spin, False, 0.9),
    "model_pose": WrittenClip(3.0, _model_pose, False, 1.5),
    "squat": WrittenClip(3.6, _squat, False, 1.1),
}
"""What she can be asked to do."""

CLIPS: Final[Mapping[str, WrittenClip]] = {**IDLES, **TALKING, **EMOTES}
