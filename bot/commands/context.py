"""What a command may look at, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.looks import Looks
from bot.personas import Persona
from bot.voice import Voice
from bot.wording import Wording
from engine.character import CharacterState
from engine.conversation import Face, Reply


@dataclass(frozen=True, slots=True)
class Context:
    """What a command may look at.

    `last` is the trail of the user's last turn, if it can be taken back; `looks` is what she can wear and
    play, `argument` what stands behind the command's name.
    """

    state: CharacterState
    face: Face
    stopped: bool
    told_ai: bool
    private: bool
    language: str
    wording: Wording
    persona: Persona
    voice: Voice
    looks: Looks
    argument: str = ""
    last: Mapping[str, Any] | None = None

    def say(self, key: str, **values: object) -> str:
        """Return one of the app's sentences in the user's language."""
        return self.wording.say(key, self.language, **values)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command says and does.

    `stopped` is the new state of /stop, None leaves it; `told_ai` marks the AI notice as given;
    `takes_back` undoes the last turn, `answers_anew` asks for another answer to its words; `played` is an
    animation that now plays, `photo_mode` whether the photo booth is open (None leaves it), `avatar` the
    figure chosen ("" the usual one, None leaves it).
    """

    reply: Reply = ()
    stopped: bool | None = None
    told_ai: bool = False
    takes_back: bool = False
    answers_anew: bool = False
    played: str | None = None
    photo_mode: bool | None = None
    avatar: str | None = None
