"""Writing a GLB file: buffers, accessors and the two chunks (glTF 2.0 section 4)."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import numpy as np
from PIL import Image

from render.figures.curves import Array
from render.figures.mesh import Indices, Part, Surface

Json = dict[str, Any]

_FLOAT, _UBYTE, _USHORT, _UINT = 5126, 5121, 5123, 5125
_VERTICES, _INDICES = 34962, 34963


class GlbWriter:
    """Collects binary data and the JSON that describes it."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.views: list[Json] = []
        self.accessors: list[Json] = []

    def view(self, data: bytes, target: int | None = None) -> int:
        """Append bytes on a boundary of four; returns the buffer view's index."""
        self._data.extend(bytes(-len(self._data) % 4))
        entry: Json = {"buffer": 0, "byteOffset": len(self._data), "byteLength": len(data)}
        if target is not None:
            entry["target"] = target
        self.views.append(entry)
        self._data.extend(data)
        return len(self.views) - 1

    def accessor(
        self, values: Array | Indices, kind: str, component: int, target: int | None, *, bounds: bool = False
    ) -> int:
        """Append an array as an accessor of `kind` (SCALAR, VEC2, ...); returns its index."""
        formats = {_FLOAT: "<f4", _UBYTE: "u1", _USHORT: "<u2", _UINT: "<u4"}
        packed = np.ascontiguousarray(values, dtype=formats[component])
        entry: Json = {
            "bufferView": self.view(packed.tobytes(), target),
            "componentType": component,
            "count": len(packed),
            "type": kind,
        }
        if bounds:
            entry |= {"min": packed.min(0).tolist(), "max": packed.max(0).tolist()}
        self.accessors.append(entry)
        return len(self.accessors) - 1

    def primitive(self, part: Part, material: int, targets: list[str], *, textured: bool) -> Json:
        """Append a part; every target gets an entry, an empty one where the part does not move."""
        surface = part.surface
        small = len(surface.points) <= 0xFFFF
        whole = _whole_weights(part.weights)
        attributes = {
            "POSITION": self.accessor(surface.points, "VEC3", _FLOAT, _VERTICES, bounds=True),
            "NORMAL": self.accessor(surface.normals, "VEC3", _FLOAT, _VERTICES),
            "JOINTS_0": self.accessor(np.where(whole > 0, part.joints, 0), "VEC4", _UBYTE, _VERTICES),
            "WEIGHTS_0": self.accessor(whole, "VEC4", _USHORT, _VERTICES),
        }
        self.accessors[attributes["WEIGHTS_0"]]["normalized"] = True
        if textured:
            attributes["TEXCOORD_0"] = self.accessor(surface.uvs, "VEC2", _FLOAT, _VERTICES)
        entry: Json = {
            "attributes": attributes,
            "indices": self.accessor(
                surface.triangles.reshape(-1), "SCALAR", _USHORT if small else _UINT, _INDICES
            ),
            "material": material,
        }
        if targets:
            entry["targets"] = [{"POSITION": self._target(part, name)} for name in targets]
        return entry

    def _target(self, part: Part, name: str) -> int:
        """Append one morph target as a sparse accessor (glTF 3.6.2.3): most vertices stay."""
        count = len(part.surface.points)
        shift = part.morphs.get(name, np.zeros((count, 3)))
        rows = np.flatnonzero(np.abs(shift).max(1) > 1e-7)
        rows = rows if len(rows) else np.array([0])
        moved = np.ascontiguousarray(shift[rows], dtype="<f4")
        least, most = (moved.min(0), moved.max(0)) if len(rows) == count else (np.minimum(moved.min(0), 0), np.maximum(moved.max(0), 0))  # fmt: skip
        self.accessors.append(
            {
                "componentType": _FLOAT,
                "count": count,
                "type": "VEC3",
                "min": least.tolist(),
                "max": most.tolist(),
                "sparse": {
                    "count": len(rows),
                    "indices": {
                        "bufferView": self.view(rows.astype("<u2").tobytes()),
                        "componentType": _USHORT,
                    },
                    "values": {"bufferView": self.view(moved.tobytes())},
                },
            }
        )
        return len(self.accessors) - 1

    def matrices(self, values: Array) -> int:
        """Append (n, 4, 4) row-major matrices; returns the accessor's index."""
        return self.accessor(values.transpose(0, 2, 1).reshape(-1, 16), "MAT4", _FLOAT, None)

    def picture(self, name: str, image: Image.Image) -> Json:
        """Append a picture as PNG; returns its entry in `images`."""
        stream = io.BytesIO()
        image.save(stream, "PNG")
        return {"name": name, "mimeType": "image/png", "bufferView": self.view(stream.getvalue())}

    def file(self, document: Json) -> bytes:
        """Return the whole file; `document` lacks only buffers, views and accessors."""
        self._data.extend(bytes(-len(self._data) % 4))
        document = document | {
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self._data)}],
        }
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + len(self._data)
        head = struct.pack("<4sII", b"glTF", 2, total)
        return b"".join(
            [
                head,
                struct.pack("<I4s", len(text), b"JSON"),
                text,
                struct.pack("<I4s", len(self._data), b"BIN\0"),
                self._data,
            ]
        )


def _whole_weights(weights: Array) -> Indices:
    """Return weights as 16-bit integers whose rows sum to exactly one (glTF 3.7.3.3)."""
    whole = np.round(weights * 0xFFFF).astype(int)
    whole[np.arange(len(whole)), whole.argmax(1)] += 0xFFFF - whole.sum(1)
    return whole


def joined(parts: list[Part], targets: list[str]) -> Part:
    """Return parts of one material as one part."""
    surfaces = [part.surface for part in parts]
    starts = np.cumsum([0] + [len(s.points) for s in surfaces[:-1]])
    surface = Surface(
        np.vstack([s.points for s in surfaces]),
        np.vstack([s.normals for s in surfaces]),
        np.vstack([s.uvs for s in surfaces]),
        np.vstack([s.triangles + start for s, start in zip(surfaces, starts, strict=True)]),
    )
    morphs = {
        name: np.vstack([part.morphs.get(name, np.zeros_like(part.surface.points)) for part in parts])
        for name in targets
    }
    return Part(
        surface,
        parts[0].material,
        np.vstack([p.joints for p in parts]),
        np.vstack([p.weights for p in parts]),
        morphs,
    )
