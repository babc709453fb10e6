"""Schema 2: events that were completed, scenes that wait for a choice, and what the models cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy import text

if TYPE_CHECKING:
    from alembic.operations import Operations

_ID: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade(op: Operations) -> None:
    """Make the tables."""
    _event_records(op)
    _scenes(op)
    _usage(op)


def _owner() -> tuple[sa.Column[int], sa.Column[int], sa.Column[int]]:
    return (
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("turn_id", _ID, nullable=True),
    )


def _bonds(op: Operations, table: str) -> tuple[sa.Constraint, ...]:
    return (
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f(f"fk_{table}_turn_id")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    )


def _event_records(op: Operations) -> None:
    op.create_table(
        "event_records",
        *_owner(),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("choice_index", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        *_bonds(op, "event_records"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_event_records_user_id_event_id"), "event_records", ["user_id", "event_id"])


def _scenes(op: Operations) -> None:
    op.create_table(
        "scenes",
        *_owner(),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status IN ('open', 'done', 'dropped')", name=op.f("ck_scenes_status")),
        sa.UniqueConstraint("user_id", "token", name=op.f("uq_scenes_user_id_token")),
        *_bonds(op, "scenes"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_scenes_open",
        "scenes",
        ["user_id"],
        unique=True,
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    )


def _usage(op: Operations) -> None:
    op.create_table(
        "usage",
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), server_default=text("0"), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_usage_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "day", name=op.f("pk_usage")),
    )
