"""The default figures: three adults built by code, written as VRM 1.0."""

from __future__ import annotations

from render.figures.figure import write_figure
from render.figures.style import STYLES, Frame, Palette, Style

NAMES: tuple[str, ...] = tuple(STYLES)
"""Names of the figures; the first is the one shown unless somebody chooses another."""


def build(name: str) -> bytes:
    """Return a default figure as the bytes of a .vrm file; equal calls give equal bytes.

    Raises:
        KeyError: No figure has this name.
    """
    return write_figure(STYLES[name])


__all__ = ["NAMES", "STYLES", "Frame", "Palette", "Style", "build", "write_figure"]
