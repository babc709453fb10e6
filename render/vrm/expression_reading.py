"""Reading expressions: VRMC_vrm 1.0 "expressions", and blend shape groups of VRM 0.x.

Those of 0.x are read into the same form under the preset names of 1.0.
"""

from __future__ import annotations

from typing import Final

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.expressions import (
    PRESETS,
    ColorBind,
    ColorField,
    Expression,
    MorphBind,
    Override,
    PlacementBind,
    Surroundings,
    own_placement,
)
from render.vrm.fields import Json
from render.vrm.materials import Material
from render.vrm.mtoon0 import linear

_PRESETS_0: Final = {
    "joy": "happy",
    "angry": "angry",
    "sorrow": "sad",
    "fun": "relaxed",
    "neutral": "neutral",
    "a": "aa",
    "i": "ih",
    "u": "ou",
    "e": "ee",
    "o": "oh",
    "blink": "blink",
    "blink_l": "blinkLeft",
    "blink_r": "blinkRight",
    "lookup": "lookUp",
    "lookdown": "lookDown",
    "lookleft": "lookLeft",
    "lookright": "lookRight",
}
_COLOR_FIELDS_1: Final[dict[str, ColorField]] = {
    "color": "color",
    "emissionColor": "emissive",
    "shadeColor": "shade",
    "matcapColor": "matcap",
    "rimColor": "rim",
    "outlineColor": "outline",
}
_COLOR_FIELDS_0: Final[dict[str, ColorField]] = {
    "_Color": "color",
    "_EmissionColor": "emissive",
    "_ShadeColor": "shade",
    "_RimColor": "rim",
    "_OutlineColor": "outline",
}


_PLACEMENTS_0: Final = {"_MainTex_ST": "uv", "_MainTex_ST_S": "u", "_MainTex_ST_T": "v"}
"""Properties that move textures, and the axes they move them along."""


def read_1(extension: Json, around: Surroundings) -> dict[str, Expression]:
    """Read the expressions of VRM 1.0; unknown presets and customs named like a preset are ignored."""
    declared = fields.table(extension, "expressions")
    presets, customs = fields.table(declared, "preset"), fields.table(declared, "custom")
    named = {name: fields.table(presets, name) for name in presets if name in PRESETS}
    named |= {name: fields.table(customs, name) for name in customs if name not in PRESETS}
    _check_count(len(named), sum(_bind_count(body) for body in named.values()))
    return {name: _read_1(name, body, around) for name, body in named.items()}


def _bind_count(body: Json) -> int:
    keys = ("morphTargetBinds", "materialColorBinds", "textureTransformBinds", "binds", "materialValues")
    return sum(len(fields.items(body, key)) for key in keys)


def _check_count(expressions: int, binds: int) -> None:
    if expressions > limits.MAX_EXPRESSIONS or binds > limits.MAX_BINDS:
        raise VrmError("too many expressions")


def _read_1(name: str, body: Json, around: Surroundings) -> Expression:
    morphs: list[MorphBind] = []
    for bind in fields.tables(body, "morphTargetBinds"):
        node = fields.as_index(bind.get("node", -1), "node")
        target = fields.as_index(bind.get("index", -1), "index")
        weight = fields.number(bind, "weight", 1.0)
        morphs += around.morphs(lambda primitive, node=node: primitive.node == node, target, weight)  # type: ignore[misc]
    return Expression(
        name=name,
        binary=fields.flag(body, "isBinary"),
        overrides={
            "blink": _override(body, "overrideBlink"),
            "look": _override(body, "overrideLookAt"),
            "mouth": _override(body, "overrideMouth"),
        },
        morphs=tuple(morphs),
        colors=tuple(_color_binds_1(body, around)),
        placements=tuple(_placement_binds_1(body, around)),
    )


def _override(body: Json, key: str) -> Override:
    value = fields.text(body, key, "none")
    return "block" if value == "block" else "blend" if value == "blend" else "none"


def _color_binds_1(body: Json, around: Surroundings) -> list[ColorBind]:
    binds = []
    for bind in fields.tables(body, "materialColorBinds"):
        material = fields.as_index(bind.get("material", -1), "material")
        kind = _COLOR_FIELDS_1.get(fields.text(bind, "type"))
        if kind is not None and 0 <= material < len(around.materials) - 1:
            value = fields.vector(bind, "targetValue", (1.0, 1.0, 1.0, 1.0))
            binds.append(ColorBind(material, kind, tuple(value.tolist())))
    return binds


def _placement_binds_1(body: Json, around: Surroundings) -> list[PlacementBind]:
    binds = []
    for bind in fields.tables(body, "textureTransformBinds"):
        material = fields.as_index(bind.get("material", -1), "material")
        if 0 <= material < len(around.materials) - 1:
            scale = fields.vector(bind, "scale", (1.0, 1.0)).tolist()
            offset = fields.vector(bind, "offset", (0.0, 0.0)).tolist()
            binds.append(PlacementBind(material, (scale[0], scale[1], offset[0], offset[1])))
    return binds


def read_0(extension: Json, around: Surroundings) -> dict[str, Expression]:
    """Read the blend shape groups of VRM 0.x; of two with one name (in any case) the first wins."""
    groups = fields.tables(fields.table(extension, "blendShapeMaster"), "blendShapeGroups")
    _check_count(len(groups), sum(_bind_count(body) for body in groups))
    found: dict[str, Expression] = {}
    seen: set[str] = set()
    for body in groups:
        own = fields.text(body, "name")
        # 0.x has no preset for surprise; many files bring a group of that name.
        surprised = "surprised" if own.lower() in ("surprised", "surprise") else own
        name = _PRESETS_0.get(fields.text(body, "presetName").lower(), surprised)
        if name and name.lower() not in seen:
            seen.add(name.lower())
            found[name] = _read_0(name, body, around)
    return found


def _read_0(name: str, body: Json, around: Surroundings) -> Expression:
    morphs: list[MorphBind] = []
    for bind in fields.tables(body, "binds"):
        mesh = fields.as_index(bind.get("mesh", -1), "mesh")
        target = fields.as_index(bind.get("index", -1), "index")
        weight = fields.number(bind, "weight", 100.0) / 100.0
        morphs += around.morphs(lambda primitive, mesh=mesh: primitive.mesh == mesh, target, weight)  # type: ignore[misc]
    colors: list[ColorBind] = []
    placements: list[PlacementBind] = []
    for value in fields.tables(body, "materialValues"):
        for number, material in enumerate(around.materials[:-1]):
            if material.name == fields.text(value, "materialName"):
                _material_value_0(value, number, material, colors, placements)
    return Expression(
        name, fields.flag(body, "isBinary"), {}, tuple(morphs), tuple(colors), tuple(placements)
    )


def _material_value_0(
    value: Json, number: int, material: Material, colors: list[ColorBind], placements: list[PlacementBind]
) -> None:
    name = fields.text(value, "propertyName")
    goal = fields.items(value, "targetValue")
    if name in _PLACEMENTS_0 and len(goal) >= 4:
        su, sv, ou, ov = fields.vector(value, "targetValue", (1.0, 1.0, 0.0, 0.0)).tolist()
        # Unity counts v from below.
        wanted = (su, sv, ou, 1.0 - ov - sv)
        own = own_placement(material)
        mixed = [
            w if axis in _PLACEMENTS_0[name] else o for axis, w, o in zip("uvuv", wanted, own, strict=True)
        ]
        placements.append(PlacementBind(number, (mixed[0], mixed[1], mixed[2], mixed[3])))
    elif name in _COLOR_FIELDS_0 and len(goal) >= 3:
        color = tuple(fields.vector(value, "targetValue", (1.0, 1.0, 1.0, 1.0)).tolist())
        colors.append(ColorBind(number, _COLOR_FIELDS_0[name], linear(color)))
