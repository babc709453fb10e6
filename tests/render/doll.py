"""A small avatar written by hand for tests: a box for a body, a box for a head, arms held out."""

from __future__ import annotations

import copy
import json
import struct
from typing import Any

import numpy as np

BONES = {
    "hips": (-1, (0.0, 0.9, 0.0)),
    "spine": (0, (0.0, 0.15, 0.0)),
    "chest": (1, (0.0, 0.2, 0.0)),
    "neck": (2, (0.0, 0.2, 0.0)),
    "head": (3, (0.0, 0.1, 0.0)),
    "leftUpperArm": (2, (0.15, 0.15, 0.0)),
    "leftLowerArm": (5, (0.25, 0.0, 0.0)),
    "leftHand": (6, (0.25, 0.0, 0.0)),
    "rightUpperArm": (2, (-0.15, 0.15, 0.0)),
    "rightLowerArm": (8, (-0.25, 0.0, 0.0)),
    "rightHand": (9, (-0.25, 0.0, 0.0)),
    "leftEye": (4, (0.03, 0.06, 0.08)),
    "rightEye": (4, (-0.03, 0.06, 0.08)),
}
"""Bone -> (parent's place in this table, translation)."""
BODY_NODE, HEAD_NODE = 13, 14
MATERIALS = 2


class Writer:
    """Collects accessors into one buffer."""

    def __init__(self) -> None:
        self.binary = b""
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, data: bytes) -> int:
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data
        return len(self.views) - 1

    def add(self, values: np.ndarray, kind: str) -> int:
        codes = {"f4": 5126, "u2": 5123, "u1": 5121, "u4": 5125, "i2": 5122, "i1": 5120}
        accessor = {
            "bufferView": self.view(values.tobytes()),
            "componentType": codes[values.dtype.str[1:]],
            "count": len(values),
            "type": kind,
        }
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def box(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, normals and indices of a box with flat sides."""
    positions, normals, indices = [], [], []
    for axis in range(3):
        for side in (0, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            normal = np.zeros(3)
            normal[axis] = 1.0 if side else -1.0
            start = len(positions)
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = np.empty(3)
                corner[axis] = (low, high)[side][axis]
                corner[u], corner[v] = (low, high)[a][u], (low, high)[b][v]
                positions.append(corner)
                normals.append(normal)
            order = (0, 1, 2, 0, 2, 3) if side else (0, 2, 1, 0, 3, 2)
            indices += [start + i for i in order]
    return np.array(positions, "<f4"), np.array(normals, "<f4"), np.array(indices, "<u2")


def document(writer: Writer) -> dict[str, Any]:
    """The glTF document of the doll, without any VRM extension."""
    names = list(BONES)
    nodes: list[dict[str, Any]] = [{"name": n, "translation": list(BONES[n][1])} for n in names]
    for i, name in enumerate(names):
        if BONES[name][0] >= 0:
            nodes[BONES[name][0]].setdefault("children", []).append(i)
    nodes.append({"name": "body", "mesh": 0, "translation": [0.0, 0.0, 0.0]})
    nodes.append({"name": "face", "mesh": 1})
    nodes[HEAD_NODE]["translation"] = [0.0, 0.0, 0.0]
    nodes[names.index("head")]["children"].append(HEAD_NODE)
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, BODY_NODE]}],
        "nodes": nodes,
        "meshes": [
            {"primitives": [_primitive(writer, (-0.15, 0.0, -0.1), (0.15, 1.45, 0.1), 0)]},
            {"primitives": [_face(writer)]},
        ],
        "materials": [
            {"name": "cloth", "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.6, 1.0]}},
            {
                "name": "skin",
                "pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.6, 0.5, 1.0]},
                "extensions": {"VRMC_materials_mtoon": {"shadeColorFactor": [0.7, 0.4, 0.4]}},
            },
        ],
    }


def _primitive(
    writer: Writer, low: tuple[float, ...], high: tuple[float, ...], material: int
) -> dict[str, Any]:
    positions, normals, indices = box(low, high)
    return {
        "attributes": {"POSITION": writer.add(positions, "VEC3"), "NORMAL": writer.add(normals, "VEC3")},
        "indices": writer.add(indices, "SCALAR"),
        "material": material,
    }


def _face(writer: Writer) -> dict[str, Any]:
    primitive = _primitive(writer, (-0.1, 0.0, -0.1), (0.1, 0.22, 0.1), 1)
    positions, _, _ = box((-0.1, 0.0, -0.1), (0.1, 0.22, 0.1))
    smile = np.zeros_like(positions)
    smile[positions[:, 1] > 0.2] = (0.0, -0.08, 0.0)
    primitive["targets"] = [
        {"POSITION": writer.add(smile, "VEC3")},
        {"POSITION": writer.add(np.zeros_like(positions), "VEC3")},
    ]
    return primitive


def vrm1(**changes: Any) -> tuple[dict[str, Any], Writer]:
    """A VRM 1.0 doll with a smile, a bind that does nothing and a blush of the skin's colour."""
    writer = Writer()
    doc = document(writer)
    smile = {"morphTargetBinds": [{"node": HEAD_NODE, "index": 0, "weight": 1.0}]}
    nothing = {"morphTargetBinds": [{"node": HEAD_NODE, "index": 1, "weight": 1.0}]}
    blush = {"materialColorBinds": [{"material": 1, "type": "color", "targetValue": [1.0, 0.1, 0.1, 1.0]}]}
    doc["extensions"] = {
        "VRMC_vrm": {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {name: {"node": i} for i, name in enumerate(BONES)}},
            "expressions": {
                "preset": {"happy": smile, "sad": nothing, "angry": {}},
                "custom": {"shy": blush},
            },
            "lookAt": {"type": "bone", "rangeMapHorizontalInner": {"inputMaxValue": 90, "outputScale": 10}},
            **changes,
        }
    }
    return doc, writer


def vrm0() -> tuple[dict[str, Any], Writer]:
    """The same doll as VRM 0.x, which looks along -Z."""
    writer = Writer()
    doc = document(writer)
    for node in doc["nodes"]:
        x, y, z = node["translation"]
        node["translation"] = [-x, y, -z]
    groups = [
        {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 1, "index": 0, "weight": 100}]},
        {"name": "Surprised", "presetName": "unknown", "binds": [{"mesh": 1, "index": 0, "weight": 50}]},
        {"name": "surprised", "presetName": "unknown", "binds": []},
    ]
    doc["extensions"] = {
        "VRM": {
            "humanoid": {"humanBones": [{"bone": name, "node": i} for i, name in enumerate(BONES)]},
            "blendShapeMaster": {"blendShapeGroups": groups},
            "firstPerson": {"lookAtTypeName": "Bone"},
            "materialProperties": [
                {},
                {"shader": "VRM/MToon", "vectorProperties": {"_Color": [0.9, 0.6, 0.5, 1]}},
            ],
        }
    }
    return doc, writer


def glb(doc: dict[str, Any], writer: Writer) -> bytes:
    """The file of a document and its accessors."""
    doc = copy.deepcopy(doc)
    doc["accessors"] = writer.accessors
    doc["bufferViews"] = writer.views
    doc["buffers"] = [{"byteLength": len(writer.binary)}]
    return container(json.dumps(doc).encode(), writer.binary)


def container(text: bytes, binary: bytes = b"") -> bytes:
    """A GLB of a JSON text and a buffer."""
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
