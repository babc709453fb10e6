"""How the database came to be: numbered steps, each with its number in one transaction.

Alembic's operations are used (they know both databases), its runner is not: it wants a script folder
with templates and an environment file, and it begins transactions its own way, while here BEGIN
IMMEDIATE, the advisory lock and the switched-off foreign keys must stand around each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, inspect, text

from bot.errors import StoreError
from bot.store.migrations import v0001_first_tables, v0002_scenes

if TYPE_CHECKING:
    from alembic.operations import Operations

Step = Callable[["Operations"], None]

STEPS: Final[tuple[Step, ...]] = (v0001_first_tables.upgrade, v0002_scenes.upgrade)
"""Step n (counted from 1) leads from schema n - 1 to schema n. Released steps never change."""


def schema_of(connection: Connection) -> int:
    """Return the number of the last step done; 0 for an empty database."""
    if not inspect(connection).has_table("schema_version"):
        return 0
    number: int = connection.execute(text("SELECT number FROM schema_version")).scalar_one()
    return number


def check_known(schema: int) -> None:
    """Refuse a database that a newer program has written.

    Raises:
        StoreError: The schema's number is higher than the last step.
    """
    if schema > len(STEPS):
        raise StoreError(
            f"the database was made by a newer Otomo (schema {schema}, this one knows {len(STEPS)})"
        )


def take_step(connection: Connection) -> bool:
    """Do the next step, if there is one, in the caller's transaction. Returns whether it did one."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(7236842)"))
    schema = schema_of(connection)
    check_known(schema)
    if schema == len(STEPS):
        return False
    STEPS[schema](_operations(connection))
    _check_foreign_keys(connection)
    _write_schema(connection, schema + 1)
    return True


def _operations(connection: Connection) -> Operations:
    # Only here: a start without anything to upgrade need not pay for the import (a tenth of it).
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    return Operations(MigrationContext.configure(connection))


def _write_schema(connection: Connection, schema: int) -> None:
    if schema == 1:
        connection.execute(text("CREATE TABLE schema_version (number INTEGER NOT NULL)"))
        connection.execute(text("INSERT INTO schema_version VALUES (1)"))
    else:
        connection.execute(text("UPDATE schema_version SET number = :number"), {"number": schema})


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan is not None:
        raise StoreError(f"the upgrade would leave rows of {orphan[0]} without their {orphan[2]}")
