"""What the tables are made of: their common columns and checks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, ForeignKey, Integer, MetaData, Text, text

from bot.store.instants import Instant

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
Id: Final = BigInteger().with_variant(Integer(), "sqlite")
"""A row id: SQLite counts up by itself only for a column called INTEGER."""


def row_id() -> Column[int]:
    """A row's own id."""
    return Column("id", Id, primary_key=True, autoincrement=True)


def owner(primary_key: bool = False) -> Column[int]:
    """The user whose row it is; the row goes with the user."""
    users = ForeignKey("users.id", ondelete="CASCADE")
    return Column("user_id", Id, users, nullable=False, primary_key=primary_key, autoincrement=False)


def instant(name: str, zero: bool = False) -> Column[datetime]:
    """An instant; with `zero` never NULL and "long ago" by itself."""
    return Column(name, Instant(), nullable=not zero, server_default=text("0") if zero else None)


def flag(name: str) -> Column[bool]:
    """A yes or no, no by itself."""
    return Column(name, Boolean(create_constraint=False), nullable=False, server_default=text("false"))


def number(name: str, default: int = 0) -> Column[int]:
    """A whole number."""
    return Column(name, Integer, nullable=False, server_default=text(str(default)))


def word(name: str, nullable: bool = False) -> Column[str]:
    """A text that may lie open."""
    return Column(name, Text, nullable=nullable)


def between(column: str, low: int, high: int) -> CheckConstraint:
    """A check that a number is in its range."""
    return CheckConstraint(f"{column} BETWEEN {low} AND {high}", name=column)


def one_of(column: str, values: Sequence[str]) -> CheckConstraint:
    """A check that a word is one of a few."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def place() -> tuple[Column[str], Column[str], Column[str], Column[bool], Column[str]]:
    """The columns of an `Address`."""
    return (
        word("platform"),
        word("account"),
        word("chat"),
        flag("private"),
        word("thread", nullable=True),
    )
