"""The tables as the code uses them; how they came to be is in `migrations/`.

Everything that holds people's words or names is a sealed column. Ids of platforms stay open: they
must be looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    FromClause,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)

from bot.store.instants import Instant
from bot.store.sealed import SealedJson, SealedText
from engine.character import AFFECTION_MAX, EMOTIONS, STAGES, STAT_MAX

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


def _id() -> Column[int]:
    return Column("id", Id, primary_key=True, autoincrement=True)


def _user(primary_key: bool = False) -> Column[int]:
    owner = ForeignKey("users.id", ondelete="CASCADE")
    return Column("user_id", Id, owner, nullable=False, primary_key=primary_key, autoincrement=False)


def _instant(name: str, zero: bool = False) -> Column[datetime]:
    """An instant; with `zero` never NULL and "long ago" by itself."""
    return Column(name, Instant(), nullable=not zero, server_default=text("0") if zero else None)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean(create_constraint=False), nullable=False, server_default=text("false"))


def _number(name: str, default: int = 0) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text(str(default)))


def _word(name: str, nullable: bool = False) -> Column[str]:
    return Column(name, Text, nullable=nullable)


def _between(column: str, low: int, high: int) -> CheckConstraint:
    return CheckConstraint(f"{column} BETWEEN {low} AND {high}", name=column)


def _one_of(column: str, values: Sequence[str]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _place() -> tuple[Column[str], Column[str], Column[str], Column[bool], Column[str]]:
    """The columns of an `Address`."""
    return (
        _word("platform"),
        _word("account"),
        _word("chat"),
        _flag("private"),
        _word("thread", nullable=True),
    )


vault = Table(
    "vault",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("database_id", LargeBinary, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("proof", LargeBinary, nullable=False),
    CheckConstraint("id = 1", name="single"),
)
"""One row: what the key is derived with, and a sealed value that proves a key right or wrong."""

users = Table(
    "users",
    metadata,
    _id(),
    _instant("created_at", zero=True),
    _word("language"),
    _flag("stopped"),
    Column("adult", Boolean(create_constraint=False)),
    _instant("noticed_at"),
    _instant("privacy_noticed_at"),
    _instant("session_started_at"),
    _word("lease_owner", nullable=True),
    _instant("lease_until", zero=True),
    _instant("resting_until", zero=True),
    sqlite_autoincrement=True,
)

accounts = Table(
    "accounts",
    metadata,
    _id(),
    _user(),
    _word("platform"),
    _word("account"),
    _word("chat", nullable=True),
    Column("display_name", SealedText("accounts.display_name")),
    _flag("unreachable"),
    UniqueConstraint("platform", "account"),
    Index(None, "user_id"),
    sqlite_autoincrement=True,
)

TRAITS: Final = ("openness", "warmth", "assertiveness", "playfulness", "sensitivity", "prefers_directness")
ABSENCE: Final = ("affection", "trust", "intensity", "energy")
GAINS: Final = ("affection", "trust", "intimacy", "comfort", "respect")
STATS: Final = ("energy", "trust", "intimacy", "comfort", "respect")
COUNTS: Final = ("days_known", "total_interactions", "current_streak", "longest_streak", "version")

characters = Table(
    "characters",
    metadata,
    _user(primary_key=True),
    _number("version"),
    Column("name", SealedText("characters.name"), nullable=False),
    Column("system_prompt", SealedText("characters.system_prompt"), nullable=False),
    Column("extensions", SealedJson("characters.extensions"), nullable=False),
    Column("mood_causes", SealedJson("characters.mood_causes"), nullable=False),
    _word("mood_primary"),
    _word("mood_secondary", nullable=True),
    _number("mood_intensity"),
    _number("affection"),
    *(_number(name) for name in STATS),
    *(_number(name) for name in COUNTS if name != "version"),
    _word("app_mode"),
    _word("relationship_stage"),
    _word("saved_dating_sim_stage", nullable=True),
    *(_number(f"trait_{name}") for name in TRAITS),
    _flag("trait_likes_teasing"),
    _word("trait_romantic_style"),
    *(_number(f"absence_{name}") for name in ABSENCE),
    _word("gains_day"),
    *(_number(f"gains_{name}") for name in GAINS),
    _word("streak_last_date", nullable=True),
    _word("completed_events"),
    _word("timezone"),
    _instant("first_met", zero=True),
    _instant("created_at", zero=True),
    _instant("updated_at", zero=True),
    _instant("last_interaction"),
    _instant("last_decay_at"),
    _between("affection", 0, AFFECTION_MAX),
    _between("mood_intensity", 0, STAT_MAX),
    *(_between(name, 0, STAT_MAX) for name in STATS),
    *(_between(name, 0, 2**31 - 1) for name in COUNTS),
    *(_between(f"trait_{name}", -100, 100) for name in TRAITS),
    *(_between(f"absence_{name}", -AFFECTION_MAX, AFFECTION_MAX) for name in ABSENCE),
    *(_between(f"gains_{name}", -AFFECTION_MAX, AFFECTION_MAX) for name in GAINS),
    _one_of("mood_primary", EMOTIONS),
    _one_of("mood_secondary", EMOTIONS),
    _one_of("app_mode", ("companion", "dating_sim")),
    _one_of("relationship_stage", STAGES),
    _one_of("saved_dating_sim_stage", STAGES),
)

turns = Table(
    "turns",
    metadata,
    _id(),
    _user(),
    _word("status"),
    _number("fence"),
    _number("attempts"),
    Column("raw_reply", SealedText("turns.raw_reply")),
    Column("applied", SealedJson("turns.applied")),
    _instant("created_at", zero=True),
    _instant("settled_at"),
    _one_of("status", ("waiting", "spoken", "settled", "failed")),
    Index(
        "ix_turns_open",
        "user_id",
        unique=True,
        sqlite_where=text("status IN ('waiting', 'spoken')"),
        postgresql_where=text("status IN ('waiting', 'spoken')"),
    ),
    Index(None, "user_id", "id"),
    sqlite_autoincrement=True,
)
"""`fence` counts the loads: only the latest loader of a turn may write it."""

incoming = Table(
    "incoming",
    metadata,
    _id(),
    _user(),
    _word("key"),
    _word("kind"),
    *_place(),
    Column("body", SealedJson("incoming.body")),
    _instant("at", zero=True),
    Column("turn_id", Id, ForeignKey("turns.id")),
    UniqueConstraint("key"),
    Index(
        "ix_incoming_waiting",
        "user_id",
        "id",
        sqlite_where=text("turn_id IS NULL"),
        postgresql_where=text("turn_id IS NULL"),
    ),
    Index(
        "ix_incoming_turn_id",
        "turn_id",
        sqlite_where=text("turn_id IS NOT NULL"),
        postgresql_where=text("turn_id IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)

outgoing = Table(
    "outgoing",
    metadata,
    _id(),
    _user(),
    Column("turn_id", Id, ForeignKey("turns.id"), nullable=False),
    _number("position"),
    _word("kind"),
    *_place(),
    Column("body", SealedJson("outgoing.body")),
    _word("status"),
    _word("reason", nullable=True),
    _flag("as_plain"),
    _number("attempts"),
    _number("resent"),
    _instant("not_before", zero=True),
    _word("lease_owner", nullable=True),
    _instant("lease_until", zero=True),
    _word("nonce"),
    _word("message_id", nullable=True),
    _instant("created_at", zero=True),
    _instant("sent_at"),
    UniqueConstraint("turn_id", "position"),
    _one_of("status", ("pending", "sending", "sent", "failed", "unsure")),
    Index(
        "ix_outgoing_open",
        "platform",
        "chat",
        "id",
        sqlite_where=text("status IN ('pending', 'sending')"),
        postgresql_where=text("status IN ('pending', 'sending')"),
    ),
    Index(None, "user_id"),
    sqlite_autoincrement=True,
)

messages = Table(
    "messages",
    metadata,
    _id(),
    _user(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    _word("role"),
    Column("content", SealedText("messages.content"), nullable=False),
    _instant("created_at", zero=True),
    _one_of("role", ("user", "assistant")),
    Index(None, "user_id", "id"),
    sqlite_autoincrement=True,
)

facts = Table(
    "facts",
    metadata,
    _id(),
    _user(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    Column("content", SealedText("facts.content"), nullable=False),
    _word("category"),
    _number("importance", 50),
    Column("confidence", Double, nullable=False),
    Column("source", SealedText("facts.source")),
    _number("reference_count"),
    _instant("created_at", zero=True),
    _instant("last_accessed"),
    _one_of("category", ("user", "relationship", "shared_experience")),
    _between("importance", 0, 100),
    _between("confidence", 0, 1),
    Index(None, "user_id", "importance", "id"),
    sqlite_autoincrement=True,
)

faces = Table(
    "faces",
    metadata,
    _user(primary_key=True),
    Column("platform", Text, primary_key=True),
    Column("chat", Text, primary_key=True),
    _word("face"),
    _instant("shown_at", zero=True),
)
"""The face last shown in each chat."""

picture_references = Table(
    "picture_references",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    _word("reference"),
    _instant("seen_at", zero=True),
)
"""A picture that a platform already holds: SHA-256 of its bytes -> the platform's own id of it."""

settings = Table("settings", metadata, Column("name", Text, primary_key=True), _word("value"))
"""What the bot remembers about itself, as JSON; never people's words."""

user_settings = Table(
    "user_settings",
    metadata,
    _user(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", SealedJson("user_settings.value"), nullable=False),
)


def is_open_turn() -> ColumnElement[bool]:
    """Whether a turn is unfinished. Written out, because a bound value would hide the index from it."""
    return turns.c.status.in_([literal_column("'waiting'"), literal_column("'spoken'")])


def is_open_send(rows: FromClause = outgoing) -> ColumnElement[bool]:
    """Whether a row of outgoing (or of an alias of it) still has to go. Written out for the same reason."""
    return rows.c.status.in_([literal_column("'pending'"), literal_column("'sending'")])


event_records = Table(
    "event_records",
    metadata,
    _id(),
    _user(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    _word("event_id"),
    Column("choice_index", Integer),
    _word("outcome", nullable=True),
    _instant("completed_at", zero=True),
    Index(None, "user_id", "event_id"),
    sqlite_autoincrement=True,
)
"""The dated completions of events."""

scenes = Table(
    "scenes",
    metadata,
    _id(),
    _user(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    _word("token"),
    _word("event_id"),
    Column("body", SealedJson("scenes.body"), nullable=False),
    _word("status"),
    _instant("opened_at", zero=True),
    _instant("closed_at"),
    UniqueConstraint("user_id", "token"),
    _one_of("status", ("open", "done", "dropped")),
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
    _user(primary_key=True),
    Column("day", Text, primary_key=True),
    _number("requests"),
    _number("prompt_tokens"),
    _number("completion_tokens"),
)
"""What the models have cost, per user and UTC day."""
