"""One turn of one user: load, prompt, model, settle. No transaction is open while a model thinks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Final

from bot.commands import Answer, Context, answer_command, parse_command
from bot.errors import (
    Fenced,
    ModelBusy,
    ModelError,
    ModelFiltered,
    ModelRefusedKey,
    ModelRefusedRequest,
)
from bot.personas import Persona
from bot.ports import ChatModel, ChatRequest, Clock, Hooks, Limits, Platform, Portrait
from bot.replies import aside, rows_of
from bot.speaking import speak
from bot.store import leases, turns
from bot.store.outgoing import OutgoingRow
from bot.store.people import Person
from bot.store.store import Store
from bot.store.turns import Loaded
from bot.voice import Voice
from bot.wording import Wording
from engine import reply_block
from engine.character import StateUpdates
from engine.conversation import Face, Notice, Prompt, Reply, Say
from engine.extraction import extraction_prompt
from engine.notices import notice_due, session_start
from engine.story import typed_choice
from engine.turn import Rules, Snapshot, face_of, prepare_turn, settle_choice, settle_turn

log = logging.getLogger(__name__)

SLOW, TROUBLE = 0, 1
"""Which of the app's lines while a turn is open: one of each a turn."""
LONGEST_REST_S: Final = 900.0
MAX_TEXT: Final = 8000
"""Characters of one turn's words that are read (a burst together)."""


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """The pace of a turn, in seconds, and the operator's choices."""

    notice_s: float
    turn_s: float
    retry_model_s: float
    language: str = "auto"


class NoHooks:
    """Nobody wants to know."""

    def set_phase(self, phase: str) -> None:
        """Do nothing."""


@dataclass(slots=True)
class Turns:
    """Runs turns; everything it needs is handed over by the app."""

    store: Store
    model: ChatModel
    portrait: Portrait
    platforms: Mapping[str, Platform]
    wording: Wording
    persona: Persona
    voice: Voice
    rules: Rules
    clock: Clock
    pace: leases.Pace
    settings: TurnSettings
    hooks: Mapping[str, Hooks] = field(default_factory=dict)
    _failures: dict[int, int] = field(default_factory=dict)

    async def run(self, user_id: int) -> None:
        """Answer all that waits of one user; the handler of the lanes."""
        while (loaded := await turns.load(self.store, user_id, self.pace)) is not None:
            try:
                if not await self._answer(loaded):
                    return
            except Fenced as error:
                log.info("turn %d: %s", loaded.turn_id, error)

    async def gave_up(self, user_id: int) -> None:
        """Apologise for a turn that has failed too often, and let the lane go on."""
        turn = await turns.open_turn(self.store, user_id)
        if turn is None:
            return
        language = self._language(turn.language)
        line = aside(self.wording.say("model.gave_up", language), turn.address, TROUBLE + 1)
        await turns.fail(self.store, turn.turn_id, [line])

    async def _answer(self, loaded: Loaded) -> bool:
        """Answer one turn. Returns False when it must rest (the model is away)."""
        first = loaded.incoming[0]
        if first.kind == "command":
            await self._command(loaded)
        elif (choice := _choice(loaded)) is not None and not loaded.person.stopped:
            await self._choose(loaded, choice)
        elif loaded.person.stopped or loaded.address.platform not in self.platforms:
            await turns.answer(self.store, loaded, ())
        elif first.kind == "choice":
            used = Notice(self._say(loaded, "button.used"))
            await turns.answer(self.store, loaded, self._rows(loaded, (used,)))
        elif not _text(loaded):
            await turns.answer(self.store, loaded, self._rows(loaded, self._cannot_take(loaded)))
        else:
            return await self._talk(loaded)
        return True

    async def _command(self, loaded: Loaded) -> None:
        text = loaded.incoming[0].text
        name, _ = parse_command(text)
        if loaded.person.stopped and name != "start":
            await turns.answer(self.store, loaded, ())
            return
        answer = answer_command(text, self._context(loaded))
        await turns.answer(
            self.store, loaded, self._rows(loaded, answer.reply), person=self._person_after(loaded, answer)
        )

    async def _choose(self, loaded: Loaded, choice: int) -> None:
        """Settle a choice in the open scene. It needs no model."""
        now = self.clock.now()
        outcome = settle_choice(self._snapshot(loaded, now), self.rules, choice, now)
        await turns.settle(self.store, loaded, outcome, "", self._rows(loaded, outcome.reply))

    def _context(self, loaded: Loaded) -> Context:
        return Context(
            state=loaded.character,
            face=face_of(loaded.character, None, self.portrait.expressions()),
            stopped=loaded.person.stopped,
            told_ai=loaded.person.noticed_at is not None,
            private=loaded.address.private,
            language=self._language(loaded.person.language),
            wording=self.wording,
            persona=self.persona,
            voice=self.voice,
        )

    def _person_after(self, loaded: Loaded, answer: Answer) -> Person | None:
        person = loaded.person
        if answer.stopped is not None:
            person = replace(person, stopped=answer.stopped)
        if answer.told_ai:
            now = self.clock.now()
            person = replace(person, noticed_at=now, privacy_noticed_at=now)
        return None if person == loaded.person else person

    def _cannot_take(self, loaded: Loaded) -> Reply:
        """One kind sentence for everything in the turn that she cannot take yet."""
        language = self._language(loaded.person.language)
        kinds = dict.fromkeys(one.cannot_take for one in loaded.incoming if one.cannot_take)
        keys = [f"cannot_take.{kind}" for kind in kinds]
        known = [key if self.wording.has(key) else "cannot_take.other" for key in keys]
        return tuple(Notice(self.wording.say(key, language)) for key in known[:1])

    async def _talk(self, loaded: Loaded) -> bool:
        now = self.clock.now()
        async with self._showing_activity(loaded):
            self._phase(loaded, "remembering")
            snapshot = self._snapshot(loaded, now)
            prompt = prepare_turn(snapshot, self.rules, now)
            raw = loaded.raw_reply
            if raw is None:
                self._phase(loaded, "thinking")
                raw = await self._speak(loaded, prompt)
                if raw is None:
                    return False
            await self._settle(loaded, snapshot, raw, now)
        self._failures.pop(loaded.user_id, None)
        return True

    async def _speak(self, loaded: Loaded, prompt: Prompt) -> str | None:
        """Ask the model. Returns None when the turn has ended or rests; the user has been told."""

        async def still_thinking() -> None:
            await self._aside(loaded, "model.slow", SLOW)

        try:
            return await speak(
                self.model,
                ChatRequest(prompt),
                notice_s=self.settings.notice_s,
                turn_s=self.settings.turn_s,
                on_silence=still_thinking,
            )
        except ModelFiltered:
            # Neither side is remembered: the same words would be stopped again at every later turn.
            line = Notice(self._say(loaded, "model.filtered"))
            await turns.answer(self.store, loaded, self._rows(loaded, (line,)))
            return None
        except ModelError as error:
            await self._rest(loaded, error)
            return None

    async def _rest(self, loaded: Loaded, error: ModelError) -> None:
        """Keep the turn, tell the user once, and look again later."""
        failures = self._failures[loaded.user_id] = self._failures.get(loaded.user_id, 0) + 1
        rest_s = min(self.settings.retry_model_s * 2 ** (failures - 1), LONGEST_REST_S)
        rest_s = max(rest_s, min(error.after_s or 0.0, LONGEST_REST_S))
        log.error("turn %d: %s: %s; again in %.0f s", loaded.turn_id, type(error).__name__, error, rest_s)
        await self._aside(loaded, _trouble(error), TROUBLE)
        await leases.rest(self.store, loaded.user_id, rest_s)

    async def _settle(self, loaded: Loaded, snapshot: Snapshot, raw: str, now: datetime) -> None:
        parsed = reply_block.parse_reply(raw, loaded.character.name)
        dialogue = parsed.dialogue or self._say(loaded, "model.empty_reply")
        notices = self._notices(loaded, snapshot, now)
        suggestion = parsed.updates
        spoken = loaded.status == "spoken"
        if suggestion is None and self.voice.place != "none":
            if not spoken:
                words = self._rows(loaded, (*notices, Say(dialogue)))
                loaded = await turns.mark_spoken(self.store, loaded, raw, words)
                spoken = True
            suggestion = await self._extract(loaded, _text(loaded), dialogue)
        rng = Random(f"{loaded.character.created_at}:{loaded.turn_id}")
        outcome = settle_turn(snapshot, self.rules, dialogue, suggestion, now, rng)
        rows = self._rows(loaded, (*notices, *outcome.reply), spoken=spoken)
        person = replace(
            loaded.person,
            session_started_at=snapshot.session_started_at,
            noticed_at=now if notices else loaded.person.noticed_at,
        )
        await turns.settle(self.store, loaded, outcome, raw, rows, person)

    async def _extract(self, loaded: Loaded, text: str, dialogue: str) -> StateUpdates | None:
        """Ask the model once for the state block it left out; heuristics carry the turn without it."""
        system, user = extraction_prompt(text, dialogue)
        try:
            answer = await self.model.complete_json(system, user)
        except ModelError as error:
            log.warning("turn %d: no extraction: %s", loaded.turn_id, type(error).__name__)
            return None
        return reply_block.parse_reply(answer, loaded.character.name).updates

    def _snapshot(self, loaded: Loaded, now: datetime) -> Snapshot:
        return Snapshot(
            character=loaded.character,
            incoming=loaded.incoming,
            history=loaded.history,
            facts=loaded.facts,
            expressions=self.portrait.expressions(),
            last_face=loaded.last_face,
            language=self._language(loaded.person.language),
            session_started_at=session_start(
                loaded.person.session_started_at, loaded.character.last_interaction, now
            ),
            user_text=_text(loaded),
            user_name=next((one.display_name for one in reversed(loaded.incoming) if one.display_name), ""),
            private=loaded.address.private,
            adult=loaded.person.adult,
            records=loaded.records,
            open_scene=loaded.open_scene,
            scene_token=f"s{loaded.turn_id:x}",
        )

    def _notices(self, loaded: Loaded, snapshot: Snapshot, now: datetime) -> tuple[Notice, ...]:
        """The app's words that stand before hers: that she is an AI, when it is due again."""
        due = notice_due(loaded.person.noticed_at, snapshot.session_started_at or now, now)
        if due is None:
            return ()
        sentence = self._say(loaded, f"contact.sentence_{self.voice.place}", provider=self.voice.provider)
        key = {
            "first": "contact.notice",
            "daily": "contact.reminder_ai",
            "long_talk": "contact.reminder_break",
        }
        return (Notice(self._say(loaded, key[due], name=loaded.character.name, voice_sentence=sentence)),)

    def _rows(self, loaded: Loaded, reply: Reply, *, spoken: bool = False) -> tuple[OutgoingRow, ...]:
        return rows_of(reply, loaded.address, self._limits(loaded), self._at_once, spoken=spoken)

    def _at_once(self, face: Face) -> bool:
        return self.portrait.cached(face) is not None

    def _limits(self, loaded: Loaded) -> Limits:
        return self.platforms[loaded.address.platform].limits

    async def _aside(self, loaded: Loaded, key: str, number: int) -> None:
        await turns.say(self.store, loaded, [aside(self._say(loaded, key), loaded.address, number)])

    def _say(self, loaded: Loaded, key: str, **values: object) -> str:
        return self.wording.say(key, self._language(loaded.person.language), **values)

    def _language(self, of_user: str) -> str:
        chosen = self.settings.language
        return self.wording.language(of_user if chosen == "auto" else chosen)

    def _phase(self, loaded: Loaded, phase: str) -> None:
        hooks = self.hooks.get(loaded.address.platform)
        if hooks is not None:
            hooks.set_phase(phase)  # type: ignore[arg-type]

    @asynccontextmanager
    async def _showing_activity(self, loaded: Loaded) -> AsyncIterator[None]:
        """Show that she is typing, as long as the turn runs."""
        platform = self.platforms[loaded.address.platform]

        async def show() -> None:
            while True:
                await platform.activity(loaded.address, "typing")
                await asyncio.sleep(platform.limits.typing_every_s)

        task = asyncio.create_task(show(), name="typing")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _choice(loaded: Loaded) -> int | None:
    """Return the choice of the open scene that this turn means: a button, a number or a label."""
    waiting, first = loaded.open_scene, loaded.incoming[0]
    if waiting is None:
        return None
    if first.kind != "choice":
        return typed_choice(waiting.scene, _text(loaded)) if loaded.address.private else None
    token, _, number = first.text.rpartition(":")
    if token != waiting.token or not number.isdecimal() or int(number) >= len(waiting.scene.choices):
        return None
    return int(number)


def _text(loaded: Loaded) -> str:
    """The user's words of this turn: a burst is one text."""
    return _joined([one.text for one in loaded.incoming])


def _joined(texts: Sequence[str]) -> str:
    return "\n".join(text.strip() for text in texts if text.strip())[:MAX_TEXT]


def _trouble(error: ModelError) -> str:
    if isinstance(error, ModelBusy):
        return "model.busy"
    if isinstance(error, ModelRefusedKey | ModelRefusedRequest):
        return "model.operator"
    return "model.unreachable"
