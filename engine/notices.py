"""When the app says again that she is an AI (safety rules: first contact, once a day, every three hours)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal

SESSION_GAP: Final = timedelta(minutes=30)
"""A talk that rests this long has ended; the next message opens a new session."""
DAILY: Final = timedelta(hours=24)
LONG_TALK: Final = timedelta(hours=3)

NoticeKind = Literal["first", "daily", "long_talk"]


def session_start(started_at: datetime | None, last_interaction: datetime | None, now: datetime) -> datetime:
    """Return when the present session began: now, where the last talk is 30 minutes or more ago."""
    if started_at is None or last_interaction is None or now - last_interaction >= SESSION_GAP:
        return now
    return min(started_at, now)


def notice_due(told_at: datetime | None, session_started_at: datetime, now: datetime) -> NoticeKind | None:
    """Return which notice this turn owes, if any.

    Args:
        told_at: When the app last said that she is an AI; None before first contact.
        session_started_at: When the present session began.
        now: The present instant.
    """
    if told_at is None:
        return "first"
    if now - told_at >= LONG_TALK and now - session_started_at >= LONG_TALK:
        return "long_talk"
    if now - told_at >= DAILY and session_started_at >= now:
        return "daily"
    return None
