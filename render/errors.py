"""What can go wrong while she is drawn."""

from __future__ import annotations


class RenderError(Exception):
    """Base of everything render/ raises on purpose."""


class VrmError(RenderError):
    """An avatar or animation file that is broken, hostile, too large or not decodable."""


class NoGraphicsError(RenderError):
    """This machine has no usable OpenGL library."""


class BadRequestError(RenderError):
    """A request that names an unknown figure, framing, format or value out of range."""
