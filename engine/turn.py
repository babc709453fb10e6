"""One turn as a pure function: what is looked at, what comes out, and the order of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.character import CharacterState
from engine.conversation import Face, Fact, HistoryTurn, Incoming, NewFact, Reply


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a turn may look at.

    `incoming` are the waiting rows of one user that this turn answers, oldest first; `history` the
    last 20 turns, oldest first; `facts` up to 500, the most important first; `expressions` what the
    figure can show; `last_face` the face last shown in this chat.
    """

    character: CharacterState
    incoming: tuple[Incoming, ...]
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[Fact, ...] = ()
    expressions: tuple[str, ...] = ()
    last_face: Face | None = None
    language: str = "en"
    session_started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settled turn leaves behind; the store writes it and nothing else changes a character.

    `applied` is the audit trail: for each number from what, to what and why.
    """

    character: CharacterState
    turns: tuple[HistoryTurn, ...]
    reply: Reply
    face: Face | None
    facts: tuple[NewFact, ...] = ()
    touched_facts: tuple[int, ...] = ()
    applied: Mapping[str, object] | None = None
