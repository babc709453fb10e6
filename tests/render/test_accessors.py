from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from render.errors import VrmError
from render.vrm.accessors import Accessors
from render.vrm.glb import Container


def accessors(declared: list[dict[str, Any]], views: list[dict[str, Any]], binary: bytes) -> Accessors:
    document = {"accessors": declared, "bufferViews": views, "buffers": [{"byteLength": len(binary)}]}
    return Accessors(Container(document, (memoryview(binary),)))


def test_interleaved_values_are_read_by_their_stride() -> None:
    rows = np.arange(15, dtype="<f4").reshape(3, 5)
    read = accessors(
        [{"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 3, "type": "VEC3"}],
        [{"buffer": 0, "byteLength": rows.nbytes, "byteStride": 20}],
        rows.tobytes(),
    )
    assert read.floats(0, 3).tolist() == rows[:, 2:].tolist()


@pytest.mark.parametrize(
    ("code", "dtype", "stored", "meant"),
    [
        (5121, "<u1", [0, 51, 255], [0.0, 0.2, 1.0]),
        (5120, "<i1", [-128, -127, 127], [-1.0, -1.0, 1.0]),
        (5123, "<u2", [0, 13107, 65535], [0.0, 0.2, 1.0]),
        (5122, "<i2", [-32768, 0, 32767], [-1.0, 0.0, 1.0]),
    ],
)
def test_normalised_integers(code: int, dtype: str, stored: list[int], meant: list[float]) -> None:
    data = np.array(stored, dtype).tobytes()
    read = accessors(
        [{"bufferView": 0, "componentType": code, "count": 3, "type": "SCALAR", "normalized": True}],
        [{"buffer": 0, "byteLength": len(data)}],
        data,
    )
    assert read.floats(0, 1)[:, 0] == pytest.approx(meant)


def test_integers_that_are_not_normalised_stay_as_they_are() -> None:
    data = np.array([[-3, 0, 300]], "<i2").tobytes()
    read = accessors(
        [{"bufferView": 0, "componentType": 5122, "count": 1, "type": "VEC3"}],
        [{"buffer": 0, "byteLength": len(data)}],
        data,
    )
    assert read.floats(0, 3).tolist() == [[-3.0, 0.0, 300.0]]


@pytest.mark.parametrize(("code", "dtype"), [(5121, "<u1"), (5123, "<u2"), (5125, "<u4")])
def test_sparse_values_replace_zeros(code: int, dtype: str) -> None:
    where = np.array([1, 3], dtype).tobytes().ljust(8, b"\0")
    values = np.array([[1, 2, 3], [4, 5, 6]], "<f4").tobytes()
    read = accessors(
        [
            {
                "componentType": 5126,
                "count": 4,
                "type": "VEC3",
                "sparse": {
                    "count": 2,
                    "indices": {"bufferView": 0, "componentType": code},
                    "values": {"bufferView": 1},
                },
            }
        ],
        [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
        where + values,
    )
    assert read.floats(0, 3).tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0], [4, 5, 6]]


BASE: dict[str, Any] = {"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"count": 3}, "leaves its buffer view"),
        ({"byteOffset": 4}, "leaves its buffer view"),
        ({"byteOffset": -4}, "negative"),
        ({"count": 400_000_000}, "too large"),
        ({"count": 1.5}, "not an integer"),
        ({"count": "2"}, "not a number"),
        ({"componentType": 5124}, "component type"),
        ({"type": "VEC5"}, "unknown type"),
        ({"type": "VEC2"}, "components"),
        ({"bufferView": 7}, "does not exist"),
        ({"bufferView": None, "count": 5_000_000}, None),
        (
            {"sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5126}, "values": {}}},
            "wrong type",
        ),
        (
            {
                "sparse": {
                    "count": 1,
                    "indices": {"bufferView": 1, "componentType": 5125},
                    "values": {"bufferView": 0},
                }
            },
            "sparse index",
        ),
    ],
)
def test_lies_are_refused(change: dict[str, Any], why: str | None) -> None:
    data = np.zeros((2, 3), "<f4").tobytes() + np.array([9], "<u4").tobytes()
    read = accessors(
        [{**BASE, **change}],
        [{"buffer": 0, "byteLength": 24}, {"buffer": 0, "byteOffset": 24, "byteLength": 4}],
        data,
    )
    if why is None:
        assert read.floats(0, 3).shape == (5_000_000, 3)
        return
    with pytest.raises(VrmError, match=why):
        read.floats(0, 3)


def test_many_large_accessors_end_at_the_budget() -> None:
    read = accessors([{"componentType": 5126, "count": 5_000_000, "type": "VEC3"}] * 8, [], b"")
    with pytest.raises(VrmError, match="too much data"):
        [read.floats(i, 3) for i in range(8)]


def test_numbers_that_are_not_finite_are_refused() -> None:
    data = np.array([[0, np.nan, 0]], "<f4").tobytes()
    read = accessors([{**BASE, "count": 1}], [{"buffer": 0, "byteLength": 12}], data)
    with pytest.raises(VrmError, match="not finite"):
        read.floats(0, 3)
