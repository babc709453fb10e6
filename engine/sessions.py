"""Sessions: periods of talk, what each was about, and "last time you talked" (specification, "Three Tiers")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.conversation import HistoryTurn
from engine.notices import SESSION_GAP
from engine.topics import topic_words

TOPICS: Final = 4
LEAST_TOPICS: Final = 2
"""Fewer topics than this do not make a sentence: the first message stands in."""
LONGEST_MESSAGE: Final = 120
"""Characters of a first message that are quoted whole; a longer one is cut to 117 and an ellipsis."""
LAST_TALK_AFTER: Final = timedelta(hours=6)
LOOKED_BACK: Final = 3
"""How many past sessions are looked at for "last time you talked"."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a session was about; both are empty where the user said nothing."""

    summary: str = ""
    key_topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session that has ended; `summary` is empty until it is summarised."""

    started_at: datetime
    ended_at: datetime
    summary: str = ""
    key_topics: tuple[str, ...] = ()


def periods(
    turns: Sequence[HistoryTurn], gap: timedelta = SESSION_GAP
) -> tuple[tuple[HistoryTurn, ...], ...]:
    """Cut a talk, oldest first, into sessions: a silence of `gap` or more ends one."""
    found: list[list[HistoryTurn]] = []
    for turn in turns:
        if not found or turn.created_at - found[-1][-1].created_at >= gap:
            found.append([])
        found[-1].append(turn)
    return tuple(map(tuple, found))


def has_ended(last_turn_at: datetime, now: datetime, gap: timedelta = SESSION_GAP) -> bool:
    """Tell whether a session is over and may be summarised."""
    return now - last_turn_at >= gap


def summarise(turns: Sequence[HistoryTurn], stop_words: frozenset[str]) -> SessionSummary:
    """Say in one sentence what the user talked about, by their most frequent topic words.

    Args:
        turns: Both sides of the session, oldest first; only the user's count.
        stop_words: Words that are no topic, in lower case.
    """
    said = [turn.content for turn in turns if turn.role == "user" and turn.content.strip()]
    topics = topic_words(said, stop_words, TOPICS)
    if len(topics) >= LEAST_TOPICS:
        return SessionSummary(f"You talked about {_joined(topics)}.", topics)
    return SessionSummary(_shortened(said[0].strip()) if said else "", topics)


def last_time(
    sessions: Sequence[PastSession], last_talk: datetime | None, now: datetime
) -> PastSession | None:
    """Return the session to mention as "last time you talked", or None.

    It is the newest one with a summary among the three newest, once more than six hours have passed.

    Args:
        sessions: Past sessions, in any order.
        last_talk: When the two last talked, or None.
        now: The present.
    """
    if last_talk is None or now - last_talk <= LAST_TALK_AFTER:
        return None
    newest = sorted(sessions, key=lambda session: session.started_at, reverse=True)[:LOOKED_BACK]
    return next((session for session in newest if session.summary), None)


def _joined(topics: tuple[str, ...]) -> str:
    if len(topics) == LEAST_TOPICS:
        return " and ".join(topics)
    return f"{', '.join(topics[:-1])}, and {topics[-1]}"


def _shortened(message: str) -> str:
    if len(message) <= LONGEST_MESSAGE:
        return message
    return message[: LONGEST_MESSAGE - 3].rstrip() + "…"
