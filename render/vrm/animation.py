"""Reading .vrma files (VRMC_vrm_animation 1.0) into motions for any humanoid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from render import rotations
from render.errors import VrmError
from render.motion import Motion
from render.rotations import Quaternion
from render.vrm import fields, glb, humanoid, nodes
from render.vrm.accessors import Accessors
from render.vrm.expressions import GROUPS
from render.vrm.fields import Json
from render.vrm.model import BROKEN

MAX_FILE_BYTES: Final = 25 << 20
MAX_DURATION_S: Final = 60.0
MAX_CHANNELS: Final = 512

Interpolation = Literal["LINEAR", "STEP", "CUBICSPLINE"]
Floats = npt.NDArray[np.float64]

_NEVER_ANIMATED: Final = ("leftEye", "rightEye")


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Values over time: `times` (k,) ascending seconds, `values` (k, n), or (k, 3, n) with tangents."""

    times: Floats
    values: Floats
    interpolation: Interpolation

    def at(self, seconds: float) -> Floats:
        """Return the (n,) value at a time; before the first and after the last key it stands still."""
        last = len(self.times) - 1
        left = int(np.clip(np.searchsorted(self.times, seconds, "right") - 1, 0, last))
        right = min(left + 1, last)
        span = float(self.times[right] - self.times[left])
        share = min(max((seconds - float(self.times[left])) / span, 0.0), 1.0) if span > 0 else 0.0
        value: Floats
        if self.interpolation == "CUBICSPLINE":
            value = _hermite(self.values[left], self.values[right], share, span)
        elif self.interpolation == "STEP" or share == 0.0:
            value = self.values[left]
        else:
            value = self.values[left] * (1.0 - share) + self.values[right] * share
        return value


def _hermite(left: Floats, right: Floats, share: float, span: float) -> Floats:
    s2, s3 = share * share, share * share * share
    value: Floats = (
        (2 * s3 - 3 * s2 + 1) * left[1]
        + span * (s3 - 2 * s2 + share) * left[2]
        + (3 * s2 - 2 * s3) * right[1]
        + span * (s3 - s2) * right[0]
    )
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Animation:
    """A clip of a file: normalised rotations by bone, the way of the hips, expression weights, gaze."""

    duration_s: float
    rotations: Mapping[str, Track]
    hips: Track | None
    hips_rest: Floats
    expressions: Mapping[str, Track]
    look: Track | None
    loops: bool = True

    def sample(self, seconds: float) -> Motion:
        """Return the motion at a time of 0..duration_s."""
        turns = {bone: rotations.normalised(track.at(seconds)) for bone, track in self.rotations.items()}
        weights = {
            name: min(max(float(track.at(seconds)[0]), 0.0), 1.0) for name, track in self.expressions.items()
        }
        return Motion(turns=turns, hips=self._moved(seconds), expressions=weights, gaze=self._gaze(seconds))

    def _moved(self, seconds: float) -> tuple[float, float, float]:
        if self.hips is None:
            return (0.0, 0.0, 0.0)
        x, y, z = ((self.hips.at(seconds) - self.hips_rest) / float(self.hips_rest[1])).tolist()
        return (x, y, z)

    def _gaze(self, seconds: float) -> tuple[float, float] | None:
        if self.look is None:
            return None
        x, y, z = (
            rotations.to_matrix(rotations.normalised(self.look.at(seconds))) @ np.array([0.0, 0.0, 1.0])
        ).tolist()
        return math.degrees(math.atan2(x, z)), math.degrees(math.atan2(-y, math.hypot(x, z)))


def load_animation(data: bytes) -> Animation:
    """Read a .vrma file; its first animation counts.

    Raises:
        VrmError: Larger than 25 MiB, longer than 60 s, without an animation, or broken.
    """
    if len(data) > MAX_FILE_BYTES:
        raise VrmError(f"the animation is larger than {MAX_FILE_BYTES >> 20} MiB")
    try:
        with np.errstate(all="ignore"):
            return _load(data)
    except BROKEN as error:
        raise VrmError(f"the animation is broken ({type(error).__name__})") from error


def _load(data: bytes) -> Animation:
    container = glb.read(data)
    document = container.document
    extensions = fields.table(document, "extensions")
    if "VRMC_vrm_animation" not in extensions:
        raise VrmError("the file is not a VRM animation")
    animations = fields.tables(document, "animations")
    if not animations:
        raise VrmError("the file holds no animation")
    reader = _Reader(document, fields.table(extensions, "VRMC_vrm_animation"), Accessors(container))
    return reader.read(animations[0])


class _Reader:
    """Sorts the channels of an animation by what their nodes stand for."""

    def __init__(self, document: Json, extension: Json, accessors: Accessors) -> None:
        self._accessors = accessors
        self._tree = nodes.read(document, faces_backwards=False)
        self._turns = self._tree.world_rotations()
        self._world = self._tree.world()
        count = len(self._tree.parents)
        bones = humanoid.read_1(extension, count)
        self._bones = {node: bone for bone, node in bones.items() if bone not in _NEVER_ANIMATED}
        self._faces = _expression_nodes(extension, count)
        self._look = fields.optional_index(fields.table(extension, "lookAt"), "node", count)
        self._hips = bones.get("hips")

    def read(self, animation: Json) -> Animation:
        samplers = fields.tables(animation, "samplers")
        channels = fields.tables(animation, "channels")
        if len(channels) > MAX_CHANNELS:
            raise VrmError("the animation has too many channels")
        turned: dict[str, Track] = {}
        faces: dict[str, Track] = {}
        hips = look = None
        duration = 0.0
        for channel in channels:
            target = fields.table(channel, "target")
            node = fields.optional_index(target, "node", len(self._tree.parents))
            path = fields.text(target, "path")
            if node is None or path not in ("rotation", "translation"):
                continue
            sampler = samplers[fields.index(channel, "sampler", len(samplers))]
            track = self._track(sampler, 4 if path == "rotation" else 3)
            duration = max(duration, float(track.times[-1]))
            if path == "rotation" and node in self._bones:
                turned[self._bones[node]] = self._normalised(node, track)
            elif path == "rotation" and node == self._look:
                look = track
            elif path == "translation" and node == self._hips:
                hips = self._in_world(node, track)
            elif path == "translation" and node in self._faces:
                faces[self._faces[node]] = track
        return Animation(_checked(duration), turned, hips, self._hips_rest(), faces, look)

    def _track(self, sampler: Json, components: int) -> Track:
        times = self._accessors.floats(fields.index(sampler, "input", self._accessors.count), 1)[:, 0]
        values = self._accessors.floats(fields.index(sampler, "output", self._accessors.count), components)
        name = fields.text(sampler, "interpolation", "LINEAR")
        if not len(times) or (np.diff(times) < 0).any():
            raise VrmError("the keys of an animation are not in order")
        if len(values) != len(times) * (3 if name == "CUBICSPLINE" else 1):
            raise VrmError("an animation has another number of keys than of values")
        keys = values.astype(np.float64)
        if name == "CUBICSPLINE":
            return Track(times.astype(np.float64), keys.reshape(len(times), 3, components), "CUBICSPLINE")
        return Track(times.astype(np.float64), keys, "STEP" if name == "STEP" else "LINEAR")

    def _normalised(self, node: int, track: Track) -> Track:
        """Rotations as if the bone rested unrotated: parent's world turn * key * own world turn inverted."""
        parent = int(self._tree.parents[node])
        above = self._turns[parent] if parent >= 0 else rotations.IDENTITY
        own = rotations.inverse(self._turns[node])
        values = rotations.multiply_all(rotations.multiply_all(above, track.values), own)
        return Track(track.times, _same_side(values), track.interpolation)

    def _in_world(self, node: int, track: Track) -> Track:
        parent = int(self._tree.parents[node])
        if parent < 0:
            return track
        above = self._world[parent]
        values = track.values @ above[:3, :3].T
        if track.interpolation == "CUBICSPLINE":
            values[:, 1] += above[:3, 3]
        else:
            values += above[:3, 3]
        return Track(track.times, values, track.interpolation)

    def _hips_rest(self) -> Floats:
        if self._hips is None:
            return np.array([0.0, 1.0, 0.0])
        rest: Floats = self._world[self._hips][:3, 3]
        if rest[1] <= 0.01:
            raise VrmError("the hips of the animation are not above its ground")
        return rest


def _same_side(values: Quaternion) -> Quaternion:
    """Flip keys so that neighbours are never on opposite sides, which would turn the long way round."""
    flat = values.copy()
    keys = flat[:, 1] if flat.ndim == 3 else flat
    signs = np.where((keys[1:] * keys[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    factors = np.concatenate([[1.0], np.cumprod(signs)])
    flat *= factors.reshape(-1, *([1] * (flat.ndim - 1)))
    return flat


def _expression_nodes(extension: Json, node_count: int) -> dict[int, str]:
    declared = fields.table(extension, "expressions")
    found: dict[int, str] = {}
    for kind in ("preset", "custom"):
        group = fields.table(declared, kind)
        for name in group:
            node = fields.optional_index(fields.table(group, name), "node", node_count)
            # Looks come from the gaze alone (VRMC_vrm_animation, "Expressions").
            if node is not None and name not in GROUPS["look"]:
                found[node] = name
    return found


def _checked(duration: float) -> float:
    if not 0.0 < duration <= MAX_DURATION_S:
        raise VrmError(f"the animation is {duration:.1f} s long; up to {MAX_DURATION_S:.0f} s are taken")
    return duration
