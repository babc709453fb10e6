"""Counting what is spent: every request of a voice inside `metering()` adds to its meter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from bot.ports import Usage


@dataclass(slots=True)
class Meter:
    """What one piece of work has cost so far: the requests made, failed ones included, and the tokens told of."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, usage: Usage) -> None:
        """Add tokens."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens


_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def count_request() -> None:
    """Count a request that is about to be made, for the meter of the work that runs now, if there is one."""
    meter = _METER.get()
    if meter is not None:
        meter.requests += 1


def count(usage: Usage) -> None:
    """Add tokens to the meter of the work that runs now, if there is one."""
    meter = _METER.get()
    if meter is not None:
        meter.add(usage)


@contextmanager
def metering() -> Iterator[Meter]:
    """Count every model request that is made inside, the extraction call too."""
    meter = Meter()
    token = _METER.set(meter)
    try:
        yield meter
    finally:
        _METER.reset(token)
