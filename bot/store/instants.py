"""Instants in the database: microseconds since 1970 in UTC, the same on SQLite and PostgreSQL.

Leases and bursts are measured with the database's clock (`now`), never with a worker's own.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, literal
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement
from sqlalchemy.types import TypeDecorator

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
NEVER: Final = EPOCH
"""The value of a lease that nobody holds and of a wait that nobody asked for."""
_MICROSECOND: Final = timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime, kept as an integer because SQLite would give a naive one back."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn an aware datetime into microseconds; a naive one is refused.

        Raises:
            ValueError: The datetime has no zone.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        return (value - EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Turn microseconds into aware UTC."""
        return None if value is None else EPOCH + timedelta(microseconds=value)


class now(FunctionElement[int]):
    """The database's clock at this very statement, in microseconds since 1970."""

    inherit_cache = True
    type = BigInteger()


@compiles(now, "sqlite")
def _now_sqlite(element: now, compiler: SQLCompiler, **kw: Any) -> str:
    # julianday works on every SQLite; unixepoch('subsec') needs 3.42.
    return "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000"


@compiles(now, "postgresql")
def _now_postgresql(element: now, compiler: SQLCompiler, **kw: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"


def from_now(seconds: float) -> ColumnElement[int]:
    """Return the database's instant `seconds` from now (negative: ago), ready to store or compare."""
    return now() + literal(round(seconds * 1_000_000), BigInteger)
