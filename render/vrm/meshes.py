"""Triangles: primitives with morph targets and skin binding, ready to be deformed (glTF 2.0, 3.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.accessors import Accessors, Floats, Integers
from render.vrm.fields import Json
from render.vrm.nodes import NodeTree
from render.vrm.skins import Binding, Skin, bind

Rows = npt.NDArray[np.int64]
Indices = npt.NDArray[np.uint32]

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_MOVED = 1e-7
_HUGE_NORMAL = 4.0
"""Longer changes of a unit normal come from broken exporters (UniVRM 415, 1354)."""


@dataclass(frozen=True, slots=True, eq=False)
class MorphTarget:
    """What one morph target moves: `rows` (k,) vertices by `positions` (k, 3) and maybe `normals` (k, 3)."""

    rows: Rows
    positions: Floats
    normals: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One draw: n vertices in metres, m indices of triangles, one material.

    `skin` and `binding` are both set or both None. `visible` is false for first-person-only meshes.
    `colors` (n, 4), linear, tint surfaces that are not MToon (which has no vertex colours).
    """

    node: int
    mesh: int
    material: int
    skin: int | None
    visible: bool
    positions: Floats
    normals: Floats
    uv: Floats
    indices: Indices
    targets: tuple[MorphTarget, ...]
    binding: Binding | None
    colors: Floats | None = None


class MeshReader:
    """Reads all drawn primitives within the limits; geometry shared by several nodes is read once."""

    def __init__(self, document: Json, accessors: Accessors, uv_sets: tuple[int, ...]) -> None:
        self._nodes = fields.tables(document, "nodes")
        self._meshes = fields.tables(document, "meshes")
        self._accessors = accessors
        self._uv_sets = uv_sets
        self._targets: dict[tuple[int, int], tuple[MorphTarget, ...]] = {}
        self._vertices = 0
        self._indices = 0
        self._morph_rows = 0

    def read(self, tree: NodeTree, skins: tuple[Skin, ...], hidden: Mapping[int, bool]) -> list[Primitive]:
        """Return the primitives of all drawn nodes; `hidden` says which nodes nobody else sees.

        Raises:
            VrmError: Over a limit, out of range, or numbers that are not finite.
        """
        primitives: list[Primitive] = []
        for number, node in enumerate(self._nodes):
            mesh = fields.optional_index(node, "mesh", len(self._meshes))
            if mesh is None or not tree.drawn[number]:
                continue
            skin = fields.optional_index(node, "skin", len(skins))
            for position, declared in enumerate(fields.tables(self._meshes[mesh], "primitives")):
                if fields.natural(declared, "mode", _TRIANGLES) not in (_TRIANGLES, _STRIP, _FAN):
                    continue
                if len(primitives) == limits.MAX_PRIMITIVES:
                    raise VrmError(f"more than {limits.MAX_PRIMITIVES} primitives")
                seen = not hidden.get(number, False)
                primitives.append(self._primitive(declared, (mesh, position), number, skin, skins, seen))
        return primitives

    def _primitive(
        self,
        declared: Json,
        key: tuple[int, int],
        node: int,
        skin: int | None,
        skins: tuple[Skin, ...],
        visible: bool,
    ) -> Primitive:
        attributes = fields.table(declared, "attributes")
        position = fields.index(attributes, "POSITION", self._accessors.count)
        self._vertices += self._accessors.length(position)
        if self._vertices > limits.MAX_VERTICES:
            raise VrmError(f"more than {limits.MAX_VERTICES} vertices")
        positions = self._accessors.floats(position, 3)
        indices = self._triangles(declared, len(positions))
        material = fields.optional_index(declared, "material", len(self._uv_sets) - 1)
        # The last material is the default one, for meshes that name none.
        material = len(self._uv_sets) - 1 if material is None else material
        binding = self._binding(attributes, skins[skin], len(positions)) if skin is not None else None
        if key not in self._targets:
            self._targets[key] = self._morphs(declared, len(positions))
        return Primitive(
            node=node,
            mesh=key[0],
            material=material,
            skin=skin if binding is not None else None,
            visible=visible,
            positions=positions,
            normals=self._normals(attributes, positions, indices),
            uv=self._uv(attributes, len(positions), self._uv_sets[material]),
            indices=indices,
            targets=self._targets[key],
            binding=binding,
            colors=self._colors(attributes, len(positions)),
        )

    def _triangles(self, declared: Json, vertices: int) -> Indices:
        number = fields.optional_index(declared, "indices", self._accessors.count)
        self._indices += vertices if number is None else self._accessors.length(number)
        if self._indices > limits.MAX_INDICES:
            raise VrmError(f"more than {limits.MAX_INDICES} indices")
        order = np.arange(vertices) if number is None else self._accessors.integers(number)[:, 0]
        if len(order) and order.max() >= vertices:
            raise VrmError("a triangle names a vertex that does not exist")
        order = _as_triangles(order, fields.natural(declared, "mode", _TRIANGLES))
        return order[: len(order) // 3 * 3].astype(np.uint32)

    def _normals(self, attributes: Json, positions: Floats, indices: Indices) -> Floats:
        number = fields.optional_index(attributes, "NORMAL", self._accessors.count)
        if number is None:
            return area_weighted_normals(positions, indices)
        normals = self._accessors.floats(number, 3, finite=False)
        if len(normals) != len(positions):
            raise VrmError("normals and positions differ in number")
        return np.nan_to_num(normals, nan=0.0, posinf=0.0, neginf=0.0)

    def _uv(self, attributes: Json, vertices: int, uv_set: int) -> Floats:
        name = f"TEXCOORD_{uv_set}" if f"TEXCOORD_{uv_set}" in attributes else "TEXCOORD_0"
        number = fields.optional_index(attributes, name, self._accessors.count)
        if number is None:
            return np.zeros((vertices, 2), np.float32)
        uv = self._accessors.floats(number, 2)
        if len(uv) != vertices:
            raise VrmError("texture coordinates and positions differ in number")
        return uv

    def _colors(self, attributes: Json, vertices: int) -> Floats | None:
        number = fields.optional_index(attributes, "COLOR_0", self._accessors.count)
        if number is None:
            return None
        colors = self._accessors.floats(number, self._accessors.components(number))
        if len(colors) != vertices or colors.shape[1] not in (3, 4):
            raise VrmError("vertex colours do not fit the positions")
        rgba = np.ones((vertices, 4), np.float32)
        rgba[:, : colors.shape[1]] = np.clip(colors, 0.0, 1.0)
        return rgba

    def _binding(self, attributes: Json, skin: Skin, vertices: int) -> Binding | None:
        joints: list[Integers] = []
        weights: list[Floats] = []
        for part in range(2):
            joint = fields.optional_index(attributes, f"JOINTS_{part}", self._accessors.count)
            weight = fields.optional_index(attributes, f"WEIGHTS_{part}", self._accessors.count)
            if joint is not None and weight is not None:
                joints.append(self._accessors.integers(joint, 4))
                weights.append(self._accessors.floats(weight, 4, finite=False))
        if not joints:
            return None
        lengths = {len(values) for values in joints} | {len(values) for values in weights}
        if lengths != {vertices}:
            raise VrmError("skin weights and positions differ in number")
        return bind(np.hstack(joints), np.hstack(weights), len(skin.joints))

    def _morphs(self, declared: Json, vertices: int) -> tuple[MorphTarget, ...]:
        targets = fields.tables(declared, "targets")
        self._morph_rows += len(targets) * vertices
        if self._morph_rows > limits.MAX_MORPH_ROWS:
            raise VrmError("the morph targets are too large")
        return tuple(self._morph(target, vertices) for target in targets)

    def _morph(self, target: Json, vertices: int) -> MorphTarget:
        position = fields.optional_index(target, "POSITION", self._accessors.count)
        normal = fields.optional_index(target, "NORMAL", self._accessors.count)
        if position is None or self._accessors.length(position) != vertices:
            return MorphTarget(np.zeros(0, np.int64), np.zeros((0, 3), np.float32), None)
        moved = self._accessors.floats(position, 3)
        turned = None if normal is None else self._accessors.floats(normal, 3, finite=False)
        if turned is not None and (len(turned) != vertices or not (np.abs(turned) < _HUGE_NORMAL).all()):
            turned = None
        touched = (moved > _MOVED).any(axis=1) | (moved < -_MOVED).any(axis=1)
        if turned is not None:
            touched |= turned.any(axis=1)
        rows = np.nonzero(touched)[0]
        return MorphTarget(rows, moved[rows], None if turned is None else turned[rows])


def _as_triangles(order: npt.NDArray[np.int64], mode: int) -> npt.NDArray[np.int64]:
    if mode == _TRIANGLES or len(order) < 3:
        return order
    step = np.arange(len(order) - 2)
    if mode == _STRIP:
        odd = step % 2
        return np.stack([order[step + odd], order[step + 1 - odd], order[step + 2]], axis=1).ravel()
    first = np.full(len(step), order[0])
    return np.stack([first, order[step + 1], order[step + 2]], axis=1).ravel()


def area_weighted_normals(positions: Floats, indices: Indices) -> Floats:
    """Return (n, 3) unit normals, each the area-weighted mean of its triangles."""
    faces = indices.reshape(-1, 3)
    first, second, third = (positions[faces[:, corner]] for corner in range(3))
    across = np.cross(second - first, third - first)
    normals = np.zeros((len(positions), 3), np.float64)
    for corner in range(3):
        for axis in range(3):
            normals[:, axis] += np.bincount(faces[:, corner], across[:, axis], len(positions))
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    unit: Floats = (normals / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
