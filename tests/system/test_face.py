"""Her face in the messengers: loops, the photo booth and avatars, by the whole program."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image

from bot.store.settings import read_user_settings
from render.errors import NoGraphicsError
from render.gl.context import choose_backend
from tests.system.stage import Stage, hers, stage, until
from tests.system.test_discord import World, surroundings, world

__all__ = ["surroundings"]

EMPTY = hers("Hello.")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One cache of pictures for all tests of this file; they need OpenGL."""
    try:
        choose_backend()
    except NoGraphicsError as error:
        pytest.skip(str(error))
    return str(tmp_path_factory.mktemp("cache"))


@asynccontextmanager
async def a_stage(folder: Path, cache: str, **environment: str) -> AsyncIterator[Stage]:
    small = {"OTOMO_RENDER__SIZE_PX": "128", "OTOMO_RENDER__LOOP_SIZE_PX": "128"}
    shown = {"OTOMO_RENDER__ENABLED": "true", "OTOMO_CACHE_DIR": cache, "OTOMO_RENDER__TIMEOUT_S": "60"}
    async with stage(folder, **{**small, **shown, **environment}) as on:
        yield on


async def sent(on: Stage, kind: str, count: int) -> list[dict[str, Any]]:
    """Wait until so many messages with a picture of a kind have come; return them."""

    def found() -> list[dict[str, Any]]:
        return [message for message in on.telegram.sent if kind in message]

    async def enough() -> bool:
        return len(found()) >= count

    await until(enough)
    return found()


def bytes_of(on: Stage, message: dict[str, Any]) -> bytes:
    return on.telegram.files[message["animation"]["file_id"]]


def frames_of(film: bytes) -> int:
    with av.open(io.BytesIO(film)) as played:
        stream = played.streams.video[0]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 128, 128)
        return sum(1 for _ in played.decode(stream))


def buttons_of(message: dict[str, Any]) -> list[dict[str, str]]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button for row in rows for button in row]


async def press(on: Stage, message: dict[str, Any], data: str) -> dict[str, Any]:
    """Press a button and wait for the next message with buttons or a picture."""
    assert data in [button["callback_data"] for button in buttons_of(message)]
    before = len(on.telegram.sent)
    on.telegram.press(message, data)

    async def answered() -> bool:
        return len(on.telegram.sent) > before

    await until(answered)
    return on.telegram.sent[-1]


async def test_her_words_come_first_and_the_models_action_follows_as_an_mp4(
    tmp_path: Path, cache: str
) -> None:
    async with a_stage(tmp_path, cache) as on:
        on.model.program(hers("Hello!", action="greeting"), hers("Again.", action="greeting"), EMPTY)
        await on.bot.start()
        on.telegram.say("hello")
        (wave,) = await sent(on, "animation", 1)
        assert frames_of(bytes_of(on, wave)) == 39
        assert [m for m in on.telegram.sent if str(m.get("text")).endswith("Hello!")], (
            "the words did not wait for it"
        )
        assert "greeting: wave hello or goodbye" in on.model.requests[0].messages[0]["content"]
        on.telegram.say("and again")
        await until(lambda: _heard(on, "Again."))
        await on.settled(2)
        assert len([m for m in on.telegram.sent if "animation" in m]) == 1, "the same within 20 s"


async def _heard(on: Stage, text: str) -> bool:
    return any(text in message.get("text", message.get("caption", "")) for message in on.telegram.sent)


async def test_an_emote_is_played_by_name_and_the_gate_outlives_a_restart(tmp_path: Path, cache: str) -> None:
    async with a_stage(tmp_path, cache) as on:
        on.model.program(hers("Turning.", action="spin"))
        await on.bot.start()
        on.telegram.say("/emote")
        await until(lambda: _heard(on, "What shall I do?"))
        offer = on.telegram.sent[-1]
        assert {"callback_data": "emote:spin", "text": "spin"} in buttons_of(offer)
        spin = await press(on, offer, "emote:spin")
        assert frames_of(bytes_of(on, spin)) == 33
        again = await press(on, offer, "emote:spin")
        assert again["animation"]["file_id"] == spin["animation"]["file_id"], "sent again by its id"
        assert await on.bot.stop() == 0
        await on.bot.start()
        on.telegram.say("hello")
        await until(lambda: _heard(on, "Turning."))
        await on.settled(4)
        assert len([m for m in on.telegram.sent if "animation" in m]) == 2, "the same within 20 s"
        async with on.book() as book, book.store.reading() as connection:
            assert set((await read_user_settings(connection, 1))["played"]["each"]) == {"spin"}


async def test_the_photo_booth_survives_a_restart_and_its_old_buttons_work(
    tmp_path: Path, cache: str
) -> None:
    async with a_stage(tmp_path, cache) as on:
        await on.bot.start()
        on.telegram.say("/pose")
        await until(lambda: _heard(on, "The photo booth."))
        booth = on.telegram.sent[-1]
        offer = await press(on, booth, "pose:plain happy bust studio ?p")
        booth = await press(on, offer, "pose:greeting happy bust studio ?")
        assert await on.bot.stop() == 0
        await on.bot.start()
        first = await press(on, booth, "pose:greeting happy bust studio")
        assert "photo" in first
        second = await press(on, booth, "pose:greeting happy bust studio")
        assert second["photo"] == first["photo"]
        on.telegram.say("/pose sad night full")
        *_, third = await sent(on, "photo", 3)
        assert third["photo"] != first["photo"]
        assert "plain sad full night" in third["caption"]


async def test_an_avatar_is_chosen_by_button_worn_and_missed_when_it_vanishes(
    tmp_path: Path, cache: str
) -> None:
    from render.figures import build

    avatars = tmp_path / "avatars"
    avatars.mkdir()
    (avatars / "Mine.vrm").write_bytes(build("slate"))
    (avatars / "Torn.vrm").write_bytes(b"glTF" + bytes(50))
    async with a_stage(tmp_path, cache, OTOMO_RENDER__AVATARS_DIR=str(avatars)) as on:
        await on.bot.start()
        on.telegram.say("/avatar")
        shown = await sent(on, "photo", 4)
        assert [m["caption"].split(".")[0] for m in shown] == [
            "This is Dusk, as I look now",
            "This is Ember",
            "This is Slate",
            "This is Mine",
        ]
        assert len({m["photo"][0]["file_id"] for m in shown}) >= 3, "Mine is a copy of Slate"
        chosen = await press(on, shown[3], buttons_of(shown[3])[0]["callback_data"])
        assert "From now on I am Mine" in chosen["caption"]
        on.telegram.say("/avatar Torn")
        await until(lambda: _heard(on, "I can't put on Torn"))
        (avatars / "Mine.vrm").unlink()
        on.telegram.say("hello")
        await until(lambda: _heard(on, "is not there any more"))
        await on.settled(4)
        async with on.book() as book, book.store.reading() as connection:
            assert "avatar" not in await read_user_settings(connection, 1)


async def test_a_machine_that_cannot_draw_shows_ready_made_stills(tmp_path: Path) -> None:
    async with a_stage(tmp_path, str(tmp_path / "cache"), OTOMO_GL_BACKEND="none") as on:
        on.model.program(hers("Hello!", action="greeting"))
        await on.bot.start()
        on.telegram.say("hello")
        (still,) = await sent(on, "photo", 1)
        with Image.open(io.BytesIO(on.telegram.files[still["photo"][0]["file_id"]])) as picture:
            assert (picture.format, picture.size) == ("JPEG", (512, 512))
        await on.settled(1)
        assert not [m for m in on.telegram.sent if "animation" in m]


async def test_on_discord_a_loop_is_a_webp_and_a_panel_can_be_pressed_twice(
    surroundings: Any, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTOMO_CACHE_DIR", cache)
    monkeypatch.setenv("OTOMO_RENDER__LOOP_SIZE_PX", "128")
    monkeypatch.setenv("OTOMO_RENDER__TIMEOUT_S", "60")
    async with world() as here:
        env = here.platform.env
        assert env is not None
        with env.time_context():
            await here.user.slash("emote", name="spin")
            (film,) = await attachments(here, 1)
            assert (film["filename"][:5], film["filename"][-5:]) == ("spin-", ".webp")
            await here.user.slash("pose", expression="sad", framing="full")
            _, still = await attachments(here, 2)
            assert still["filename"].endswith(".jpg")
            await here.user.slash("emote")
            await here_is(here, "What shall I do?")
            offer = here.user.dm_channel.last_message
            for number in (3, 4):
                await here.user.click(offer, label="wave")
                await attachments(here, number)
    await env.shutdown()
    env.raise_errors()


async def attachments(here: World, count: int) -> list[dict[str, Any]]:
    """Wait until so many files have come from her; return them in order."""
    env = here.platform.env
    assert env is not None
    messages = env.backend.messages[here.user.dm_channel.id]

    def found() -> list[dict[str, Any]]:
        return [file for message in messages.values() for file in message.attachments]

    async def enough() -> bool:
        return len(found()) >= count

    await until(enough)
    assert len(found()) == count
    return found()


async def here_is(here: World, start: str) -> None:
    async def heard() -> bool:
        return any(text.startswith(start) for text in here.hers())

    await until(heard)
