"""Reading a GLB for the tests, straight from the specification and independent of the product's reader."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

FORMATS = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A GLB's JSON and binary chunk."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
        binary, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0"
        self.data = data[28 + size :]
        assert len(self.data) == binary == self.json["buffers"][0]["byteLength"]

    def view(self, number: int) -> bytes:
        view = self.json["bufferViews"][number]
        start, size = view["byteOffset"], view["byteLength"]
        assert start + size <= len(self.data)
        return self.data[start : start + size]

    def accessor(self, number: int) -> np.ndarray:
        entry = self.json["accessors"][number]
        width = WIDTHS[entry["type"]]
        values = np.zeros((entry["count"], width))
        if "bufferView" in entry:
            raw = self.view(entry["bufferView"])
            assert self.json["bufferViews"][entry["bufferView"]]["byteOffset"] % 4 == 0
            flat = np.frombuffer(raw, FORMATS[entry["componentType"]])
            assert len(flat) == entry["count"] * width
            values = flat.reshape(-1, width).astype(float)
            if entry.get("normalized"):
                values /= np.iinfo(FORMATS[entry["componentType"]]).max
        sparse = entry.get("sparse")
        if sparse:
            rows = np.frombuffer(
                self.view(sparse["indices"]["bufferView"]), FORMATS[sparse["indices"]["componentType"]]
            )
            assert len(rows) == sparse["count"]
            assert (np.diff(rows.astype(int)) > 0).all()
            raw = np.frombuffer(self.view(sparse["values"]["bufferView"]), FORMATS[entry["componentType"]])
            values[rows] = raw.reshape(-1, width)
        return values
