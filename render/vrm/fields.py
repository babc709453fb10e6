"""Typed reading of untrusted JSON: every wrong type or odd number ends in `VrmError`.

An absent key and a JSON null are the same thing: many exporters write nulls.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.errors import VrmError

Json = dict[str, Any]

LARGEST_NUMBER: Final = 1e10
"""Bytes, metres and weights beyond this are nonsense, and their products would overflow."""


def table(parent: Json, key: str) -> Json:
    """Return the object under `key`, empty if absent."""
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise VrmError(f"{key} is not an object")
    return value


def tables(parent: Json, key: str) -> list[Json]:
    """Return the list of objects under `key`, empty if absent."""
    values = items(parent, key)
    if not all(isinstance(value, dict) for value in values):
        raise VrmError(f"{key} holds something that is not an object")
    return values


def items(parent: Json, key: str) -> list[Any]:
    """Return the list under `key`, empty if absent."""
    value = parent.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise VrmError(f"{key} is not a list")
    return value


def text(parent: Json, key: str, default: str = "") -> str:
    """Return the string under `key`."""
    value = parent.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise VrmError(f"{key} is not a string")
    return value


def flag(parent: Json, key: str, default: bool = False) -> bool:
    """Return the truth under `key`; 0 and 1 count as well."""
    value = parent.get(key)
    if value is None:
        return default
    if not isinstance(value, (bool, int)):
        raise VrmError(f"{key} is not true or false")
    return bool(value)


def number(parent: Json, key: str, default: float) -> float:
    """Return the finite number under `key`."""
    value = parent.get(key)
    return default if value is None else as_number(value, key)


def as_number(value: Any, name: str) -> float:
    """Return `value` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise VrmError(f"{name} is not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise VrmError(f"{name} is not finite")
    if abs(value) > LARGEST_NUMBER:
        raise VrmError(f"{name} is out of range")
    return float(value)


def optional_index(parent: Json, key: str, count: int) -> int | None:
    """Return the index under `key`, None where it is absent or negative (0.x writes -1 for "none").

    Raises:
        VrmError: The index is not an integer or is not below `count`.
    """
    value = parent.get(key)
    if value is None:
        return None
    result = as_index(value, key)
    if result < 0:
        return None
    if result >= count:
        raise VrmError(f"{key} {result} is out of range (there are {count})")
    return result


def index(parent: Json, key: str, count: int) -> int:
    """Return the index under `key`, which must be there and lie in 0..count - 1."""
    result = optional_index(parent, key, count)
    if result is None:
        raise VrmError(f"{key} is missing")
    return result


def as_index(value: Any, name: str) -> int:
    """Return `value` as an integer; 3.0 counts as 3."""
    result = as_number(value, name)
    if result != int(result):
        raise VrmError(f"{name} is not an integer")
    return int(result)


def natural(parent: Json, key: str, default: int | None = None) -> int:
    """Return the integer of at least 0 under `key`."""
    value = parent.get(key)
    if value is None and default is not None:
        return default
    result = as_index(value, key)
    if result < 0:
        raise VrmError(f"{key} is negative")
    return result


def vector(parent: Json, key: str, default: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Return the numbers under `key`, as many as `default` has; longer lists are cut, shorter filled."""
    values = items(parent, key)
    numbers = [as_number(value, key) for value in values[: len(default)]]
    return np.array([*numbers, *default[len(numbers) :]], dtype=np.float64)
