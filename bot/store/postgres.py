"""PostgreSQL as the store wants it: pooled connections and one that listens for work."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import asyncpg
from sqlalchemy import Connection, event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

CHANNEL: Final = "otomo"
_CONNECTIONS: Final = 10
_RECONNECT_S: Final = 1.0
_log = logging.getLogger(__name__)


def writer_engine(url: URL) -> AsyncEngine:
    """The engine for transactions that write."""
    return create_async_engine(
        url,
        pool_size=_CONNECTIONS,
        max_overflow=_CONNECTIONS,
        pool_pre_ping=True,
        hide_parameters=True,
    )


def reader_engine(writer: AsyncEngine) -> AsyncEngine:
    """The same pool for transactions that only read and see one instant of the database."""
    return writer.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def soft(writer: AsyncEngine) -> AsyncEngine:
    """The same pool for transactions that need not outlast a power failure by themselves."""
    engine = writer.execution_options()

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("SET LOCAL synchronous_commit = off")

    return engine


async def listen(url: URL, heard: Callable[[str], None]) -> None:
    """Call `heard` with each notice of `CHANNEL` until cancelled; a lost connection is made anew."""
    dsn = url.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            await _listen_once(dsn, heard)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            _log.warning("the database's notices stopped (%s); listening again", type(error).__name__)
        await asyncio.sleep(_RECONNECT_S)


async def _listen_once(dsn: str, heard: Callable[[str], None]) -> None:
    connection = await asyncpg.connect(dsn)
    ended = asyncio.Event()

    def on_notice(source: Any, pid: int, channel: str, payload: object) -> None:
        heard(str(payload))

    try:
        connection.add_termination_listener(lambda _: ended.set())
        await connection.add_listener(CHANNEL, on_notice)
        await ended.wait()
    finally:
        connection.terminate()
