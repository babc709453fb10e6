"""SQLite as the store wants it: one writer, readers that cannot write, durable commits, one owner."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.errors import StoreError, StoreLocked
from bot.store.patient import DURABLE, SOFT, PatientConnection, connect

READERS: Final = 3
"""Connections that only read. More of them only made the slowest turns slower."""
_BUSY_MS: Final = 10_000
_OUTSIDE: Final = "otomo_outside_transactions"
_SOFT: Final = "otomo_soft"
_WANTED: Final = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: NORMAL may lose commits on power loss
    "foreign_keys": 1,
    "secure_delete": 1,  # else deleted words stay in the file
    "busy_timeout": _BUSY_MS,
    "mmap_size": 0,
}


class FileLock:
    """The right to be the only bot on a database file; the kernel gives it back when a process dies.

    The lock is on a file of its own: closing a second handle of the database itself would drop
    SQLite's own locks.
    """

    def __init__(self, database: Path) -> None:
        """Take the lock.

        Raises:
            StoreLocked: Another process holds it.
        """
        path = database.with_name(database.name + ".lock")
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._handle)
            raise StoreLocked(f"another Otomo is running on {database}: stop it first") from error

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._handle)


def claim_file(path: Path) -> FileLock:
    """Make the database's folder and file for the owner's eyes only, and lock it.

    Raises:
        StoreLocked: Another process holds it.
        StoreError: The folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return FileLock(path)
    except OSError as error:
        raise StoreError(f"the database {path} cannot be used: {error.strerror}") from error


def writer_engine(path: Path) -> AsyncEngine:
    """The engine with the one writing connection; its transactions start with BEGIN IMMEDIATE."""
    return _engine(path, connections=1, begin="BEGIN IMMEDIATE", query_only=False)


def reader_engine(path: Path) -> AsyncEngine:
    """The engine of the reading connections; a statement that writes fails on them."""
    return _engine(path, connections=READERS, begin="BEGIN", query_only=True)


def soft(writer: AsyncEngine) -> AsyncEngine:
    """The same writing connection for transactions that need not outlast a power failure by themselves."""
    return writer.execution_options(**{_SOFT: True})


def _engine(path: Path, *, connections: int, begin: str, query_only: bool) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        pool_size=connections,
        max_overflow=0,
        pool_timeout=60,
        hide_parameters=True,
        async_creator=lambda: connect(str(path), _BUSY_MS / 1000),
    )
    _prepare(engine.sync_engine, begin, query_only)
    return engine


def _prepare(engine: Engine, begin: str, query_only: bool) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(dbapi_connection: Any, record: Any) -> None:
        cursor = dbapi_connection.cursor()
        # How the log works is a property of the file, and the writer's to set.
        wanted = {
            name: value for name, value in _WANTED.items() if not (query_only and name == "journal_mode")
        }
        for name, value in wanted.items():
            cursor.execute(f"PRAGMA {name} = {value}")
        cursor.execute(f"PRAGMA query_only = {int(query_only)}")
        for name, value in wanted.items():
            cursor.execute(f"PRAGMA {name}")
            row = cursor.fetchone()
            # A build without memory mapping answers the last one with nothing.
            if row is not None and row[0] != value:
                raise StoreError(f"SQLite refuses {name} = {value} here (it says {row[0]})")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(_OUTSIDE):
            return
        driver = cast(PatientConnection, connection.connection.driver_connection)
        driver.begin_with_next(begin, SOFT if options.get(_SOFT) else DURABLE)


async def copy_to(writer: AsyncEngine, target: Path) -> None:
    """Write a compact copy of the whole database; a kill leaves the finished copy or none.

    Raises:
        StoreError: There is a file of that name already.
    """
    if await asyncio.to_thread(target.exists):
        raise StoreError(f"{target} exists already")
    draft = target.with_name(target.name + ".part")
    await asyncio.to_thread(draft.unlink, missing_ok=True)
    async with outside(writer) as connection:
        await connection.execute(text("VACUUM INTO :path"), {"path": str(draft)})
    await asyncio.to_thread(_keep, draft, target)


@asynccontextmanager
async def outside(writer: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """The writing connection without a transaction, for the statements that refuse to run in one."""
    # Not the library's AUTOCOMMIT: it would give the driver its own way of beginning back afterwards.
    async with writer.execution_options(**{_OUTSIDE: True}).connect() as connection:
        yield connection


def _keep(draft: Path, target: Path) -> None:
    draft.chmod(0o600)
    for path in (draft, target.parent):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
    draft.rename(target)
