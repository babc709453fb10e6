"""Broken and hostile files: everything ends in VrmError or in a model, quickly and in little memory."""

from __future__ import annotations

import json
import random
import resource
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from render import framing, pose, posing
from render.errors import VrmError
from render.swing import Swing
from render.vrm import load
from render.vrm.constraints import follow
from tests.render import doll

WATCHDOG_S = 20.0
"""Ten times the bar of 2 s."""
MEMORY_BYTES = 500 << 20

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**63, 2**70, 1e308, -0.5),
    *("", "x", [], {}, [[]], [{}], {"a": 1}, [None], [0] * 50, [1e308] * 16),
)


def outcome(data: bytes) -> str:
    """Read and use a file as the worker would: "model" or "refused"; anything else is an error."""
    try:
        model = load(data)
    except VrmError:
        return "refused"
    measures = framing.measure(model)
    framing.camera(measures, "portrait")
    posed = posing.apply(model, pose.for_emotion("happy"))
    model.tree.world(Swing(model).settle(follow(model.constraints, model.tree, posed.local)))
    model.resolve(dict.fromkeys(model.expressions, 1.0))
    return "model"


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key in value:
            yield (*path, key)
            yield from paths(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield (*path, index)
            yield from paths(value[index], (*path, index))


def changed(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


@pytest.mark.parametrize("build", [doll.vrm1, doll.vrm0])
def test_any_value_of_the_wrong_kind_anywhere(build: Any) -> None:
    doc, writer = build()
    doc.update(accessors=writer.accessors, bufferViews=writer.views, buffers=[{"byteLength": 1}])
    rng = random.Random(3)
    places = list(paths(doc))
    seen = set()
    for path in rng.sample(places, 250):
        for value in rng.sample(ODD, 3):
            seen.add(outcome(doll.container(json.dumps(changed(doc, path, value)).encode(), writer.binary)))
    assert seen == {"model", "refused"}


@pytest.mark.parametrize(
    "name",
    [
        "Godette_vrm_v4.vrm",
        "cool_loops.vrm",
        "cryptovoxels.vrm",
        "EmissionMigration_v0.107.0.vrm",
        "VRMC_materials_mtoon_UV_Animation_Test.vrm",
        "VRMC_vrm_expressions_isBinary_Overridden.vrm",
    ],
)
def test_damaged_copies_of_real_avatars(avatars: Path, name: str) -> None:
    original = (avatars / name).read_bytes()
    rng = random.Random(name)
    json_length = struct.unpack_from("<I", original, 12)[0]
    started = time.monotonic()
    for kind in range(50):
        data = bytearray(original)
        if kind % 5 == 0:
            data = data[: rng.randrange(len(data))]
        else:
            end = 20 + json_length if kind % 5 < 4 else len(data)
            for _ in range(rng.choice((1, 4, 40))):
                data[rng.randrange(end)] = rng.randrange(256)
        outcome(bytes(data))
    assert time.monotonic() - started < 50 * WATCHDOG_S / 10


def hostile(name: str) -> bytes:
    doc, writer = doll.vrm1()
    positions = doc["meshes"][1]["primitives"][0]["attributes"]["POSITION"]
    indices = doc["meshes"][1]["primitives"][0]["indices"]
    if name == "an accessor of 4.5 GiB":
        writer.accessors[positions] = {"componentType": 5126, "count": 400_000_000, "type": "VEC3"}
    elif name == "many large accessors":
        big = [{"componentType": 5126, "count": 900_000, "type": "VEC3"} for _ in range(40)]
        start = len(writer.accessors)
        writer.accessors.extend(big)
        targets = [{"POSITION": start + i} for i in range(40)]
        writer.accessors[positions] = big[0]
        doc["meshes"][1]["primitives"][0].pop("indices")
        doc["meshes"][1]["primitives"][0]["attributes"] = {"POSITION": positions}
        doc["meshes"][1]["primitives"][0]["targets"] = targets
    elif name == "one mesh drawn ten thousand times":
        doc["nodes"] += [{"mesh": 1}] * 7000
        doc["scenes"][0]["nodes"] += list(range(len(doc["nodes"]) - 7000, len(doc["nodes"])))
    elif name == "indices out of range":
        writer.accessors[indices]["count"] = 36
        binary = bytearray(writer.binary)
        struct.pack_into(
            "<H", binary, writer.views[writer.accessors[indices]["bufferView"]]["byteOffset"], 60000
        )
        writer.binary = bytes(binary)
    elif name == "positions that are not numbers":
        binary = bytearray(writer.binary)
        start = writer.views[writer.accessors[positions]["bufferView"]]["byteOffset"]
        struct.pack_into("<f", binary, start, float("nan"))
        writer.binary = bytes(binary)
    elif name == "a skin of unknown joints":
        doc["skins"] = [{"joints": [0, 99999]}]
        doc["nodes"][doll.HEAD_NODE]["skin"] = 0
    elif name == "ten million morph rows":
        doc["meshes"][1]["primitives"][0]["targets"] *= 600_000
        return doll.container(json.dumps(doc).encode()[: 5 << 20])
    elif name == "nested lists":
        return doll.container(b'{"nodes":' + b"[" * 500_000 + b"]" * 500_000 + b"}")
    return doll.glb(doc, writer)


@pytest.mark.parametrize(
    "name",
    [
        "an accessor of 4.5 GiB",
        "many large accessors",
        "one mesh drawn ten thousand times",
        "indices out of range",
        "positions that are not numbers",
        "a skin of unknown joints",
        "ten million morph rows",
        "nested lists",
    ],
)
def test_hostile_files_are_refused(name: str) -> None:
    data = hostile(name)
    started = time.monotonic()
    assert outcome(data) == "refused"
    assert time.monotonic() - started < WATCHDOG_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 < 2 * MEMORY_BYTES
