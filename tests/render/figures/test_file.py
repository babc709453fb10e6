"""The figures' files keep the rules of glTF 2.0."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from render import figures


def primitives(glb):
    return [primitive for mesh in glb.json["meshes"] for primitive in mesh["primitives"]]


def test_equal_calls_give_equal_bytes(name, data):
    assert figures.build(name) == data


def test_a_file_is_small_enough_to_be_kept_and_loaded_quickly(data):
    assert len(data) < 3_000_000


def test_accessors_stay_inside_the_buffer_and_are_finite(glb):
    for number in range(len(glb.json["accessors"])):
        assert np.isfinite(glb.accessor(number)).all()


def test_bounds_are_those_of_the_values(glb):
    for number, entry in enumerate(glb.json["accessors"]):
        if "min" in entry:
            values = glb.accessor(number)
            np.testing.assert_allclose(entry["min"], values.min(0), atol=1e-6)
            np.testing.assert_allclose(entry["max"], values.max(0), atol=1e-6)


def test_indices_name_existing_vertices(glb):
    for primitive in primitives(glb):
        indices = glb.accessor(primitive["indices"])
        vertices = glb.json["accessors"][primitive["attributes"]["POSITION"]]["count"]
        assert len(indices) % 3 == 0
        assert indices.max() == vertices - 1 or indices.max() < vertices


def test_all_attributes_of_a_primitive_have_one_length(glb):
    for primitive in primitives(glb):
        numbers = list(primitive["attributes"].values())
        numbers += [target["POSITION"] for target in primitive.get("targets", [])]
        assert len({glb.json["accessors"][number]["count"] for number in numbers}) == 1


def test_normals_have_length_one(glb):
    for primitive in primitives(glb):
        lengths = np.linalg.norm(glb.accessor(primitive["attributes"]["NORMAL"]), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-4)


def test_triangles_and_normals_face_the_same_way(glb):
    for primitive in primitives(glb):
        if glb.json["materials"][primitive["material"]]["name"].startswith("hair"):
            continue  # Hair is shaded as one rounded mass: the inner side of a lock has the outer side's normals.
        points = glb.accessor(primitive["attributes"]["POSITION"])
        normals = glb.accessor(primitive["attributes"]["NORMAL"])
        triangles = glb.accessor(primitive["indices"]).astype(int).reshape(-1, 3)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        faces = np.cross(b - a, c - a)
        agreement = (faces * normals[triangles].mean(1)).sum(1)
        material = glb.json["materials"][primitive["material"]]["name"]
        assert (agreement > -1e-9).mean() > 0.93, material


def test_skin_weights_sum_to_one_and_joints_exist(glb):
    joints = glb.json["skins"][0]["joints"]
    for primitive in primitives(glb):
        weights = glb.accessor(primitive["attributes"]["WEIGHTS_0"])
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(1), 1.0, atol=1e-5)
        numbers = glb.accessor(primitive["attributes"]["JOINTS_0"])
        assert numbers.max() < len(joints)
        assert (numbers[weights == 0] == 0).all(), "a joint without weight must be 0 (glTF 3.7.3.3)"


def test_bind_matrices_undo_the_rest_pose(glb):
    nodes = glb.json["nodes"]
    world = {0: np.array(nodes[0]["translation"])}
    for number, node in enumerate(nodes):
        for child in node.get("children", []):
            world[child] = world[number] + nodes[child]["translation"]
    matrices = glb.accessor(glb.json["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4)
    for joint, matrix in zip(glb.json["skins"][0]["joints"], matrices, strict=True):
        np.testing.assert_allclose(matrix[3, :3], -world[joint], atol=1e-4)


def test_pictures_are_readable_and_modest(glb):
    for image in glb.json["images"]:
        with Image.open(io.BytesIO(glb.view(image["bufferView"]))) as picture:
            picture.load()
            assert max(picture.size) <= 1024


def test_textured_primitives_have_texture_coordinates(glb):
    for primitive in primitives(glb):
        material = glb.json["materials"][primitive["material"]]
        if "baseColorTexture" in material["pbrMetallicRoughness"]:
            assert "TEXCOORD_0" in primitive["attributes"]


def test_textures_of_materials_exist(glb):
    for material in glb.json["materials"]:
        toon = material["extensions"]["VRMC_materials_mtoon"]
        for info in (
            material["pbrMetallicRoughness"].get("baseColorTexture"),
            toon.get("shadeMultiplyTexture"),
        ):
            if info is not None:
                source = glb.json["textures"][info["index"]]["source"]
                assert 0 <= source < len(glb.json["images"])
