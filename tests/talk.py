"""The whole app in process with a platform that is a list: for conversations as tests.

async with a_talk(tmp_path, replies=["Hello."]) as talk:
    assert await talk.say("hi") == ["...", "Hello."]
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.app import App, open_app
from bot.platforms.on_terminal import LIMITS
from bot.ports import Accept, Activity, Receipt, Send
from bot.settings import load_settings
from engine.conversation import Address, Incoming
from tests.model_server import ModelServer, Reply, ReplyMaker


@dataclass
class ListPlatform:
    """A messenger without a network: what is sent is a list."""

    sent: list[Send] = field(default_factory=list)
    name: str = "terminal"
    limits = LIMITS
    accept: Accept | None = None

    async def start(self, accept: Accept) -> None:
        self.accept = accept

    async def ended(self) -> None:
        await asyncio.Event().wait()

    async def quiesce(self) -> None: ...

    async def close(self) -> None: ...

    async def send(self, send: Send) -> Receipt:
        self.sent.append(send)
        return Receipt(send.nonce)

    async def activity(self, address: Address, kind: Activity) -> None: ...


class SetClock:
    """A clock that stands where it is put."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def on(self, **much: float) -> None:
        self.at += timedelta(**much)


@dataclass
class Talk:
    """One running app and one user of it."""

    app: App
    platform: ListPlatform
    server: ModelServer
    clock: SetClock
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def say(self, text: str, *, account: str = "mia", private: bool = True) -> list[str]:
        """Write to her and return the texts of her answer."""
        kind = "command" if text.startswith("/") else "message"
        return await self._act(kind, text, account, private)

    async def press(self, data: str, *, account: str = "mia") -> list[str]:
        """Press a button and return the texts of her answer."""
        return await self._act("choice", data, account, True)

    async def _act(self, kind: str, text: str, account: str, private: bool) -> list[str]:
        before = len(self.platform.sent)
        address = Address("terminal", account, account if private else "room", private)
        assert self.platform.accept
        incoming = Incoming(
            kind=kind,  # type: ignore[arg-type]
            key=f"test:{next(self._numbers)}",
            address=address,
            text=text,
            sent_at=self.clock.now(),
            display_name=account.title(),
        )
        assert await self.platform.accept(incoming)
        await self.app.answered()
        return [send.text for send in self.platform.sent[before:] if send.text]


@asynccontextmanager
async def a_talk(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    replies: Sequence[Reply | ReplyMaker] = ("Hello.",),
    **settings: object,
) -> AsyncIterator[Talk]:
    """Run the app against a model server; `settings` are SECTION__KEY=value."""
    clock = SetClock(datetime.now(UTC))
    async with ModelServer(replies=replies) as server:
        chosen = {
            "DATA__DIR": folder / "data",
            "STORAGE__KEY_FILE": folder / "key",
            "LLM__BASE_URL": server.url,
            "LLM__MODEL": "model",
            "LLM__RETRIES": 0,
            "TURN__QUIET_S": 0,
            "RENDER__ENABLED": "false",
        } | settings
        for name, value in chosen.items():
            monkeypatch.setenv(f"OTOMO_{name}", str(value))
        monkeypatch.chdir(folder)
        async with open_app(load_settings()) as app:
            app.clock = clock  # type: ignore[assignment]
            platform, stop = ListPlatform(), asyncio.Event()
            running = asyncio.create_task(app.run({"terminal": platform}, stop))
            while platform.accept is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            try:
                yield Talk(app, platform, server, clock)
            finally:
                stop.set()
                await running
