"""Avatars that users send, by the whole program: taken where the operator allows it, and seen by nobody else."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.store.settings import read_user_settings
from render.figures import build
from tests.bot_process import BotProcess
from tests.model_server import ModelServer
from tests.platforms.discord_server import ALICE, DiscordServer, discord_server
from tests.render import doll
from tests.system.stage import Stage, hers, model_environment, open_book, until
from tests.system.test_discord import discord_environment, said
from tests.system.test_face import a_stage, buttons_of, cache, press, sent
from tests.system.test_terminal import run
from tests.telegram_server import ANNA

__all__ = ["cache"]

ON = {"OTOMO_RENDER__UPLOADS": "true"}
BEN = {"id": 2002, "is_bot": False, "first_name": "Ben", "language_code": "en"}
KEPT_NOTHING = "I can't put that file on, and I've kept nothing of it."


def a_doll(number: int = 0) -> bytes:
    """A small avatar; each number makes another file."""
    doc, writer = doll.vrm1()
    return doll.glb({**doc, "extras": {"number": number}}, writer)


def send_file(on: Stage, data: bytes, name: str = "Mine.vrm", user: Any = ANNA, **more: Any) -> None:
    file_id = on.telegram.add_file(data)
    document = {"file_id": file_id, "file_unique_id": file_id, "file_name": name, "file_size": len(data)}
    caption = {"caption": more.pop("caption")} if "caption" in more else {}
    on.telegram.post({"document": {**document, **more}, **caption}, user)


async def answer_to(on: Stage, user: Any = ANNA, count: int = 1) -> str:
    """Wait for so many messages to a user; return the last one."""

    async def come() -> bool:
        return len(on.telegram.texts_to(user["id"])) >= count

    await until(come)
    return on.telegram.texts_to(user["id"])[count - 1]


def kept(on: Stage) -> list[Path]:
    """Every file in the folders of users."""
    return [path for path in (on.folder / "data" / "avatars-of-users").rglob("*") if path.is_file()]


async def chosen(on: Stage, user_id: int = 1) -> Any:
    async with on.book() as book, book.store.reading() as connection:
        return (await read_user_settings(connection, user_id)).get("avatar")


async def test_a_sent_figure_is_worn_after_a_restart_too_and_by_nobody_else(
    tmp_path: Path, cache: str
) -> None:
    async with a_stage(tmp_path, cache, **ON) as on:
        await on.bot.start()
        send_file(on, build("slate"))
        (shown,) = await sent(on, "photo", 1)
        assert shown["caption"] == "How do I look? From now on I am Mine."
        (file,) = kept(on)
        assert await chosen(on) == f"own/1/{file.name}"
        assert [path.stat().st_mode & 0o777 for path in (file, file.parent, file.parent.parent)] == [
            0o600,
            0o700,
            0o700,
        ]
        assert await on.bot.stop() == 0
        await on.bot.start()
        on.telegram.say("/avatar")
        offers = (await sent(on, "photo", 5))[1:]
        assert "This is Mine, as I look now" in offers[3]["caption"]
        assert offers[3]["photo"] == shown["photo"]
        back = await press(on, offers[0], buttons_of(offers[0])[0]["callback_data"])
        assert "I am Dusk" in back["caption"]
        on.telegram.say("/avatar mine")
        assert "I am Mine" in (await sent(on, "photo", 7))[-1]["caption"]
        await see_nothing_of_it(on, file)


async def see_nothing_of_it(on: Stage, file: Path) -> None:
    """Let another user look for Anna's figure by name, by id and by its button."""
    figure = f"own/1/{file.name}"
    for word in ("Mine", figure, f"../avatars-of-users/1/{file.name}"):
        before = len(on.telegram.texts_to(BEN["id"]))
        on.telegram.say(f"/avatar {word}", BEN)
        await answer_to(on, BEN, before + 4)
        said_to_ben = on.telegram.texts_to(BEN["id"])[before:]
        assert said_to_ben[0].startswith("There is no figure called")
        assert [text.split(".")[0] for text in said_to_ben[1:]] == [
            "This is Dusk, as I look now",
            "This is Ember",
            "This is Slate",
        ]
    assert await chosen(on, 2) is None


async def test_the_words_that_came_with_a_file_are_answered_in_the_new_figure(
    tmp_path: Path, cache: str
) -> None:
    async with a_stage(tmp_path, cache, **ON) as on:
        on.model.program(hers("I like it!"))
        await on.bot.start()
        send_file(on, build("slate"), caption="do you like it?")

        async def answered() -> bool:
            return any("I like it!" in text for text in on.telegram.texts_to(ANNA["id"]))

        await until(answered)
        assert on.telegram.texts_to(ANNA["id"])[0] == "How do I look? From now on I am Mine."
        assert on.model.requests[0].user_text == "do you like it?"
        (file,) = kept(on)
        assert await chosen(on) == f"own/1/{file.name}"
        (hers_now,) = await sent(on, "photo", 1)
        on.telegram.say("/avatar mine")
        await sent(on, "photo", 2)
        assert hers_now["photo"]


async def test_uploads_are_off_by_default(tmp_path: Path, cache: str) -> None:
    async with a_stage(tmp_path, cache) as on:
        await on.bot.start()
        send_file(on, a_doll())
        assert await answer_to(on) == "I can't open files yet. Paste me the part that matters?"
        assert not on.telegram.made("getFile")
        assert kept(on) == []


def hostile() -> Iterator[tuple[str, bytes]]:
    """Files that are no avatars, by what is wrong with them."""
    good = a_doll()
    yield "no glTF", b"MZ" + bytes(5000)
    yield "empty", b""
    yield "cut off", good[: len(good) // 2]
    yield "lying total", good[:8] + struct.pack("<I", 16) + good[12:]
    yield "lying chunk", good[:12] + struct.pack("<I", 2**31) + good[16:]
    yield "deep JSON", doll.container(b"[" * 100_000)
    doc, writer = doll.vrm1()
    writer.accessors[0]["count"] = 2**30
    yield "4.5 GiB", doll.glb(doc, writer)
    doc, writer = doll.vrm1()
    outside = [{"uri": "http://127.0.0.1:1/x.bin", "byteLength": len(writer.binary)}]
    document = {**doc, "accessors": writer.accessors, "bufferViews": writer.views, "buffers": outside}
    yield "outside", doll.container(json.dumps(document).encode())


async def test_of_hostile_files_nothing_is_kept_and_she_lives_on(tmp_path: Path, cache: str) -> None:
    async with a_stage(tmp_path, cache, OTOMO_RENDER__UPLOAD_MB="1", **ON) as on:
        await on.bot.start()
        for number, (name, data) in enumerate(hostile(), 1):
            send_file(on, data)
            told = await answer_to(on, count=number)
            assert told.startswith(KEPT_NOTHING), (name, told)
        count = len(list(hostile()))
        too_large = "That file is too large for me to put on: 1 MB is the most I can take here."
        send_file(on, bytes(100), file_size=2_000_000)
        assert await answer_to(on, count=count + 1) == too_large
        asked = len(on.telegram.made("getFile"))
        assert asked == count, "what is announced as too large is not fetched"
        send_file(on, bytes(2_000_000), file_size=100)
        assert await answer_to(on, count=count + 2) == too_large
        send_file(on, bytes(100), file_id="gone")
        assert (await answer_to(on, count=count + 3)).startswith("I couldn't fetch that file")
        send_file(on, a_doll(), name="notes.txt")
        assert (await answer_to(on, count=count + 4)).startswith("I can't open files yet")
        assert kept(on) == []
        assert await chosen(on) is None
        on.telegram.say("still there?")
        await sent(on, "photo", 1)
        assert await chosen(on) is None


async def test_three_files_are_kept_and_the_oldest_makes_room(tmp_path: Path, cache: str) -> None:
    async with a_stage(tmp_path, cache, **ON) as on:
        await on.bot.start()
        files: list[set[Path]] = []
        for number in range(4):
            send_file(on, a_doll(number), name=f"doll {number}.vrm")
            assert await answer_to(on, count=number + 1) == (
                f"How do I look? From now on I am doll {number}."
            )
            files.append(set(kept(on)))
        assert [len(one) for one in files] == [1, 2, 3, 3]
        assert not files[0] & files[3], "the oldest is gone"
        async with on.book() as book, book.store.reading() as connection:
            names = (await read_user_settings(connection, 1))["avatar_names"]
        assert sorted(names.values()) == ["doll 1", "doll 2", "doll 3"]


async def test_in_a_group_nothing_is_taken(tmp_path: Path, cache: str) -> None:
    async with a_stage(tmp_path, cache, **ON) as on:
        await on.bot.start()
        file_id = on.telegram.add_file(a_doll())
        document = {"file_id": file_id, "file_unique_id": "u", "file_name": "a.vrm", "file_size": 10}
        mention = {"type": "mention", "offset": 0, "length": len("@otomo_test_bot")}
        reply = on.telegram.group()
        username = (await on.telegram.wait_for("getMe")).result["username"]
        mention["length"] = len(username) + 1
        content = {"document": document, "caption": f"@{username}", "caption_entities": [mention]}
        on.telegram.post(content, ANNA, reply)

        async def answered() -> bool:
            return bool(on.telegram.texts_to(reply["id"]))

        await until(answered)
        assert not on.telegram.made("getFile")
        assert kept(on) == []


async def send_on_discord(server: DiscordServer, data: bytes, address: str = "") -> None:
    number = server.snowflake()
    server.files[number] = data
    url = address or f"http://{server.base}/attachments/1/{number}/Mine.vrm"
    attachment = {"id": number, "filename": "Mine.vrm", "size": len(data), "url": url, "proxy_url": url}
    message = server.message(ALICE, "", attachments=[attachment])
    server.messages.append(message)
    await server.dispatch("MESSAGE_CREATE", message)


async def told_on_discord(server: DiscordServer, count: int) -> str:
    async def heard() -> bool:
        return len(said(server)) >= count

    await until(heard)
    return said(server)[count - 1]


async def test_on_discord_files_come_from_discord_only(tmp_path: Path, cache: str) -> None:
    async with discord_server() as server, discord_server() as other, ModelServer() as model:
        settings = {**discord_environment(server), **model_environment(model), **ON}
        drawn = {"OTOMO_RENDER__ENABLED": "true", "OTOMO_CACHE_DIR": cache, "OTOMO_RENDER__TIMEOUT_S": "60"}
        async with BotProcess(tmp_path, **drawn, **settings) as bot:
            await bot.start()
            await send_on_discord(server, a_doll(), f"http://{other.base}/attachments/1/2/Mine.vrm")
            assert (await told_on_discord(server, 1)).startswith("I couldn't fetch that file")
            assert other.requests == []
            await send_on_discord(server, b"glTF" + bytes(60))
            assert (await told_on_discord(server, 2)).startswith(KEPT_NOTHING)
            await send_on_discord(server, a_doll())
            assert await told_on_discord(server, 3) == "How do I look? From now on I am Mine."
            assert next(m for m in server.messages if "I am Mine" in m["content"])["attachments"]
            assert await bot.stop() == 0
    async with open_book(tmp_path) as book, book.store.reading() as connection:
        assert (await read_user_settings(connection, 1))["avatar"].startswith("own/1/")


@pytest.mark.parametrize(
    ("uploads", "answer"), [("true", "From now on I am Mine"), ("false", "I can't open files yet")]
)
async def test_at_the_terminal_a_path_is_enough(
    tmp_path: Path, cache: str, uploads: str, answer: str
) -> None:
    (tmp_path / "Mine.vrm").write_bytes(a_doll())
    lines = f"/avatar {tmp_path / 'Mine.vrm'}\n/avatar {tmp_path / 'Missing.vrm'}\n"
    drawn = {"OTOMO_RENDER__ENABLED": "true", "OTOMO_CACHE_DIR": cache, "OTOMO_RENDER__UPLOADS": uploads}
    code, out, errors = await run(tmp_path, "chat", "--plain", said=lines, **drawn)
    assert code == 0, errors
    assert answer in out
    assert ("I couldn't fetch that file" in out) == (uploads == "true")
