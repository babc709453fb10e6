"""The figures' files keep the rules of VRM 1.0 and what the product expects of its own avatars."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from render.figures import STYLES, style
from render.vrm import load

PRESETS = {
    "happy", "angry", "sad", "relaxed", "surprised", "neutral", "aa", "ih", "ou", "ee", "oh", "blink", "blinkLeft",
    "blinkRight", "lookUp", "lookDown", "lookLeft", "lookRight",
}  # fmt: skip
MOODS = ("happy", "angry", "sad", "relaxed", "surprised", "flustered")


def vrm(glb):
    return glb.json["extensions"]["VRMC_vrm"]


def face_of(glb, expression):
    """Return the displaced vertices (n, 3) of the face under one expression at full weight."""
    known = vrm(glb)["expressions"]["preset"] | vrm(glb)["expressions"]["custom"]
    mesh = glb.json["meshes"][glb.json["nodes"][known[expression]["morphTargetBinds"][0]["node"]]["mesh"]]
    moved = []
    for primitive in mesh["primitives"]:
        shift = sum(
            bind["weight"] * glb.accessor(primitive["targets"][bind["index"]]["POSITION"])
            for bind in known[expression]["morphTargetBinds"]
        )
        moved.append(shift)
    return np.vstack(moved)


def test_every_preset_and_the_flustered_face_exist(glb):
    expressions = vrm(glb)["expressions"]
    assert set(expressions["preset"]) == PRESETS
    assert set(expressions["custom"]) == {"flustered"}


def test_binds_name_existing_targets_and_materials(glb):
    expressions = vrm(glb)["expressions"]
    for expression in (expressions["preset"] | expressions["custom"]).values():
        for bind in expression["morphTargetBinds"]:
            mesh = glb.json["meshes"][glb.json["nodes"][bind["node"]]["mesh"]]
            assert all(bind["index"] < len(primitive["targets"]) for primitive in mesh["primitives"])
        for bind in expression.get("materialColorBinds", []):
            material = glb.json["materials"][bind["material"]]
            assert material["alphaMode"] == "BLEND", "opacity of an opaque material has no effect"


def test_every_expression_but_neutral_moves_the_face(glb):
    for name in (PRESETS - {"neutral"}) | {"flustered"}:
        assert np.abs(face_of(glb, name)).max() > 0.002, name


def test_moods_differ_by_more_than_a_pixel_of_a_small_portrait(glb):
    pixel_m = 0.44 / 256
    for one, other in itertools.combinations(MOODS, 2):
        apart = np.linalg.norm(face_of(glb, one) - face_of(glb, other), axis=1)
        assert (apart > pixel_m).sum() > 40, (one, other)


def test_a_smile_at_three_quarters_shuts_the_eyes(glb):
    known = vrm(glb)["expressions"]["preset"]["happy"]["morphTargetBinds"][0]
    mesh = glb.json["meshes"][glb.json["nodes"][known["node"]]["mesh"]]
    (white,) = [p for p in mesh["primitives"] if glb.json["materials"][p["material"]]["name"] == "eye_white"]
    points = glb.accessor(white["attributes"]["POSITION"])
    moved = points + 0.8 * glb.accessor(white["targets"][known["index"]]["POSITION"])
    columns = 25
    one_eye = moved[: len(moved) // 2].reshape(-1, columns, 3)
    middle = slice(6, 19)
    assert (one_eye[0, middle, 1] <= one_eye[-1, middle, 1] + 1e-4).all()


def test_the_skeleton_is_a_complete_humanoid(glb):
    bones = vrm(glb)["humanoid"]["humanBones"]
    fingers = {
        f"{side}{finger}{segment}"
        for side in ("left", "right")
        for finger in ("Index", "Middle", "Ring", "Little")
        for segment in ("Proximal", "Intermediate", "Distal")
    }
    thumbs = {f"{side}Thumb{s}" for side in ("left", "right") for s in ("Metacarpal", "Proximal", "Distal")}
    limbs = {
        side + bone
        for side in ("left", "right")
        for bone in (
            "Shoulder",
            "UpperArm",
            "LowerArm",
            "Hand",
            "UpperLeg",
            "LowerLeg",
            "Foot",
            "Toes",
            "Eye",
        )
    }
    trunk = {"hips", "spine", "chest", "upperChest", "neck", "head"}
    assert set(bones) == trunk | limbs | fingers | thumbs
    assert len({bone["node"] for bone in bones.values()}) == len(bones)


def test_arms_rest_in_the_t_pose(glb):
    nodes, bones = glb.json["nodes"], vrm(glb)["humanoid"]["humanBones"]
    for side, sign in (("left", 1), ("right", -1)):
        for bone in ("LowerArm", "Hand"):
            x, y, z = nodes[bones[side + bone]["node"]]["translation"]
            assert sign * x > 0.1
            assert (y, z) == pytest.approx((0, 0), abs=1e-6)


def test_a_figure_has_the_proportions_of_an_adult(name, glb):
    frame = STYLES[name].frame
    height = frame.chin + frame.head
    assert 1.55 < height < 1.95
    assert height / frame.head > 7.0
    body = [
        glb.accessor(p["attributes"]["POSITION"]) for mesh in glb.json["meshes"] for p in mesh["primitives"]
    ]
    low, high = np.vstack(body).min(0), np.vstack(body).max(0)
    assert low[1] == pytest.approx(0.0, abs=0.01), "the figure stands on the ground"
    assert height < high[1] < height + 0.05


def test_springs_hang_on_existing_bones_and_have_length(glb):
    block = glb.json["extensions"]["VRMC_springBone"]
    nodes = glb.json["nodes"]
    assert block["springs"] or "slate" in vrm(glb)["meta"]["name"]
    for spring in block["springs"]:
        chain = [joint["node"] for joint in spring["joints"]]
        for upper, lower in itertools.pairwise(chain):
            assert lower in nodes[upper]["children"]
            assert np.linalg.norm(nodes[lower]["translation"]) > 0.01
        assert all(group < len(block["colliderGroups"]) for group in spring["colliderGroups"])


def test_swinging_bones_really_carry_hair_or_cloth(glb):
    block = glb.json["extensions"]["VRMC_springBone"]
    carried = set()
    for mesh in glb.json["meshes"]:
        for primitive in mesh["primitives"]:
            joints = glb.accessor(primitive["attributes"]["JOINTS_0"]).astype(int)
            weights = glb.accessor(primitive["attributes"]["WEIGHTS_0"])
            carried |= set(joints[weights > 0.2].tolist())
    for spring in block["springs"]:
        # The last joint of a chain is its tip and carries nothing.
        assert any(joint["node"] in carried for joint in spring["joints"][:-1]), spring["name"]


def test_meta_permits_use_change_and_redistribution(glb):
    meta = vrm(glb)["meta"]
    assert meta["licenseUrl"] == "https://vrm.dev/licenses/1.0/"
    assert meta["authors"]
    assert meta["avatarPermission"] == "everyone"
    assert meta["allowRedistribution"] is True
    assert meta["modification"] == "allowModificationRedistribution"


def test_the_products_reader_accepts_the_figure(data):
    model = load(data)
    assert set(model.available) >= (PRESETS - {"neutral"}) | {"flustered"}


def test_colours_are_parameters():
    from dataclasses import replace

    from render.figures import write_figure

    dusk = STYLES["dusk"]
    other = replace(dusk, palette=replace(dusk.palette, outer="#336655"))
    assert write_figure(other) != write_figure(dusk)


def test_styles_are_what_the_package_names():
    assert set(STYLES) == {"dusk", "ember", "slate"}
    assert next(iter(STYLES)) == "dusk"
    assert style.MAN is STYLES["slate"].frame
