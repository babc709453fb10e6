"""What one turn looks at and what it leaves behind: the values, without the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.action_gate import ActionGate
from engine.character import CharacterState
from engine.conversation import Face, Fact, HistoryTurn, Incoming, NewFact, Reply
from engine.daily_caps import DailyCaps
from engine.events import EventBook, EventRecord
from engine.keywords import Keywords
from engine.story import OpenScene

DEFAULT_CAPS: Final = DailyCaps()
NEVER_PLAYED: Final = ActionGate()


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has set of the game: word lists, daily caps, the model's context window.

    `window_tokens` None turns context scaling off; `decay` false lets absences only heal;
    `custom_system_prompt` replaces framing and rules of the prompt's system layer; without a `book` no
    event ever comes.
    """

    keywords: Keywords
    caps: DailyCaps = DEFAULT_CAPS
    window_tokens: int | None = 8192
    decay: bool = True
    custom_system_prompt: str = ""
    book: EventBook | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a turn may look at.

    `incoming` are the waiting rows of one user that this turn answers, oldest first, and `user_text`
    their words as one text; `history` the last 20 turns, oldest first; `facts` up to 500, the most
    important first; `expressions` what the figure can show; `last_face` the face last shown in this
    chat; `private` is false where others read along; `adult` None until the user has said; `records`
    the dated completions of events; `open_scene` the scene that waits for a choice; `scene_token` the
    name under which this turn may open one; `figure` the avatar the user has chosen ("": the operator's);
    `idles` what resting stills take their poses from; `actions` the animations she may use (id and
    description), `gate` when they last played, `busy` whether photo mode is on.
    """

    character: CharacterState
    incoming: tuple[Incoming, ...]
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[Fact, ...] = ()
    expressions: tuple[str, ...] = ()
    last_face: Face | None = None
    language: str = "en"
    session_started_at: datetime | None = None
    user_text: str = ""
    user_name: str = ""
    private: bool = True
    adult: bool | None = None
    records: tuple[EventRecord, ...] = ()
    open_scene: OpenScene | None = None
    scene_token: str = ""
    figure: str = ""
    idles: tuple[str, ...] = ()
    actions: tuple[tuple[str, str], ...] = ()
    gate: ActionGate = NEVER_PLAYED
    busy: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settled turn leaves behind; the store writes it and nothing else changes a character.

    `applied` is the audit trail: for each number from what, to what and why. `records` are events that
    were completed, `opened` a scene that now waits for a choice, `closed` the token of one that is over.
    `gate` is the memory of played animations where one was played.
    """

    character: CharacterState
    turns: tuple[HistoryTurn, ...]
    reply: Reply
    face: Face | None
    facts: tuple[NewFact, ...] = ()
    touched_facts: tuple[int, ...] = ()
    applied: Mapping[str, object] | None = None
    records: tuple[EventRecord, ...] = ()
    opened: OpenScene | None = None
    closed: str | None = None
    gate: ActionGate | None = None
