"""How events are written in a file, and how they become definitions.

One event is a table: its rules once, then its scene in `scenes.<language>`, several variants each. Choices
have their effects beside the rules and their words in every variant, in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import ConfigDict, Field, StrictFloat, StrictInt, StrictStr, TypeAdapter

from engine.character import StateUpdates
from engine.events import EventBook, EventCondition, EventDefinition, EventType, is_known_condition
from engine.scenes import (
    CHOICE_CHARACTERS,
    DIALOGUE_CHARACTERS,
    FALLBACK_LANGUAGE,
    NARRATION_CHARACTERS,
    RESPONSE_CHARACTERS,
    Scene,
    SceneChoice,
)

STRAIN: Final = "relationship_strain"

Value = StrictInt | StrictFloat | StrictStr
Delta = Annotated[StrictInt, Field(ge=-1000, le=1000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Narration = Annotated[str, Field(min_length=1, max_length=NARRATION_CHARACTERS)]

_MACROS: Final = re.compile(r"\{\{[^{}]*\}\}")
_CLOSED: Final = ConfigDict(extra="forbid", str_strip_whitespace=True)


class WrongEvent(ValueError):
    """An event that does not hold together.

    Attributes:
        event_id: Which one.
        at: A piece of the file's text near the fault.
    """

    def __init__(self, event_id: str, at: str, reason: str) -> None:
        super().__init__(f"{event_id}: {reason}")
        self.event_id = event_id
        self.at = at


@dataclass(frozen=True, slots=True)
class Changes:
    """What an event or a choice changes."""

    __pydantic_config__ = _CLOSED

    affection: Delta | None = None
    trust: Delta | None = None
    intimacy: Delta | None = None
    comfort: Delta | None = None
    respect: Delta | None = None
    energy: Delta | None = None

    def as_updates(self) -> StateUpdates:
        """Return the same as updates of her state."""
        return StateUpdates(
            energy_delta=self.energy,
            affection_delta=self.affection,
            trust_delta=self.trust,
            intimacy_delta=self.intimacy,
            comfort_delta=self.comfort,
            respect_delta=self.respect,
        )


@dataclass(frozen=True, slots=True)
class WrittenChoice:
    """What one choice does."""

    __pydantic_config__ = _CLOSED

    changes: Changes = Changes()
    marker: Name | None = None
    unlocks: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenWords:
    """What one choice says in one variant, and what she answers."""

    __pydantic_config__ = _CLOSED

    text: Annotated[str, Field(min_length=1, max_length=CHOICE_CHARACTERS)]
    response: Annotated[str, Field(min_length=1, max_length=RESPONSE_CHARACTERS)]


@dataclass(frozen=True, slots=True)
class WrittenScene:
    """One variant of a scene in one language."""

    __pydantic_config__ = _CLOSED

    dialogue: Annotated[str, Field(min_length=1, max_length=DIALOGUE_CHARACTERS)]
    intro: Narration | None = None
    outro: Narration | None = None
    choices: tuple[WrittenWords, ...] = ()

    def shape(self) -> tuple[bool, bool, int]:
        """Return what all variants must have in common: intro, outro and the number of choices."""
        return (self.intro is not None, self.outro is not None, len(self.choices))

    def texts(self) -> list[str]:
        """Return every text of the variant."""
        words = [text for choice in self.choices for text in (choice.text, choice.response)]
        return [text for text in (self.intro, self.dialogue, self.outro, *words) if text]


@dataclass(frozen=True, slots=True)
class WrittenEvent:
    """One event as it stands in the file. Conditions are `type = value`, or a list of values."""

    __pydantic_config__ = _CLOSED

    id: Name
    name: Annotated[str, Field(min_length=1, max_length=80)]
    type: EventType
    priority: Annotated[StrictInt, Field(ge=0, le=1000)]
    scenes: Mapping[Language, Annotated[tuple[WrittenScene, ...], Field(min_length=1)]]
    conditions: Mapping[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    changes: Changes = Changes()
    choices: tuple[WrittenChoice, ...] = ()
    unlocks: tuple[Name, ...] = ()
    one_time: bool = False
    cooldown_days: Annotated[float, Field(ge=0, le=3650)] = 0
    romantic: bool = False


@dataclass(frozen=True, slots=True)
class EventFile:
    """One file."""

    __pydantic_config__ = _CLOSED

    events: tuple[WrittenEvent, ...]


def parse_events(data: Mapping[str, object]) -> tuple[EventDefinition, ...]:
    """Turn the mapping of one file into definitions, in the file's order.

    Raises:
        pydantic.ValidationError: A key is unknown, or a value is of the wrong kind or length.
        WrongEvent: A condition is unknown, or variants and choices do not match.
    """
    return tuple(_definition(event) for event in TypeAdapter(EventFile).validate_python(data).events)


def build_book(events: Iterable[EventDefinition]) -> EventBook:
    """Put the events of all files together.

    Raises:
        WrongEvent: An id comes twice, the strain event is missing, or a condition waits for an event or
            marker that nothing completes.
    """
    known: dict[str, EventDefinition] = {}
    for event in events:
        if event.id in known:
            raise WrongEvent(event.id, f'"{event.id}"', "the id comes twice")
        known[event.id] = event
    if STRAIN not in known:
        raise WrongEvent(STRAIN, STRAIN, "the event is missing")
    _check_references(known)
    strain = known.pop(STRAIN)
    return EventBook(tuple(known.values()), strain)


def _check_references(known: Mapping[str, EventDefinition]) -> None:
    markers = {
        choice.marker
        for event in known.values()
        for choice in event.scenes[FALLBACK_LANGUAGE][0].choices
        if choice.marker
    }
    for event in known.values():
        for condition in event.conditions:
            waits = condition.type in ("event_completed", "event_not_completed")
            if waits and condition.value not in known.keys() | markers:
                raise WrongEvent(event.id, f'"{condition.value}"', f"nothing completes {condition.value}")


def _definition(event: WrittenEvent) -> EventDefinition:
    conditions = tuple(_conditions(event))
    _check_scenes(event)
    return EventDefinition(
        id=event.id,
        name=event.name,
        type=event.type,
        priority=event.priority,
        conditions=conditions,
        scenes={
            language: tuple(_scene(event, variant) for variant in variants)
            for language, variants in event.scenes.items()
        },
        state_changes=event.changes.as_updates(),
        unlocks=event.unlocks,
        one_time=event.one_time,
        cooldown_days=event.cooldown_days,
        romantic=event.romantic,
    )


def _conditions(event: WrittenEvent) -> Iterable[EventCondition]:
    for kind, written in event.conditions.items():
        for value in written if isinstance(written, tuple) else (written,):
            condition = EventCondition(kind, value)
            if not is_known_condition(condition):
                raise WrongEvent(
                    event.id, kind, f"no rule knows the condition {kind} = {value!r}, or it could never hold"
                )
            yield condition


def _check_scenes(event: WrittenEvent) -> None:
    if FALLBACK_LANGUAGE not in event.scenes:
        raise WrongEvent(event.id, "scenes.", "the English scene is missing")
    first = event.scenes[FALLBACK_LANGUAGE][0]
    for language, variants in event.scenes.items():
        for number, variant in enumerate(variants, 1):
            place = f"{language} variant {number}"
            if variant.shape() != first.shape() or len(variant.choices) != len(event.choices):
                raise WrongEvent(
                    event.id, variant.dialogue[:30], f"{place}: intro, outro or choices do not match"
                )
            _check_macros(event.id, place, variant.texts())


def _check_macros(event_id: str, place: str, texts: Iterable[str]) -> None:
    for text in texts:
        for macro in _MACROS.findall(text):
            if macro.strip("{} ").lower() not in ("char", "user"):
                raise WrongEvent(event_id, macro, f"{place}: nothing is known of {macro}")


def _scene(event: WrittenEvent, variant: WrittenScene) -> Scene:
    choices = tuple(
        SceneChoice(
            words.text, words.response, choice.changes.as_updates(), choice.marker, unlocks=choice.unlocks
        )
        for words, choice in zip(variant.choices, event.choices, strict=True)
    )
    return Scene(event.id, variant.intro, variant.dialogue, choices, variant.outro)
