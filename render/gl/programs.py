"""Shader programs: which variant a material needs, and quick access to its uniforms."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from OpenGL.GL import (
    GL_TRUE,
    glGetUniformLocation,
    glUniform1f,
    glUniform1i,
    glUniform3f,
    glUniform4fv,
    glUniformMatrix4fv,
)
from pyrender.shader_program import ShaderProgramCache

from render.vrm.materials import Material

SHADERS: Final = Path(__file__).parent

SLOTS: Final = ("base", "shade", "shift", "emissive", "rim", "normal", "outline", "uv_mask")
"""Texture slots with a placement, in the order of the shader's `surface` rows 8..15."""
_MAPS: Final = {
    "base": "BASE_MAP",
    "shade": "SHADE_MAP",
    "shift": "SHIFT_MAP",
    "emissive": "EMISSIVE_MAP",
    "rim": "RIM_MAP",
    "matcap": "MATCAP_MAP",
    "normal": "NORMAL_MAP",
    "outline": "OUTLINE_MAP",
    "uv_mask": "MASK_MAP",
}


def sampler_name(slot: str) -> str:
    """Return the shader's name of a texture slot's sampler."""
    return _MAPS[slot].lower()


class Program:
    """A linked program; uniforms it does not have are silently skipped."""

    def __init__(self, program: Any) -> None:
        if not program._in_context():
            program._add_to_context()
        self._program = program
        self._locations: dict[str, int] = {}

    def use(self) -> None:
        """Make it the current program."""
        self._program._bind()

    def integer(self, name: str, value: int) -> None:
        """Set an int or a sampler's unit."""
        if (location := self._location(name)) >= 0:
            glUniform1i(location, value)

    def number(self, name: str, value: float) -> None:
        """Set a float."""
        if (location := self._location(name)) >= 0:
            glUniform1f(location, value)

    def vector(self, name: str, value: tuple[float, float, float]) -> None:
        """Set a vec3."""
        if (location := self._location(name)) >= 0:
            glUniform3f(location, *value)

    def rows(self, name: str, value: npt.NDArray[np.float32]) -> None:
        """Set an array of vec4 from (n, 4) floats."""
        if (location := self._location(name)) >= 0:
            glUniform4fv(location, len(value), value)

    def matrix(self, name: str, value: npt.NDArray[np.float64]) -> None:
        """Set a mat4 from a row-major (4, 4) array."""
        if (location := self._location(name)) >= 0:
            glUniformMatrix4fv(location, 1, GL_TRUE, np.ascontiguousarray(value, np.float32))

    def _location(self, name: str) -> int:
        location = self._locations.get(name)
        if location is None:
            location = self._locations[name] = int(glGetUniformLocation(self._program._program_id, name))
        return location


class Programs:
    """All variants compiled so far, kept by pyrender's shader cache."""

    def __init__(self) -> None:
        self.cache = ShaderProgramCache(shader_dir=str(SHADERS))
        self._programs: dict[tuple[str, ...], Program] = {}

    def of(self, material: Material, *, outline: bool, rim: bool, tinted: bool = False) -> Program:
        """Return the variant for a material's surface or its outline.

        Args:
            material: The material.
            outline: Its outline is drawn.
            rim: Its rim colour is not black.
            tinted: The mesh has vertex colours, which count for all but MToon.
        """
        defines = defines_of(material, outline=outline, rim=rim, tinted=tinted)
        if defines not in self._programs:
            wanted = dict.fromkeys(defines, 1)
            self._programs[defines] = Program(
                self.cache.get_program("toon.vert", "toon.frag", defines=wanted)
            )
        return self._programs[defines]


def defines_of(material: Material, *, outline: bool, rim: bool, tinted: bool = False) -> tuple[str, ...]:
    """Return the shader switches of a material; fewer switches make faster pictures."""
    textures = material.textures
    shared = material.kind == "mtoon" and "base" in textures and textures["base"] == textures.get("shade")
    unused = set() if outline else {"outline"}
    if shared:
        unused.add("shade")
    defines = [_MAPS[slot] for slot in textures if slot not in unused]
    defines += [f"KIND_{material.kind.upper()}", f"ALPHA_{material.alpha_mode}"]
    switches = {
        "IS_OUTLINE": outline,
        "OUTLINE_UNLIT": outline and material.outline_lighting_mix == 0.0,
        "SHADE_IS_BASE": shared,
        "HAS_RIM": rim or "matcap" in material.textures,
        "VERTEX_TINT": tinted and material.kind != "mtoon",
        "MOVING_UV": any(material.uv_speed),
        "TURNED_UV": any(texture.rotation for texture in textures.values()),
    }
    return tuple(sorted([*defines, *(name for name, wanted in switches.items() if wanted)]))
