"""A stage for the real program: Telegram, a model and a database folder of its own.

async with stage(tmp_path) as on:
    await on.bot.start()
    on.telegram.say("hello")
    await on.heard("Hello.")
    async with on.book() as book:
        assert await book.sides() == [("user", "hello"), ("assistant", "Hello.")]
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bot.store import Store, tables
from bot.store.characters import read_character
from engine.character import CharacterState
from tests.bot_process import BotProcess
from tests.model_server import ModelServer
from tests.telegram_server import ANNA, TelegramServer

WATCHDOG_S = 60.0
UNREACHABLE = "I can't reach my words just now. I've kept your message and I'll answer when they are back."
SLOW = "I'm still thinking. I have your message and I'll answer as soon as I can."
BUSY = "My model asks me to slow down for a moment. I've kept your message and I'll answer soon."
OPERATOR = (
    "Something about my language model needs the operator's hand. "
    "I've kept your message and I'll answer when it is mended."
)
NOTICE = (
    "A short note from the app: Otomo is an AI companion, not a person. "
    "The model that writes her words runs on the operator's own machine. "
    "/help shows what she can do, /stop makes her quiet."
)


def hers(text: str, **updates: Any) -> str:
    """A reply as the model writes it: her words, then the state block."""
    block = {"mood_change": None, "new_memory": None, "expression": None, **updates}
    return f"{text}\n\n```json\n{json.dumps(block)}\n```"


@dataclass
class Book:
    """The database, open for reading with its key."""

    store: Store

    async def all(self, table: Any, *columns: Any) -> list[Any]:
        """Rows of a table in the order of their ids."""
        async with self.store.reading() as connection:
            chosen = select(*columns) if columns else select(table)
            return list((await connection.execute(chosen.order_by(table.c.id))).all())

    async def sides(self) -> list[tuple[str, str]]:
        """The talk as it is remembered."""
        return [(row.role, row.content) for row in await self.all(tables.messages)]

    async def turn_states(self) -> list[str]:
        """The status of every turn."""
        return [row.status for row in await self.all(tables.turns)]

    async def words_by_turn(self) -> dict[int | None, list[str]]:
        """What users said, by the turn that answers it."""
        found: dict[int | None, list[str]] = {}
        for row in await self.all(tables.incoming):
            found.setdefault(row.turn_id, []).append(row.body["text"])
        return found

    async def character(self, user_id: int = 1) -> CharacterState:
        """Who she is to a user."""
        async with self.store.reading() as connection:
            return await read_character(connection, user_id)

    async def picture_of_everything(self) -> dict[str, Any]:
        """All that a repeated message must not change."""
        return {
            "character": await self.character(),
            "sides": await self.sides(),
            "facts": await self.all(tables.facts),
            "turns": await self.all(tables.turns),
            "outgoing": await self.all(tables.outgoing),
        }


@asynccontextmanager
async def open_book(folder: Path, url: str = "", secret: str | None = None) -> AsyncIterator[Book]:
    """Read what a bot with this folder has written; it may be running."""
    store = await Store.open(
        url or f"sqlite:///{folder / 'data' / 'otomo.db'}",
        secret=secret,
        key_file=folder / "keys" / "otomo.key",
        read_only=True,
    )
    try:
        yield Book(store)
    finally:
        await store.close()


@dataclass
class Stage:
    """One bot, Telegram and a model around it."""

    folder: Path
    bot: BotProcess
    telegram: TelegramServer
    model: ModelServer

    def book(self) -> Any:
        """Open the database."""
        environment = self.bot.environment
        url, secret = environment.get("OTOMO_STORAGE__URL", ""), environment.get("OTOMO_SECRET_KEY")
        return open_book(self.folder, url, secret)

    async def heard(self, *texts: str, user: dict[str, Any] = ANNA) -> None:
        """Wait until a user has got exactly these texts, in order (see `words`)."""
        with suppress(TimeoutError):
            await self.telegram.wait_until(lambda: len(self.words(user)) >= len(texts), WATCHDOG_S)
        assert self.words(user) == list(texts)

    def words(self, user: dict[str, Any] = ANNA) -> list[str]:
        """The first paragraph of all that a user has got: events may have added more to it."""
        return [text.split("\n\n")[0] for text in self.telegram.texts_to(user["id"]) if text]

    async def settled(self, turns: int) -> None:
        """Wait until so many turns are settled and everything is sent."""

        async def done() -> bool:
            async with self.book() as book:
                states = await book.turn_states()
                rows = await book.all(tables.outgoing)
            return states.count("settled") >= turns and all(
                row.status in ("sent", "failed", "unsure") for row in rows
            )

        await until(done)


async def until(holds: Any, seconds: float = WATCHDOG_S) -> None:
    """Wait until an async condition holds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110 - the database rings no bell here
            await asyncio.sleep(0.05)


def telegram_environment(telegram: TelegramServer) -> dict[str, str]:
    """What leads the bot to our Telegram."""
    return {
        "TELEGRAM_TOKEN": telegram.token,
        "OTOMO_TELEGRAM__BASE_URL": telegram.url,
        "OTOMO_TELEGRAM__BASE_FILE_URL": telegram.file_url,
    }


def model_environment(model: ModelServer) -> dict[str, str]:
    """What leads the bot to our model, and makes it quick to give up on one try."""
    return {
        "OTOMO_LLM__BASE_URL": model.url,
        "OTOMO_LLM__MODEL": "test-model",
        "OTOMO_LLM__RETRIES": "0",
        "OTOMO_TURN__QUIET_S": "0.1",
        "OTOMO_TURN__LONGEST_WAIT_S": "2",
        "OTOMO_GAME__EVENTS": "false",
    }


@asynccontextmanager
async def stage(folder: Path, **environment: str) -> AsyncIterator[Stage]:
    """Set a stage; the bot is not started yet."""
    async with TelegramServer() as telegram, ModelServer(replies=[hers("Hello.")]) as model:
        settings = {**telegram_environment(telegram), **model_environment(model), **environment}
        async with BotProcess(folder, **settings) as bot:
            try:
                yield Stage(folder, bot, telegram, model)
            finally:
                print(bot.output)  # pytest shows it for a test that failed
