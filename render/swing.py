"""Moving what swings: Verlet steps of all spring bones at once (VRMC_springBone 1.0, "algorithm")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from render import rotations
from render.rotations import Matrix, Quaternion
from render.vrm import Model

SETTLE_STEPS: Final = 40
SETTLE_STEP_S: Final = 1 / 30
_STILL_M: Final = 2.5e-4
"""Hair whose ends move less than this in a step hangs still."""

Vectors = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """A pose without swinging: world matrices, joints' frames before their own turn, colliders."""

    posed: Matrix
    before_own: Matrix
    collider_starts: Vectors
    collider_lengths: Vectors


class Swing:
    """The state of one model's springs; `local` rotations go in and come out.

    Joints are moved level by level (a joint after the one it hangs on), all of a level at once.
    """

    def __init__(self, model: Model) -> None:
        joints = model.springs.joints
        self._model = model
        self._nodes = np.array([joint.node for joint in joints], np.int64)
        self._tails = np.array([joint.tail for joint in joints]).reshape(-1, 3)
        self._axes = self._tails / np.maximum(np.linalg.norm(self._tails, axis=1, keepdims=True), 1e-12)
        self._stiffness = np.array([joint.stiffness for joint in joints])
        self._gravity = np.array([joint.gravity for joint in joints]).reshape(-1, 3)
        self._drag = np.array([joint.drag for joint in joints])
        self._radii = np.array([joint.radius for joint in joints])
        self._collider_radii = np.array([collider.radius for collider in model.springs.colliders])
        self._touches = np.zeros((len(joints), len(model.springs.colliders)), bool)
        for number, joint in enumerate(joints):
            self._touches[number, list(joint.colliders)] = True
        self._anchors, self._levels = _hierarchy(model, self._nodes)
        self._now: Vectors | None = None
        self._before: Vectors | None = None

    def settle(self, local: Quaternion, moved: Vectors | None = None) -> Quaternion:
        """Return local rotations with everything hanging still."""
        if not len(self._nodes):
            return local
        self._now = None
        stage = self._stage(local, moved)
        turns = self._advanced(stage, SETTLE_STEP_S)
        for _ in range(SETTLE_STEPS - 1):
            if self._hangs_still():
                break
            turns = self._advanced(stage, SETTLE_STEP_S)
        return self._turned(local, turns)

    def _hangs_still(self) -> bool:
        assert self._now is not None
        assert self._before is not None
        return float(np.abs(self._now - self._before).max()) < _STILL_M

    def step(self, local: Quaternion, seconds: float, moved: Vectors | None = None) -> Quaternion:
        """Move on by `seconds`; the first step starts from the pose itself.

        Args:
            local: (nodes, 4) local rotations of pose and constraints, without swinging.
            seconds: Time since the step before.
            moved: (nodes, 3) local translations where they are not those of rest.

        Returns:
            Local rotations with swinging.
        """
        if not len(self._nodes):
            return local
        return self._turned(local, self._advanced(self._stage(local, moved), seconds))

    def _stage(self, local: Quaternion, moved: Vectors | None) -> _Stage:
        """Everything of a pose that does not swing."""
        posed = self._model.tree.world(local, moved)
        colliders = self._model.springs.colliders
        nodes = np.array([collider.node for collider in colliders], np.int64)
        starts = _points(posed[nodes], np.array([c.start for c in colliders]).reshape(-1, 3))
        ends = _points(posed[nodes], np.array([c.end for c in colliders]).reshape(-1, 3))
        return _Stage(posed, self._before_own(local), starts, ends - starts)

    def _advanced(self, stage: _Stage, seconds: float) -> Quaternion:
        """Move all tails on and return every joint's own turn, (joints, 4)."""
        tree, posed = self._model.tree, stage.posed
        world = np.empty((len(self._nodes), 4, 4))
        turns = np.tile(rotations.IDENTITY, (len(self._nodes), 1))
        if self._now is None:
            self._now = _points(posed[self._nodes], self._tails / tree.scales[self._nodes])
            self._before = self._now.copy()
        for level in self._levels:
            anchors, parents = self._anchors[level], tree.parents[self._nodes[level]]
            above = np.where((anchors >= 0)[:, None, None], world[anchors], self._static(posed, parents))
            frames = above @ stage.before_own[level]
            turns[level] = self._moved(level, frames, stage, seconds)
            world[level] = frames @ _as_matrices(turns[level], tree.scales[self._nodes[level]])
        return turns

    def _before_own(self, local: Quaternion) -> Matrix:
        """Each joint's frame before its own swing, as seen from the joint (or static node) it hangs on."""
        tree = self._model.tree
        frames = _as_matrices(local[self._nodes], np.ones((len(self._nodes), 3)))
        frames[:, :3, 3] = tree.translations[self._nodes]
        for number, node in enumerate(self._nodes):
            anchor = self._anchors[number]
            if anchor < 0:
                continue
            parent = int(tree.parents[node])
            while parent != self._nodes[anchor]:
                between = _as_matrices(local[parent][None], tree.scales[parent][None])[0]
                between[:3, 3] = tree.translations[parent]
                frames[number] = between @ frames[number]
                parent = int(tree.parents[parent])
        return frames

    def _static(self, posed: Matrix, parents: Places) -> Matrix:
        above: Matrix = np.where((parents >= 0)[:, None, None], posed[parents], self._model.tree.root)
        return above

    def _moved(self, level: Places, frames: Matrix, stage: _Stage, seconds: float) -> Quaternion:
        assert self._now is not None
        assert self._before is not None
        heads = frames[:, :3, 3]
        rest = np.einsum("jab,jb->ja", frames[:, :3, :3], self._tails[level])
        lengths = np.linalg.norm(rest, axis=1, keepdims=True)
        now = self._now[level]
        inertia = (now - self._before[level]) * (1.0 - self._drag[level])[:, None]
        pull = rest / np.maximum(lengths, 1e-9) * self._stiffness[level][:, None] + self._gravity[level]
        goal = _at_length(heads, now + inertia + pull * seconds, lengths)
        goal = _at_length(heads, self._outside(level, goal, stage), lengths)
        self._before[level], self._now[level] = now, goal
        # The transpose is the inverse up to scale, and only the direction counts.
        towards = np.einsum("jba,jb->ja", frames[:, :3, :3], goal - heads)
        return _between(self._axes[level], towards)

    def _outside(self, level: Places, tails: Vectors, stage: _Stage) -> Vectors:
        """Push tails out of the collider each is deepest in."""
        if not self._touches[level].any():
            return tails
        along = stage.collider_lengths
        reach = self._collider_radii + self._radii[level][:, None]
        offset = tails[:, None] - stage.collider_starts
        share = (offset * along).sum(-1) / np.maximum((along * along).sum(-1), 1e-12)
        offset -= np.clip(share, 0.0, 1.0)[..., None] * along
        distance = np.maximum(np.linalg.norm(offset, axis=-1), 1e-9)
        depth = np.where(self._touches[level], reach - distance, -1.0)
        deepest = depth.argmax(axis=1)
        rows = np.arange(len(level))
        push = np.maximum(depth[rows, deepest], 0.0) / distance[rows, deepest]
        pushed: Vectors = tails + offset[rows, deepest] * push[:, None]
        return pushed

    def _turned(self, local: Quaternion, turns: Quaternion) -> Quaternion:
        result = local.copy()
        for number, node in enumerate(self._nodes):
            result[node] = rotations.multiply(local[node], turns[number])
        return result


def _hierarchy(model: Model, nodes: Places) -> tuple[Places, list[Places]]:
    """Return for each joint the joint it hangs on (-1: none), and the joints by how deep they hang."""
    place = {int(node): number for number, node in enumerate(nodes)}
    anchors = np.full(len(nodes), -1, np.int64)
    depth = np.zeros(len(nodes), np.int64)
    by_tree_depth = {int(n): d for d, level in enumerate(model.tree.levels) for n in level}
    for number in sorted(range(len(nodes)), key=lambda i: by_tree_depth[int(nodes[i])]):
        parent = int(model.tree.parents[nodes[number]])
        while parent >= 0 and parent not in place:
            parent = int(model.tree.parents[parent])
        if parent >= 0:
            anchors[number] = place[parent]
            depth[number] = depth[anchors[number]] + 1
    return anchors, [np.nonzero(depth == d)[0] for d in range(int(depth.max(initial=-1)) + 1)]


def _points(matrices: Matrix, points: Vectors) -> Vectors:
    moved: Vectors = np.einsum("jab,jb->ja", matrices[:, :3, :3], points) + matrices[:, :3, 3]
    return moved


def _at_length(heads: Vectors, tails: Vectors, lengths: Vectors) -> Vectors:
    along = tails - heads
    scaled: Vectors = heads + along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9) * lengths
    return scaled


def _as_matrices(turns: Quaternion, scales: Vectors) -> Matrix:
    matrices = np.zeros((len(turns), 4, 4))
    matrices[:, :3, :3] = rotations.to_matrices(turns) * scales[:, None, :]
    matrices[:, 3, 3] = 1.0
    return matrices


def _between(starts: Vectors, ends: Vectors) -> Quaternion:
    """Shortest turns from unit vectors `starts` to the directions of `ends`, (n, 4)."""
    ends = ends / np.maximum(np.linalg.norm(ends, axis=1, keepdims=True), 1e-12)
    turns = np.empty((len(starts), 4))
    turns[:, :3] = np.cross(starts, ends)
    turns[:, 3] = 1.0 + (starts * ends).sum(axis=1)
    lengths = np.linalg.norm(turns, axis=1, keepdims=True)
    # A tail turned right over has no shortest way: it stays.
    unit: Quaternion = np.where(lengths > 1e-6, turns / np.maximum(lengths, 1e-12), rotations.IDENTITY)
    return unit
