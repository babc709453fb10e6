"""Draws the README's conversation: the real app, a virtual Discord, a model that plays its part.

    python -m tests.draw_conversation docs/pictures/discord.png

Needs Chromium and `linkify-it-py` (see tests/platforms/discord_scene.py).
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from bot.app import App, open_app
from bot.platforms.discord_intake import DiscordMemory
from bot.platforms.on_discord import DiscordSettings
from bot.settings import load_settings
from engine.conversation import Face
from tests.model_server import ModelServer
from tests.platforms.discord_scene import open_scene
from tests.platforms.discord_world import InSimcord

STATE = '\n```json\n{{"mood_change": {{"emotion": "{0}", "intensity_delta": {1}}}, "affection_delta": 4, "trust_delta": 2, "intimacy_delta": 2, "comfort_delta": 2, "new_memory": {2}, "expression": "{3}"}}\n```'
TALK = (
    (
        "hi! I just got back from a hike, soaked to the bone and weirdly happy",
        "Soaked and happy is my favourite kind of report. Was it the **good** rain, the kind that makes the "
        "forest smell like a secret, or the sideways kind?",
        ("curious", 12, '"They like hiking in the rain"', "curious"),
    ),
    (
        "the good kind :) I even thought about quitting my job and becoming a ranger",
        "Ranger Mia. It suits you: boots, a thermos, quiet authority over squirrels. Tell me the version where "
        "you mean it, though. What would you miss least about the office?",
        ("playful", 18, '"They dream of becoming a park ranger"', "playful"),
    ),
)


async def draw(out: Path) -> None:
    """Play the conversation and draw its end."""
    with tempfile.TemporaryDirectory() as folder:
        replies = [said + STATE.format(*state) for _, said, state in TALK]
        async with ModelServer(replies=replies) as server:
            os.environ |= {
                "OTOMO_LLM__BASE_URL": server.url,
                "OTOMO_LLM__MODEL": "model",
                "OTOMO_DATA__DIR": f"{folder}/data",
                "OTOMO_STORAGE__KEY_FILE": f"{folder}/keys/key",
                "OTOMO_TURN__QUIET_S": "0.2",
                "OTOMO_COMPANION__LANGUAGE": "en",
                "OTOMO_RENDER__SIZE_PX": "320",
            }
            async with open_app(load_settings()) as app:
                await app.portraits.warm()
                await play(app, out)


async def play(app: App, out: Path) -> None:
    """Say the user's lines and draw."""
    around = app.surroundings()
    kept: dict[str, int] = {}

    async def nothing() -> str:
        return ""

    async def forget(value: str) -> None:
        del value

    async def seen() -> dict[str, int]:
        return kept

    async def see(chat: str, message: int) -> None:
        kept[chat] = message

    memory = DiscordMemory(nothing, forget, seen, see)
    token = app.settings.discord.token.__class__("virtual")
    platform = InSimcord(DiscordSettings(token), around.commands, memory)
    stop = asyncio.Event()
    running = asyncio.create_task(app.run({"discord": platform}, stop))
    portrait = await app.portraits.picture(Face("happy", "happy", 0.375))
    scene = await open_scene(platform, her_picture=portrait.data if portrait else None)
    for said, _, _ in TALK:
        await scene.say(said)
    await scene.draw(out, 820, 1290)
    stop.set()
    await running
    assert platform.env is not None
    await platform.env.shutdown()


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1])))
