"""Reading avatars: VRM 0.x, VRM 1.0 and plain GLB files, validated before anything else is done."""

from render.errors import VrmError
from render.vrm.model import Model, load

__all__ = ["Model", "VrmError", "load"]
