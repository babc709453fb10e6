"""A scene as it is shown: narration, her words, and choices (specification, "Scene Structure")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.character import StateUpdates
from engine.layers import fill_macros

NARRATION_CHARACTERS: Final = 400
DIALOGUE_CHARACTERS: Final = 1200
CHOICE_CHARACTERS: Final = 160
RESPONSE_CHARACTERS: Final = 800

FALLBACK_LANGUAGE: Final = "en"
"""The language that every scene has."""

NO_CHANGES: Final = StateUpdates()


@dataclass(frozen=True, slots=True)
class SceneChoice:
    """One way to answer: what the user says, what she answers, and what it does.

    `marker` is an outcome that later events and stages ask for ("confession_accepted").
    """

    text: str
    response: str
    state_changes: StateUpdates = NO_CHANGES
    marker: str | None = None
    next_scene_id: str | None = None
    unlocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """What an event shows. `id` is the event's; the texts may hold {{char}} and {{user}}."""

    id: str
    intro: str | None = None
    dialogue: str | None = None
    choices: tuple[SceneChoice, ...] = ()
    outro: str | None = None
    background_change: str | None = None
    expression_override: str | None = None
    music_cue: str | None = None


def with_names(scene: Scene, char: str, user: str) -> Scene:
    """Put the names in place of {{char}} and {{user}}, any case, blanks inside the braces allowed."""

    def fill(text: str | None) -> str | None:
        return text and fill_macros(text, char, user)

    choices = tuple(
        replace(choice, text=fill(choice.text) or "", response=fill(choice.response) or "")
        for choice in scene.choices
    )
    return replace(
        scene,
        intro=fill(scene.intro),
        dialogue=fill(scene.dialogue),
        outro=fill(scene.outro),
        choices=choices,
    )
