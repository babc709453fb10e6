"""Samples of one figure and what is said about them."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence

LEAST_S = 0.002
"""A sample of a short call repeats it for at least this long: the clock's own cost vanishes in it."""


def quantile(samples: Sequence[float], share: float) -> float:
    """Return the smallest sample that at least `share` (0..1) of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def per_call_us(call: Callable[[], object], samples: int = 60) -> list[float]:
    """Measure a call's CPU time in microseconds, several times: what else the machine does is left out."""
    repeats = _repeats(call)
    found = []
    gc.collect()
    for _ in range(samples):
        began = time.thread_time()
        for _ in range(repeats):
            call()
        found.append((time.thread_time() - began) / repeats * 1e6)
    return found


def once_ms(call: Callable[[], object], samples: int = 5) -> float:
    """Measure the CPU time of one slow call in milliseconds, the best of a few."""
    found = []
    for _ in range(samples):
        began = time.thread_time()
        call()
        found.append((time.thread_time() - began) * 1e3)
    return min(found)


def _repeats(call: Callable[[], object]) -> int:
    repeats = 1
    while True:
        began = time.thread_time()
        for _ in range(repeats):
            call()
        if time.thread_time() - began >= LEAST_S:
            return repeats
        repeats *= 2
