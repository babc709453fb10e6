"""Events inside the talk: opening a scene after a turn, and what a choice in it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.character import CharacterState, Stage
from engine.completion import complete_event, scene_for
from engine.conversation import Choose, Narrate, Part, Say
from engine.events import EventBook, EventContext, EventDefinition, EventRecord, event_to_open
from engine.scenes import Scene, with_names

LAST_STAGE_WITHOUT_STATEMENT: Final[Stage] = "close_friend"
"""Romance waits for the user's statement to be of age (safety rules)."""
LAST_STAGE: Final[Stage] = "soulmate"
PLAIN_USER: Final = "you"
"""What stands for {{user}} in a scene while no name is known."""


@dataclass(frozen=True, slots=True)
class OpenScene:
    """A scene that waits for a choice: its short token on buttons, its event, and the texts as shown."""

    token: str
    event_id: str
    scene: Scene


@dataclass(frozen=True, slots=True)
class Told:
    """What an event adds to a turn: her state after it, what is shown, and what must be kept."""

    character: CharacterState
    parts: tuple[Part, ...] = ()
    record: EventRecord | None = None
    opened: OpenScene | None = None

    @property
    def words(self) -> str:
        """What she says in it, for the history."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Say))


def highest_stage(adult: bool) -> Stage:
    """Return how far the relationship may go."""
    return LAST_STAGE if adult else LAST_STAGE_WITHOUT_STATEMENT


def tell_event(
    book: EventBook, context: EventContext, *, strained: bool, language: str, user_name: str, token: str
) -> Told:
    """Open the event that is due after a turn of talk, if any.

    A scene without choices is told and finished at once; one with choices waits under `token`.
    """
    character = context.character
    event = event_to_open(book, context, strained=strained)
    scene = scene_for(event, language, character, context.records) if event else None
    if event is None or scene is None:
        return Told(character)
    shown = with_names(scene, character.name, user_name or PLAIN_USER)
    if shown.choices:
        labels = tuple(choice.text for choice in shown.choices)
        parts = (*_opening(shown), Choose(token, labels))
        return Told(character, parts, opened=OpenScene(token, event.id, shown))
    done = complete_event(character, event, None, context.now, highest=highest_stage(context.romance))
    return Told(done.character, (*_opening(shown), *_outro(shown)), done.record)


def choose(
    character: CharacterState, event: EventDefinition, scene: Scene, index: int, now: datetime, *, adult: bool
) -> Told:
    """Take a choice: her answer, the choice's effects and its marker.

    Raises:
        ValueError: The event has no such choice.
    """
    done = complete_event(character, event, index, now, highest=highest_stage(adult))
    response = scene.choices[index].response
    return Told(done.character, (Say(response), *_outro(scene)), done.record)


def can_choose(book: EventBook | None, waiting: OpenScene) -> bool:
    """Tell whether a scene's event still has the choices that were shown: the operator may change events."""
    event = book.find(waiting.event_id) if book else None
    if event is None:
        return False
    variants = next(iter(event.scenes.values()))  # all of them offer the same choices
    return len(variants[0].choices) == len(waiting.scene.choices)


def typed_choice(scene: Scene, text: str) -> int | None:
    """Return the choice that a typed message means: its number, from 1, or its label."""
    said = text.strip().casefold()
    for index, choice in enumerate(scene.choices):
        if said in (str(index + 1), f"{index + 1}.", choice.text.strip().casefold()):
            return index
    return None


def _opening(scene: Scene) -> Iterator[Part]:
    if scene.intro:
        yield Narrate(scene.intro)
    if scene.dialogue:
        yield Say(scene.dialogue)


def _outro(scene: Scene) -> Iterator[Part]:
    if scene.outro:
        yield Narrate(scene.outro)
