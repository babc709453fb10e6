"""A turn that is a command: what it may look at, and how its effects are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from bot.commands import Answer, Context, answer_command, command_line, parse_command
from bot.looks import AVATAR, GATE, PHOTO_MODE, PHOTO_MODE_S, Looks, gate_setting
from bot.ports import Clock
from bot.store import turns
from bot.store.people import Person
from bot.store.store import Store
from bot.store.taking_back import LastTurn, last_turn, take_back
from bot.store.turns import Loaded
from bot.teller import Teller
from engine.conversation import Face, Incoming, Show
from engine.idle_pool import next_idle
from engine.turn import face_of
from engine.undo import put_back

LOOKS_BACK = ("why", "undo", "again")
"""Commands that look at the user's last turn."""
FACES_S = 5.0
"""So long a command waits for what the drawing child finds out of animations and figures."""


@dataclass(frozen=True, slots=True)
class CommandTurns:
    """Answers command lines in the user's lane."""

    store: Store
    teller: Teller
    clock: Clock

    async def answer(self, loaded: Loaded) -> None:
        """Answer one command. After /stop nothing but /start is answered."""
        text = command_line(loaded.incoming[0]) or ""
        name, _ = parse_command(text)
        if name == "emote":
            await self.teller.portrait.ready(FACES_S)
        elif name == "avatar":
            await self.teller.portrait.meet_all(FACES_S)
        now = self.clock.now()
        looks = self.teller.looks(loaded, now)
        if loaded.person.stopped and name != "start":
            await turns.answer(self.store, loaded, ())
            return
        last = await last_turn(self.store, loaded.user_id) if name in LOOKS_BACK else None
        answer = answer_command(text, self._context(loaded, last, looks))
        rows = self.teller.rows(loaded, answer.reply)
        if answer.takes_back and last is not None:
            before = put_back(loaded.character, last.applied["undo"])
            asked = _anew(loaded, last) if answer.answers_anew else ()
            await take_back(self.store, loaded, last, before, rows, asked)
            return
        person, settings = self._person_after(loaded, answer), _settings_after(answer, looks, now)
        shown = next((part.face for part in answer.reply if isinstance(part, Show)), None)
        await turns.answer(self.store, loaded, rows, person=person, settings=settings, face=shown)

    def _context(self, loaded: Loaded, last: LastTurn | None, looks: Looks) -> Context:
        teller = self.teller
        return Context(
            state=loaded.character,
            face=_resting(loaded, looks),
            stopped=loaded.person.stopped,
            told_ai=loaded.person.noticed_at is not None,
            private=loaded.address.private,
            language=teller.language_of(loaded.person.language),
            wording=teller.wording,
            persona=teller.persona,
            voice=teller.voice,
            looks=looks,
            last=last.applied if last else None,
        )

    def _person_after(self, loaded: Loaded, answer: Answer) -> Person | None:
        person = loaded.person
        if answer.stopped is not None:
            person = replace(person, stopped=answer.stopped)
        if answer.told_ai:
            now = self.clock.now()
            person = replace(person, noticed_at=now, privacy_noticed_at=now)
        return None if person == loaded.person else person


def _resting(loaded: Loaded, looks: Looks) -> Face:
    """Return her face at rest, in another idle's pose than the one last shown in this chat."""
    last = loaded.last_face.pose if loaded.last_face else None
    pose = next_idle(looks.idles, last, Random(str(loaded.turn_id)).random)
    return replace(face_of(loaded.character, None, looks.expressions), figure=looks.figure, pose=pose)


def _settings_after(answer: Answer, looks: Looks, now: datetime) -> dict[str, Any]:
    """Return the user's settings that a command changes; None removes one."""
    changed: dict[str, Any] = {}
    if answer.played is not None:
        changed[GATE] = gate_setting(looks.gate.fired(answer.played, now.timestamp()), now)
    if answer.photo_mode is not None:
        changed[PHOTO_MODE] = now.timestamp() + PHOTO_MODE_S if answer.photo_mode else None
    if answer.avatar is not None:
        changed[AVATAR] = answer.avatar or None
    return changed


def _anew(loaded: Loaded, last: LastTurn) -> tuple[Incoming, ...]:
    """Return the last turn's words as new arrivals; the key ties them to the command that asked."""
    key = loaded.incoming[0].key
    return tuple(
        replace(one, key=f"again:{key}:{number}", address=loaded.address)
        for number, one in enumerate(last.incoming)
    )
