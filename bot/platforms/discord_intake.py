"""Takes messages in: in order per channel, and with those that were missed while she was away.

Discord repeats nothing after a restart. For each direct channel the newest message that was taken is
remembered, and what came after it is read back before anything new of that channel is taken. Reading too
much is harmless, because a known key counts once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

import discord

from bot.errors import StoreError
from bot.platforms.discord_errors import NETWORK_ERRORS
from bot.platforms.discord_incoming import message_incoming
from bot.ports import Accept
from engine.conversation import Incoming

_log = logging.getLogger(__name__)

_PASSING: Final = (StoreError, discord.HTTPException, *NETWORK_ERRORS)
"""What may go better at the next try."""

PAUSE_S: Final = 2.0
"""How often channels that could not be read are tried again and newest ids are saved; after a crash at most
this much is read once more, which the keys make harmless."""

ACCEPT_PAUSES_S: Final = (0.2, 1.0, 3.0)
"""Pauses between tries to take in what Discord will not give a second time: commands, presses, mentions."""

DRAIN_S: Final = 10.0
"""How long `close` waits for what is being taken."""


@dataclass(frozen=True, slots=True)
class DiscordMemory:
    """What the adapter wants kept over a restart.

    `load_seen` returns the id of the newest message taken, by channel id.
    """

    load_hash: Callable[[], Awaitable[str]]
    save_hash: Callable[[str], Awaitable[None]]
    load_seen: Callable[[], Awaitable[dict[str, int]]]
    save_seen: Callable[[str, int], Awaitable[None]]


class Intake:
    """The way in for one platform; it survives the client."""

    def __init__(self, memory: DiscordMemory) -> None:
        self._memory = memory
        self._accept: Accept | None = None
        self._client: discord.Client | None = None
        self._closing = asyncio.Event()
        self._known = asyncio.Event()
        self._work = asyncio.Event()
        self._seen: dict[str, int] = {}
        self._missing: dict[str, int] = {}
        self._unsaved: set[str] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._at_work: set[asyncio.Task[object]] = set()
        self._worker: asyncio.Task[None] | None = None

    def open(self, accept: Accept) -> None:
        """Begin to take."""
        self._accept = accept
        self._worker = asyncio.create_task(self._look_after_channels(), name="discord-channels")

    @property
    def is_open(self) -> bool:
        """Whether anything is taken at present."""
        return self._accept is not None

    async def connected(self, client: discord.Client) -> None:
        """Find out which channels may hold missed messages, and begin to read them back."""
        self._client = client
        self._known.clear()
        for chat, message_id in (await self._memory.load_seen()).items():
            self._seen[chat] = max(message_id, self._seen.get(chat, 0))
        self._missing = dict(self._seen)
        self._known.set()
        self._work.set()

    async def message(self, message: discord.Message) -> None:
        """Take a message that has just come, after the missed ones of its channel."""
        await self._known.wait()
        chat = str(message.channel.id)
        async with self._in_turn(chat):
            if message.guild is not None:
                await self._take_mention(message)
                return
            try:
                await self._read_channel(chat)
                await self._take_message(message)
                await self._remember(chat, message.id)
            except _PASSING as error:
                _log.warning("Channel %s is read again later (%s)", chat, type(error).__name__)
                self._missing.setdefault(chat, self._seen.get(chat, message.id - 1))
                self._work.set()

    async def take(self, incoming: Incoming, moment: int) -> bool:
        """Take a command or a press; `moment` is its snowflake. False for a known key, or when closed."""
        chat = incoming.address.chat
        async with self._in_turn(chat):
            if self._accept is None:
                return False
            accepted = await self._accept_patiently(incoming)
            if incoming.address.private and chat not in self._seen:
                await self._remember(chat, moment)
            return accepted

    async def close(self) -> None:
        """Take nothing more, wait for what is being taken, and save what was seen."""
        self._accept = None
        for event in (self._closing, self._known, self._work):
            event.set()
        unfinished = self._at_work | ({self._worker} if self._worker else set())
        unfinished.discard(asyncio.current_task())
        if unfinished:
            _, late = await asyncio.wait(unfinished, timeout=DRAIN_S)
            for task in late:
                task.cancel()
        await self._save_seen()

    @asynccontextmanager
    async def _in_turn(self, chat: str) -> AsyncIterator[None]:
        task = asyncio.current_task()
        assert task is not None
        lock = self._locks.setdefault(chat, asyncio.Lock())
        self._at_work.add(task)
        try:
            async with lock:
                yield
        finally:
            self._at_work.discard(task)

    async def _look_after_channels(self) -> None:
        while self._accept is not None:
            await self._work.wait()
            self._work.clear()
            for chat in list(self._missing):
                await self._read_missed(chat)
            await self._save_seen()
            if self._missing:
                self._work.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), PAUSE_S)

    async def _read_missed(self, chat: str) -> None:
        async with self._in_turn(chat):
            try:
                await self._read_channel(chat)
            except _PASSING as error:
                _log.warning("Channel %s cannot be read back yet (%s)", chat, type(error).__name__)

    async def _read_channel(self, chat: str) -> None:
        if self._client is None or chat not in self._missing:
            return
        channel = self._client.get_partial_messageable(int(chat))
        after = discord.Object(self._missing[chat])
        try:
            async for message in channel.history(after=after, oldest_first=True, limit=None):
                if self._accept is None:
                    return
                await self._take_message(message)
                await self._remember(chat, message.id)
                self._missing[chat] = message.id
        except (discord.Forbidden, discord.NotFound) as error:
            _log.info("Channel %s is gone (code %s)", chat, error.code)
        self._missing.pop(chat, None)

    async def _take_message(self, message: discord.Message) -> None:
        if self._accept is None or self._client is None or self._client.user is None:
            return
        incoming = message_incoming(message, self._client.user.id)
        if incoming is not None:
            await self._accept(incoming)

    async def _take_mention(self, message: discord.Message) -> None:
        if self._client is None or self._client.user is None:
            return
        incoming = message_incoming(message, self._client.user.id)
        if incoming is not None:
            await self._accept_patiently(incoming)

    async def _accept_patiently(self, incoming: Incoming) -> bool:
        """Accept what cannot be read back later, with a few tries where the store fails."""
        for pause_s in ACCEPT_PAUSES_S:
            try:
                return self._accept is not None and await self._accept(incoming)
            except StoreError as error:
                _log.warning("%s is taken again soon (%s)", incoming.key, type(error).__name__)
                await asyncio.sleep(pause_s)
        return self._accept is not None and await self._accept(incoming)

    async def _remember(self, chat: str, message_id: int) -> None:
        if self._accept is None:
            return
        first = chat not in self._seen
        self._seen[chat] = max(message_id, self._seen.get(chat, 0))
        self._unsaved.add(chat)
        if first:
            await self._save_seen()
        else:
            self._work.set()

    async def _save_seen(self) -> None:
        while self._unsaved:
            chat = self._unsaved.pop()
            await self._memory.save_seen(chat, self._seen[chat])
