"""Plays a scripted user through the real rules, on a virtual clock and with lent dice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

from engine.character import CharacterState, Stage, StateUpdates
from engine.events import EventRecord
from engine.scenes import Scene
from engine.turn import settle_choice, settle_turn
from engine.turn_values import Outcome, Rules, Snapshot

DAY: Final = timedelta(days=1)
WAKING_HOURS: Final = 15
"""Talks of a day lie within so many hours of the time at which the first talk ever began."""
TIME_TO_CHOOSE: Final = timedelta(seconds=20)
NO_BLOCK_SHARE: Final = 0.1
"""How often even a good model leaves the state block out."""
_DELTAS: Final = ("affection_delta", "trust_delta", "intimacy_delta", "comfort_delta", "respect_delta")


@dataclass(frozen=True, slots=True)
class Line:
    """What a user says, and what a model that hears it usually suggests."""

    text: str
    suggestion: StateUpdates


@dataclass(frozen=True, slots=True)
class ScriptedUser:
    """Somebody who talks to her: their lines, how often they write, and when they stay away.

    `talks_per_day` are messages on a day on which they write, `silent_days` the share (0..1) of days on
    which they do not, `away` spans of days (first and last, from 0) without any word.
    """

    name: str
    lines: tuple[Line, ...]
    talks_per_day: int
    silent_days: float = 0.0
    away: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """How long is played, and what the user answers: to a scene's choices, and about their age."""

    days: int
    adult: bool = True
    accepts: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """She as she was at a time, in days from the first talk."""

    day: float
    character: CharacterState


@dataclass(frozen=True, slots=True)
class Mark:
    """An event that was finished, and the choice taken in it, from 0."""

    day: float
    event_id: str
    choice: int | None = None


@dataclass(frozen=True, slots=True)
class Playthrough:
    """All that happened: one point for each talk and each choice, and every finished event."""

    user: str
    days: int
    points: tuple[Point, ...]
    marks: tuple[Mark, ...]

    @property
    def last(self) -> CharacterState:
        """She at the end."""
        return self.points[-1].character

    def reached(self) -> dict[Stage, float]:
        """Return the day on which each stage was first reached, in the order of reaching."""
        first: dict[Stage, float] = {}
        for point in self.points:
            first.setdefault(point.character.relationship_stage, point.day)
        return first


def simulate(user: ScriptedUser, course: Course, rules: Rules, begin: datetime, rng: Random) -> Playthrough:
    """Play a user from the first meeting on.

    Args:
        user: Who talks to her.
        course: How long, and how they choose.
        rules: The rules of the game, with word lists and events.
        begin: The first talk, aware UTC; her user lives in UTC too.
        rng: All dice: when they write, what they say, and the rules' own.

    Returns:
        The playthrough; it holds at least the first talk.
    """
    her = CharacterState(first_met=begin, created_at=begin, updated_at=begin)
    play = _Play(rules, course, begin, rng, her, [], [], [])
    for now in _talk_times(user, course.days, begin, rng):
        play.talk(rng.choice(user.lines), now)
    return Playthrough(user.name, course.days, tuple(play.points), tuple(play.marks))


@dataclass(slots=True)
class _Play:
    """The run so far."""

    rules: Rules
    course: Course
    begin: datetime
    rng: Random
    character: CharacterState
    points: list[Point]
    marks: list[Mark]
    records: list[EventRecord]

    def talk(self, line: Line, now: datetime) -> None:
        """Settle one message, and the scene it may open."""
        snapshot = self._snapshot(line.text)
        suggestion = _suggested(line.suggestion, self.rng)
        outcome = settle_turn(snapshot, self.rules, "…", suggestion, now, self.rng)
        self._keep(outcome, now)
        if outcome.opened is not None:
            later = now + TIME_TO_CHOOSE
            index = _choice(outcome.opened.scene, accepts=self.course.accepts)
            waiting = replace(self._snapshot(""), open_scene=outcome.opened)
            self._keep(settle_choice(waiting, self.rules, index, later), later)

    def _snapshot(self, said: str) -> Snapshot:
        return Snapshot(
            self.character,
            (),
            user_text=said,
            adult=self.course.adult,
            records=tuple(self.records),
            scene_token="scene",
        )

    def _keep(self, outcome: Outcome, now: datetime) -> None:
        day = (now - self.begin) / DAY
        self.character = outcome.character
        self.points.append(Point(day, outcome.character))
        self.records += outcome.records
        self.marks += [Mark(day, record.event_id, record.choice_index) for record in outcome.records]


def _talk_times(user: ScriptedUser, days: int, begin: datetime, rng: Random) -> Iterator[datetime]:
    """Yield the talks' times in order; the first is the beginning itself."""
    yield begin
    for day in range(days):
        silent = rng.random() < user.silent_days and day > 0
        if silent or any(first <= day <= last for first, last in user.away):
            continue
        talks = user.talks_per_day - (day == 0)
        for hours in sorted(rng.uniform(0, WAKING_HOURS) for _ in range(talks)):
            yield begin + day * DAY + timedelta(hours=hours)


def _suggested(usual: StateUpdates, rng: Random) -> StateUpdates | None:
    """Vary a suggestion as models do: sometimes there is none, and each number wavers by one."""
    if rng.random() < NO_BLOCK_SHARE:
        return None
    deltas = {name: getattr(usual, name) for name in _DELTAS}
    wavering = {name: delta + rng.randint(-1, 1) for name, delta in deltas.items() if delta is not None}
    return replace(usual, **wavering)


def _choice(scene: Scene, *, accepts: bool) -> int:
    """Return the first choice, which always says yes, or the last, which says not yet."""
    return 0 if accepts else len(scene.choices) - 1
