"""A connection of SQLite that a cancelled task cannot leave in the middle of a statement.

The driver runs statements in a thread, where they go on after their task was cancelled: an abandoned
BEGIN IMMEDIATE then holds the write lock for good. Here the statement ends first, and the task is
cancelled at its next wait outside the database; a short transaction so ends as a whole.

Each visit to that thread costs more than most statements. So a transaction begins along with its first
statement, and where none is open there is nothing to commit or to roll back.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, TypeVar

import aiosqlite

T = TypeVar("T")

DURABLE: Final = "FULL"
SOFT: Final = "NORMAL"
"""Soft commits are not synced; the log is one sequence, so the next durable commit syncs them too."""


class WholeCursor:
    """A cursor that fetches all rows along with the statement: one visit to the thread, not three."""

    def __init__(self, connection: PatientConnection) -> None:
        self._connection = connection
        self._rows: list[Any] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> WholeCursor:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> WholeCursor:
        """Run one statement and fetch its rows."""
        given: Any = parameters or ()
        await self._run(lambda cursor: cursor.execute(sql, given))
        return self

    async def executemany(self, sql: str, parameters: Iterable[Iterable[Any]]) -> WholeCursor:
        """Run one statement for each set of parameters."""
        given: Any = parameters
        await self._run(lambda cursor: cursor.executemany(sql, given))
        return self

    async def fetchall(self) -> list[Any]:
        """Return the rows, once."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Forget the rows."""
        self._rows = []

    async def _run(self, statement: Callable[[sqlite3.Cursor], object]) -> None:
        def visit() -> None:
            cursor = self._connection._conn.cursor()
            try:
                self._connection.begin_now(cursor)
                statement(cursor)
                self.description = cursor.description
                self._rows = cursor.fetchall() if cursor.description else []
                self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
            finally:
                cursor.close()

        await self._connection._execute(visit)


class PatientConnection(aiosqlite.Connection):
    """The driver's connection with every statement waited for to its end."""

    _begin: str | None = None
    _synchronous: str = DURABLE
    _wanted: str = DURABLE

    def cursor(self) -> WholeCursor:  # type: ignore[override]  # SQLAlchemy needs no more of a cursor
        """Return a cursor that visits the thread once per statement."""
        return WholeCursor(self)

    def begin_with_next(self, begin: str, synchronous: str) -> None:
        """Begin a transaction in the visit of its first statement.

        Args:
            begin: The statement that begins it.
            synchronous: DURABLE or SOFT, what its commit waits for.
        """
        self._begin, self._wanted = begin, synchronous

    def begin_now(self, cursor: sqlite3.Cursor) -> None:
        """Begin what waits to begin; called in the connection's thread."""
        begin, self._begin = self._begin, None
        if begin is None:
            return
        if self._synchronous != self._wanted:
            cursor.execute(f"PRAGMA synchronous = {self._wanted}")
            self._synchronous = self._wanted
        cursor.execute(begin)

    async def commit(self) -> None:
        """Commit, if a statement was run at all."""
        self._begin = None
        if self.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        """Roll back, if there is anything to."""
        self._begin = None
        if self.in_transaction:
            await super().rollback()

    async def _execute(self, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        if not self._running or self._connection is None:
            raise ValueError("the connection is closed")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((done, partial(fn, *args, **kwargs)))
        return await patiently(done)


async def connect(path: str, busy_s: float) -> PatientConnection:
    """Connect to a file; transactions are begun by hand only."""

    def connector() -> sqlite3.Connection:
        # The driver's own way of beginning defers the write lock, and then fails to get it.
        return sqlite3.connect(path, isolation_level=None, timeout=busy_s)

    connection = PatientConnection(connector, iter_chunk_size=64)
    connection._thread.daemon = True  # a bot that dies of an error must not hang on it
    await connection
    return connection


async def patiently(work: asyncio.Future[T]) -> T:
    """Wait for the end of `work` even if this task is cancelled; it is then cancelled at its next wait."""
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            cancelled = True
    task = asyncio.current_task()
    if cancelled and task is not None:
        task.uncancel()  # the request is passed on, not doubled: timeouts count them
        task.cancel()
    return work.result()
