"""The tables as the code uses them; how they came to be is in `migrations/`.

Everything that holds people's words or names is a sealed column. Ids of platforms stay open: they
must be looked up.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
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
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)

from bot.store.columns import Id, between, flag, instant, metadata, number, one_of, owner, place, row_id, word
from bot.store.sealed import SealedJson, SealedText
from engine.character import AFFECTION_MAX, EMOTIONS, STAGES, STAT_MAX

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
    row_id(),
    instant("created_at", zero=True),
    word("language"),
    flag("stopped"),
    Column("adult", Boolean(create_constraint=False)),
    instant("noticed_at"),
    instant("privacy_noticed_at"),
    instant("session_started_at"),
    word("lease_owner", nullable=True),
    instant("lease_until", zero=True),
    instant("resting_until", zero=True),
    sqlite_autoincrement=True,
)

accounts = Table(
    "accounts",
    metadata,
    row_id(),
    owner(),
    word("platform"),
    word("account"),
    word("chat", nullable=True),
    Column("display_name", SealedText("accounts.display_name")),
    flag("unreachable"),
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
    owner(primary_key=True),
    number("version"),
    Column("name", SealedText("characters.name"), nullable=False),
    Column("system_prompt", SealedText("characters.system_prompt"), nullable=False),
    Column("extensions", SealedJson("characters.extensions"), nullable=False),
    Column("mood_causes", SealedJson("characters.mood_causes"), nullable=False),
    word("mood_primary"),
    word("mood_secondary", nullable=True),
    number("mood_intensity"),
    number("affection"),
    *(number(name) for name in STATS),
    *(number(name) for name in COUNTS if name != "version"),
    word("app_mode"),
    word("relationship_stage"),
    word("saved_dating_sim_stage", nullable=True),
    *(number(f"trait_{name}") for name in TRAITS),
    flag("trait_likes_teasing"),
    word("trait_romantic_style"),
    *(number(f"absence_{name}") for name in ABSENCE),
    word("gains_day"),
    *(number(f"gains_{name}") for name in GAINS),
    word("streak_last_date", nullable=True),
    word("completed_events"),
    word("timezone"),
    instant("first_met", zero=True),
    instant("created_at", zero=True),
    instant("updated_at", zero=True),
    instant("last_interaction"),
    instant("last_decay_at"),
    between("affection", 0, AFFECTION_MAX),
    between("mood_intensity", 0, STAT_MAX),
    *(between(name, 0, STAT_MAX) for name in STATS),
    *(between(name, 0, 2**31 - 1) for name in COUNTS),
    *(between(f"trait_{name}", -100, 100) for name in TRAITS),
    *(between(f"absence_{name}", -AFFECTION_MAX, AFFECTION_MAX) for name in ABSENCE),
    *(between(f"gains_{name}", -AFFECTION_MAX, AFFECTION_MAX) for name in GAINS),
    one_of("mood_primary", EMOTIONS),
    one_of("mood_secondary", EMOTIONS),
    one_of("app_mode", ("companion", "dating_sim")),
    one_of("relationship_stage", STAGES),
    one_of("saved_dating_sim_stage", STAGES),
)

turns = Table(
    "turns",
    metadata,
    row_id(),
    owner(),
    word("status"),
    number("fence"),
    number("attempts"),
    Column("raw_reply", SealedText("turns.raw_reply")),
    Column("applied", SealedJson("turns.applied")),
    instant("created_at", zero=True),
    instant("settled_at"),
    one_of("status", ("waiting", "spoken", "settled", "failed")),
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
    row_id(),
    owner(),
    word("key"),
    word("kind"),
    *place(),
    Column("body", SealedJson("incoming.body")),
    instant("at", zero=True),
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
    row_id(),
    owner(),
    Column("turn_id", Id, ForeignKey("turns.id"), nullable=False),
    number("position"),
    word("kind"),
    *place(),
    Column("body", SealedJson("outgoing.body")),
    word("status"),
    word("reason", nullable=True),
    flag("as_plain"),
    number("attempts"),
    number("resent"),
    instant("not_before", zero=True),
    word("lease_owner", nullable=True),
    instant("lease_until", zero=True),
    word("nonce"),
    word("message_id", nullable=True),
    instant("created_at", zero=True),
    instant("sent_at"),
    UniqueConstraint("turn_id", "position"),
    one_of("status", ("pending", "sending", "sent", "failed", "unsure")),
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
    row_id(),
    owner(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    word("role"),
    Column("content", SealedText("messages.content"), nullable=False),
    instant("created_at", zero=True),
    one_of("role", ("user", "assistant")),
    Index(None, "user_id", "id"),
    sqlite_autoincrement=True,
)

facts = Table(
    "facts",
    metadata,
    row_id(),
    owner(),
    Column("turn_id", Id, ForeignKey("turns.id")),
    Column("content", SealedText("facts.content"), nullable=False),
    word("category"),
    number("importance", 50),
    Column("confidence", Double, nullable=False),
    Column("source", SealedText("facts.source")),
    number("reference_count"),
    instant("created_at", zero=True),
    instant("last_accessed"),
    one_of("category", ("user", "relationship", "shared_experience")),
    between("importance", 0, 100),
    between("confidence", 0, 1),
    Index(None, "user_id", "importance", "id"),
    sqlite_autoincrement=True,
)

faces = Table(
    "faces",
    metadata,
    owner(primary_key=True),
    Column("platform", Text, primary_key=True),
    Column("chat", Text, primary_key=True),
    word("face"),
    instant("shown_at", zero=True),
)
"""The face last shown in each chat."""

picture_references = Table(
    "picture_references",
    metadata,
    Column("platform", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    word("reference"),
    instant("seen_at", zero=True),
)
"""A picture that a platform already holds: SHA-256 of its bytes -> the platform's own id of it."""

settings = Table("settings", metadata, Column("name", Text, primary_key=True), word("value"))
"""What the bot remembers about itself, as JSON; never people's words."""

user_settings = Table(
    "user_settings",
    metadata,
    owner(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", SealedJson("user_settings.value"), nullable=False),
)


def is_open_turn() -> ColumnElement[bool]:
    """Whether a turn is unfinished. Written out, because a bound value would hide the index from it."""
    return turns.c.status.in_([literal_column("'waiting'"), literal_column("'spoken'")])


def is_open_send(rows: FromClause = outgoing) -> ColumnElement[bool]:
    """Whether a row of outgoing (or of an alias of it) still has to go. Written out for the same reason."""
    return rows.c.status.in_([literal_column("'pending'"), literal_column("'sending'")])
