"""Discord: over HTTP and WebSocket with the bot as a process, and inside simcord with the whole app."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from simcord import UserHandle

from bot.app import App, open_app
from bot.platforms import PLATFORMS
from bot.settings import load_settings
from tests.bot_process import BotProcess
from tests.model_server import ModelServer
from tests.platforms.discord_server import ME, DiscordServer, discord_server
from tests.platforms.discord_world import InSimcord
from tests.system.stage import NOTICE, hers, model_environment, open_book, until


def discord_environment(server: DiscordServer) -> dict[str, str]:
    return {
        "DISCORD_TOKEN": server.token,
        "OTOMO_DISCORD__API_BASE": server.api_base,
        "OTOMO_DISCORD__GATEWAY_URL": server.gateway_url,
    }


def first_words(content: str) -> str:
    """The first paragraph of a message, without the app's notice above it: that is for its own assertion."""
    return content.removeprefix(f"> {NOTICE}\n\n").split("\n\n")[0]


def said(server: DiscordServer) -> list[str]:
    """The first paragraph of all that she wrote, pictures left out."""
    mine = [m for m in server.messages if m["author"] == ME]
    return [first_words(m["content"]) for m in mine if m["content"]]


async def wait_for(server: DiscordServer, *texts: str) -> None:
    async def heard() -> bool:
        return len(said(server)) >= len(texts)

    await until(heard)
    assert said(server) == list(texts)


async def test_direct_messages_pictures_commands_and_a_restart(tmp_path: Path) -> None:
    async with discord_server() as server, ModelServer() as model:
        model.program(lambda request: hers(f"I heard {request.user_text}."))
        settings = {**discord_environment(server), **model_environment(model)}
        async with BotProcess(tmp_path, OTOMO_RENDER__ENABLED="true", **settings) as bot:
            await bot.start()
            assert "start" in {command["name"] for command in server.commands}
            await server.dm("one")
            await wait_for(server, "I heard one.")
            assert ("POST", "/channels/800000000000000001/typing") in server.requests
            mine = [m for m in server.messages if m["author"] == ME]
            assert mine[0]["content"].startswith(f"> {NOTICE}")
            await check_the_attachment(server)
            assert len([m for m in server.messages if m["author"] == ME]) <= 2, (
                "first contact is two messages"
            )
            await check_a_slash_command(server)
            assert await bot.stop() == 0
            server.says("two, while she was away")
            server.says("three")
            await bot.start()
            answers = [*said(server)[:1], "I heard two, while she was away\nthree."]
            await wait_for(server, *answers)
            await server.dm("four")
            await wait_for(server, *answers, "I heard four.")
            assert await bot.stop() == 0
    async with open_book(tmp_path) as book:
        assert [text for role, text in await book.sides() if role == "user"] == [
            "one",
            "two, while she was away\nthree",
            "four",
        ]


async def check_the_attachment(server: DiscordServer) -> None:
    async def shown() -> bool:
        return bool(server.files)

    await until(shown)
    (message,) = [m for m in server.messages if m["attachments"]]
    picture = Image.open(io.BytesIO(server.files[message["attachments"][0]["id"]]))
    picture.load()
    assert picture.format == "JPEG"


async def check_a_slash_command(server: DiscordServer) -> None:
    await server.slash("status", locale="en-US")

    async def answered() -> bool:
        return any("content" in callback for callback in server.callbacks)

    await until(answered)
    first, second = server.callbacks[:2]
    assert first["path"].endswith("/callback")
    assert first["type"] == 5, "the answer was not deferred"
    assert second["content"].startswith("Otomo, still a stranger")
    server.messages = [m for m in server.messages if not (m["content"] or "").startswith("Otomo, still")]


@dataclass
class World:
    """The app inside a virtual Discord."""

    app: App
    platform: InSimcord
    user: UserHandle

    def hers(self) -> list[str]:
        env = self.platform.env
        assert env is not None
        me = env.backend.bot_user.id
        messages = env.backend.messages[self.user.dm_channel.id].values()
        return [first_words(m.content).split("\n")[0] for m in messages if m.author_id == me]

    async def heard(self, *texts: str) -> None:
        async def enough() -> bool:
            return len([text for text in self.hers() if text]) >= len(texts)

        await until(enough)
        assert [text for text in self.hers() if text] == list(texts)


@asynccontextmanager
async def world(platform: InSimcord | None = None, user: UserHandle | None = None) -> AsyncIterator[World]:
    """Run the whole app in a virtual Discord: a new one, or the one of a platform that has ended."""
    async with open_app(load_settings()) as app:
        mine: Any = PLATFORMS["discord"](app.surroundings())
        mine.env = platform.env if platform else None
        stop = asyncio.Event()
        running = asyncio.create_task(app.run({"discord": mine}, stop))
        done, _ = await asyncio.wait(
            {running, asyncio.create_task(mine.attached.wait())}, return_when=asyncio.FIRST_COMPLETED
        )
        assert running not in done, running.exception()
        try:
            yield World(app, mine, user or mine.env.create_user("alice", global_name="Alice"))
        finally:
            stop.set()
            await running


@pytest.fixture
async def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    monkeypatch.setattr("bot.platforms.on_discord.OnDiscord", InSimcord)
    monkeypatch.chdir(tmp_path)
    async with ModelServer() as model:
        model.program(lambda request: hers(f"I heard {request.user_text}."))
        settings = {
            **model_environment(model),
            "DISCORD_TOKEN": "token",
            "OTOMO_DATA__DIR": str(tmp_path / "data"),
            "OTOMO_STORAGE__KEY_FILE": str(tmp_path / "keys" / "otomo.key"),
            "OTOMO_RENDER__ENABLED": "true",
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        yield model


async def test_the_whole_app_in_simcord(surroundings: ModelServer, tmp_path: Path) -> None:
    async with world() as first:
        env = first.platform.env
        assert env is not None
        with env.time_context():
            await first.user.send_dm("one")
            await first.heard("I heard one.")
            await check_picture(first)
            status = await first.user.slash("status")
            await first.heard("I heard one.", "Otomo, still a stranger")
            assert status is not None
    with env.time_context():
        await first.user.send_dm("two, while she was away")
        async with world(first.platform, first.user) as second:
            await second.heard("I heard one.", "Otomo, still a stranger", "I heard two, while she was away.")
    await env.shutdown()
    env.raise_errors()
    async with open_book(tmp_path) as book:
        assert set(await book.turn_states()) == {"settled"}
        assert (await book.character()).total_interactions == 2


async def check_picture(here: World) -> None:
    env = here.platform.env
    assert env is not None
    messages = env.backend.messages[here.user.dm_channel.id]

    async def shown() -> bool:
        return any(message.attachments for message in messages.values())

    await until(shown)
    (message,) = [message for message in messages.values() if message.attachments]
    assert message.attachments[0]["filename"].endswith(".jpg")
