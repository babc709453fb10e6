"""What the shaders do, seen on single squares that fill the picture."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from render import framing
from render.errors import VrmError
from render.lighting import Lighting
from render.snapshot import Studio
from render.vrm import load
from tests.render import doll

FRONT = Lighting((0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
BEHIND = Lighting((0.0, 0.0, -1.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
SIDE_PX = 64
RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def picture(colors: list[list[tuple[int, int, int, int]]]) -> str:
    out = io.BytesIO()
    Image.fromarray(np.array(colors, np.uint8)).save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


def squares(
    *materials: dict[str, Any],
    images: list[str] | None = None,
    tilt: float = 0.0,
    tint: tuple[int, ...] | None = None,
) -> bytes:
    """One square per material, each a little nearer than the one before; 2 x 2 m about the origin."""
    writer = doll.Writer()
    primitives = []
    for number in range(len(materials)):
        z = 0.1 * number
        corners = np.array([[-1, -1, z], [1, -1, z], [1, 1, z], [-1, 1, z]], "<f4")
        normals = np.tile(np.array([np.sin(tilt), 0, np.cos(tilt)], "<f4"), (4, 1))
        uv = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], "<f4")
        primitives.append(
            {
                "attributes": {
                    "POSITION": writer.add(corners, "VEC3"),
                    "NORMAL": writer.add(normals, "VEC3"),
                    "TEXCOORD_0": writer.add(uv, "VEC2"),
                },
                "indices": writer.add(np.array([0, 1, 2, 0, 2, 3], "<u2"), "SCALAR"),
                "material": number,
            }
        )
        if tint is not None:
            colors = writer.add(np.tile(np.array(tint, "u1"), (4, 1)), f"VEC{len(tint)}")
            writer.accessors[colors]["normalized"] = True
            primitives[-1]["attributes"]["COLOR_0"] = colors
    doc: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
        "materials": list(materials),
        "images": [{"uri": uri} for uri in images or []],
        "textures": [{"source": i, "sampler": 0} for i in range(len(images or []))],
        "samplers": [{"magFilter": 9728, "minFilter": 9728}],
        "extensions": {"VRMC_vrm": {"specVersion": "1.0"}},
    }
    return doll.glb(doc, writer)


def drawn(
    studio: Studio, data: bytes, light: Lighting = FRONT, seconds: float = 0.0, scale: float = 1.0
) -> np.ndarray:
    model = load(data)
    camera = framing.camera(framing.measure(model), "full")
    renderer = studio._open()
    world = np.diag([scale, scale, scale, 1.0]) @ model.rest_world
    pixels = renderer.draw(model, world, model.resolve({}), camera, light, SIDE_PX, seconds)
    renderer.unload(model)
    return pixels.astype(int)


def middle(pixels: np.ndarray) -> list[int]:
    return [int(value) for value in pixels[SIDE_PX // 2, SIDE_PX // 2]]


def mtoon(color: tuple[float, ...] = (1.0, 1.0, 1.0), alpha: float = 1.0, **values: Any) -> dict[str, Any]:
    outside = {
        k: values.pop(k) for k in ("alphaMode", "alphaCutoff", "doubleSided", "emissiveFactor") if k in values
    }
    return {
        "pbrMetallicRoughness": {"baseColorFactor": [*color, alpha]},
        "extensions": {"VRMC_materials_mtoon": values},
        **outside,
    }


def near(pixel: list[int], expected: tuple[int, ...], tolerance: int = 2) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(pixel, expected, strict=True))


def test_light_shows_the_base_and_its_absence_the_shade(studio: Studio) -> None:
    data = squares(mtoon(RED, shadeColorFactor=GREEN))
    assert near(middle(drawn(studio, data, FRONT)), (255, 0, 0, 255))
    assert near(middle(drawn(studio, data, BEHIND)), (0, 255, 0, 255))


@pytest.mark.parametrize("value", [0.01, 0.0625, 0.21404, 0.5, 0.9])
def test_colours_are_encoded_as_srgb(studio: Studio, value: float) -> None:
    exact = 255 * (1.055 * value ** (1 / 2.4) - 0.055)
    shown = middle(drawn(studio, squares(mtoon((value, value, value)))))
    assert shown[0] == pytest.approx(exact, abs=0.7)


def test_toony_and_shift_move_the_border_of_the_shade(studio: Studio) -> None:
    # The light falls at 60 degrees: N.L = 0.5.
    light = Lighting((np.sqrt(0.75), 0.0, 0.5), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    soft = mtoon(RED, shadeColorFactor=GREEN, shadingToonyFactor=0.0)
    shown = middle(drawn(studio, squares(soft), light))
    # 0.75 and 0.25 in linear light are 225 and 137 in sRGB.
    assert near(shown, (225, 137, 0, 255))
    hard = mtoon(RED, shadeColorFactor=GREEN, shadingToonyFactor=1.0, shadingShiftFactor=-0.6)
    assert near(middle(drawn(studio, squares(hard), light)), (0, 255, 0, 255))


def test_ambient_light_shows_the_base(studio: Studio) -> None:
    light = Lighting((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (0.5, 0.5, 0.5))
    assert near(middle(drawn(studio, squares(mtoon(RED)), light)), (188, 0, 0, 255))


def test_emission_is_added(studio: Studio) -> None:
    data = squares(mtoon((0.0, 0.0, 0.0), emissiveFactor=[0.0, 0.5, 0.0]))
    assert near(middle(drawn(studio, data)), (0, 188, 0, 255))


def test_rim_shows_at_grazing_angles_only(studio: Studio) -> None:
    rim = mtoon(
        (0.0, 0.0, 0.0), parametricRimColorFactor=[0.0, 0.0, 1.0], parametricRimFresnelPowerFactor=3.0
    )
    assert middle(drawn(studio, squares(rim)))[2] < 4
    assert middle(drawn(studio, squares(rim, tilt=1.4)))[2] > 190


def test_matcap_is_looked_up_by_the_normal(studio: Studio) -> None:
    halves = picture([[(255, 0, 0, 255), (0, 255, 0, 255)]])
    ball = mtoon((0.0, 0.0, 0.0), matcapTexture={"index": 0})
    assert near(middle(drawn(studio, squares(ball, images=[halves], tilt=-0.6))), (255, 0, 0, 255))
    assert near(middle(drawn(studio, squares(ball, images=[halves], tilt=0.6))), (0, 255, 0, 255))


def test_unlit_ignores_light(studio: Studio) -> None:
    plain = {
        "pbrMetallicRoughness": {"baseColorFactor": [*RED, 1.0]},
        "extensions": {"KHR_materials_unlit": {}},
    }
    assert near(middle(drawn(studio, squares(plain), BEHIND)), (255, 0, 0, 255))


def test_cut_out_leaves_holes_and_is_opaque_elsewhere(studio: Studio) -> None:
    halves = picture([[(255, 255, 255, 200), (255, 255, 255, 100)]])
    cut = mtoon(alphaMode="MASK", alphaCutoff=0.5)
    cut["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    shown = drawn(studio, squares(cut, images=[halves]))
    assert shown[32, 16, 3] == 255
    assert shown[32, 48, 3] == 0


def test_blending_over_opaque_and_over_nothing(studio: Studio) -> None:
    veil = mtoon(GREEN, 0.5, alphaMode="BLEND")
    assert near(middle(drawn(studio, squares(mtoon(RED), veil))), (128, 128, 0, 255))
    # Over nothing: colours multiplied by alpha.
    assert near(middle(drawn(studio, squares(veil))), (0, 128, 0, 128))


def test_transparent_surfaces_are_drawn_by_their_queue(studio: Studio) -> None:
    far = mtoon(RED, 0.5, alphaMode="BLEND", renderQueueOffsetNumber=0)
    near_ = mtoon(GREEN, 0.5, alphaMode="BLEND", renderQueueOffsetNumber=-1)
    red, green, *_ = middle(drawn(studio, squares(far, near_)))
    assert red > green
    far["extensions"]["VRMC_materials_mtoon"]["renderQueueOffsetNumber"] = -2
    red, green, *_ = middle(drawn(studio, squares(far, near_)))
    assert green > red


def test_transparent_with_depth_hides_what_is_behind(studio: Studio) -> None:
    far = mtoon(RED, 1.0, alphaMode="BLEND")
    veil = mtoon(GREEN, 0.5, alphaMode="BLEND", transparentWithZWrite=True)
    assert near(middle(drawn(studio, squares(far, veil))), (0, 128, 0, 128))


def cube(material: dict[str, Any]) -> bytes:
    """A cube of eight shared corners, whose computed normals point outwards over the corners."""
    writer = doll.Writer()
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], "<f4")
    order = "015 054 237 276 123 130 467 475 046 062 137 175"
    sides = np.array([[int(corner) for corner in side] for side in order.split()], "<u2")
    for side in sides:
        a, b, c = corners[side]
        if np.dot(np.cross(b - a, c - a), a + b + c) < 0:
            side[1], side[2] = side[2], side[1]
    primitive = {
        "attributes": {"POSITION": writer.add(corners, "VEC3")},
        "indices": writer.add(sides.ravel(), "SCALAR"),
        "material": 0,
    }
    doc = {
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [material],
        "extensions": {"VRMC_vrm": {}},
    }
    return doll.glb(doc, writer)


def is_red(pixels: np.ndarray) -> np.ndarray:
    return (pixels[..., 0] > 128) & (pixels[..., 1] < 90)


@pytest.mark.parametrize("mode", ["worldCoordinates", "screenCoordinates"])
def test_outlines_surround_a_body(studio: Studio, mode: str) -> None:
    line = {"outlineWidthMode": mode, "outlineWidthFactor": 0.08, "outlineColorFactor": list(RED)}
    lined = drawn(studio, cube(mtoon(GREEN, outlineLightingMixFactor=0.0, **line)), scale=0.6)
    plain = drawn(studio, cube(mtoon(GREEN)), scale=0.6)
    assert not is_red(plain).any()
    assert 60 < is_red(lined).sum() < 800
    assert near(middle(lined), (0, 255, 0, 255))
    covered = np.argwhere(lined[..., 3] > 200)
    # The line lies outside: where the body ends without it, it goes on.
    assert covered.min() < np.argwhere(plain[..., 3] > 200).min()


def test_an_outline_may_be_lit(studio: Studio) -> None:
    line = {
        "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": 0.08,
        "outlineColorFactor": [1, 1, 1],
    }
    lit = drawn(
        studio, cube(mtoon(RED, shadeColorFactor=list(RED), outlineLightingMixFactor=1.0, **line)), scale=0.6
    )
    assert near(middle(lit), (255, 0, 0, 255))
    assert is_red(lit)[lit[..., 3] > 200].all()


def test_back_faces_are_culled_unless_double_sided(studio: Studio) -> None:
    turned = squares(mtoon(RED))
    doc_both = squares(mtoon(RED, doubleSided=True, shadeColorFactor=list(RED)))
    for data, alpha in ((turned, 0), (doc_both, 255)):
        model = load(data)
        camera = framing.camera(framing.measure(model), "full")
        half_turn = np.diag([-1.0, 1.0, -1.0, 1.0])
        renderer = studio._open()
        world = half_turn @ model.rest_world
        assert renderer.draw(model, world, model.resolve({}), camera, FRONT, SIDE_PX)[32, 32, 3] == alpha
        renderer.unload(model)


def test_moving_textures_move_with_time_and_rest_at_zero(studio: Studio) -> None:
    halves = picture([[(255, 0, 0, 255), (0, 255, 0, 255)]])
    moving = mtoon(uvAnimationScrollXSpeedFactor=0.5)
    moving["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    data = squares(moving, images=[halves])
    assert near([int(v) for v in drawn(studio, data)[32, 16]], (255, 0, 0, 255))
    assert near([int(v) for v in drawn(studio, data, seconds=1.0)[32, 16]], (0, 255, 0, 255))


def test_textures_are_placed(studio: Studio) -> None:
    halves = picture([[(255, 0, 0, 255), (0, 255, 0, 255)]])
    placed = mtoon()
    transform = {"KHR_texture_transform": {"offset": [0.5, 0.0], "scale": [0.5, 1.0]}}
    placed["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0, "extensions": transform}
    shown = drawn(studio, squares(placed, images=[halves]))
    for column in (8, 56):
        assert near([int(v) for v in shown[32, column]], (0, 255, 0, 255))


def test_a_normal_map_turns_the_light(studio: Studio) -> None:
    # 0.8 to the right and 0.6 forwards.
    sideways = picture([[(230, 128, 204, 255)]])
    bump = mtoon(RED, shadeColorFactor=GREEN)
    bump["normalTexture"] = {"index": 0}
    left = Lighting((-1.0, 0.0, 0.1), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    right = Lighting((1.0, 0.0, 0.1), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    data = squares(bump, images=[sideways])
    assert near(middle(drawn(studio, data, right)), (255, 0, 0, 255))
    assert near(middle(drawn(studio, data, left)), (0, 255, 0, 255))


def test_vertex_colours_tint_all_but_mtoon(studio: Studio) -> None:
    unlit = {"extensions": {"KHR_materials_unlit": {}}}
    # 128 of 255 in linear light is 188 in sRGB.
    assert near(middle(drawn(studio, squares(unlit, tint=(255, 128, 0, 255)))), (255, 188, 0, 255))
    assert near(middle(drawn(studio, squares({}, tint=(255, 0, 0)))), (255, 0, 0, 255))
    assert near(middle(drawn(studio, squares(mtoon(GREEN), tint=(255, 0, 0, 255)))), (0, 255, 0, 255))


def test_vertex_colours_have_three_or_four_parts() -> None:
    with pytest.raises(VrmError, match="vertex colours"):
        load(squares(mtoon(), tint=(255, 0)))


def test_triangles_in_front_come_first(studio: Studio) -> None:
    from render.gl.buffers import front_first

    depths = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.001, 0.001, 0.001])
    order = front_first(np.arange(9, dtype=np.uint32), depths)
    # The first and the last lie in one slab and keep their order.
    assert order.tolist() == [3, 4, 5, 0, 1, 2, 6, 7, 8]
