"""What a body does at one moment, independent of whose body it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from render.rotations import Quaternion


@dataclass(frozen=True, slots=True)
class Motion:
    """A moment of a clip, laid over a standing pose.

    `turns` replace the pose's normalised rotations of bones by a share of `hold` (0..1), `nudges` are
    added to them. `hips` moves
    the hips (x, y, z), in shares of their height above the ground. `grounded` lifts or lowers the body
    so that the lower foot stands where it stood. `expressions` are weights 0..1, `gaze` a (yaw, pitch)
    away from the viewer that replaces the pose's.
    """

    turns: Mapping[str, Quaternion] = field(default_factory=dict)
    nudges: Mapping[str, Quaternion] = field(default_factory=dict)
    hold: float = field(default=1.0, kw_only=True)
    hips: tuple[float, float, float] = (0.0, 0.0, 0.0)
    grounded: bool = False
    expressions: Mapping[str, float] = field(default_factory=dict)
    gaze: tuple[float, float] | None = None


STILL = Motion()


class Clip(Protocol):
    """Something that can be played: our own clips and the operator's files."""

    @property
    def duration_s(self) -> float:
        """How long it is, in seconds."""
        ...

    @property
    def loops(self) -> bool:
        """Whether its end flows into its beginning."""
        ...

    def sample(self, seconds: float) -> Motion:
        """Return the motion at a time of 0..duration_s."""
        ...
