"""Numbers out of the buffers: accessors with stride, normalisation and sparse values (glTF 2.0, 3.6.2)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.errors import VrmError
from render.vrm import fields, limits
from render.vrm.fields import Json
from render.vrm.glb import Container

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_TYPES: Final[dict[int, npt.DTypeLike]] = {
    5120: "<i1",
    5121: "<u1",
    5122: "<i2",
    5123: "<u2",
    5125: "<u4",
    5126: "<f4",
}
_INDEX_TYPES: Final = (5121, 5123, 5125)
_COMPONENTS: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Accessors:
    """Reads accessors of one file, each at most once, within a budget of decoded bytes."""

    def __init__(self, container: Container) -> None:
        self._buffers = container.buffers
        self._views = fields.tables(container.document, "bufferViews")
        self._accessors = fields.tables(container.document, "accessors")
        self._raw: dict[int, npt.NDArray[Any]] = {}
        self._budget_bytes = limits.MAX_DECODED_BYTES

    @property
    def count(self) -> int:
        """How many accessors the file declares."""
        return len(self._accessors)

    def view(self, index: int) -> tuple[memoryview, int | None]:
        """Return the bytes of a buffer view and its stride, if it declares one.

        Raises:
            VrmError: The view does not exist or leaves its buffer.
        """
        if not 0 <= index < len(self._views):
            raise VrmError(f"buffer view {index} does not exist")
        view = self._views[index]
        buffer = self._buffers[fields.index(view, "buffer", len(self._buffers))]
        start = fields.natural(view, "byteOffset", 0)
        length = fields.natural(view, "byteLength")
        if start + length > len(buffer):
            raise VrmError(f"buffer view {index} leaves its buffer")
        stride = view.get("byteStride")
        return buffer[start : start + length], None if stride is None else fields.natural(view, "byteStride")

    def floats(self, index: int, components: int, *, finite: bool = True) -> Floats:
        """Return an accessor as (n, components) float32; normalised integers become 0..1 or -1..1.

        Raises:
            VrmError: Wrong shape, out of bounds, or (with `finite`) NaN or a number beyond all bodies in it.
        """
        accessor = self._declared(index)
        values = self._values(index, components)
        if values.dtype.kind in "iu":
            self._spend(values.size * 4)
            scale = np.iinfo(values.dtype).max if fields.flag(accessor, "normalized") else 1
            values = np.maximum(
                values.astype(np.float32) / np.float32(scale), -1.0 if scale != 1 else -np.inf
            )
        if finite and not (np.abs(values) <= limits.MAX_METRES).all():
            raise VrmError(f"accessor {index} holds numbers that are not finite or far too large")
        return values

    def integers(self, index: int, components: int = 1) -> Integers:
        """Return an accessor of unsigned integers as (n, components) int64."""
        values = self._values(index, components)
        if values.dtype.kind != "u":
            raise VrmError(f"accessor {index} does not hold unsigned integers")
        self._spend(values.size * 8)
        return values.astype(np.int64)

    def length(self, index: int) -> int:
        """Return how many elements an accessor declares, without reading it."""
        return fields.natural(self._declared(index), "count")

    def components(self, index: int) -> int:
        """Return how many numbers an element of an accessor has, 0 if its type is unknown."""
        return _COMPONENTS.get(fields.text(self._declared(index), "type"), 0)

    def _declared(self, index: int) -> Json:
        if not 0 <= index < len(self._accessors):
            raise VrmError(f"accessor {index} does not exist")
        return self._accessors[index]

    def _values(self, index: int, components: int) -> npt.NDArray[Any]:
        if index not in self._raw:
            self._raw[index] = self._read(index)
        values = self._raw[index]
        if values.shape[1] != components:
            raise VrmError(f"accessor {index} has {values.shape[1]} components instead of {components}")
        return values

    def _read(self, index: int) -> npt.NDArray[Any]:
        accessor = self._declared(index)
        dtype = _component_type(accessor)
        components = _COMPONENTS.get(fields.text(accessor, "type"))
        if components is None:
            raise VrmError(f"accessor {index} has an unknown type")
        count = fields.natural(accessor, "count")
        if count * components * dtype.itemsize > limits.MAX_ACCESSOR_BYTES:
            raise VrmError(f"accessor {index} is too large")
        if accessor.get("bufferView") is None:
            self._spend(count * components * dtype.itemsize)
            values = np.zeros((count, components), dtype)
        else:
            values = self._strided(accessor, dtype, count, components)
        sparse = fields.table(accessor, "sparse")
        return self._with_sparse(values, sparse) if sparse else values

    def _strided(self, accessor: Json, dtype: np.dtype[Any], count: int, components: int) -> npt.NDArray[Any]:
        data, stride = self.view(fields.natural(accessor, "bufferView"))
        start = fields.natural(accessor, "byteOffset", 0)
        width = components * dtype.itemsize
        step = stride or width
        if step < width or (count and start + (count - 1) * step + width > len(data)):
            raise VrmError("an accessor leaves its buffer view")
        if not count:
            return np.zeros((0, components), dtype)
        return np.ndarray((count, components), dtype, data, start, (step, dtype.itemsize))

    def _with_sparse(self, values: npt.NDArray[Any], sparse: Json) -> npt.NDArray[Any]:
        count = fields.natural(sparse, "count")
        where, replaced = fields.table(sparse, "indices"), fields.table(sparse, "values")
        if fields.natural(where, "componentType") not in _INDEX_TYPES:
            raise VrmError("sparse indices have a wrong type")
        rows = self._strided(where, _component_type(where), count, 1)[:, 0].astype(np.int64)
        if count and rows.max() >= len(values):
            raise VrmError("a sparse index is out of range")
        self._spend(values.nbytes)
        result = values.copy()
        result[rows] = self._strided(replaced, values.dtype, count, values.shape[1])
        return result

    def _spend(self, size_bytes: int) -> None:
        self._budget_bytes -= size_bytes
        if self._budget_bytes < 0:
            raise VrmError("the file unpacks to too much data")


def _component_type(declaration: Json) -> np.dtype[Any]:
    code = fields.natural(declaration, "componentType")
    if code not in _TYPES:
        raise VrmError(f"component type {code} is unknown")
    return np.dtype(_TYPES[code])
