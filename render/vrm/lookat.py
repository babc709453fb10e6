"""Where she looks: angles to eye bones or to look expressions (VRMC_vrm 1.0 "lookAt")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from render import rotations
from render.rotations import Quaternion
from render.vrm import fields
from render.vrm.fields import Json

_SMALLEST_INPUT = 0.001
"""A maximum of zero is seen in the wild and must not divide (UniVRM 2452)."""


@dataclass(frozen=True, slots=True)
class Range:
    """Maps angles 0..`input_max` (degrees) to 0..`output` (degrees, or a weight)."""

    input_max: float
    output: float

    def map(self, degrees: float) -> float:
        """Return the output for an angle of any sign, always positive."""
        largest = max(self.input_max, _SMALLEST_INPUT)
        return min(abs(degrees), largest) / largest * self.output


@dataclass(frozen=True, slots=True)
class LookAt:
    """How the eyes follow. `inner` is towards the nose, `outer` away from it."""

    kind: Literal["bone", "expression"]
    inner: Range
    outer: Range
    down: Range
    up: Range

    def eyes(self, yaw: float, pitch: float) -> dict[str, Quaternion]:
        """Return normalised eye rotations; yaw is positive to her left, pitch positive downwards."""
        if self.kind != "bone":
            return {}
        tilt = self.down.map(pitch) if pitch > 0 else -self.up.map(pitch)
        turned = {}
        for bone, away in (("leftEye", yaw > 0), ("rightEye", yaw < 0)):
            angle = (self.outer if away else self.inner).map(yaw)
            turned[bone] = rotations.euler(x=tilt, y=angle if yaw > 0 else -angle)
        return turned

    def expressions(self, yaw: float, pitch: float) -> dict[str, float]:
        """Return weights of the look expressions for a model whose eyes have no bones."""
        if self.kind != "expression":
            return {}
        sideways = "lookLeft" if yaw > 0 else "lookRight"
        upright = "lookDown" if pitch > 0 else "lookUp"
        return {
            sideways: self.outer.map(yaw),
            upright: (self.down if pitch > 0 else self.up).map(pitch),
        }


def read_1(extension: Json) -> LookAt | None:
    """Read the lookAt of VRM 1.0, None if there is none."""
    declared = fields.table(extension, "lookAt")
    if not declared:
        return None
    return LookAt(
        "expression" if fields.text(declared, "type") == "expression" else "bone",
        *(
            _range(fields.table(declared, f"rangeMap{name}"), "inputMaxValue", "outputScale")
            for name in ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")
        ),
    )


def read_0(extension: Json) -> LookAt | None:
    """Read the lookAt of VRM 0.x (in its firstPerson), None if there is none; its curves are ignored."""
    declared = fields.table(extension, "firstPerson")
    if not declared:
        return None
    return LookAt(
        "expression" if fields.text(declared, "lookAtTypeName") == "BlendShape" else "bone",
        *(
            _range(fields.table(declared, f"lookAt{name}"), "xRange", "yRange")
            for name in ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")
        ),
    )


def _range(declared: Json, input_key: str, output_key: str) -> Range:
    return Range(fields.number(declared, input_key, 90.0), fields.number(declared, output_key, 10.0))
