"""Schema 1: people, her record of each, what came in, the turns, what goes out, and what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import text

if TYPE_CHECKING:
    from alembic.operations import Operations

_ID: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade(op: Operations) -> None:
    """Make the tables, those first to which others point."""
    for make in (
        _picture_references,
        _settings,
        _users,
        _vault,
        _accounts,
        _characters,
        _faces,
        _turns,
        _user_settings,
        _facts,
        _incoming,
        _messages,
        _outgoing,
    ):
        make(op)


def _picture_references(op: Operations) -> None:
    op.create_table(
        "picture_references",
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.PrimaryKeyConstraint("platform", "digest", name=op.f("pk_picture_references")),
    )


def _settings(op: Operations) -> None:
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )


def _users(op: Operations) -> None:
    op.create_table(
        "users",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("created_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("stopped", sa.Boolean(), server_default=text("false"), nullable=False),
        sa.Column("adult", sa.Boolean(), nullable=True),
        sa.Column("noticed_at", sa.BigInteger(), nullable=True),
        sa.Column("privacy_noticed_at", sa.BigInteger(), nullable=True),
        sa.Column("session_started_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("resting_until", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sqlite_autoincrement=True,
    )


def _vault(op: Operations) -> None:
    op.create_table(
        "vault",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("database_id", sa.LargeBinary(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("proof", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_vault_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vault")),
    )


def _accounts(op: Operations) -> None:
    op.create_table(
        "accounts",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=True),
        sa.Column("display_name", sa.LargeBinary(), nullable=True),
        sa.Column("unreachable", sa.Boolean(), server_default=text("false"), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_accounts_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("platform", "account", name=op.f("uq_accounts_platform_account")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_accounts_user_id"), "accounts", ["user_id"], unique=False)


_STATS: Final = ("energy", "trust", "intimacy", "comfort", "respect")
_COUNTS: Final = ("days_known", "total_interactions", "current_streak", "longest_streak")
_TRAITS: Final = ("openness", "warmth", "assertiveness", "playfulness", "sensitivity", "prefers_directness")
_RANGES: Final = {
    "affection": (0, 1000),
    "mood_intensity": (0, 100),
    **dict.fromkeys(_STATS, (0, 100)),
    **dict.fromkeys((*_COUNTS, "version"), (0, 2147483647)),
    **{f"trait_{name}": (-100, 100) for name in _TRAITS},
    **{f"absence_{name}": (-1000, 1000) for name in ("affection", "trust", "intensity", "energy")},
    **{f"gains_{name}": (-1000, 1000) for name in ("affection", "trust", "intimacy", "comfort", "respect")},
}
_EMOTIONS: Final = (
    *("happy", "sad", "excited", "anxious", "content", "frustrated"),
    *("curious", "affectionate", "playful", "melancholy", "flustered", "neutral"),
)
_STAGES: Final = (
    *("companion", "stranger", "acquaintance", "friend", "close_friend"),
    *("romantic_interest", "dating", "committed", "soulmate"),
)
_CHOICES: Final = {
    "mood_primary": _EMOTIONS,
    "mood_secondary": _EMOTIONS,
    "app_mode": ("companion", "dating_sim"),
    "relationship_stage": _STAGES,
    "saved_dating_sim_stage": _STAGES,
}


def _characters(op: Operations) -> None:
    op.create_table(
        "characters",
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        *_character_columns(),
        *_character_checks(),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_characters_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_characters"),
    )


def _character_columns() -> list[sa.Column[Any]]:
    sealed = ("name", "system_prompt", "extensions", "mood_causes")
    words = ("mood_primary", "app_mode", "relationship_stage", "trait_romantic_style", "gains_day")
    maybe_words = ("mood_secondary", "saved_dating_sim_stage", "streak_last_date")
    instants, maybe_instants = (
        ("first_met", "created_at", "updated_at"),
        ("last_interaction", "last_decay_at"),
    )
    zero = text("0")
    return [
        *(sa.Column(name, sa.LargeBinary(), nullable=False) for name in sealed),
        *(sa.Column(name, sa.Integer(), server_default=zero, nullable=False) for name in _RANGES),
        sa.Column("trait_likes_teasing", sa.Boolean(), server_default=text("false"), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in (*words, "completed_events", "timezone")),
        *(sa.Column(name, sa.Text(), nullable=True) for name in maybe_words),
        *(sa.Column(name, sa.BigInteger(), server_default=zero, nullable=False) for name in instants),
        *(sa.Column(name, sa.BigInteger(), nullable=True) for name in maybe_instants),
    ]


def _character_checks() -> list[sa.CheckConstraint]:
    rules = {name: f"{name} BETWEEN {low} AND {high}" for name, (low, high) in _RANGES.items()}
    for name, values in _CHOICES.items():
        rules[name] = f"{name} IN ({', '.join(repr(value) for value in values)})"
    return [sa.CheckConstraint(rule, name=f"ck_characters_{name}") for name, rule in rules.items()]


def _faces(op: Operations) -> None:
    op.create_table(
        "faces",
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("face", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_faces_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "platform", "chat", name=op.f("pk_faces")),
    )


def _turns(op: Operations) -> None:
    op.create_table(
        "turns",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("fence", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("raw_reply", sa.LargeBinary(), nullable=True),
        sa.Column("applied", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "status IN ('waiting', 'spoken', 'settled', 'failed')", name=op.f("ck_turns_status")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_turns_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_turns_open",
        "turns",
        ["user_id"],
        unique=True,
        sqlite_where=text("status IN ('waiting', 'spoken')"),
        postgresql_where=text("status IN ('waiting', 'spoken')"),
    )
    op.create_index(op.f("ix_turns_user_id_id"), "turns", ["user_id", "id"], unique=False)


def _user_settings(op: Operations) -> None:
    op.create_table(
        "user_settings",
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_user_settings_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "name", name=op.f("pk_user_settings")),
    )


def _facts(op: Operations) -> None:
    op.create_table(
        "facts",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("turn_id", _ID, nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("importance", sa.Integer(), server_default=text("50"), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=True),
        sa.Column("reference_count", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("last_accessed", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "category IN ('user', 'relationship', 'shared_experience')", name=op.f("ck_facts_category")
        ),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name=op.f("ck_facts_confidence")),
        sa.CheckConstraint("importance BETWEEN 0 AND 100", name=op.f("ck_facts_importance")),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_facts_turn_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_facts_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_facts")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_facts_user_id_importance_id"), "facts", ["user_id", "importance", "id"], unique=False
    )


def _incoming(op: Operations) -> None:
    op.create_table(
        "incoming",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), server_default=text("false"), nullable=False),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("turn_id", _ID, nullable=True),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_incoming_turn_id")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_incoming_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incoming")),
        sa.UniqueConstraint("key", name=op.f("uq_incoming_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_incoming_turn_id",
        "incoming",
        ["turn_id"],
        unique=False,
        sqlite_where=text("turn_id IS NOT NULL"),
        postgresql_where=text("turn_id IS NOT NULL"),
    )
    op.create_index(
        "ix_incoming_waiting",
        "incoming",
        ["user_id", "id"],
        unique=False,
        sqlite_where=text("turn_id IS NULL"),
        postgresql_where=text("turn_id IS NULL"),
    )


def _messages(op: Operations) -> None:
    op.create_table(
        "messages",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("turn_id", _ID, nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_messages_role")),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_messages_turn_id")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_messages_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_messages_user_id_id"), "messages", ["user_id", "id"], unique=False)


def _outgoing(op: Operations) -> None:
    op.create_table(
        "outgoing",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", _ID, autoincrement=False, nullable=False),
        sa.Column("turn_id", _ID, nullable=False),
        sa.Column("position", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), server_default=text("false"), nullable=False),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("as_plain", sa.Boolean(), server_default=text("false"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("resent", sa.Integer(), server_default=text("0"), nullable=False),
        sa.Column("not_before", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), server_default=text("0"), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'sending', 'sent', 'failed', 'unsure')", name=op.f("ck_outgoing_status")
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_outgoing_turn_id")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_outgoing_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outgoing")),
        sa.UniqueConstraint("turn_id", "position", name=op.f("uq_outgoing_turn_id_position")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_outgoing_open",
        "outgoing",
        ["platform", "chat", "id"],
        unique=False,
        sqlite_where=text("status IN ('pending', 'sending')"),
        postgresql_where=text("status IN ('pending', 'sending')"),
    )
    op.create_index(op.f("ix_outgoing_user_id"), "outgoing", ["user_id"], unique=False)
