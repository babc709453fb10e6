"""How surfaces look: MToon 1.0, unlit and plain glTF materials, brought to one form.

MToon 0.x is brought to the same form by `mtoon0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.fields import Json
from render.vrm.textures import Pictures, Texture

Kind = Literal["mtoon", "unlit", "gltf"]
AlphaMode = Literal["OPAQUE", "MASK", "BLEND"]
OutlineMode = Literal["none", "worldCoordinates", "screenCoordinates"]
Color = tuple[float, ...]

BLACK: Final[Color] = (0.0, 0.0, 0.0)
WHITE: Final[Color] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Material:
    """A surface in the terms of VRMC_materials_mtoon 1.0; colours are linear.

    `textures` holds those present under the names base, shade, shift, emissive, rim, matcap, normal,
    outline and uv_mask. `queue` orders transparent surfaces, low first. `outline_width` is in metres
    (world) or shares of half the picture's height (screen). `uv_speed` is scroll u and v per second
    and rotation in radians per second.
    """

    name: str = ""
    kind: Kind = "gltf"
    alpha_mode: AlphaMode = "OPAQUE"
    cutoff: float = 0.5
    double_sided: bool = False
    depth_write: bool = False
    queue: int = 0
    color: Color = (1.0, 1.0, 1.0, 1.0)
    shade: Color = BLACK
    shading_shift: float = 0.0
    shift_scale: float = 1.0
    toony: float = 0.9
    emissive: Color = BLACK
    matcap: Color = WHITE
    rim: Color = BLACK
    rim_power: float = 5.0
    rim_lift: float = 0.0
    rim_lighting_mix: float = 1.0
    outline_mode: OutlineMode = "none"
    outline_width: float = 0.0
    outline: Color = BLACK
    outline_lighting_mix: float = 1.0
    normal_scale: float = 1.0
    uv_speed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    textures: Mapping[str, Texture] = field(default_factory=dict)

    @property
    def has_outline(self) -> bool:
        """Whether a hull is drawn around the surface (never around unlit ones)."""
        return self.kind == "mtoon" and self.outline_mode != "none" and self.outline_width > 0


def read_all(document: Json, extension: Json, pictures: Pictures) -> tuple[Material, ...]:
    """Read the materials; a file without any gets one default material at the end for bare meshes.

    Args:
        document: The glTF document.
        extension: Its VRM 0.x extension, empty in other files.
        pictures: The images of the file.
    """
    from render.vrm import mtoon0

    declared = fields.tables(document, "materials")
    if len(declared) > limits.MAX_MATERIALS:
        raise VrmError(f"more than {limits.MAX_MATERIALS} materials")
    properties = fields.tables(extension, "materialProperties")
    queues = mtoon0.ranked_queues(properties)
    materials = [
        (mtoon0.read(material, properties[i], queues, pictures) if i < len(properties) else None)
        or read(material, pictures)
        for i, material in enumerate(declared)
    ]
    return (*materials, Material())


def read(declared: Json, pictures: Pictures) -> Material:
    """Read one material: MToon 1.0 where the extension is there, else unlit, else plain glTF."""
    extensions = fields.table(declared, "extensions")
    if "VRMC_materials_mtoon" in extensions:
        return _mtoon(declared, fields.table(extensions, "VRMC_materials_mtoon"), pictures)
    kind: Kind = "unlit" if "KHR_materials_unlit" in extensions else "gltf"
    return Material(**_common(declared, pictures), kind=kind, textures=_common_textures(declared, pictures))


def _common(declared: Json, pictures: Pictures) -> Json:
    surface = fields.table(declared, "pbrMetallicRoughness")
    return {
        "name": fields.text(declared, "name"),
        "alpha_mode": alpha_mode(fields.text(declared, "alphaMode", "OPAQUE")),
        "cutoff": fields.number(declared, "alphaCutoff", 0.5),
        "double_sided": fields.flag(declared, "doubleSided"),
        "color": color(surface, "baseColorFactor", (1.0, 1.0, 1.0, 1.0)),
        "emissive": _emissive(declared),
        "normal_scale": fields.number(fields.table(declared, "normalTexture"), "scale", 1.0),
    }


def _emissive(declared: Json) -> Color:
    extensions = fields.table(declared, "extensions")
    strength = fields.number(
        fields.table(extensions, "KHR_materials_emissive_strength"), "emissiveStrength", 1
    )
    older = fields.table(extensions, "VRMC_materials_hdr_emissiveMultiplier")
    factor = strength * fields.number(older, "emissiveMultiplier", 1.0)
    return tuple((np.array(color(declared, "emissiveFactor", BLACK)) * factor).tolist())


def _common_textures(declared: Json, pictures: Pictures) -> dict[str, Texture]:
    surface = fields.table(declared, "pbrMetallicRoughness")
    return present(
        {
            "base": pictures.texture(fields.table(surface, "baseColorTexture"), srgb=True),
            "emissive": pictures.texture(fields.table(declared, "emissiveTexture"), srgb=True),
            "normal": pictures.texture(fields.table(declared, "normalTexture"), srgb=False),
        }
    )


def _mtoon(declared: Json, mtoon: Json, pictures: Pictures) -> Material:
    shift_texture = fields.table(mtoon, "shadingShiftTexture")
    return Material(
        **_common(declared, pictures),
        kind="mtoon",
        depth_write=fields.flag(mtoon, "transparentWithZWrite"),
        queue=int(fields.number(mtoon, "renderQueueOffsetNumber", 0.0)),
        shade=color(mtoon, "shadeColorFactor", BLACK),
        shading_shift=fields.number(mtoon, "shadingShiftFactor", 0.0),
        shift_scale=fields.number(shift_texture, "scale", 1.0),
        toony=fields.number(mtoon, "shadingToonyFactor", 0.9),
        matcap=color(mtoon, "matcapFactor", WHITE),
        rim=color(mtoon, "parametricRimColorFactor", BLACK),
        rim_power=fields.number(mtoon, "parametricRimFresnelPowerFactor", 5.0),
        rim_lift=fields.number(mtoon, "parametricRimLiftFactor", 0.0),
        rim_lighting_mix=fields.number(mtoon, "rimLightingMixFactor", 1.0),
        outline_mode=_outline_mode(fields.text(mtoon, "outlineWidthMode", "none")),
        outline_width=fields.number(mtoon, "outlineWidthFactor", 0.0),
        outline=color(mtoon, "outlineColorFactor", BLACK),
        outline_lighting_mix=fields.number(mtoon, "outlineLightingMixFactor", 1.0),
        uv_speed=(
            fields.number(mtoon, "uvAnimationScrollXSpeedFactor", 0.0),
            fields.number(mtoon, "uvAnimationScrollYSpeedFactor", 0.0),
            fields.number(mtoon, "uvAnimationRotationSpeedFactor", 0.0),
        ),
        textures=_common_textures(declared, pictures) | _mtoon_textures(mtoon, pictures),
    )


def _mtoon_textures(mtoon: Json, pictures: Pictures) -> dict[str, Texture]:
    names = {
        "shade": ("shadeMultiplyTexture", True),
        "shift": ("shadingShiftTexture", False),
        "matcap": ("matcapTexture", True),
        "rim": ("rimMultiplyTexture", True),
        "outline": ("outlineWidthMultiplyTexture", False),
        "uv_mask": ("uvAnimationMaskTexture", False),
    }
    return present(
        {slot: pictures.texture(fields.table(mtoon, key), srgb=srgb) for slot, (key, srgb) in names.items()}
    )


def present(textures: Mapping[str, Texture | None]) -> dict[str, Texture]:
    """Return only the textures that are there."""
    return {slot: texture for slot, texture in textures.items() if texture is not None}


def color(parent: Json, key: str, default: Color) -> Color:
    """Return a linear colour."""
    return tuple(fields.vector(parent, key, default).tolist())


def alpha_mode(name: str) -> AlphaMode:
    """Return the alpha mode; an unknown name is opaque, as in three.js."""
    return "MASK" if name == "MASK" else "BLEND" if name == "BLEND" else "OPAQUE"


def _outline_mode(name: str) -> OutlineMode:
    if name == "worldCoordinates":
        return "worldCoordinates"
    return "screenCoordinates" if name == "screenCoordinates" else "none"
