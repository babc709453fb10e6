"""A turn that is a command: what it may look at, and how its effects are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.commands import Answer, Context, answer_command, parse_command
from bot.ports import Clock
from bot.store import turns
from bot.store.people import Person
from bot.store.store import Store
from bot.store.taking_back import LastTurn, last_turn, take_back
from bot.store.turns import Loaded
from bot.teller import Teller
from engine.conversation import Incoming
from engine.turn import face_of
from engine.undo import put_back

LOOKS_BACK = ("why", "undo", "again")
"""Commands that look at the user's last turn."""


@dataclass(frozen=True, slots=True)
class CommandTurns:
    """Answers command lines in the user's lane."""

    store: Store
    teller: Teller
    clock: Clock

    async def answer(self, loaded: Loaded) -> None:
        """Answer one command. After /stop nothing but /start is answered."""
        text = loaded.incoming[0].text
        name, _ = parse_command(text)
        if loaded.person.stopped and name != "start":
            await turns.answer(self.store, loaded, ())
            return
        last = await last_turn(self.store, loaded.user_id) if name in LOOKS_BACK else None
        answer = answer_command(text, self._context(loaded, last))
        rows = self.teller.rows(loaded, answer.reply)
        if answer.takes_back and last is not None:
            before = put_back(loaded.character, last.applied["undo"])
            asked = _anew(loaded, last) if answer.answers_anew else ()
            await take_back(self.store, loaded, last, before, rows, asked)
            return
        await turns.answer(self.store, loaded, rows, person=self._person_after(loaded, answer))

    def _context(self, loaded: Loaded, last: LastTurn | None) -> Context:
        teller = self.teller
        return Context(
            state=loaded.character,
            face=face_of(loaded.character, None, teller.portrait.expressions()),
            stopped=loaded.person.stopped,
            told_ai=loaded.person.noticed_at is not None,
            private=loaded.address.private,
            language=teller.language_of(loaded.person.language),
            wording=teller.wording,
            persona=teller.persona,
            voice=teller.voice,
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


def _anew(loaded: Loaded, last: LastTurn) -> tuple[Incoming, ...]:
    """Return the last turn's words as new arrivals; the key ties them to the command that asked."""
    key = loaded.incoming[0].key
    return tuple(
        replace(one, key=f"again:{key}:{number}", address=loaded.address)
        for number, one in enumerate(last.incoming)
    )
