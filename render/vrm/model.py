"""A whole avatar: all parts of a VRM 0.x, VRM 1.0 or plain GLB file in one form."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from render.errors import VrmError
from render.rotations import Matrix, Quaternion
from render.vrm import (
    constraints,
    expression_reading,
    expressions,
    fields,
    glb,
    humanoid,
    limits,
    lookat,
    materials,
    nodes,
    skins,
    springs,
)
from render.vrm.accessors import Accessors
from render.vrm.constraints import Constraint
from render.vrm.expressions import Expression, Resolved, Surroundings
from render.vrm.fields import Json
from render.vrm.lookat import LookAt
from render.vrm.materials import Material
from render.vrm.meshes import MeshReader, Primitive
from render.vrm.nodes import NodeTree
from render.vrm.skins import Skin
from render.vrm.springs import Springs
from render.vrm.textures import Pictures

Version = Literal["1.0", "0.x", "none"]

BROKEN: Final = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    ZeroDivisionError,
    RecursionError,
    MemoryError,
    AttributeError,
    struct.error,
)
"""What hostile JSON can still make the readers raise; a test feeds thousands of broken files."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """An avatar in VRM 1.0 terms; world space has her facing +Z.

    `digest` is the file's SHA-256 in hex. `bones` maps human bone names of 1.0 to nodes.
    `rest_world` (n, 4, 4) and `rest_turns` (n, 4) are the nodes' world transforms at rest.
    `materials` ends with the default material.
    """

    digest: str
    version: Version
    document: Json
    tree: NodeTree
    rest_world: Matrix
    rest_turns: Quaternion
    skins: tuple[Skin, ...]
    bones: Mapping[str, int]
    materials: tuple[Material, ...]
    primitives: tuple[Primitive, ...]
    expressions: Mapping[str, Expression]
    available: tuple[str, ...]
    look_at: LookAt | None
    constraints: tuple[Constraint, ...]
    springs: Springs
    pictures: Pictures

    def resolve(self, weights: Mapping[str, float]) -> Resolved:
        """Weigh expressions against each other (see `render.vrm.expressions.resolve`)."""
        return expressions.resolve(self.expressions, weights, self.materials)


def load(data: bytes) -> Model:
    """Read an avatar file.

    Raises:
        VrmError: For everything that is wrong with it.
    """
    try:
        with np.errstate(all="ignore"):
            return _load(data)
    except BROKEN as error:
        raise VrmError(f"the file is broken ({type(error).__name__})") from error


def _load(data: bytes) -> Model:
    container = glb.read(data)
    document = container.document
    version, extension = _extension(document)
    accessors = Accessors(container)
    tree = nodes.read(document, faces_backwards=version == "0.x")
    rest_world = tree.world()
    if not (np.abs(rest_world) <= limits.MAX_METRES).all():
        raise VrmError("the nodes reach too far")
    read_skins = skins.read_all(document, accessors, len(tree.parents))
    pictures = Pictures(container, accessors)
    surfaces = materials.read_all(document, extension if version == "0.x" else {}, pictures)
    reader = MeshReader(document, accessors, tuple(_uv_set(material) for material in surfaces))
    primitives = tuple(reader.read(tree, read_skins, _hidden(document, version, extension)))
    around = Surroundings(primitives, surfaces)
    faces = _expressions(version, extension, around)
    return Model(
        digest=hashlib.sha256(data).hexdigest(),
        version=version,
        document=document,
        tree=tree,
        rest_world=rest_world,
        rest_turns=tree.world_rotations(),
        skins=read_skins,
        bones=_bones(version, extension, len(tree.parents)),
        materials=surfaces,
        primitives=primitives,
        expressions=faces,
        available=tuple(name for name, face in faces.items() if expressions.works(face, around)),
        look_at=_look_at(version, extension),
        constraints=constraints.read(document),
        springs=springs.read_0(extension, tree) if version == "0.x" else springs.read_1(document, tree),
        pictures=pictures,
    )


def _extension(document: Json) -> tuple[Version, Json]:
    extensions = fields.table(document, "extensions")
    if "VRMC_vrm" in extensions:
        return "1.0", fields.table(extensions, "VRMC_vrm")
    if "VRM" in extensions:
        return "0.x", fields.table(extensions, "VRM")
    return "none", {}


def _bones(version: Version, extension: Json, node_count: int) -> dict[str, int]:
    read = humanoid.read_0 if version == "0.x" else humanoid.read_1
    return read(extension, node_count)


def _expressions(version: Version, extension: Json, around: Surroundings) -> dict[str, Expression]:
    read = expression_reading.read_0 if version == "0.x" else expression_reading.read_1
    return read(extension, around)


def _look_at(version: Version, extension: Json) -> LookAt | None:
    return lookat.read_0(extension) if version == "0.x" else lookat.read_1(extension)


def _uv_set(material: Material) -> int:
    base = material.textures.get("base")
    return base.uv_set if base else 0


def _hidden(document: Json, version: Version, extension: Json) -> dict[int, bool]:
    """Which nodes are drawn in her own eyes only; 1.0 names nodes, 0.x meshes."""
    annotations = fields.tables(fields.table(extension, "firstPerson"), "meshAnnotations")
    key = "mesh" if version == "0.x" else "node"
    only_her = set()
    for annotation in annotations:
        # The 1.0 schema calls it `type`, its prose and 0.x `firstPersonFlag`.
        kind = fields.text(annotation, "type", fields.text(annotation, "firstPersonFlag"))
        if kind.lower() == "firstpersononly":
            only_her.add(annotation.get(key))
    if version != "0.x":
        return {number: True for number in only_her if isinstance(number, int)}
    return {
        number: True
        for number, node in enumerate(fields.tables(document, "nodes"))
        if node.get("mesh") is not None and node["mesh"] in only_her
    }
