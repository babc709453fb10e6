"""The Discord adapter inside simcord's virtual Discord: all of discord.py but its network is real."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr
from simcord import Env, UserHandle

from bot.platforms.on_discord import DiscordMemory, DiscordSettings, OnDiscord
from bot.ports import Accept, CommandOption, CommandSpec, Send
from engine.conversation import Address, Incoming

COMMANDS = (
    CommandSpec("start", "begin"),
    CommandSpec("help", "what I can do"),
    CommandSpec("status", "how I feel"),
    CommandSpec("stop", "be quiet"),
    CommandSpec(
        "mode",
        "how we play",
        (
            CommandOption("name", "which one", required=True, choices=("companion", "dating")),
            CommandOption("days", "for how long", kind="integer"),
            CommandOption("loud", "tell everybody", kind="switch"),
        ),
    ),
    CommandSpec("memory list", "what I know of you"),
    CommandSpec(
        "memory forget", "forget something", (CommandOption("what", "what to forget", required=True),)
    ),
)
PRESSED_TWICE = "You have chosen already."


class InSimcord(OnDiscord):
    """The adapter with its connection left to simcord."""

    env: Env | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.attached = asyncio.Event()

    async def start(self, accept: Accept) -> None:
        await super().start(accept)
        await self.attached.wait()

    async def _connect(self) -> None:
        if self.env is None:
            self.env = Env(self.client)
            await self.env.start()
        else:
            await self.env.restart_bot(self.client)
        self.attached.set()
        await asyncio.Event().wait()


@dataclass
class DiscordWorld:
    """One virtual Discord, what the adapter remembers over restarts, and all that it took in."""

    platform: InSimcord
    taken: list[Incoming] = field(default_factory=list)
    doubles: list[Incoming] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    command_hash: str = ""
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    failures: list[Exception] = field(default_factory=list)

    @property
    def env(self) -> Env:
        assert self.platform.env is not None
        return self.platform.env

    @property
    def texts(self) -> list[str]:
        return [incoming.text for incoming in self.taken]

    def hers(self, user: UserHandle) -> list[str]:
        """The texts that she wrote in a user's direct messages, in order."""
        me = self.env.backend.bot_user.id
        said = self.env.backend.messages[user.dm_channel.id].values()
        return [message.content for message in said if message.author_id == me]

    async def accept(self, incoming: Incoming) -> bool:
        """Take in like the inbox: slow where the text has a gate, failing while there are failures."""
        if incoming.text in self.gates:
            await self.gates[incoming.text].wait()
        if self.failures:
            raise self.failures.pop()
        if any(known.key == incoming.key for known in self.taken):
            self.doubles.append(incoming)
            return False
        self.taken.append(incoming)
        return True

    async def restart(self) -> None:
        """End the adapter as a process ends, and start another in the same Discord."""
        env = self.env
        await self.platform.close()
        self.platform = _platform(self)
        self.platform.env = env
        await self.platform.start(self.accept)


def _platform(world: DiscordWorld) -> InSimcord:
    return InSimcord(
        DiscordSettings(SecretStr("token")), COMMANDS, _memory(lambda: world), pressed_twice=PRESSED_TWICE
    )


def _memory(world: Callable[[], DiscordWorld]) -> DiscordMemory:
    async def load_hash() -> str:
        return world().command_hash

    async def save_hash(value: str) -> None:
        world().command_hash = value

    async def load_seen() -> dict[str, int]:
        return dict(world().seen)

    async def save_seen(chat: str, message_id: int) -> None:
        world().seen[chat] = message_id

    return DiscordMemory(load_hash, save_hash, load_seen, save_seen)


@asynccontextmanager
async def discord_world() -> AsyncIterator[DiscordWorld]:
    """Start the adapter in a fresh virtual Discord; errors that it swallowed fail the test at the end."""
    world = DiscordWorld.__new__(DiscordWorld)
    world.__init__(platform=_platform(world))  # type: ignore[misc]  # the memory points back at the world
    await world.platform.start(world.accept)
    env = world.env
    with env.time_context():
        yield world
    await world.platform.close()
    await env.shutdown()
    env.raise_errors()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens outside of simcord's own settling (pytest's timeout watches)."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def send_to(address: Address, text: str = "", nonce: str = "n1", **more: object) -> Send:
    return Send(address, nonce, text, **more)  # type: ignore[arg-type]
