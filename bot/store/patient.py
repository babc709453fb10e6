"""A connection of SQLite that a cancelled task cannot leave in the middle of a statement.

The driver runs statements in a thread, where they go on after their task was cancelled: an abandoned
BEGIN IMMEDIATE then holds the write lock for good. Here the statement ends first, and the task is
cancelled at its next wait outside the database; a short transaction so ends as a whole.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import aiosqlite

T = TypeVar("T")


class PatientConnection(aiosqlite.Connection):
    """The driver's connection with every statement waited for to its end."""

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await patiently(super()._execute(fn, *args, **kwargs))  # type: ignore[no-untyped-call]


async def connect(path: str, busy_s: float) -> PatientConnection:
    """Connect to a file; transactions are begun by hand only."""

    def connector() -> sqlite3.Connection:
        # The driver's own way of beginning defers the write lock, and then fails to get it.
        return sqlite3.connect(path, isolation_level=None, timeout=busy_s)

    connection = PatientConnection(connector, iter_chunk_size=64)
    connection._thread.daemon = True  # a bot that dies of an error must not hang on it
    await connection
    return connection


async def patiently(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even if this task is cancelled; it is then cancelled at its next wait."""
    running = asyncio.ensure_future(work)
    cancelled = False
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            cancelled = True
    task = asyncio.current_task()
    if cancelled and task is not None:
        task.uncancel()  # the request is passed on, not doubled: timeouts count them
        task.cancel()
    return running.result()
