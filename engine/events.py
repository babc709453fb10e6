"""When an event fires (specification, "Event System"). The events themselves are data under config/events/."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from typing import Final, Literal, get_args

from engine.character import AFFECTION_MAX, EMOTIONS, STAGES, STAT_MAX, CharacterState, StateUpdates
from engine.scenes import NO_CHANGES, Scene
from engine.zones import zone_named

EventType = Literal["milestone", "random", "scheduled", "conditional", "anniversary"]
TimeOfDay = Literal["morning", "afternoon", "evening", "night"]
TIMES_OF_DAY: Final[tuple[TimeOfDay, ...]] = get_args(TimeOfDay)

MORNING_FROM: Final = 5
AFTERNOON_FROM: Final = 12
EVENING_FROM: Final = 17
NIGHT_FROM: Final = 21


@dataclass(frozen=True, slots=True)
class EventCondition:
    """One thing that must hold, by the names of the specification's table."""

    type: str
    value: int | float | str


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """One event: when it fires, what it shows and what it changes.

    `scenes` holds the variants of its scene by two-letter language; every variant has the same choices
    with the same effects. A one-time event never comes twice, any other waits `cooldown_days` after its
    last completion. Of several that are due the highest `priority` wins. `romantic` events need the
    user's statement to be of age.
    """

    id: str
    name: str
    type: EventType
    priority: int
    conditions: tuple[EventCondition, ...] = ()
    scenes: Mapping[str, tuple[Scene, ...]] = field(default_factory=dict)
    state_changes: StateUpdates = NO_CHANGES
    unlocks: tuple[str, ...] = ()
    achievement_id: str | None = None
    one_time: bool = False
    cooldown_days: float = 0
    romantic: bool = False


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One dated completion."""

    event_id: str
    completed_at: datetime
    choice_index: int | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class EventBook:
    """All events: the pool in its order, and the strain event, which only a demotion opens."""

    pool: tuple[EventDefinition, ...]
    strain: EventDefinition

    def find(self, event_id: str) -> EventDefinition | None:
        """Return an event by its id."""
        return next((event for event in (*self.pool, self.strain) if event.id == event_id), None)


@dataclass(frozen=True, slots=True)
class EventContext:
    """What conditions may look at, after a turn of talk.

    `previous_talk` is the talk *before* this turn, else nothing that waits for an absence could ever
    fire; `draw` gives random numbers in [0, 1); `romance` says whether romantic events may come.
    """

    character: CharacterState
    now: datetime
    draw: Callable[[], float]
    previous_talk: datetime | None = None
    message: str = ""
    records: tuple[EventRecord, ...] = ()
    romance: bool = True


@dataclass(frozen=True, slots=True)
class EventCheck:
    """Whether an event is due, and which conditions (by type) did not hold."""

    triggered: bool
    failed: tuple[str, ...] = ()


def event_to_open(book: EventBook, context: EventContext, *, strained: bool) -> EventDefinition | None:
    """Return the one event to open after a turn of talk: the strain event on a demotion, else the pool's first.

    The strain event waits out its own cooldown; then the pool has its turn.
    """
    if context.character.app_mode == "companion":
        return None
    if strained and check_event(book.strain, context).triggered:
        return book.strain
    return next(iter(due_events(book.pool, context)), None)


def due_events(pool: Iterable[EventDefinition], context: EventContext) -> tuple[EventDefinition, ...]:
    """Return the events that are due, the one to open first; none in Companion Mode.

    Equal priorities keep the pool's order.
    """
    if context.character.app_mode == "companion":
        return ()
    last_times = _last_times(context)
    due = [event for event in pool if _check(event, context, last_times).triggered]
    return tuple(sorted(due, key=lambda event: -event.priority))


def check_event(event: EventDefinition, context: EventContext) -> EventCheck:
    """Tell whether one event is due. All conditions are looked at, also after one that fails."""
    return _check(event, context, _last_times(context))


def is_known_condition(condition: EventCondition) -> bool:
    """Tell whether a condition is one of the specification's, with a value that can ever hold."""
    allowed, value = _TEXT_VALUES.get(condition.type), condition.value
    if isinstance(value, str):
        return allowed is not None and (not allowed or value in allowed)
    most = _MOST.get(condition.type, inf)
    return allowed is None and condition.type in _CHECKS and 0 <= value <= most


def time_of_day(hour: int) -> TimeOfDay:
    """Return the part of the day of a local hour (0..23); a part includes its lower end."""
    if hour < MORNING_FROM or hour >= NIGHT_FROM:
        return "night"
    if hour < AFTERNOON_FROM:
        return "morning"
    return "afternoon" if hour < EVENING_FROM else "evening"


def _check(event: EventDefinition, context: EventContext, last_times: Mapping[str, datetime]) -> EventCheck:
    if _blocked(event, context, last_times.get(event.id)):
        return EventCheck(triggered=False)
    failed = tuple(each.type for each in event.conditions if not _holds(each, context))
    return EventCheck(not failed, failed)


def _last_times(context: EventContext) -> dict[str, datetime]:
    """Return when each event was last completed; the records of a long friendship are many."""
    last: dict[str, datetime] = {}
    for record in context.records:
        done = last.get(record.event_id)
        last[record.event_id] = record.completed_at if done is None else max(done, record.completed_at)
    return last


def _blocked(event: EventDefinition, context: EventContext, last_time: datetime | None) -> bool:
    if event.romantic and not context.romance:
        return True
    if event.one_time:
        return last_time is not None or event.id in context.character.completed_events
    return last_time is not None and context.now - last_time < timedelta(days=event.cooldown_days)


def _holds(condition: EventCondition, context: EventContext) -> bool:
    check = _CHECKS.get(condition.type)
    return check is not None and check(context, condition.value)


Check = Callable[[EventContext, "int | float | str"], bool]


def _at_least(number: Callable[[CharacterState], int]) -> Check:
    return lambda context, value: number(context.character) >= float(value)


def _stage_min(context: EventContext, value: int | float | str) -> bool:
    stages: tuple[str, ...] = STAGES
    return value in stages and stages.index(context.character.relationship_stage) >= stages.index(str(value))


def _local(context: EventContext) -> datetime:
    return context.now.astimezone(zone_named(context.character.timezone))


def _hours_away(context: EventContext) -> float | None:
    if context.previous_talk is None:
        return None
    return (context.now - context.previous_talk) / timedelta(hours=1)


def _away_min(context: EventContext, value: int | float | str) -> bool:
    hours = _hours_away(context)
    return hours is not None and hours >= float(value)


def _away_max(context: EventContext, value: int | float | str) -> bool:
    hours = _hours_away(context)
    return hours is not None and hours <= float(value)


def _mentioned(context: EventContext, value: int | float | str) -> bool:
    """Find the word at a word's beginning; scripts without blanks have none, so anywhere."""
    word = str(value).strip().lower()
    start = r"(?<!\w)" if word[:1].isascii() else ""
    return bool(word) and re.search(start + re.escape(word), context.message.lower()) is not None


_CHECKS: Final[dict[str, Check]] = {
    "min_affection": _at_least(lambda her: her.affection),
    "min_trust": _at_least(lambda her: her.trust),
    "min_intimacy": _at_least(lambda her: her.intimacy),
    "min_comfort": _at_least(lambda her: her.comfort),
    "min_respect": _at_least(lambda her: her.respect),
    "days_known": _at_least(lambda her: her.days_known),
    "total_interactions": _at_least(lambda her: her.total_interactions),
    "consecutive_days": _at_least(lambda her: her.current_streak),
    "mood_intensity_min": _at_least(lambda her: her.mood.intensity),
    "max_energy": lambda context, value: context.character.energy <= float(value),
    "relationship_stage": lambda context, value: context.character.relationship_stage == value,
    "relationship_stage_min": _stage_min,
    "event_completed": lambda context, value: value in context.character.completed_events,
    "event_not_completed": lambda context, value: value not in context.character.completed_events,
    "time_of_day": lambda context, value: time_of_day(_local(context).hour) == value,
    "day_of_week": lambda context, value: _local(context).isoweekday() % 7 == value,
    "random_chance": lambda context, value: context.draw() < float(value),
    "keyword_mentioned": _mentioned,
    "mood_is": lambda context, value: context.character.mood.primary == value,
    "hours_since_last_interaction_min": _away_min,
    "hours_since_last_interaction_max": _away_max,
}

_TEXT_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "relationship_stage": STAGES,
    "relationship_stage_min": STAGES,
    "event_completed": (),
    "event_not_completed": (),
    "time_of_day": TIMES_OF_DAY,
    "keyword_mentioned": (),
    "mood_is": EMOTIONS,
}
"""Conditions whose value is a word, and the words allowed (empty: any). All others take a number."""

_MOST: Final[dict[str, int]] = {
    "min_affection": AFFECTION_MAX,
    "min_trust": STAT_MAX,
    "min_intimacy": STAT_MAX,
    "min_comfort": STAT_MAX,
    "min_respect": STAT_MAX,
    "max_energy": STAT_MAX,
    "mood_intensity_min": STAT_MAX,
    "random_chance": 1,
    "day_of_week": 6,
}
"""The highest sensible value of a number; more could never hold, or always."""
