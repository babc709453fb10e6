"""Expressions: what they bind to, and weighing them against each other (VRMC_vrm 1.0 "expressions").

Of VRM 0.x they have the same form and the preset names of 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from render.vrm.materials import Color, Material
from render.vrm.meshes import Primitive

Group = Literal["blink", "look", "mouth"]
Override = Literal["none", "block", "blend"]
ColorField = Literal["color", "emissive", "shade", "matcap", "rim", "outline"]

GROUPS: Final[dict[Group, tuple[str, ...]]] = {
    "blink": ("blink", "blinkLeft", "blinkRight"),
    "look": ("lookUp", "lookDown", "lookLeft", "lookRight"),
    "mouth": ("aa", "ih", "ou", "ee", "oh"),
}
PRESETS: Final = (
    *("happy", "angry", "sad", "relaxed", "surprised", "neutral"),
    *GROUPS["mouth"],
    *GROUPS["blink"],
    *GROUPS["look"],
)
_BINARY_THRESHOLD: Final = 0.5
_NOTICEABLE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class MorphBind:
    """Adds `weight` of a primitive's morph target."""

    primitive: int
    target: int
    weight: float


@dataclass(frozen=True, slots=True)
class ColorBind:
    """Takes one colour of a material to `value` (linear)."""

    material: int
    field: ColorField
    value: Color


@dataclass(frozen=True, slots=True)
class PlacementBind:
    """Takes the textures of a material (all but its matcap) to another `placement`."""

    material: int
    placement: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Expression:
    """A named face. `overrides` says what it does to blinking, looking and speaking faces."""

    name: str
    binary: bool = False
    overrides: Mapping[Group, Override] = field(default_factory=dict)
    morphs: tuple[MorphBind, ...] = ()
    colors: tuple[ColorBind, ...] = ()
    placements: tuple[PlacementBind, ...] = ()

    def output(self, weight: float) -> float:
        """Return `weight` clamped to 0..1, and for a binary expression 0 or 1 (exactly one half is 0)."""
        clamped = min(max(weight, 0.0), 1.0)
        return (1.0 if clamped > _BINARY_THRESHOLD else 0.0) if self.binary else clamped


@dataclass(frozen=True, slots=True)
class MaterialChange:
    """Values that replace a material's own."""

    colors: Mapping[ColorField, Color]
    placement: tuple[float, float, float, float] | None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a set of weights comes to.

    `weights` after binary rounding and overrides, `morphs` per primitive as sorted (target, weight),
    `materials` the changes per material.
    """

    weights: Mapping[str, float]
    morphs: Mapping[int, tuple[tuple[int, float], ...]]
    materials: Mapping[int, MaterialChange]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What expressions bind to: primitives with their nodes and meshes, and materials."""

    primitives: Sequence[Primitive]
    materials: Sequence[Material]

    def morphs(self, belongs: Callable[[Primitive], bool], target: int, weight: float) -> list[MorphBind]:
        """Return binds for every primitive that belongs and has the target; others are skipped."""
        return [
            MorphBind(number, target, weight)
            for number, primitive in enumerate(self.primitives)
            if belongs(primitive) and 0 <= target < len(primitive.targets)
        ]


def works(expression: Expression, around: Surroundings) -> bool:
    """Whether the expression changes anything that can be seen."""
    return (
        any(_morph_shows(bind, around.primitives) for bind in expression.morphs)
        or any(_color_shows(bind, around.materials[bind.material]) for bind in expression.colors)
        or any(_placement_shows(bind, around.materials[bind.material]) for bind in expression.placements)
    )


def _morph_shows(bind: MorphBind, primitives: Sequence[Primitive]) -> bool:
    primitive = primitives[bind.primitive]
    target = primitive.targets[bind.target]
    return primitive.visible and abs(bind.weight) > _NOTICEABLE and len(target.rows) > 0


def _color_shows(bind: ColorBind, material: Material) -> bool:
    own = _own_color(material, bind.field)
    if bind.field == "color" and material.alpha_mode == "OPAQUE":
        own = own[:3]
    return bool(np.abs(np.array(own) - bind.value[: len(own)]).max() > _NOTICEABLE)


def _placement_shows(bind: PlacementBind, material: Material) -> bool:
    own = own_placement(material)
    return bool(material.textures) and bool(np.abs(np.subtract(own, bind.placement)).max() > _NOTICEABLE)


def _own_color(material: Material, name: ColorField) -> Color:
    color: Color = getattr(material, name)
    return color


def own_placement(material: Material) -> tuple[float, float, float, float]:
    """Return scale u, v and offset u, v of a material's textures at rest."""
    base = material.textures.get("base")
    return base.placement if base else (1.0, 1.0, 0.0, 0.0)


def resolve(
    expressions: Mapping[str, Expression], asked: Mapping[str, float], materials: Sequence[Material]
) -> Resolved:
    """Weigh expressions against each other and add up what they do.

    Args:
        expressions: All expressions of the model by name.
        asked: Wanted weights 0..1 by name; unknown names are ignored.
        materials: The model's materials, whose own colours the changes start from.
    """
    weights = {
        name: expressions[name].output(weight) for name, weight in asked.items() if name in expressions
    }
    weights = _overridden(expressions, weights)
    active = [(expressions[name], weight) for name, weight in weights.items() if weight > 0]
    return Resolved(weights, _morph_sums(active), _material_changes(active, materials))


def _overridden(expressions: Mapping[str, Expression], weights: dict[str, float]) -> dict[str, float]:
    result = dict(weights)
    for group, members in GROUPS.items():
        effect = 0.0
        for name, weight in weights.items():
            override = expressions[name].overrides.get(group, "none")
            # A face of the group itself cannot override its own kind.
            if override != "none" and name not in members:
                effect += weight if override == "blend" else float(weight > 0)
        left = max(0.0, 1.0 - effect)
        for name in members:
            if name in result:
                # Specification, PR 487: a binary face is off as soon as anything overrides it.
                result[name] *= float(left == 1.0) if expressions[name].binary else left
    return result


Active = Sequence[tuple[Expression, float]]


def _morph_sums(active: Active) -> dict[int, tuple[tuple[int, float], ...]]:
    sums: dict[int, dict[int, float]] = {}
    for expression, weight in active:
        for bind in expression.morphs:
            targets = sums.setdefault(bind.primitive, {})
            targets[bind.target] = targets.get(bind.target, 0.0) + bind.weight * weight
    return {
        primitive: tuple(sorted((target, sum_) for target, sum_ in targets.items() if abs(sum_) > 1e-5))
        for primitive, targets in sums.items()
    }


def _material_changes(active: Active, materials: Sequence[Material]) -> dict[int, MaterialChange]:
    colors: dict[int, dict[ColorField, Color]] = {}
    placements: dict[int, tuple[float, ...]] = {}
    for expression, weight in active:
        for bind in expression.colors:
            own = _own_color(materials[bind.material], bind.field)
            changed = colors.setdefault(bind.material, {})
            now = changed.get(bind.field, own)
            changed[bind.field] = _moved(now, own, bind.value, weight)
        for placement in expression.placements:
            own = own_placement(materials[placement.material])
            now = placements.get(placement.material, own)
            placements[placement.material] = _moved(now, own, placement.placement, weight)
    return {
        number: MaterialChange(colors.get(number, {}), _four(placements.get(number)))
        for number in colors.keys() | placements.keys()
    }


def _moved(now: Color, own: Color, goal: Color, weight: float) -> Color:
    return tuple(n + (g - o) * weight for n, o, g in zip(now, own, goal, strict=False))


def _four(values: Color | None) -> tuple[float, float, float, float] | None:
    return None if values is None else (values[0], values[1], values[2], values[3])
