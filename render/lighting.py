"""The light she stands in, by time of day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Lighting:
    """One directional light and an even one; linear colours, `direction` points to the light.

    A directional light of 1.0 shows a fully lit surface in its own colour (it is the intensity pi of
    three.js).
    """

    direction: tuple[float, float, float] = (-0.28, 0.42, 0.86)
    color: tuple[float, float, float] = (0.88, 0.88, 0.88)
    ambient: tuple[float, float, float] = (0.12, 0.12, 0.12)


LIGHTS: Final[Mapping[str | None, Lighting]] = {
    None: Lighting(),
    "morning": Lighting((-0.5, 0.3, 0.8), (0.90, 0.86, 0.80), (0.12, 0.12, 0.13)),
    "day": Lighting(),
    "evening": Lighting((0.5, 0.25, 0.8), (0.88, 0.78, 0.68), (0.12, 0.11, 0.13)),
    "night": Lighting((-0.3, 0.5, 0.8), (0.62, 0.66, 0.78), (0.12, 0.13, 0.17)),
}
"""The light of each time of day; None is an even studio."""
