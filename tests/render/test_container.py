from __future__ import annotations

import json
import struct

import pytest

from render.errors import VrmError
from render.vrm import glb, load
from tests.render import doll


def a_doll() -> bytes:
    return doll.glb(*doll.vrm1())


def test_doll_is_read() -> None:
    model = load(a_doll())
    assert model.version == "1.0"
    assert len(model.primitives) == 2
    assert model.bones["head"] == 4


def test_bom_trailing_zeros_and_unknown_chunks_are_accepted() -> None:
    text = b"\xef\xbb\xbf" + b'{"asset": {"version": "2.0"}}' + b"\0\0\0"
    data = doll.container(text) + struct.pack("<II", 4, 0x12345678) + b"abcd"
    assert glb.read(data).document["asset"]["version"] == "2.0"


def test_header_length_longer_than_the_file_is_accepted() -> None:
    data = bytearray(a_doll())
    struct.pack_into("<I", data, 8, len(data) + 1000)
    assert load(bytes(data)).version == "1.0"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "too short"),
        (b"glTF", "too short"),
        (b"x" * 40, "not a binary glTF"),
        (struct.pack("<4sIIII", b"glTF", 1, 20, 0, 0x4E4F534A) + b"  ", "version 1"),
        (struct.pack("<4sIIII", b"glTF", 2, 20, 0xFFFFFFF0, 0x4E4F534A), "longer than the file"),
        (doll.container(b"[1, 2]"), "not an object"),
        (doll.container(b"{"), "cannot be read"),
        (doll.container(b"\xff\xfe{}"), "cannot be read"),
        (doll.container(b"[" * 100_000), "cannot be read"),
        (doll.container(b'{"a": ' + b"1" * 5000 + b"}"), "cannot be read"),
        (doll.container(b" " * (5 << 20)), "JSON is larger"),
    ],
)
def test_broken_containers_are_refused(data: bytes, why: str) -> None:
    with pytest.raises(VrmError, match=why):
        load(data)


@pytest.mark.parametrize(
    "name", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu"]
)
def test_undecodable_compression_is_refused_by_name(name: str) -> None:
    doc, writer = doll.vrm1()
    doc["extensionsUsed"] = doc["extensionsRequired"] = [name]
    with pytest.raises(VrmError, match=name):
        load(doll.glb(doc, writer))


def test_basis_texture_without_plain_copy_is_refused_by_name() -> None:
    doc, writer = doll.vrm1()
    doc["extensionsUsed"] = ["KHR_texture_basisu"]
    doc["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
    doc["images"] = [{"uri": "data:image/ktx2;base64,AAAA"}]
    doc["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    with pytest.raises(VrmError, match="KHR_texture_basisu"):
        load(doll.glb(doc, writer))


@pytest.mark.parametrize(
    "uri", ["http://example.org/a.bin", "file:///etc/passwd", "../body.bin", "data:,abc"]
)
def test_nothing_outside_the_file_is_read(uri: str) -> None:
    doc, writer = doll.vrm1()
    doc["accessors"], doc["bufferViews"] = writer.accessors, writer.views
    doc["buffers"] = [{"byteLength": 10, "uri": uri}]
    with pytest.raises(VrmError, match="outside itself"):
        load(doll.container(json.dumps(doc).encode(), writer.binary))
