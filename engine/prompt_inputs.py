"""All that a prompt is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.character import CharacterState, Stage
from engine.conversation import Fact, HistoryTurn, Image
from engine.layers import one_line

_TONE_LIMIT: Final[Stage] = "close_friend"
_ROMANTIC: Final[frozenset[Stage]] = frozenset({"romantic_interest", "dating", "committed", "soulmate"})
_NAME_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True)
class NextReminder:
    """The reminder that is due next; `due` is aware UTC."""

    content: str
    due: datetime


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Everything that one request to a model is built from.

    Attributes:
        state: Her record, as it is before the turn; `state.system_prompt` is the persona's personality.
        now: The present moment, aware UTC.
        user_text: The user's newest words; empty for a machine turn or a picture without words.
        images: The pictures of this turn, which travel only in this request.
        history: Earlier turns, oldest first, without `user_text`.
        facts: Relevant facts, best first. In a group, only those that may be known there.
        triggered_facts: Facts that the user's words recall, best first; at most 3 are used.
        last_session_summary: What the last talk was about, or None.
        session_started_at: When this session began, or None if that is unknown.
        next_reminder: The reminder due next, or None.
        shown_pictures: How many pictures the user is showing right now.
        event_text: What a system event says (a fired reminder, a scene), or None.
        actions: Animations that she may use: id and description.
        user_name: What the user is called; "" if unknown.
        language: Two-letter code of the language to fall back on.
        custom_system_prompt: Replaces framing and rules of the system layer, and nothing else.
        romance_allowed: Whether the user has said to be of age; else no stage beyond close_friend shows.
        group: Whether others read along: close_friend's tone at most, nothing private.
        window_tokens: The model's context window in tokens; None turns scaling off.
    """

    state: CharacterState
    now: datetime
    user_text: str = ""
    images: tuple[Image, ...] = ()
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[Fact, ...] = ()
    triggered_facts: tuple[Fact, ...] = ()
    last_session_summary: str | None = None
    session_started_at: datetime | None = None
    next_reminder: NextReminder | None = None
    shown_pictures: int = 0
    event_text: str | None = None
    actions: tuple[tuple[str, str], ...] = ()
    user_name: str = ""
    language: str = "en"
    custom_system_prompt: str = ""
    romance_allowed: bool = False
    group: bool = False
    window_tokens: int | None = None

    @property
    def companion_mode(self) -> bool:
        """Whether the plain assistant's prompt is meant."""
        return self.state.app_mode == "companion"

    @property
    def romance(self) -> bool:
        """Whether romance may appear at all in this request."""
        return self.romance_allowed and not self.group and not self.companion_mode

    @property
    def stage(self) -> Stage:
        """The stage whose tone she may take here."""
        stage = self.state.relationship_stage
        return _TONE_LIMIT if stage in _ROMANTIC and not self.romance else stage

    @property
    def name(self) -> str:
        """Her name, fit for a prompt."""
        return one_line(self.state.name, _NAME_CHARACTERS) or "Otomo"

    @property
    def user(self) -> str:
        """What she calls the user, fit for a prompt."""
        return one_line(self.user_name, _NAME_CHARACTERS) or "the user"
