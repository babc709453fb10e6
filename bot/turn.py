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

from bot.command_turn import CommandTurns
from bot.commands import command_line
from bot.errors import ModelBusy, ModelError, ModelFiltered, ModelRefusedKey, ModelRefusedRequest
from bot.llm import Meter, metering
from bot.looks import settings_after
from bot.ports import ChatModel, ChatRequest, Clock, Hooks, Phase
from bot.speaking import speak
from bot.store import leases, turns
from bot.store.spending import SpendingCaps, Spent, reserve_request
from bot.store.store import Store
from bot.store.turns import Loaded
from bot.teller import Teller
from bot.uploads import Uploads
from engine.character import StateUpdates
from engine.conversation import Prompt, Say
from engine.extraction import MAX_TOKENS, SCHEMA, extraction_prompt
from engine.notices import session_start
from engine.reply_block import parse_reply
from engine.runaway import without_loop
from engine.story import can_choose, typed_choice
from engine.turn import Rules, Snapshot, prepare_turn, settle_choice, settle_turn

log = logging.getLogger(__name__)

SLOW, TROUBLE, APOLOGY = 0, 1, 2
"""Which of the app's lines while a turn is open: one of each a turn."""
NO_CAPS: Final = SpendingCaps()
LONGEST_REST_S: Final = 900.0
MAX_TEXT: Final = 8000
"""Characters of one turn's words that are read (a burst together)."""


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """The pace of a turn, in seconds, and what the models may cost a day."""

    notice_s: float
    turn_s: float
    retry_model_s: float
    caps: SpendingCaps = NO_CAPS


@dataclass(slots=True)
class Turns:
    """Runs turns; everything it needs is handed over by the app."""

    store: Store
    model: ChatModel
    teller: Teller
    rules: Rules
    clock: Clock
    pace: leases.Pace
    settings: TurnSettings
    hooks: Mapping[str, Hooks] = field(default_factory=dict)
    _failures: dict[int, int] = field(default_factory=dict)
    _uploads: Uploads = field(init=False)

    def __post_init__(self) -> None:
        self._uploads = Uploads(self.store, self.teller)

    async def run(self, user_id: int) -> None:
        """Answer what waits of one user with one turn; the handler of the lanes, which look again after it.

        Raises:
            Fenced: Another process has taken the turn over.
        """
        platforms = tuple(sorted(self.teller.platforms))
        loaded = await turns.load(self.store, user_id, self.pace, platforms)
        if loaded is not None:
            await self._answer(loaded)

    async def gave_up(self, user_id: int) -> None:
        """Apologise for a turn that has failed too often, and let the lane go on."""
        turn = await turns.open_turn(self.store, user_id)
        if turn is not None:
            line = self.teller.aside(turn.address, turn.language, "model.gave_up", APOLOGY)
            await turns.fail(self.store, turn.turn_id, [line])

    async def _answer(self, loaded: Loaded) -> None:
        first = loaded.incoming[0]
        if command_line(first) is not None:
            await CommandTurns(self.store, self.teller, self.clock).answer(loaded)
        elif loaded.person.stopped:
            await turns.answer(self.store, loaded, ())
        elif (left := await self._without_files(loaded)) is not None:
            await self._respond(left)

    async def _without_files(self, loaded: Loaded) -> Loaded | None:
        """Take a turn's avatar files; None when nothing else is to be answered."""
        files = self._uploads.wanted(loaded)
        if not files:
            return loaded
        async with self._showing_activity(loaded):
            return await self._uploads.take(loaded, files)

    async def _respond(self, loaded: Loaded) -> None:
        first = loaded.incoming[0]
        if (choice := _choice(loaded, self.rules)) is not None:
            await self._choose(loaded, choice)
        elif first.kind == "choice":
            await turns.answer(self.store, loaded, self.teller.notice_rows(loaded, "button.used"))
        elif not _text(loaded):
            rows = self.teller.rows(loaded, self.teller.cannot_take(loaded))
            await turns.answer(self.store, loaded, rows)
        else:
            await self._talk(loaded)

    async def _choose(self, loaded: Loaded, choice: int) -> None:
        """Settle a choice in the open scene. It needs no model."""
        now = self.clock.now()
        rng = Random(f"{loaded.character.created_at}:{loaded.turn_id}")
        outcome = settle_choice(self._snapshot(loaded, now), self.rules, choice, now, rng)
        await turns.settle(self.store, loaded, outcome, "", self.teller.rows(loaded, outcome.reply))

    async def _talk(self, loaded: Loaded) -> None:
        now = self.clock.now()
        async with self._showing_activity(loaded):
            self._phase(loaded, "remembering")
            snapshot = self._snapshot(loaded, now)
            prompt = prepare_turn(snapshot, self.rules, now)
            with metering() as meter:
                raw = loaded.raw_reply
                if raw is None:
                    self._phase(loaded, "thinking")
                    raw = await self._speak(loaded, prompt, now)
                    if raw is None:
                        return
                await self._settle(loaded, snapshot, raw, now, meter)
        self._failures.pop(loaded.user_id, None)

    async def _speak(self, loaded: Loaded, prompt: Prompt, now: datetime) -> str | None:
        """Ask the model. Returns None when the turn has ended or rests; the user has been told."""
        if not await reserve_request(self.store, loaded.user_id, now, self.settings.caps):
            await turns.answer(self.store, loaded, self.teller.notice_rows(loaded, "spending.over"))
            return None
        try:
            return await speak(
                self.model,
                ChatRequest(prompt),
                notice_s=self.settings.notice_s,
                turn_s=self.settings.turn_s,
                on_silence=lambda: self._aside(loaded, "model.slow", SLOW),
            )
        except ModelFiltered:
            # Neither side is remembered: the same words would be stopped again at every later turn.
            await turns.answer(self.store, loaded, self.teller.notice_rows(loaded, "model.filtered"))
        except ModelError as error:
            await self._rest(loaded, error)
        return None

    async def _rest(self, loaded: Loaded, error: ModelError) -> None:
        """Keep the turn, tell the user once, and look again later."""
        failures = self._failures[loaded.user_id] = self._failures.get(loaded.user_id, 0) + 1
        rest_s = min(self.settings.retry_model_s * 2 ** min(failures - 1, 10), LONGEST_REST_S)
        rest_s = max(rest_s, min(error.after_s or 0.0, LONGEST_REST_S))
        log.error("turn %d: %s: %s; again in %.0f s", loaded.turn_id, type(error).__name__, error, rest_s)
        await self._aside(loaded, _trouble(error), TROUBLE)
        await leases.rest(self.store, loaded.user_id, rest_s)

    async def _settle(
        self, loaded: Loaded, snapshot: Snapshot, raw: str, now: datetime, meter: Meter
    ) -> None:
        parsed = parse_reply(raw, loaded.character.name)
        dialogue = without_loop(parsed.dialogue or "") or self.teller.say(loaded, "model.empty_reply")
        reminders = self.teller.ai_notices(loaded, snapshot.session_started_at or now, now)
        suggestion, spoken = parsed.updates, loaded.status == "spoken"
        looks = self.teller.looks(loaded, now)
        notices = (*reminders, *self.teller.figure_gone(loaded, looks))
        snapshot = replace(snapshot, expressions=looks.expressions)
        if suggestion is None:
            if not spoken:  # her words go out before the state is known
                words = self.teller.rows(loaded, (*notices, Say(dialogue)))
                loaded, spoken = await turns.mark_spoken(self.store, loaded, raw, words), True
            suggestion = await self._extract(loaded, dialogue, now)
        rng = Random(f"{loaded.character.created_at}:{loaded.turn_id}")
        outcome = settle_turn(snapshot, self.rules, dialogue, suggestion, now, rng)
        rows = self.teller.rows(loaded, (*notices, *outcome.reply), spoken=spoken)
        told_at = now if reminders else loaded.person.noticed_at
        person = replace(loaded.person, session_started_at=snapshot.session_started_at, noticed_at=told_at)
        changed = settings_after(looks, outcome.gate, now)
        await turns.settle(self.store, loaded, outcome, raw, rows, person, self._spent(meter), changed)

    async def _extract(self, loaded: Loaded, dialogue: str, now: datetime) -> StateUpdates | None:
        """Ask the model once for the state block it left out; heuristics carry the turn without it."""
        if not await reserve_request(self.store, loaded.user_id, now, self.settings.caps):
            return None
        system, user = extraction_prompt(_text(loaded), dialogue)
        try:
            answer = await self.model.complete_json(system, user, SCHEMA, MAX_TOKENS)
        except ModelError as error:
            log.warning("turn %d: no extraction: %s", loaded.turn_id, type(error).__name__)
            return None
        return parse_reply(answer, loaded.character.name).updates

    def _spent(self, meter: Meter) -> Spent:
        """Return what a turn has cost; with caps its requests were counted before they were made."""
        requests = 0 if self.settings.caps.any() else meter.requests
        return Spent(requests, meter.prompt_tokens, meter.completion_tokens)

    def _snapshot(self, loaded: Loaded, now: datetime) -> Snapshot:
        person, character = loaded.person, loaded.character
        looks = self.teller.looks(loaded, now)
        return Snapshot(
            character=character,
            incoming=loaded.incoming,
            history=loaded.history,
            facts=loaded.facts,
            expressions=looks.expressions,
            last_face=loaded.last_face,
            language=self.teller.language_of(person.language),
            session_started_at=session_start(person.session_started_at, character.last_interaction, now),
            user_text=_text(loaded),
            user_name=next((one.display_name for one in reversed(loaded.incoming) if one.display_name), ""),
            private=loaded.address.private,
            adult=person.adult,
            records=loaded.records,
            open_scene=loaded.open_scene,
            scene_token=f"s{loaded.turn_id:x}",
            figure=looks.figure,
            idles=looks.idles,
            actions=looks.actions,
            gate=looks.gate,
            busy=looks.photo_mode,
        )

    async def _aside(self, loaded: Loaded, key: str, number: int) -> None:
        line = self.teller.aside(loaded.address, loaded.person.language, key, number)
        await turns.say(self.store, loaded, [line])

    def _phase(self, loaded: Loaded, phase: Phase) -> None:
        hooks = self.hooks.get(loaded.address.platform)
        if hooks is not None:
            hooks.set_phase(phase)

    @asynccontextmanager
    async def _showing_activity(self, loaded: Loaded) -> AsyncIterator[None]:
        """Show that she is typing, as long as the turn runs."""
        platform = self.teller.platforms.get(loaded.address.platform)

        async def show() -> None:
            while platform is not None:
                await platform.activity(loaded.address, "typing")
                await asyncio.sleep(platform.limits.typing_every_s)

        task = asyncio.create_task(show(), name="typing")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _choice(loaded: Loaded, rules: Rules) -> int | None:
    """Return the choice of the open scene that this turn means: a button, a number or a label."""
    waiting, first = loaded.open_scene, loaded.incoming[0]
    if waiting is None or not can_choose(rules.book, waiting):
        return None
    if first.kind != "choice":
        return typed_choice(waiting.scene, _text(loaded)) if loaded.address.private else None
    token, _, number = first.text.rpartition(":")
    known = (str(index) for index in range(len(waiting.scene.choices)))
    return int(number) if token == waiting.token and number in known else None


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
