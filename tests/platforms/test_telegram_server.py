"""The Bot API fake keeps the rules itself, tried with a plain HTTP client."""

from __future__ import annotations

import asyncio
import io
import json

import aiohttp
import pytest
from PIL import Image

from tests.telegram_server import ANNA, TelegramServer


def a_png(width=8, height=8) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height)).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
async def server():
    async with TelegramServer() as running:
        running.say("hi")
        yield running


@pytest.fixture
async def call(server):
    async with aiohttp.ClientSession() as session:

        async def post(method, token=server.token, **params):
            async with session.post(f"{server.url}{token}/{method}", json=params) as answer:
                return answer.status, await answer.json()

        yield post


async def test_a_wrong_token_is_unauthorized(call):
    status, answer = await call("getMe", token="1:wrong")
    assert (status, answer["description"]) == (401, "Unauthorized")


async def test_updates_stay_until_a_higher_offset_confirms_them(server, call):
    _, first = await call("getUpdates")
    _, again = await call("getUpdates")
    assert first == again
    last = first["result"][-1]["update_id"]
    _, empty = await call("getUpdates", offset=last + 1)
    assert empty["result"] == []
    assert server.confirmed == [last]


async def test_a_second_poller_ends_the_first(server, call):
    await call("getUpdates", offset=10**9)
    first = asyncio.create_task(call("getUpdates", timeout=30))
    await server.wait_until(lambda: len(server.made("getUpdates")) == 2)
    second = asyncio.create_task(call("getUpdates", timeout=1))
    status, answer = await first
    assert status == 409
    assert answer["description"].startswith("Conflict")
    assert (await second)[0] == 200


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "  "}, "message text is empty"),
        ({"text": "hi", "chat_id": 5}, "chat not found"),
        ({"text": "a<b", "parse_mode": "HTML"}, "can't parse entities"),
        ({"text": "<b>a</i>", "parse_mode": "HTML"}, "can't parse entities"),
        ({"text": "1. a", "parse_mode": "MarkdownV2"}, "is reserved"),
        ({"text": "*a", "parse_mode": "MarkdownV2"}, "can't parse entities"),
        ({"text": "😀", "entities": [{"type": "bold", "offset": 1, "length": 1}]}, "middle of a UTF-16"),
        ({"text": "ab", "entities": [{"type": "bold", "offset": 0, "length": 3}]}, "can't parse entities"),
        (
            {"text": "a", "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "é" * 33}]]}},
            "BUTTON_DATA_INVALID",
        ),
    ],
)
async def test_what_send_message_refuses(call, params, reason):
    status, answer = await call("sendMessage", **({"chat_id": ANNA["id"]} | params))
    assert status == 400
    assert reason in answer["description"]


async def test_what_send_message_takes(server, call):
    for text in ("x" * 4096, "😀" * 4096):
        assert (await call("sendMessage", chat_id=ANNA["id"], text=text))[0] == 200
    html = {"text": "<b>" + "&amp;" * 4096 + "</b>", "parse_mode": "HTML"}
    assert (await call("sendMessage", chat_id=ANNA["id"], **html))[0] == 200
    assert server.texts_to()[2] == "&" * 4096


async def test_photos_by_upload_and_by_id(server):
    form = aiohttp.FormData({"chat_id": str(ANNA["id"]), "photo": "attach://one", "caption": "c" * 1024})
    form.add_field("one", a_png(), filename="one.png")
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{server.url}{server.token}/sendPhoto", data=form) as answer:
            file_id = (await answer.json())["result"]["photo"][-1]["file_id"]
        query = {"chat_id": str(ANNA["id"]), "photo": file_id}
        async with session.get(f"{server.url}{server.token}/sendPhoto", params=query) as answer:
            assert answer.status == 200
        async with session.get(f"{server.url}{server.token}/getFile", params={"file_id": file_id}) as answer:
            path = (await answer.json())["result"]["file_path"]
        async with session.get(f"{server.file_url}{server.token}/{path}") as answer:
            assert await answer.read() == a_png()


async def test_photo_limits(server):
    async with aiohttp.ClientSession() as session:
        for data, caption in (
            (a_png(9000, 1001), ""),
            (a_png(210, 10), ""),
            (b"no", ""),
            (a_png(), "c" * 1025),
        ):
            form = aiohttp.FormData({"chat_id": str(ANNA["id"]), "caption": caption})
            form.add_field("photo", data, filename="one.png")
            async with session.post(f"{server.url}{server.token}/sendPhoto", data=form) as answer:
                assert answer.status == 400


async def test_editing_to_the_same_is_refused(call):
    _, sent = await call("sendMessage", chat_id=ANNA["id"], text="a")
    where = {"chat_id": ANNA["id"], "message_id": sent["result"]["message_id"]}
    assert (await call("editMessageText", **where, text="b"))[0] == 200
    status, answer = await call("editMessageText", **where, text="b")
    assert (status, "message is not modified" in answer["description"]) == (400, True)


async def test_commands_and_presses(server, call):
    good = [{"command": "start", "description": "Begin"}]
    assert (await call("setMyCommands", commands=good))[0] == 200
    assert (await call("setMyCommands", commands=[{"command": "Start", "description": "x"}]))[0] == 400
    _, sent = await call("sendMessage", chat_id=ANNA["id"], text="a")
    press = server.press(sent["result"], "yes")
    assert (await call("answerCallbackQuery", callback_query_id=press["id"]))[0] == 200
    assert (await call("answerCallbackQuery", callback_query_id=press["id"]))[0] == 400


async def test_faults(server, call):
    server.fail("sendMessage", status=429, retry_after=3, description="Too Many Requests: retry after 3")
    status, answer = await call("sendMessage", chat_id=ANNA["id"], text="a")
    assert (status, answer["parameters"]) == (429, {"retry_after": 3})
    server.misbehave("sendMessage", "drop before")
    server.misbehave("sendMessage", "drop after")
    for _ in range(2):
        with pytest.raises(aiohttp.ClientError):
            await call("sendMessage", chat_id=ANNA["id"], text="b")
    assert server.texts_to() == ["b"]
    server.block()
    assert (await call("sendMessage", chat_id=ANNA["id"], text="c"))[0] == 403


async def test_drafts_only_in_private_chats(server, call):
    server.say("hi @otomo_test_bot", chat=server.group())
    assert (await call("sendMessageDraft", chat_id=ANNA["id"], draft_id=1, text="He"))[0] == 200
    assert (await call("sendMessageDraft", chat_id=-2002, draft_id=1, text="He"))[0] == 400
    assert server.drafts == [{"chat_id": ANNA["id"], "draft_id": 1, "text": "He"}]


async def test_a_webhook_gets_every_update_in_order(server, call):
    from aiohttp import web

    got, refused = [], [True]

    async def take(request):
        if refused.pop() if refused else False:
            return web.Response(status=500)
        got.append((request.headers["X-Telegram-Bot-Api-Secret-Token"], json.loads(await request.text())))
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        server.say("two")
        await call("setWebhook", url=f"http://127.0.0.1:{runner.addresses[0][1]}/hook", secret_token="s")
        await server.wait_until(lambda: len(server.confirmed) == 2)
        assert [(secret, update["message"]["text"]) for secret, update in got] == [("s", "hi"), ("s", "two")]
        assert (await call("getUpdates"))[0] == 409
    finally:
        await call("deleteWebhook")
        await runner.cleanup()
