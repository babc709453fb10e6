"""Consecutive days of talk, and days known (specification, "Streaks")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from engine.character import CharacterState
from engine.zones import zone_named


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row, the longest run ever, and the last counted local date (ISO)."""

    current: int = 0
    longest: int = 0
    last_date: str | None = None


def local_day(now: datetime, timezone: str) -> date:
    """Return the user's calendar date at an instant (aware); `timezone` is an IANA name."""
    return now.astimezone(zone_named(timezone)).date()


def extend_streak(streak: Streak, today: date) -> Streak:
    """Count a local day of talk.

    The same day, or a recorded date in the future (a clock or zone set back), changes nothing.
    """
    last = date.fromisoformat(streak.last_date) if streak.last_date else None
    if last is not None and last >= today:
        return streak
    current = streak.current + 1 if last == today - timedelta(days=1) else 1
    return Streak(current, max(streak.longest, current), today.isoformat())


def days_between(first_met: datetime, now: datetime) -> int:
    """Return the whole 24-hour periods since the first meeting, never negative."""
    return max(0, (now - first_met) // timedelta(days=1))


def count_day(character: CharacterState, now: datetime) -> CharacterState:
    """Update streak and days known at the start of a user's turn. Days known never fall."""
    streak = extend_streak(
        Streak(character.current_streak, character.longest_streak, character.streak_last_date),
        local_day(now, character.timezone),
    )
    return replace(
        character,
        current_streak=streak.current,
        longest_streak=streak.longest,
        streak_last_date=streak.last_date,
        days_known=max(character.days_known, days_between(character.first_met, now)),
    )
