"""What goes out: over real HTTP, from Send to the Bot API fake, with every fault it can have."""

from __future__ import annotations

import asyncio
import io

import pytest
from PIL import Image
from pydantic import SecretStr

from bot.errors import MaybeSent, NotSent, PlatformDown, Rejected, SendError, SendLater, Unreachable
from bot.platforms.formatting import split
from bot.platforms.on_telegram import OnTelegram, TelegramSettings
from bot.platforms.telegram_settings import TELEGRAM_LIMITS
from bot.ports import Button, Picture, Send
from engine.conversation import Address
from tests.telegram_server import ANNA, TOKEN, TelegramServer

HOME = Address("telegram", str(ANNA["id"]), str(ANNA["id"]))


def a_picture(mime="image/png", reference=None, size=(64, 64)) -> Picture:
    stream = io.BytesIO()
    Image.new("RGB", size).save(stream, "GIF" if mime == "image/gif" else "PNG")
    return Picture(stream.getvalue(), mime, "face.gif" if mime == "image/gif" else "face.png", reference)


def a_send(text="hello", **more) -> Send:
    return Send(more.pop("address", HOME), "n1", text, **more)


@pytest.fixture
async def server():
    async with TelegramServer() as running:
        running.meet()
        yield running


async def ignored(incoming) -> bool:
    return True


@pytest.fixture
async def platform(server):
    settings = TelegramSettings(
        SecretStr(TOKEN), server.url, server.file_url, answer_s=2.0, retry_s=(0.02,), poll_s=20
    )
    telegram = OnTelegram(settings)
    await telegram.start(ignored)
    yield telegram
    await telegram.close()


async def test_text_with_entities_and_without_previews(server, platform):
    receipt = await platform.send(a_send("😀 **bold** and *soft*"))
    (sent,) = server.sent
    assert sent["text"] == "😀 bold and soft"
    assert [(e["type"], e["offset"], e["length"]) for e in sent["entities"]] == [
        ("bold", 3, 4),
        ("italic", 12, 4),
    ]
    assert receipt.message_id == str(sent["message_id"])
    assert receipt.picture_reference is None
    params = server.made("sendMessage")[0].params
    assert params["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in params


async def test_plain_text_stays_as_it_is(server, platform):
    await platform.send(a_send("**not bold** 2*3*4", plain=True))
    assert server.texts_to() == ["**not bold** 2*3*4"]
    assert "entities" not in server.sent[0]


async def test_a_picture_with_its_text_and_again_by_its_id(server, platform):
    picture = a_picture()
    receipt = await platform.send(a_send("*look*", picture=picture))
    assert server.sent[0]["caption"] == "look"
    assert server.sent[0]["caption_entities"][0]["type"] == "italic"
    reference = receipt.picture_reference
    assert server.files[reference] == picture.data
    await platform.send(a_send("", picture=a_picture(reference=reference)))
    assert [len(call.files) for call in server.made("sendPhoto")] == [1, 0]
    assert "caption" not in server.sent[1]


async def test_a_forgotten_picture_is_uploaded_again_at_once(server, platform):
    receipt = await platform.send(a_send("hi", picture=a_picture(reference="long-gone")))
    assert server.texts_to() == ["hi"]
    assert receipt.picture_reference in server.files


async def test_a_moving_picture(server, platform):
    receipt = await platform.send(a_send("", picture=a_picture("image/gif")))
    assert server.sent[0]["animation"]["file_id"] == receipt.picture_reference
    await platform.send(a_send("", picture=a_picture("image/gif", receipt.picture_reference)))
    assert len(server.sent) == 2


@pytest.mark.parametrize(("mime", "kind"), [("video/mp4", "animation"), ("image/webp", "document")])
async def test_a_loop_plays_by_itself_and_a_transparent_picture_stays_transparent(
    server, platform, mime, kind
):
    receipt = await platform.send(a_send("look", picture=a_picture(mime)))
    (sent,) = server.sent
    assert sent[kind]["file_id"] == receipt.picture_reference
    assert sent["caption"] == "look"
    assert "photo" not in sent


async def test_buttons(server, platform):
    buttons = (Button("Yes", "s1:0"), Button("No", "s1:1"), Button("Maybe", "s1:2"))
    await platform.send(a_send(buttons=buttons))
    await platform.send(a_send(buttons=(Button("I would rather stay at home", "s2:0"), Button("No", "s2:1"))))
    first, second = (sent["reply_markup"]["inline_keyboard"] for sent in server.sent)
    assert [[key["text"] for key in row] for row in first] == [["Yes", "No", "Maybe"]]
    assert [len(row) for row in second] == [1, 1]
    assert first[0][1]["callback_data"] == "s1:1"


async def test_a_topic_is_echoed_and_left_out_when_it_is_gone(server, platform):
    address = Address("telegram", HOME.account, HOME.chat, thread="9")
    await platform.send(a_send("one", address=address))
    server.fail("sendMessage", status=400, description="Bad Request: message thread not found")
    await platform.send(a_send("two", address=address))
    assert [sent.get("message_thread_id") for sent in server.sent] == [9, None]


async def test_formatting_that_telegram_refuses_goes_again_as_plain_text(server, platform):
    server.fail("sendMessage", status=400, description="Bad Request: can't parse entities: unsupported")
    await platform.send(a_send("**hello** you"))
    assert server.texts_to() == ["**hello** you"]
    assert len(server.made("sendMessage")) == 2


@pytest.mark.parametrize(
    ("status", "description", "kind"),
    [
        (400, "Bad Request: message is too long", Rejected),
        (400, "Bad Request: chat not found", Unreachable),
        (400, "Bad Request: not enough rights to send text messages to the chat", Unreachable),
        (403, "Forbidden: bot was blocked by the user", Unreachable),
        (403, "Forbidden: user is deactivated", Unreachable),
        (413, "Request Entity Too Large", Rejected),
        (429, "Too Many Requests", SendLater),
        (500, "Internal Server Error", MaybeSent),
        (502, "Bad Gateway", MaybeSent),
        (504, "Gateway Timeout", MaybeSent),
        (401, "Unauthorized", NotSent),
    ],
)
async def test_what_refusals_mean(server, platform, status, description, kind):
    server.fail("sendMessage", status=status, description=description)
    with pytest.raises(SendError) as caught:
        await platform.send(a_send())
    assert type(caught.value) is kind
    assert TOKEN not in str(caught.value)
    assert server.sent == []


async def test_a_flood_wait_says_how_long(server, platform):
    server.fail("sendMessage", status=429, retry_after=7, description="Too Many Requests: retry after 7")
    with pytest.raises(SendLater) as caught:
        await platform.send(a_send())
    assert caught.value.after_s == 7
    await platform.send(a_send("later"))
    assert server.texts_to() == ["later"]


@pytest.mark.parametrize("fault", ["drop before", "drop after", "garbage"])
async def test_a_broken_answer_may_have_been_delivered(server, platform, fault):
    server.misbehave("sendMessage", fault)
    with pytest.raises(MaybeSent):
        await platform.send(a_send())
    assert len(server.made("sendMessage")) == 1, "it is never repeated by itself"


async def test_no_answer_may_have_been_delivered(server, platform):
    server.misbehave("sendMessage", "hang")
    with pytest.raises(MaybeSent):
        await platform.send(a_send())
    assert server.texts_to() == ["hello"]
    assert len(server.made("sendMessage")) == 1


async def test_no_connection_is_surely_not_sent(server, platform):
    await platform.quiesce()
    await server.stop()
    with pytest.raises(NotSent):
        await platform.send(a_send())


async def test_a_full_pool_is_surely_not_sent(server, platform):
    server.misbehave("sendMessage", "hang", times=64, hang_s=1.5)
    many = [asyncio.create_task(platform.send(a_send(str(number)))) for number in range(64)]
    await server.wait_until(lambda: len(server.made("sendMessage")) >= 60)
    pool = platform._bot.request
    with pytest.raises(NotSent):
        await asyncio.wait_for(_send_with_no_wait(platform, pool), 10)
    await asyncio.gather(*many, return_exceptions=True)


async def _send_with_no_wait(platform, pool):
    pool._client.timeout = type(pool._client.timeout)(2.0, pool=0.05)
    while True:
        await platform.send(a_send("one too many"))


async def test_a_blocked_user_is_unreachable_until_unblocked(server, platform):
    server.block()
    with pytest.raises(Unreachable):
        await platform.send(a_send())
    server.unblock()
    await platform.send(a_send("again"))
    assert server.texts_to() == ["again"]


async def test_a_group_that_has_moved_is_followed(server, platform):
    server.meet(chat=server.group(-1001))
    moved = "Bad Request: group chat was upgraded to a supergroup chat"
    server.fail("sendMessage", status=400, description=moved, migrate_to_chat_id=-1001)
    await platform.send(a_send("hi all", address=Address("telegram", "1", "-55", private=False)))
    assert server.texts_to(-1001) == ["hi all"]


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
async def test_nothing_is_not_sent(server, platform, text):
    with pytest.raises(Rejected):
        await platform.send(a_send(text))
    assert server.made("sendMessage") == []


ODD = [
    "x" * 10_000,
    "😀" * 4096,
    "😀" * 4097,
    "a" * 5000,
    "&" * 3000,
    "<b>" * 2000,
    "**" * 4000,
    "*a" * 3000,
    "**bo",
    "[a](http://evil.example) " * 300,
    "@everyone @name " * 400,
    "```py\n" + "x = 1\n" * 1500,
    "> " + "quote " * 1500,
    "\ud800lone\udfff",
    "e\u0301" * 3000,
    "👨‍👩‍👧‍👦" * 900,
    "# " + "h" * 4094,
    "`" * 4097,
    "***a** b*" * 600,
    "_*~|`" * 1000,
    "****",
    "``` ```",
    "||\n||",
]


@pytest.mark.parametrize("text", ODD, ids=[text[:8].encode("unicode_escape").decode() for text in ODD])
async def test_odd_texts_arrive_whole_and_without_a_refusal(server, platform, text):
    for piece in split(text, TELEGRAM_LIMITS, TELEGRAM_LIMITS.measure):
        await platform.send(a_send(piece))
    assert [call.status for call in server.made("sendMessage")] == [200] * len(server.sent)
    letters = "".join(server.texts_to())
    for character in set("xa😀&h1be") & set(text):
        assert letters.count(character) == text.count(character)
    assert "@name" not in letters


async def test_activities(server, platform):
    await platform.activity(HOME, "typing")
    await platform.activity(HOME, "upload_photo")
    assert [call.params["action"] for call in server.made("sendChatAction")] == ["typing", "upload_photo"]
    server.fail("sendChatAction", status=403, description="Forbidden: bot was blocked by the user")
    server.misbehave("sendChatAction", "drop before")
    await platform.activity(HOME, "typing")
    await platform.activity(HOME, "typing")
    assert len(server.made("sendChatAction")) == 4


async def test_sending_still_works_after_quiesce_and_not_after_close(server, platform):
    await platform.quiesce()
    await platform.send(a_send("last words"))
    assert server.texts_to() == ["last words"]
    await platform.close()
    with pytest.raises(PlatformDown):
        await platform.send(a_send())
    await platform.activity(HOME, "typing")
