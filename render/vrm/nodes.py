"""The tree of nodes: local and world transforms (glTF 2.0, 3.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from render import rotations
from render.errors import VrmError
from render.rotations import Matrix, Quaternion
from render.vrm import fields, limits
from render.vrm.fields import Json

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class NodeTree:
    """Rest transforms of n nodes.

    `translations` (n, 3) in metres, `rotations` (n, 4), `scales` (n, 3), `parents` (n,) with -1 for
    roots, `levels` the node indices by depth, `drawn` (n,) whether the scene reaches the node,
    `root` (4, 4) above all roots.
    """

    translations: Vectors
    rotations: Quaternion
    scales: Vectors
    parents: npt.NDArray[np.int64]
    levels: tuple[npt.NDArray[np.int64], ...]
    drawn: npt.NDArray[np.bool_]
    root: Matrix

    def world(self, turned: Quaternion | None = None, moved: Vectors | None = None) -> Matrix:
        """Return (n, 4, 4) world matrices, with local rotations or translations replaced if given."""
        local = np.zeros((len(self.parents), 4, 4))
        turned = self.rotations if turned is None else turned
        local[:, :3, :3] = rotations.to_matrices(turned) * self.scales[:, None, :]
        local[:, :3, 3] = self.translations if moved is None else moved
        local[:, 3, 3] = 1.0
        for depth, level in enumerate(self.levels):
            above = self.root if depth == 0 else local[self.parents[level]]
            local[level] = above @ local[level]
        return local

    def world_rotations(self, turned: Quaternion | None = None) -> Quaternion:
        """Return (n, 4) rotations from the roots down, without `root` and without scales."""
        result = (self.rotations if turned is None else turned).copy()
        for level in self.levels[1:]:
            for node in level:
                result[node] = rotations.multiply(result[self.parents[node]], result[node])
        return result

    def below(self, top: int) -> frozenset[int]:
        """Return `top` and all nodes under it."""
        found = {top}
        for level in self.levels:
            found.update(int(node) for node in level if int(self.parents[node]) in found)
        return frozenset(found)


def read(document: Json, faces_backwards: bool) -> NodeTree:
    """Read the nodes of a document; `faces_backwards` turns the whole by half (VRM 0.x looks along -Z).

    Raises:
        VrmError: Too many nodes, too deep, a cycle, two parents, or numbers that are not finite.
    """
    declared = fields.tables(document, "nodes")
    if len(declared) > limits.MAX_NODES:
        raise VrmError(f"more than {limits.MAX_NODES} nodes")
    parents = _parents(declared)
    translations, turns, scales = _transforms(declared)
    root = np.diag([-1.0, 1.0, -1.0, 1.0]) if faces_backwards else np.eye(4)
    drawn = _drawn(document, declared, parents)
    return NodeTree(translations, turns, scales, parents, _levels(parents), drawn, root)


def _parents(declared: list[Json]) -> npt.NDArray[np.int64]:
    parents = np.full(len(declared), -1, np.int64)
    for i, node in enumerate(declared):
        for value in fields.items(node, "children"):
            child = fields.as_index(value, "children")
            if not 0 <= child < len(declared):
                raise VrmError(f"node {i} has a child that does not exist")
            if parents[child] != -1:
                raise VrmError(f"node {child} has two parents")
            parents[child] = i
    return parents


def _levels(parents: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    levels = []
    level = np.nonzero(parents == -1)[0]
    seen = 0
    while len(level):
        levels.append(level)
        seen += len(level)
        if len(levels) > limits.MAX_NODE_DEPTH:
            raise VrmError(f"nodes are nested deeper than {limits.MAX_NODE_DEPTH}")
        level = np.nonzero(np.isin(parents, level))[0]
    if seen < len(parents):
        raise VrmError("the nodes form a cycle")
    return tuple(levels)


def _transforms(declared: list[Json]) -> tuple[Vectors, Quaternion, Vectors]:
    count = len(declared)
    moves, turns, scales = np.zeros((count, 3)), np.zeros((count, 4)), np.ones((count, 3))
    for i, node in enumerate(declared):
        if node.get("matrix") is not None:
            moves[i], turns[i], scales[i] = _decomposed(node)
            continue
        moves[i] = fields.vector(node, "translation", (0.0, 0.0, 0.0))
        turns[i] = rotations.normalised(fields.vector(node, "rotation", (0.0, 0.0, 0.0, 1.0)))
        scales[i] = fields.vector(node, "scale", (1.0, 1.0, 1.0))
    return moves, turns, scales


def _decomposed(node: Json) -> tuple[Vectors, Quaternion, Vectors]:
    matrix = fields.vector(node, "matrix", tuple(np.eye(4).ravel())).reshape(4, 4).T
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale[0] = -scale[0]
    axes = matrix[:3, :3] / np.where(np.abs(scale) < 1e-12, 1.0, scale)
    return matrix[:3, 3], rotations.from_matrix(axes), scale


def _drawn(document: Json, declared: list[Json], parents: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    scenes = fields.tables(document, "scenes")
    chosen = fields.optional_index(document, "scene", len(scenes)) if scenes else None
    tops = fields.items(scenes[chosen or 0], "nodes") if scenes else []
    drawn = np.zeros(len(parents), bool)
    for value in tops:
        top = fields.as_index(value, "nodes")
        if not 0 <= top < len(parents):
            raise VrmError("the scene names a node that does not exist")
        drawn[top] = True
    if not tops:
        return np.ones(len(parents), bool)
    for level in _levels(parents)[1:]:
        drawn[level] |= drawn[parents[level]]
    return drawn
