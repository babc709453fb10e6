"""Materials of VRM 0.x (Unity's shader properties) in the terms of MToon 1.0.

The rules are those of the official migration: VRMC_materials_mtoon specification, "Migration from 0.x".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from render.vrm import fields, materials
from render.vrm.fields import Json
from render.vrm.materials import AlphaMode, Color, Material, OutlineMode
from render.vrm.textures import Pictures, Texture

_OUTLINE_MODES: Final[tuple[OutlineMode, ...]] = ("none", "worldCoordinates", "screenCoordinates")
_UNLIT: Final[dict[str, AlphaMode]] = {
    "VRM/UnlitTexture": "OPAQUE",
    "VRM/UnlitCutout": "MASK",
    "VRM/UnlitTransparent": "BLEND",
    "VRM/UnlitTransparentZWrite": "BLEND",
}
_MAX_QUEUE: Final = 9
_METRES_PER_CENTIMETRE: Final = 0.01

Queues = tuple[tuple[int, ...], tuple[int, ...]]


def linear(color: Color) -> Color:
    """Return an sRGB colour as linear one; a fourth value (alpha) stays as it is."""
    values = np.array(color)
    rgb = values[:3]
    bright = np.power((np.maximum(rgb, 0.0) + 0.055) / 1.055, 2.4)
    values[:3] = np.where(rgb <= 0.04045, rgb / 12.92, bright)
    return tuple(values.tolist())


def ranked_queues(properties: list[Json]) -> Queues:
    """Return the distinct Unity render queues of blended materials: with depth write, and without."""
    with_depth: set[int] = set()
    without: set[int] = set()
    for declared in properties:
        if _blends(declared):
            (with_depth if _writes_depth(declared) else without).add(_queue(declared))
    return tuple(sorted(with_depth)), tuple(sorted(without))


def read(declared: Json, properties: Json, queues: Queues, pictures: Pictures) -> Material | None:
    """Read one 0.x material; None where it is to be drawn as a glTF material."""
    shader = fields.text(properties, "shader")
    if shader == "VRM/MToon":
        return _mtoon(declared, properties, queues, pictures)
    if shader in _UNLIT:
        return _unlit(declared, properties, queues, pictures)
    plain = materials.read(declared, pictures)
    return replace(plain, name=fields.text(properties, "name", plain.name))


def _unlit(declared: Json, properties: Json, queues: Queues, pictures: Pictures) -> Material:
    base = _texture(properties, "_MainTex", pictures, srgb=True)
    return Material(
        name=fields.text(properties, "name", fields.text(declared, "name")),
        kind="unlit",
        alpha_mode=_UNLIT[fields.text(properties, "shader")],
        cutoff=_float(properties, "_Cutoff", 0.5),
        double_sided=fields.flag(declared, "doubleSided"),
        depth_write=_writes_depth(properties),
        queue=_rank(properties, queues),
        color=_color(properties, "_Color", (1.0, 1.0, 1.0, 1.0)),
        textures=materials.present({"base": base}),
    )


def _mtoon(declared: Json, properties: Json, queues: Queues, pictures: Pictures) -> Material:
    blends = _blends(properties)
    shift, toony = _shading(properties)
    textures = _textures(properties, pictures)
    mode = int(_float(properties, "_OutlineWidthMode", 0.0)) % 3
    colored = _float(properties, "_OutlineColorMode", 0.0) == 1
    return Material(
        name=fields.text(properties, "name", fields.text(declared, "name")),
        kind="mtoon",
        alpha_mode="BLEND" if blends else "MASK" if _keyword(properties, "_ALPHATEST_ON") else "OPAQUE",
        cutoff=_float(properties, "_Cutoff", 0.5),
        double_sided=_float(properties, "_CullMode", 2.0) == 0,
        depth_write=blends and _writes_depth(properties),
        queue=_rank(properties, queues),
        color=_color(properties, "_Color", (1.0, 1.0, 1.0, 1.0)),
        shade=_color(properties, "_ShadeColor", (0.97, 0.81, 0.86)),
        shading_shift=shift,
        toony=toony,
        emissive=_color(properties, "_EmissionColor", materials.BLACK),
        matcap=materials.WHITE if "matcap" in textures else materials.BLACK,
        rim=_color(properties, "_RimColor", materials.BLACK),
        rim_power=_float(properties, "_RimFresnelPower", 1.0),
        rim_lift=_float(properties, "_RimLift", 0.0),
        rim_lighting_mix=_float(properties, "_RimLightingMix", 0.0),
        outline_mode=_OUTLINE_MODES[mode],
        outline_width=_float(properties, "_OutlineWidth", 0.0) * _METRES_PER_CENTIMETRE,
        outline=_color(properties, "_OutlineColor", materials.BLACK),
        outline_lighting_mix=_float(properties, "_OutlineLightingMix", 1.0) if colored else 0.0,
        normal_scale=_float(properties, "_BumpScale", 1.0),
        uv_speed=(
            _float(properties, "_UvAnimScrollX", 0.0),
            -_float(properties, "_UvAnimScrollY", 0.0),
            _float(properties, "_UvAnimRotation", 0.0),
        ),
        textures=textures,
    )


def _shading(properties: Json) -> tuple[float, float]:
    shift = _float(properties, "_ShadeShift", 0.0)
    toony = _float(properties, "_ShadeToony", 0.9)
    toony += (1.0 - toony) * (0.5 + 0.5 * shift)
    return -shift - (1.0 - toony), toony


def _textures(properties: Json, pictures: Pictures) -> dict[str, Texture]:
    names = {
        "base": ("_MainTex", True),
        "shade": ("_ShadeTexture", True),
        "normal": ("_BumpMap", False),
        "emissive": ("_EmissionMap", True),
        "matcap": ("_SphereAdd", True),
        "rim": ("_RimTexture", True),
        "outline": ("_OutlineWidthTexture", False),
        "uv_mask": ("_UvAnimMaskTexture", False),
    }
    return materials.present(
        {slot: _texture(properties, key, pictures, srgb=srgb) for slot, (key, srgb) in names.items()}
    )


def _texture(properties: Json, key: str, pictures: Pictures, *, srgb: bool) -> Texture | None:
    use: dict[str, Any] = {"index": fields.table(properties, "textureProperties").get(key)}
    if key != "_SphereAdd":
        scale_offset = fields.vector(
            fields.table(properties, "vectorProperties"), "_MainTex", (0.0, 0.0, 1.0, 1.0)
        ).tolist()
        use["extensions"] = {"KHR_texture_transform": _placement(*scale_offset)}
    return pictures.texture(use, srgb=srgb)


def _placement(offset_u: float, offset_v: float, scale_u: float, scale_v: float) -> Json:
    # Unity counts v from below, glTF from above.
    return {"offset": [offset_u, 1.0 - offset_v - scale_v], "scale": [scale_u, scale_v]}


def _float(properties: Json, key: str, default: float) -> float:
    return fields.number(fields.table(properties, "floatProperties"), key, default)


def _color(properties: Json, key: str, default: Color) -> Color:
    return linear(materials.color(fields.table(properties, "vectorProperties"), key, default))


def _keyword(properties: Json, name: str) -> bool:
    return fields.flag(fields.table(properties, "keywordMap"), name)


def _blends(properties: Json) -> bool:
    shader = fields.text(properties, "shader")
    return _keyword(properties, "_ALPHABLEND_ON") or _UNLIT.get(shader) == "BLEND"


def _writes_depth(properties: Json) -> bool:
    return (
        fields.text(properties, "shader") == "VRM/UnlitTransparentZWrite"
        or _float(properties, "_ZWrite", 0.0) == 1
    )


def _queue(properties: Json) -> int:
    return int(fields.number(properties, "renderQueue", 3000.0))


def _rank(properties: Json, queues: Queues) -> int:
    if not _blends(properties):
        return 0
    with_depth, without = queues
    queue = _queue(properties)
    if _writes_depth(properties):
        return min(with_depth.index(queue), _MAX_QUEUE)
    return max(without.index(queue) - len(without) + 1, -_MAX_QUEUE)
