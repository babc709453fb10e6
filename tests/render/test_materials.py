from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from render.errors import VrmError
from render.vrm import load
from render.vrm.materials import Material
from render.vrm.mtoon0 import linear, ranked_queues
from tests.render import doll


def old_material(properties: dict[str, Any]) -> Material:
    doc, writer = doll.vrm0()
    doc["extensions"]["VRM"]["materialProperties"][1] = {"shader": "VRM/MToon", **properties}
    return load(doll.glb(doc, writer)).materials[1]


def new_material(declared: dict[str, Any], **document: Any) -> Material:
    doc, writer = doll.vrm1()
    doc["materials"][1] = declared
    doc.update(document)
    return load(doll.glb(doc, writer)).materials[1]


def png(width: int = 2, height: int = 2) -> str:
    out = io.BytesIO()
    Image.new("RGBA", (width, height), (255, 0, 0, 128)).save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


def test_defaults_of_mtoon() -> None:
    material = new_material({"extensions": {"VRMC_materials_mtoon": {}}})
    assert (material.kind, material.shade, material.toony, material.rim_power) == (
        "mtoon",
        (0, 0, 0),
        0.9,
        5.0,
    )
    assert not material.has_outline


def test_mtoon_wins_over_unlit() -> None:
    both = {"extensions": {"KHR_materials_unlit": {}, "VRMC_materials_mtoon": {}}}
    assert new_material(both).kind == "mtoon"
    assert new_material({"extensions": {"KHR_materials_unlit": {}}}).kind == "unlit"
    assert new_material({}).kind == "gltf"


def test_emission_is_multiplied_by_its_extensions() -> None:
    material = new_material(
        {
            "emissiveFactor": [0.5, 0.25, 0.0],
            "extensions": {
                "KHR_materials_emissive_strength": {"emissiveStrength": 2.0},
                "VRMC_materials_hdr_emissiveMultiplier": {"emissiveMultiplier": 3.0},
            },
        }
    )
    assert material.emissive == pytest.approx((3.0, 1.5, 0.0))


def test_texture_placement_is_read() -> None:
    use = {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [2, 3], "offset": [0.5, 0.25]}}}
    material = new_material(
        {"pbrMetallicRoughness": {"baseColorTexture": use}},
        textures=[{"source": 0, "sampler": 0}],
        samplers=[{"wrapS": 33071, "wrapT": 12345, "minFilter": 9728}],
        images=[{"uri": png()}],
    )
    base = material.textures["base"]
    assert base.placement == (2.0, 3.0, 0.5, 0.25)
    assert base.sampling.wrap == (33071, 10497)
    assert base.sampling.filters == (9729, 9728)


@pytest.mark.parametrize(
    ("images", "why"),
    [
        ([{"uri": png(5000, 4)}], "larger than 4096"),
        ([{"uri": "data:image/png;base64,AAAA"}], "is not a PNG"),
        ([{"uri": "data:image/png;base64,!!"}], "data URI"),
        ([{"uri": "https://example.org/a.png"}], "outside itself"),
        ([{}], "outside itself"),
        ([], "out of range"),
        ([{"uri": png()}] * 200, "more than 128 images"),
    ],
)
def test_bad_pictures_are_refused(images: list[dict[str, Any]], why: str) -> None:
    surface = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    with pytest.raises(VrmError, match=why):
        new_material(surface, textures=[{"source": 0}], images=images)


def test_large_pictures_are_scaled_down() -> None:
    doc, writer = doll.vrm1()
    doc["images"] = [{"uri": png(2048, 64)}]
    doc["textures"] = [{"source": 0}]
    doc["materials"][1]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    pixels = load(doll.glb(doc, writer)).pictures.pixels(0)
    assert pixels.shape == (32, 1024, 4)
    assert pixels[3, 3].tolist() == [255, 0, 0, 128]


def test_old_colours_become_linear() -> None:
    assert linear((0.0, 0.5, 1.0, 0.5)) == pytest.approx((0.0, 0.21404, 1.0, 0.5), abs=1e-5)
    material = old_material({"vectorProperties": {"_Color": [0.5, 0.5, 0.5, 0.5]}})
    assert material.color == pytest.approx((0.21404, 0.21404, 0.21404, 0.5), abs=1e-5)


def test_old_shading_is_translated() -> None:
    material = old_material({"floatProperties": {"_ShadeShift": 0.2, "_ShadeToony": 0.5}})
    assert material.toony == pytest.approx(0.8)
    assert material.shading_shift == pytest.approx(-0.4)


def test_old_outline_is_in_centimetres_and_its_mix_needs_the_mode() -> None:
    numbers = {"_OutlineWidthMode": 1, "_OutlineWidth": 0.5, "_OutlineLightingMix": 0.7}
    plain = old_material({"floatProperties": numbers})
    assert (plain.outline_width, plain.outline_lighting_mix) == pytest.approx((0.005, 0.0))
    assert plain.outline_mode == "worldCoordinates"
    mixed = old_material({"floatProperties": {**numbers, "_OutlineColorMode": 1}})
    assert mixed.outline_lighting_mix == pytest.approx(0.7)


def test_old_render_queues_are_ranked() -> None:
    blended = {"shader": "VRM/MToon", "keywordMap": {"_ALPHABLEND_ON": True}}
    properties = [
        {**blended, "renderQueue": 3000, "floatProperties": {"_ZWrite": 0}},
        {**blended, "renderQueue": 2990, "floatProperties": {"_ZWrite": 0}},
        {**blended, "renderQueue": 2502, "floatProperties": {"_ZWrite": 1}},
        {"shader": "VRM/MToon", "renderQueue": 2000},
    ]
    assert ranked_queues(properties) == ((2502,), (2990, 3000))


@pytest.mark.parametrize(
    ("shader", "mode", "kind"),
    [
        ("VRM/UnlitTexture", "OPAQUE", "unlit"),
        ("VRM/UnlitCutout", "MASK", "unlit"),
        ("VRM/UnlitTransparent", "BLEND", "unlit"),
        ("VRM_USE_GLTFSHADER", "OPAQUE", "mtoon"),
    ],
)
def test_old_unlit_shaders(shader: str, mode: str, kind: str) -> None:
    material = old_material({"shader": shader})
    assert (material.alpha_mode, material.kind) == (mode, kind)
