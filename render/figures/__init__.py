"""The default figures: three adults built by code, written as VRM 1.0."""

from __future__ import annotations

from render.figures.figure import write_figure
from render.figures.style import STYLES, Frame, Palette, Style

NAMES: tuple[str, ...] = tuple(STYLES)
"""Names of the figures; the first is the one shown unless somebody chooses another."""

EXPRESSIONS: tuple[str, ...] = (
    *("happy", "angry", "sad", "relaxed", "surprised", "flustered"),
    *("aa", "ih", "ou", "ee", "oh", "blink", "blinkLeft", "blinkRight"),
    *("lookUp", "lookDown", "lookLeft", "lookRight"),
)
"""What every figure can show, known before one is built."""


def build(name: str) -> bytes:
    """Return a default figure as the bytes of a .vrm file; equal calls give equal bytes.

    Raises:
        KeyError: No figure has this name.
    """
    return write_figure(STYLES[name])


__all__ = ["EXPRESSIONS", "NAMES", "STYLES", "Frame", "Palette", "Style", "build", "write_figure"]
