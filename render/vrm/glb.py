"""The container: GLB header, chunks and buffers (glTF 2.0 specification, section 4)."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass
from typing import Final

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.fields import Json

_MAGIC: Final = b"glTF"
_JSON_CHUNK: Final = 0x4E4F534A
_BINARY_CHUNK: Final = 0x004E4942
_HEADER: Final = struct.Struct("<4sII")
_CHUNK: Final = struct.Struct("<II")

UNDECODABLE: Final = (
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_texture_basisu",
)


@dataclass(frozen=True, slots=True)
class Container:
    """A parsed file: its JSON document and its buffers."""

    document: Json
    buffers: tuple[memoryview, ...]


def read(data: bytes) -> Container:
    """Read a GLB file.

    A byte order mark, trailing blanks, unknown chunks and a header length that is too long are accepted.

    Raises:
        VrmError: Not a GLB, cut off, over a limit, or compressed in a way that cannot be decoded here.
    """
    if len(data) > limits.MAX_FILE_BYTES:
        raise VrmError(f"the file is larger than {limits.MAX_FILE_BYTES >> 20} MiB")
    if len(data) < _HEADER.size + _CHUNK.size:
        raise VrmError("the file is too short for a binary glTF")
    magic, version, length = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise VrmError("the file is not a binary glTF")
    if version != 2:
        raise VrmError(f"glTF version {version} is not supported")
    chunks = _chunks(memoryview(data), min(length, len(data)))
    if _JSON_CHUNK not in chunks:
        raise VrmError("the file has no JSON chunk")
    document = _parse_json(chunks[_JSON_CHUNK])
    _refuse_undecodable(document)
    return Container(document, _buffers(document, chunks.get(_BINARY_CHUNK, memoryview(b""))))


def _chunks(data: memoryview, end: int) -> dict[int, memoryview]:
    found: dict[int, memoryview] = {}
    offset = _HEADER.size
    while offset + _CHUNK.size <= end:
        length, kind = _CHUNK.unpack_from(data, offset)
        offset += _CHUNK.size
        if offset + length > len(data):
            raise VrmError("a chunk is longer than the file")
        found.setdefault(kind, data[offset : offset + length])
        offset += length
    return found


def _parse_json(chunk: memoryview) -> Json:
    if len(chunk) > limits.MAX_JSON_BYTES:
        raise VrmError(f"the JSON is larger than {limits.MAX_JSON_BYTES >> 20} MiB")
    try:
        document = json.loads(bytes(chunk).decode("utf-8-sig").rstrip("\0 \r\n\t"))
    except (ValueError, RecursionError) as error:
        raise VrmError("the JSON cannot be read") from error
    if not isinstance(document, dict):
        raise VrmError("the JSON is not an object")
    return document


def _refuse_undecodable(document: Json) -> None:
    required = fields.items(document, "extensionsRequired")
    used = fields.items(document, "extensionsUsed")
    for name in UNDECODABLE:
        # Basis textures come with a plain copy where they are only "used"; compressed meshes hardly ever do.
        if name in required or (name in used and name != "KHR_texture_basisu"):
            raise VrmError(f"{name} cannot be decoded: export the avatar without it")


def _buffers(document: Json, binary: memoryview) -> tuple[memoryview, ...]:
    declared = fields.tables(document, "buffers")
    if len(declared) > limits.MAX_IMAGES:
        raise VrmError("too many buffers")
    return tuple(
        binary if i == 0 and buffer.get("uri") is None else memoryview(data_uri(fields.text(buffer, "uri")))
        for i, buffer in enumerate(declared)
    )


def data_uri(uri: str) -> bytes:
    """Return the bytes of a base64 `data:` URI.

    Raises:
        VrmError: Another kind of URI (nothing outside the file is ever read) or broken base64.
    """
    head, comma, body = uri.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        raise VrmError("the file refers to something outside itself")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise VrmError("a data URI cannot be decoded") from error
