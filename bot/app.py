"""The one place where the parts meet; start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.choices import check_choices
from bot.commands import COMMANDS
from bot.commands.specs import command_specs
from bot.database import open_store
from bot.errors import PlatformDown
from bot.event_files import load_events
from bot.inbox import Inbox
from bot.jobs import Jobs, Tick
from bot.lanes import Lanes, LaneSettings
from bot.lexicon import load_keywords
from bot.looks import emotes_of, portraits_of
from bot.outbox import Outbox
from bot.personas import Persona, load_persona
from bot.platforms import Surroundings
from bot.portraits import Portraits
from bot.ports import ChatModel, Hooks, Platform
from bot.settings import CONFIG_DIR, Settings, ensure_data_dir
from bot.store.leases import Pace, is_work_left
from bot.store.outgoing import is_idle
from bot.store.settings import get_setting, get_settings, put_setting
from bot.store.spending import SpendingCaps
from bot.store.store import Store
from bot.teller import Teller
from bot.turn import Turns, TurnSettings
from bot.voice import Voice, make_voice
from bot.wording import Wording, load_wording
from engine.character import CharacterState
from engine.daily_caps import DailyCaps
from engine.turn import Rules

log = logging.getLogger(__name__)

RECOVERY_S = 5.0
DAY_S = 86_400.0
DRAIN_TURNS_S = 15.0
DRAIN_SENDS_S = 5.0


class SystemClock:
    """The machine's clock, as aware UTC."""

    def now(self) -> datetime:
        """Return the present instant."""
        return datetime.now(UTC)


@dataclass(slots=True)
class App:
    """Everything that runs, put together once; `found` tells which model was found by itself."""

    settings: Settings
    store: Store
    model: ChatModel
    voice: Voice
    portraits: Portraits
    wording: Wording
    persona: Persona
    rules: Rules
    found: tuple[str, ...] = ()
    clock: SystemClock = field(default_factory=SystemClock)
    hooks: dict[str, Hooks] = field(default_factory=dict)

    def first_character(self) -> CharacterState:
        """Make the character of somebody she meets for the first time."""
        now = self.clock.now()
        return CharacterState(
            first_met=now,
            created_at=now,
            updated_at=now,
            name=self.persona.name,
            system_prompt=self.persona.personality,
            personality=self.persona.traits,
            timezone=self.settings.companion.timezone,
        )

    async def run(self, platforms: Mapping[str, Platform], stop: asyncio.Event) -> None:
        """Run until `stop` is set or every platform has ended.

        Raises:
            PlatformDown: No platform could start, or the last one has ended with an error.
        """
        pace = Pace(self.settings.turn.quiet_s, self.settings.turn.longest_wait_s)
        lanes = Lanes(self.store, LaneSettings(pace=pace), tuple(sorted(platforms)))
        outbox = Outbox(self.store, platforms, self.portraits)
        turns = self._turns(platforms, pace)
        jobs = Jobs(self._ticks(lanes, outbox))
        parts = [
            asyncio.create_task(lanes.run(turns.run, turns.gave_up), name="lanes"),
            asyncio.create_task(outbox.run(), name="outbox"),
        ]
        warming = asyncio.create_task(self.portraits.warm(), name="portraits")
        try:
            jobs.start()
            await self._serve(platforms, stop, parts)
        finally:
            jobs.stop()
            for platform in platforms.values():
                await platform.quiesce()
            await lanes.drain(DRAIN_TURNS_S)
            await outbox.drain(DRAIN_SENDS_S)
            for platform in platforms.values():
                await platform.close()
            warming.cancel()
            await asyncio.gather(*parts, warming, return_exceptions=True)

    def surroundings(self) -> Surroundings:
        """Return what a platform is made from."""
        language = self.wording.language(self.settings.companion.language)
        commands = command_specs(
            COMMANDS,
            lambda key: self.wording.say(key, language),
            self.portraits.emotes,
            self.portraits.backgrounds,
        )
        return Surroundings(
            settings=self.settings,
            commands=commands,
            pressed_twice=self.wording.say("button.used", language),
            load=lambda name: get_setting(self.store, name),
            load_all=lambda prefix: get_settings(self.store, prefix),
            save=lambda name, value: put_setting(self.store, name, value),
        )

    async def answered(self) -> None:
        """Wait until everything that was accepted is answered and sent, or waits for a later time."""
        while not await self._quiet():  # noqa: ASYNC110 - the tables are the truth, and no one event tells it
            await asyncio.sleep(0.03)

    async def _quiet(self) -> bool:
        return not await is_work_left(self.store, ("terminal",)) and await is_idle(self.store, ["terminal"])

    def _turns(self, platforms: Mapping[str, Platform], pace: Pace) -> Turns:
        settings = self.settings
        teller = Teller(
            self.wording, self.persona, self.voice, self.portraits, platforms, settings.companion.language
        )
        spending = settings.spending
        return Turns(
            store=self.store,
            model=self.model,
            teller=teller,
            rules=self.rules,
            clock=self.clock,
            pace=pace,
            settings=TurnSettings(
                settings.turn.notice_s,
                settings.llm.turn_s,
                settings.turn.retry_model_s,
                SpendingCaps(
                    spending.user_requests, spending.user_tokens, spending.all_requests, spending.all_tokens
                ),
            ),
            hooks=self.hooks,
        )

    def _ticks(self, lanes: Lanes, outbox: Outbox) -> list[Tick]:
        async def recover() -> None:
            lanes.wake()
            outbox.wake()

        return [Tick("recovery", RECOVERY_S, recover), Tick("housekeeping", DAY_S, self.portraits.prune)]

    async def _serve(
        self, platforms: Mapping[str, Platform], stop: asyncio.Event, parts: list[asyncio.Task[None]]
    ) -> None:
        """Start the platforms and wait: for the signal to stop, the end of all of them, or a broken part."""
        inbox = Inbox(self.store, self.first_character)
        started: dict[str, asyncio.Task[str]] = {}
        reasons: list[str] = []
        for name, platform in platforms.items():
            try:
                await platform.start(inbox.accept)
            except PlatformDown as error:
                reasons.append(str(error))
                log.error("%s", error)
                continue
            started[name] = asyncio.create_task(_end_of(platform), name=f"{name} end")
        if not started:
            raise PlatformDown("; ".join(reasons) or "there is no platform to run")
        log.info("ready: %s, voice %s, %s", ", ".join(started), self.model.name, self.persona.name)
        await self._watch(started, stop, parts)

    async def _watch(
        self, started: dict[str, asyncio.Task[str]], stop: asyncio.Event, parts: list[asyncio.Task[None]]
    ) -> None:
        stopping = asyncio.create_task(stop.wait(), name="stop")
        waiting = dict(started)
        try:
            while waiting and not stop.is_set():
                everything: set[asyncio.Task[Any]] = {stopping, *waiting.values(), *parts}
                done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
                for part in parts:
                    if part in done:
                        part.result()
                        return
                ended = {name: task for name, task in waiting.items() if task in done}
                for name, task in ended.items():
                    del waiting[name]
                    if task.result() and not waiting:
                        raise PlatformDown(task.result())
        finally:
            stopping.cancel()
            for task in waiting.values():
                task.cancel()


async def _end_of(platform: Platform) -> str:
    """Wait for a platform's end; returns the reason, empty for an end without a fault."""
    try:
        await platform.ended()
    except PlatformDown as error:
        log.error("%s", error)
        return str(error)
    return ""


@asynccontextmanager
async def open_app(settings: Settings) -> AsyncIterator[App]:
    """Put the app together and take it apart again.

    Raises:
        ConfigError: A setting or a file under config/ is wrong.
        StoreError: The database cannot be used.
    """
    ensure_data_dir(settings)
    wording = load_wording(CONFIG_DIR / "wording")
    persona = load_persona(CONFIG_DIR / "personas", settings.companion.persona)
    check_choices(settings, wording, emotes_of(settings))
    rules = Rules(
        keywords=load_keywords(CONFIG_DIR / "keywords"),
        window_tokens=settings.llm.context_window or None,
        custom_system_prompt=persona.system_prompt,
        caps=game_caps(settings),
        decay=settings.game.decay,
        book=load_events(CONFIG_DIR / "events") if settings.game.events else None,
    )
    async with AsyncExitStack() as stack:
        store = await open_store(settings)
        stack.push_async_callback(store.close)
        found: list[str] = []
        model, voice = await make_voice(settings, found.append)
        for line in found:
            log.info("%s", line)
        stack.push_async_callback(model.close)
        portraits = portraits_of(settings, persona)
        stack.push_async_callback(portraits.close)
        yield App(settings, store, model, voice, portraits, wording, persona, rules, found=tuple(found))


def game_caps(settings: Settings) -> DailyCaps:
    """Return how much talk may add on one day."""
    game = settings.game
    return DailyCaps(game.daily_affection, game.daily_stat, game.daily_stat, game.daily_stat, game.daily_stat)


def stop_on_signals(stop: asyncio.Event) -> Callable[[], None]:
    """Set `stop` on SIGINT and SIGTERM. Returns what undoes it."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)

    def undo() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):
                loop.remove_signal_handler(number)

    return undo
