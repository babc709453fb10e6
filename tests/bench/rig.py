"""The real app in this process, with a messenger and a model that cost nothing and note the time."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.app import App, open_app
from bot.ports import Accept, Activity, ChatRequest, Limits, Receipt, Send
from bot.settings import Settings
from bot.voice import Voice
from engine.conversation import Address
from tests.bench.talk import REPLY, a_message

LIMITS = Limits(4096, 1024, 64, 64, 3, 10**7, 5.0, nonce=True)
READY_S = 60.0
TURN_S = 60.0


@dataclass(slots=True)
class Stamps:
    """When a turn passed its stations, in seconds of the performance counter."""

    received: float
    written: float = 0.0
    asked: float = 0.0
    spoken: float = 0.0
    sent: float = 0.0

    @property
    def ours_ms(self) -> float:
        """The time from receive to send without the model's, in milliseconds."""
        return (self.sent - self.received - (self.spoken - self.asked)) * 1e3


class InstantModel:
    """Says a whole reply with its state block at once."""

    name = "instant"

    def __init__(self, messenger: Messenger) -> None:
        self._messenger = messenger

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        who = request.prompt.messages[-1].text.split(":", 1)[0]
        turn = self._messenger.turns.get(who)
        if turn is not None:
            turn.asked = time.perf_counter()
        yield REPLY
        if turn is not None:
            turn.spoken = time.perf_counter()

    async def complete_json(
        self, system: str, user: str, schema: Mapping[str, object] | None = None, max_tokens: int = 400
    ) -> str:
        raise AssertionError("the reply has a block of its own")

    async def close(self) -> None:
        """Hold nothing."""


@dataclass(slots=True)
class Messenger:
    """A platform without a wire. A message begins with its sender, so that stations find their turn."""

    name: str = "bench"
    limits: Limits = LIMITS
    turns: dict[str, Stamps] = field(default_factory=dict)
    _accept: Accept | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)
    _answered: dict[str, asyncio.Event] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def start(self, accept: Accept) -> None:
        self._accept = accept
        self._ready.set()

    async def ended(self) -> None:
        await asyncio.Event().wait()

    async def quiesce(self) -> None:
        """Nothing comes by itself."""

    async def close(self) -> None:
        """Hold nothing."""

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show nothing."""

    async def send(self, send: Send) -> Receipt:
        turn = self.turns.get(send.address.account)
        if turn is not None and not turn.sent and turn.spoken and send.text:
            turn.sent = time.perf_counter()
            self._answered[send.address.account].set()
        return Receipt(send.nonce)

    async def say(self, who: str, text: str) -> Stamps:
        """Say something and wait for the first message of the answer. Returns when it passed its stations."""
        async with asyncio.timeout(READY_S):
            await self._ready.wait()
        assert self._accept is not None
        address = Address(self.name, who, who)
        done = self._answered[who] = asyncio.Event()
        incoming = a_message(address, f"{who}:{next(self._numbers)}", f"{who}: {text}")
        stamps = self.turns[who] = Stamps(time.perf_counter())
        await self._accept(incoming)
        stamps.written = time.perf_counter()
        async with asyncio.timeout(TURN_S):
            await done.wait()
        return stamps


def settings_for(folder: Path, *, faces: bool = False) -> Settings:
    """Return the defaults, with a database of its own, no burst quiet and no figure unless asked for."""
    return Settings(  # type: ignore[call-arg]
        data={"dir": str(folder / "data")},
        storage={"key_file": str(folder / "keys" / "otomo.key")},
        turn={"quiet_s": 0.0},
        llm={"provider": "scripted"},
        render={"enabled": faces},
    )


@asynccontextmanager
async def running_app(folder: Path, *, faces: bool = False) -> AsyncIterator[tuple[App, Messenger]]:
    """Run the app until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    messenger = Messenger()
    async with open_app(settings_for(folder, faces=faces)) as app:
        app.model, app.voice = InstantModel(messenger), Voice("cloud", "bench")
        stop = asyncio.Event()
        running = asyncio.create_task(app.run({messenger.name: messenger}, stop))
        try:
            yield app, messenger
        finally:
            stop.set()
            await running
