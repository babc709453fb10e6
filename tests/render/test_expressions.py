from __future__ import annotations

from typing import Any

import pytest

from render.errors import VrmError
from render.vrm import load
from render.vrm.expressions import ColorBind, Expression, MorphBind, PlacementBind, resolve
from render.vrm.materials import Material
from tests.render import doll


def weights(asked: dict[str, float], *expressions: Expression) -> dict[str, float]:
    return dict(resolve({e.name: e for e in expressions}, asked, (Material(),)).weights)


def test_available_means_it_changes_something() -> None:
    model = load(doll.glb(*doll.vrm1()))
    assert set(model.expressions) == {"happy", "sad", "angry", "shy"}
    assert model.available == ("happy", "shy")


def test_old_presets_get_new_names_and_the_first_of_a_name_wins() -> None:
    model = load(doll.glb(*doll.vrm0()))
    assert model.available == ("happy", "surprised")
    assert model.expressions["surprised"].morphs[0].weight == 0.5


def test_unknown_presets_and_customs_named_like_presets_are_ignored() -> None:
    body = {"morphTargetBinds": [{"node": doll.HEAD_NODE, "index": 0}]}
    expressions = {"preset": {"smug": body, "happy": body}, "custom": {"happy": {}, "smug": body}}
    model = load(doll.glb(*doll.vrm1(expressions=expressions)))
    assert model.available == ("happy", "smug")


def test_binds_to_missing_targets_are_skipped() -> None:
    binds = [{"node": doll.HEAD_NODE, "index": 9}, {"node": 99, "index": 0}]
    expressions = {"preset": {"happy": {"morphTargetBinds": binds}}}
    assert load(doll.glb(*doll.vrm1(expressions=expressions))).available == ()


def test_first_person_meshes_do_not_count() -> None:
    annotations = {"meshAnnotations": [{"node": doll.HEAD_NODE, "type": "firstPersonOnly"}]}
    model = load(doll.glb(*doll.vrm1(firstPerson=annotations)))
    assert model.available == ("shy",)
    assert [p.visible for p in model.primitives] == [True, False]


@pytest.mark.parametrize(("asked", "shown"), [(-1.0, 0.0), (0.3, 0.3), (7.0, 1.0)])
def test_weights_are_clamped(asked: float, shown: float) -> None:
    assert weights({"happy": asked}, Expression("happy")) == {"happy": shown}


@pytest.mark.parametrize(("asked", "shown"), [(0.2, 0.0), (0.5, 0.0), (0.51, 1.0)])
def test_binary_is_on_above_one_half(asked: float, shown: float) -> None:
    assert weights({"blink": asked}, Expression("blink", binary=True)) == {"blink": shown}


@pytest.mark.parametrize(
    ("override", "happy", "blink"),
    [("none", 0.4, 0.8), ("block", 0.4, 0.0), ("block", 0.0, 0.8), ("blend", 0.25, 0.6), ("blend", 1.0, 0.0)],
)
def test_overrides(override: Any, happy: float, blink: float) -> None:
    source = Expression("happy", overrides={"blink": override})
    shown = weights({"happy": happy, "blink": 0.8}, source, Expression("blink"))
    assert shown["blink"] == pytest.approx(blink)


def test_overrides_add_up_and_never_go_below_zero() -> None:
    sources = [Expression(n, overrides={"mouth": "blend"}) for n in ("happy", "relaxed")]
    assert weights({"happy": 0.7, "relaxed": 0.7, "aa": 1.0}, *sources, Expression("aa"))["aa"] == 0.0


def test_binary_target_is_off_when_anything_overrides_it() -> None:
    source = Expression("happy", overrides={"blink": "blend"})
    target = Expression("blink", binary=True)
    assert weights({"happy": 0.1, "blink": 1.0}, source, target)["blink"] == 0.0
    assert weights({"happy": 0.0, "blink": 1.0}, source, target)["blink"] == 1.0


def test_binary_source_overrides_by_its_output() -> None:
    source = Expression("happy", binary=True, overrides={"blink": "blend"})
    assert weights({"happy": 0.4, "blink": 0.8}, source, Expression("blink"))["blink"] == 0.8
    assert weights({"happy": 0.6, "blink": 0.8}, source, Expression("blink"))["blink"] == 0.0


def test_a_face_does_not_override_its_own_kind() -> None:
    blink = Expression("blink", overrides={"blink": "block"})
    assert weights({"blink": 1.0}, blink)["blink"] == 1.0


def test_morphs_add_up_beyond_one() -> None:
    faces = {n: Expression(n, morphs=(MorphBind(0, 2, 0.8),)) for n in ("happy", "aa")}
    assert resolve(faces, {"happy": 1.0, "aa": 1.0}, ()).morphs == {0: ((2, pytest.approx(1.6)),)}


def test_colours_and_placements_start_from_the_material() -> None:
    material = Material(color=(0.5, 0.5, 0.5, 1.0))
    face = Expression(
        "happy",
        colors=(ColorBind(0, "color", (1.0, 0.5, 0.0, 1.0)),),
        placements=(PlacementBind(0, (1.0, 1.0, 0.5, 0.0)),),
    )
    change = resolve({"happy": face}, {"happy": 0.5}, (material, Material())).materials[0]
    assert change.colors["color"] == pytest.approx((0.75, 0.5, 0.25, 1.0))
    assert change.placement == pytest.approx((1.0, 1.0, 0.25, 0.0))


def test_too_many_expressions_are_refused() -> None:
    expressions = {"custom": {f"face{i}": {} for i in range(600)}}
    with pytest.raises(VrmError, match="too many expressions"):
        load(doll.glb(*doll.vrm1(expressions=expressions)))


@pytest.mark.parametrize(
    ("name", "placement"),
    [
        ("_MainTex_ST", (2.0, 3.0, 0.25, 1.0 - 0.5 - 3.0)),
        ("_MainTex_ST_S", (2.0, 1.0, 0.25, 0.0)),
        ("_MainTex_ST_T", (1.0, 3.0, 0.0, 1.0 - 0.5 - 3.0)),
    ],
)
def test_old_texture_binds_move_the_axes_they_name(
    name: str, placement: tuple[float, float, float, float]
) -> None:
    doc, writer = doll.vrm0()
    value = {"materialName": "skin", "propertyName": name, "targetValue": [2.0, 3.0, 0.25, 0.5]}
    doc["extensions"]["VRM"]["blendShapeMaster"]["blendShapeGroups"][0]["materialValues"] = [value]
    (bind,) = load(doll.glb(doc, writer)).expressions["happy"].placements
    assert bind.placement == pytest.approx(placement)
