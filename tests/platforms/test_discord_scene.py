"""The helper that draws a conversation for the README."""

from __future__ import annotations

import asyncio
import io

import pytest
from PIL import Image

from bot.ports import Button, Picture
from engine.conversation import Incoming
from tests.platforms.discord_scene import missing_for_drawing, open_scene
from tests.platforms.discord_world import DiscordWorld, discord_world, send_to

PINK = (240, 120, 160)


def square_png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (256, 256), PINK).save(buffer, "PNG")
    return buffer.getvalue()


async def answer_all(world: DiscordWorld) -> None:
    """Speak like the outbox: from a task of its own."""
    done = 0
    while True:
        await asyncio.sleep(0.02)
        for incoming in world.taken[done:]:
            done += 1
            await world.platform.send(_reply(incoming, done))


def _reply(incoming: Incoming, number: int) -> object:
    if incoming.kind == "command":
        buttons = (Button("Tell me more", "x:1"), Button("Later", "x:2"))
        return send_to(incoming.address, "Mood: **happy** (62 of 100)", f"n{number}", buttons=buttons)
    picture = Picture(square_png(), "image/png", "happy.png")
    return send_to(incoming.address, "*smiles* Which trail was your last?", f"n{number}", picture=picture)


@pytest.mark.skipif(bool(missing_for_drawing()), reason=missing_for_drawing() or "all there")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_conversation_becomes_a_picture(tmp_path):
    path = tmp_path / "discord.png"
    async with discord_world() as world:
        scene = await open_scene(world.platform, her_picture=square_png())
        voice = asyncio.create_task(answer_all(world))
        await scene.say("hi! I love hiking ⛰️")
        await scene.slash("status")
        voice.cancel()
        await scene.draw(path, 800, 640)
    drawn = Image.open(path)
    assert drawn.size == (800, 640)
    pink = sum(count for count, colour in drawn.getcolors(1 << 24) if colour == PINK)
    assert pink > 128 * 128, "her picture is not to be seen"
