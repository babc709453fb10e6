"""The record of one companion and what may be changed in it (specification, "Data Models")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, get_args

Emotion = Literal[
    "happy",
    "sad",
    "excited",
    "anxious",
    "content",
    "frustrated",
    "curious",
    "affectionate",
    "playful",
    "melancholy",
    "flustered",
    "neutral",
]
EMOTIONS: Final[tuple[Emotion, ...]] = get_args(Emotion)

AppMode = Literal["companion", "dating_sim"]

Stage = Literal[
    "companion",
    "stranger",
    "acquaintance",
    "friend",
    "close_friend",
    "romantic_interest",
    "dating",
    "committed",
    "soulmate",
]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""All nine stages, the Companion Mode stage first, then from the first meeting upwards."""

RomanticStyle = Literal["slow_burn", "passionate", "shy", "bold"]

MAX_CAUSES: Final = 5
"""How many causes a mood remembers, the newest last."""
AFFECTION_MAX: Final = 1000
STAT_MAX: Final = 100
"""Upper end of trust, intimacy, comfort, respect, energy and mood intensity; the lower end is 0."""


@dataclass(frozen=True, slots=True)
class MoodState:
    """How she feels and why: one emotion, its intensity (0..100) and the last five causes."""

    primary: Emotion = "neutral"
    intensity: int = 50
    secondary: Emotion | None = None
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MoodChange:
    """A suggested or derived change of mood; `intensity_delta` is added to the old intensity."""

    emotion: Emotion
    intensity_delta: int = 0
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class StateUpdates:
    """What one turn may change. `None` means "nothing said about it", which is not the same as 0."""

    mood_change: MoodChange | None = None
    energy_delta: int | None = None
    affection_delta: int | None = None
    trust_delta: int | None = None
    intimacy_delta: int | None = None
    comfort_delta: int | None = None
    respect_delta: int | None = None
    new_memory: str | None = None
    triggered_event: str | None = None
    action: str | None = None
    expression: Emotion | None = None


@dataclass(frozen=True, slots=True)
class Personality:
    """Fixed traits of a persona, each axis from -100 to 100. They shape the prompt, no rule."""

    openness: int = 0
    warmth: int = 20
    assertiveness: int = -10
    playfulness: int = 10
    sensitivity: int = 20
    likes_teasing: bool = False
    prefers_directness: int = -10
    romantic_style: RomanticStyle = "slow_burn"


@dataclass(frozen=True, slots=True)
class AbsenceTaken:
    """What the present absence has already cost (and energy has won back), so that any rhythm of
    checks adds up to one.
    """

    affection: int = 0
    trust: int = 0
    intensity: int = 0
    energy: int = 0


@dataclass(frozen=True, slots=True)
class DailyGains:
    """What talk has added on one local day (ISO date), for the caps against grinding."""

    day: str = ""
    affection: int = 0
    trust: int = 0
    intimacy: int = 0
    comfort: int = 0
    respect: int = 0


@dataclass(frozen=True, slots=True)
class CharacterState:
    """One companion as one user knows her: persona and every number of the game.

    Times are aware UTC. `version` counts the saved changes and guards against lost updates;
    `timezone` is the user's IANA zone and decides what a calendar day is.
    """

    first_met: datetime
    created_at: datetime
    updated_at: datetime
    name: str = "Otomo"
    system_prompt: str = ""
    extensions: Mapping[str, object] = field(default_factory=dict)
    mood: MoodState = MoodState()
    energy: int = 100
    affection: int = 0
    trust: int = 0
    intimacy: int = 0
    comfort: int = 0
    respect: int = 0
    app_mode: AppMode = "dating_sim"
    relationship_stage: Stage = "stranger"
    saved_dating_sim_stage: Stage | None = None
    personality: Personality = Personality()
    last_interaction: datetime | None = None
    last_decay_at: datetime | None = None
    days_known: int = 0
    total_interactions: int = 0
    current_streak: int = 0
    longest_streak: int = 0
    streak_last_date: str | None = None
    completed_events: tuple[str, ...] = ()
    absence: AbsenceTaken = AbsenceTaken()
    gains: DailyGains = DailyGains()
    timezone: str = "UTC"
    version: int = 0
