"""The tables of events, scenes and spending; the others are in `tables`."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, text

from bot.store.columns import Id, instant, metadata, number, one_of, owner, row_id, word
from bot.store.sealed import SealedJson

event_records = Table(
    "event_records",
    metadata,
    row_id(),
    owner(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    word("event_id"),
    Column("choice_index", Integer),
    word("outcome", nullable=True),
    instant("completed_at", zero=True),
    Index(None, "user_id", "event_id"),
    sqlite_autoincrement=True,
)
"""The dated completions of events."""

scenes = Table(
    "scenes",
    metadata,
    row_id(),
    owner(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    word("token"),
    word("event_id"),
    Column("body", SealedJson("scenes.body"), nullable=False),
    word("status"),
    instant("opened_at", zero=True),
    instant("closed_at"),
    UniqueConstraint("user_id", "token"),
    one_of("status", ("open", "done", "dropped")),
    Index(
        "ix_scenes_open",
        "user_id",
        unique=True,
        sqlite_where=text("status = 'open'"),
        postgresql_where=text("status = 'open'"),
    ),
    sqlite_autoincrement=True,
)
"""Scenes with choices, with their texts as shown; a user has at most one open."""

usage = Table(
    "usage",
    metadata,
    owner(primary_key=True),
    Column("day", Text, primary_key=True),
    number("requests"),
    number("prompt_tokens"),
    number("completion_tokens"),
)
"""What the models have cost, per user and UTC day."""
