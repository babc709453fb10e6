"""What comes in: over real HTTP, from the Bot API fake to `accept`."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from pydantic import SecretStr

from bot.errors import PlatformDown, StoreError
from bot.platforms.on_telegram import OnTelegram, TelegramSettings
from bot.ports import Button, CommandSpec, Send
from engine.conversation import Address
from tests.telegram_server import ANNA, BOT, TOKEN, TelegramServer

COMMANDS = tuple(CommandSpec(name, f"What {name} does") for name in ("start", "help", "status", "stop"))
BEN = {"id": 1002, "is_bot": False, "first_name": "Ben", "last_name": "B", "language_code": "pt-br"}
ROBOT = {"id": 77, "is_bot": True, "first_name": "Robot", "username": "other_bot"}


def settings_for(server: TelegramServer, **more) -> TelegramSettings:
    given = {"answer_s": 5.0, "retry_s": (0.02,), "poll_s": 20} | more
    token = SecretStr(given.pop("token", TOKEN))
    return TelegramSettings(token, server.url, server.file_url, **given)


class Inbox:
    """Keeps what was accepted, once per key, like the real one; can refuse for a while."""

    def __init__(self) -> None:
        self.got = []
        self.keys: set[str] = set()
        self.refusals = 0
        self.attempts = 0

    async def accept(self, incoming) -> bool:
        self.attempts += 1
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise StoreError("the database is locked")
        if incoming.key in self.keys:
            return False
        self.keys.add(incoming.key)
        self.got.append(incoming)
        return True


@pytest.fixture
async def server():
    async with TelegramServer() as running:
        yield running


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
async def start(server, inbox):
    """Start a platform; all are closed at the end, and nothing may be left running."""
    running = []

    async def begin(**more) -> OnTelegram:
        platform = OnTelegram(settings_for(server, **more), COMMANDS)
        running.append(platform)
        await platform.start(inbox.accept)
        return platform

    yield begin
    for platform in running:
        await platform.close()
    left = [task for task in asyncio.all_tasks() if "telegram" in task.get_name()]
    assert left == []


async def heard(server, inbox, count=1):
    await server.wait_until(lambda: len(inbox.got) >= count)
    return inbox.got[count - 1]


async def handled_all(server):
    """Wait until every queued update was taken and confirmed."""
    await server.wait_until(lambda: not server.waiting)


async def test_a_private_message(server, inbox, start):
    await start()
    message = server.say("hello \x00you", BEN)
    incoming = await heard(server, inbox)
    assert incoming.kind == "message"
    assert incoming.key == f"telegram:{BOT['id']}:{BEN['id']}:{message['message_id']}"
    assert incoming.text == "hello you"
    assert incoming.display_name == "Ben B"
    assert incoming.language == "pt"
    assert incoming.cannot_take is None
    address = incoming.address
    assert (address.platform, address.account, address.chat) == ("telegram", str(BEN["id"]), str(BEN["id"]))
    assert address.private
    assert address.thread is None
    assert incoming.sent_at == datetime.fromtimestamp(message["date"], UTC)
    assert abs(datetime.now(UTC) - incoming.sent_at) < timedelta(minutes=5)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("/start", "/start"),
        ("/start ref_42", "/start ref_42"),
        ("/Help@Otomo_Test_Bot", "/help"),
        ("/forget everything now", "/forget everything now"),
    ],
)
async def test_commands(server, inbox, start, said, command):
    await start()
    server.say(said)
    incoming = await heard(server, inbox)
    assert (incoming.kind, incoming.text) == ("command", command)


@pytest.mark.parametrize("said", ["/help@other_bot", "/", "/ help", "see /help"])
async def test_what_only_looks_like_a_command(server, inbox, start, said):
    await start()
    server.say(said)
    incoming = await heard(server, inbox)
    assert (incoming.kind, incoming.text) == ("message", said)


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        ({"voice": {"file_id": "f", "file_unique_id": "f", "duration": 3}}, "voice", ""),
        (
            {"video_note": {"file_id": "f", "file_unique_id": "f", "duration": 3, "length": 9}},
            "video_note",
            "",
        ),
        (
            {
                "video": {"file_id": "f", "file_unique_id": "f", "duration": 3, "width": 9, "height": 9},
                "caption": "me",
            },
            "video",
            "me",
        ),
        ({"audio": {"file_id": "f", "file_unique_id": "f", "duration": 3}}, "audio", ""),
        (
            {"photo": [{"file_id": "f", "file_unique_id": "f", "width": 9, "height": 9}], "caption": "look"},
            "photo",
            "look",
        ),
        ({"document": {"file_id": "f", "file_unique_id": "f"}}, "document", ""),
        ({"location": {"longitude": 1.0, "latitude": 2.0}}, "location", ""),
        ({"contact": {"phone_number": "1", "first_name": "C"}}, "contact", ""),
        ({"dice": {"emoji": "🎲", "value": 3}}, "dice", ""),
        (
            {
                "poll": {
                    "id": "1",
                    "question": "q",
                    "options": [],
                    "total_voter_count": 0,
                    "is_closed": False,
                    "is_anonymous": True,
                    "type": "regular",
                    "allows_multiple_answers": False,
                    "allows_revoting": False,
                    "members_only": False,
                }
            },
            "poll",
            "",
        ),
        (
            {
                "sticker": {
                    "file_id": "f",
                    "file_unique_id": "f",
                    "type": "regular",
                    "width": 9,
                    "height": 9,
                    "is_animated": False,
                    "is_video": False,
                }
            },
            "sticker",
            "",
        ),
    ],
)
async def test_what_she_cannot_take_yet(server, inbox, start, content, kind, text):
    await start()
    server.post(content)
    incoming = await heard(server, inbox)
    assert (incoming.kind, incoming.cannot_take, incoming.text) == ("message", kind, text)


async def test_edits_bots_blocks_and_service_messages_are_nothing(server, inbox, start):
    await start()
    message = server.say("first")
    server.edit(message, "second")
    server.say("I am a bot", ROBOT, chat=server.group())
    server.post({"new_chat_title": "x"})
    server.block()
    server.unblock()
    server.push("channel_post", {})
    server.say("last")
    await heard(server, inbox, 2)
    await handled_all(server)
    assert [incoming.text for incoming in inbox.got] == ["first", "last"]


async def test_in_groups_only_what_addresses_her(server, inbox, start):
    await start()
    group = server.group()
    server.say("nothing for you", chat=group)
    server.say("/weather", chat=group)
    server.say("/help@other_bot", chat=group)
    server.say("@otomo_test_bot what do you think?", chat=group)
    server.say("and you, @Otomo_Test_Bot?", chat=group)
    server.say("@otomo_test_bot", chat=group)
    server.say("/help", chat=group)
    server.say("/weather@otomo_test_bot now", chat=group)
    hers = {"message_id": 1, "date": 1, "chat": group, "from": BOT, "text": "mine"}
    server.say("I agree", BEN, chat=group, reply_to_message=hers)
    bens = {"message_id": 2, "date": 1, "chat": group, "from": BEN, "text": "his"}
    server.say("I agree, too", chat=group, reply_to_message=bens)
    mention = {"type": "text_mention", "offset": 0, "length": 5, "user": BOT}
    server.post({"text": "Otomo hello", "entities": [mention]}, chat=group)
    await handled_all(server)
    assert [(incoming.kind, incoming.text) for incoming in inbox.got] == [
        ("message", "what do you think?"),
        ("message", "and you, ?"),
        ("message", "@otomo_test_bot"),
        ("command", "/help"),
        ("command", "/weather now"),
        ("message", "I agree"),
        ("message", "Otomo hello"),
    ]
    assert not any(incoming.address.private for incoming in inbox.got)
    assert {incoming.address.chat for incoming in inbox.got} == {"-2002"}


async def test_topics_are_kept_and_reply_threads_are_not(server, inbox, start):
    await start()
    server.say("in a topic", message_thread_id=9, is_topic_message=True)
    server.say("in a thread", message_thread_id=9)
    await heard(server, inbox, 2)
    assert [incoming.address.thread for incoming in inbox.got] == ["9", None]


async def test_a_press_is_a_choice_and_answered_at_once(server, inbox, start):
    server.meet()
    platform = await start()
    home = Address("telegram", str(ANNA["id"]), str(ANNA["id"]))
    await platform.send(
        Send(home, "n1", "Choose", buttons=(Button("Go", "scene7:0"), Button("Stay", "scene7:1")))
    )
    (message,) = server.sent
    press = server.press(message, "scene7:1")
    incoming = await heard(server, inbox)
    assert (incoming.kind, incoming.text) == ("choice", "scene7:1")
    assert incoming.key == f"telegram:{BOT['id']}:press:{press['id']}"
    assert incoming.address.account == str(ANNA["id"])
    await server.wait_until(lambda: press["id"] in server.answered)


async def test_order_is_kept(server, inbox, start):
    for number in range(250):
        server.say(str(number))
    await start()
    await heard(server, inbox, 250)
    assert [incoming.text for incoming in inbox.got] == [str(number) for number in range(250)]


async def test_nothing_is_confirmed_before_it_was_accepted(server, inbox, start):
    await start()
    inbox.refusals = 10**6
    server.say("keep me")
    await server.wait_until(lambda: inbox.attempts >= 3)
    assert len(server.waiting) == 1
    assert server.confirmed == []
    inbox.refusals = 0
    await heard(server, inbox)
    await handled_all(server)


async def test_after_a_failed_store_and_a_restart_it_comes_again(server, inbox, start):
    first = await start()
    server.say("one")
    await heard(server, inbox)
    inbox.refusals = 10**6
    server.say("two")
    server.say("three")
    await server.wait_until(lambda: inbox.attempts >= 3)
    await first.close()
    assert len(server.waiting) == 2
    inbox.refusals = 0
    await start()
    await heard(server, inbox, 3)
    assert [incoming.text for incoming in inbox.got] == ["one", "two", "three"]


async def test_a_kill_between_accept_and_confirmation_delivers_twice_under_one_key(server, inbox, start):
    platform = await start()
    server.say("only once")
    await heard(server, inbox)
    await handled_all(server)
    server.say("killed")
    killed = server.updates[0]
    await heard(server, inbox, 2)
    platform._main.cancel()
    await asyncio.wait([platform._main])
    if not server.waiting:
        server.push_again(killed)
    await start()
    await handled_all(server)
    assert inbox.attempts >= 3
    assert [incoming.text for incoming in inbox.got] == ["only once", "killed"]


async def test_what_was_accepted_is_confirmed_at_the_stop(server, inbox, start):
    platform = await start()
    server.say("bye")
    await heard(server, inbox)
    await platform.quiesce()
    assert server.waiting == []
    await platform.ended()


async def test_after_quiesce_nothing_more_is_taken(server, inbox, start):
    platform = await start()
    await platform.quiesce()
    server.say("too late")
    await asyncio.sleep(0.1)
    assert inbox.got == []
    assert len(server.waiting) == 1


async def test_the_menu_per_kind_of_chat(server, start):
    await start()
    await server.wait_for("setMyCommands", 2)
    names = {scope: [entry["command"] for entry in menu] for (scope, _), menu in server.commands.items()}
    assert names == {"all_private_chats": ["start", "help", "status", "stop"], "all_group_chats": ["help"]}


async def test_it_asks_for_the_right_kinds_of_updates(server, start):
    await start()
    await server.wait_until(lambda: bool(server.made("getUpdates")))
    assert server.made("getUpdates")[0].params["allowed_updates"] == [
        "message",
        "edited_message",
        "callback_query",
        "message_reaction",
        "my_chat_member",
    ]


async def test_an_update_that_cannot_be_read_hides_nothing(server, inbox, start, caplog):
    await start()
    server.push("message", {"text": "no id, no chat"})
    server.say("fine")
    assert (await heard(server, inbox)).text == "fine"
    await handled_all(server)


async def test_a_wrong_token_is_one_line_without_the_token(server, start, caplog):
    caplog.set_level("DEBUG")
    for name in ("telegram", "telegram.Bot", "telegram.request.BaseRequest", "httpx", "httpcore"):
        caplog.set_level("DEBUG", logger=name)
    with pytest.raises(PlatformDown) as caught:
        await start(token="123:wrong-token-value")
    assert "\n" not in str(caught.value)
    assert "token" in str(caught.value)
    assert "wrong-token-value" not in str(caught.value)
    assert "wrong-token-value" not in caplog.text
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


async def test_an_empty_token_is_the_same(server, start):
    with pytest.raises(PlatformDown, match="token"):
        await start(token="")


async def test_a_token_revoked_later_ends_the_platform(server, start):
    platform = await start()
    server.fail("getUpdates", status=401, times=1000, description="Unauthorized")
    server.say("wake up")
    with pytest.raises(PlatformDown, match="token"):
        await asyncio.wait_for(platform.ended(), 20)


async def test_a_second_poller_ends_it_with_a_clear_line(server, start, caplog):
    platform = await start(conflicts=3)
    server.fail(
        "getUpdates", status=409, times=1000, description="Conflict: terminated by other getUpdates request"
    )
    server.say("wake up")
    with pytest.raises(PlatformDown, match="another program"):
        await asyncio.wait_for(platform.ended(), 20)
    assert sum("trying again" in record.message for record in caplog.records) == 1


async def test_of_two_pollers_one_gives_up_and_one_goes_on(server, inbox, start):
    two = [await start(conflicts=4), await start(conflicts=4)]
    ends = [asyncio.create_task(platform.ended()) for platform in two]
    done, going_on = await asyncio.wait(ends, timeout=20, return_when=asyncio.FIRST_COMPLETED)
    assert (len(done), len(going_on)) == (1, 1)
    with pytest.raises(PlatformDown, match="another program"):
        done.pop().result()
    server.say("who is there?")
    await heard(server, inbox)
    await handled_all(server)
    assert len(inbox.got) == 1
    going_on.pop().cancel()


async def test_a_passing_conflict_is_survived(server, inbox, start):
    server.fail(
        "getUpdates", status=409, times=3, description="Conflict: terminated by other getUpdates request"
    )
    await start(conflicts=3)
    server.say("hello")
    await heard(server, inbox)


@pytest.mark.parametrize(
    "trouble",
    [
        lambda server: server.fail("getUpdates", status=502, times=3),
        lambda server: server.fail("getUpdates", status=429, times=1, retry_after=1),
        lambda server: server.misbehave("getUpdates", "drop before", times=3),
        lambda server: server.misbehave("getUpdates", "garbage", times=3),
        lambda server: server.fail("deleteWebhook", status=500, times=2),
        lambda server: server.fail("getMe", status=502, times=2),
        lambda server: server.misbehave("getMe", "drop before", times=2),
        lambda server: server.fail("setMyCommands", status=400, times=2),
    ],
)
async def test_troubles_pass(server, inbox, start, trouble):
    trouble(server)
    server.say("hello")
    await start()
    await heard(server, inbox)


async def test_without_a_network_it_starts_later(inbox, server):
    address = server.port
    await server.stop()
    platform = OnTelegram(settings_for(server), COMMANDS)
    await platform.start(inbox.accept)
    try:
        async with TelegramServer(port=address) as again:
            again.say("you are back")
            await heard(again, inbox)
            await platform.quiesce()
    finally:
        await platform.close()


async def test_it_stops_while_there_is_no_network(inbox, server):
    await server.stop()
    platform = OnTelegram(settings_for(server, retry_s=(3600.0,)), COMMANDS)
    starting = asyncio.create_task(platform.start(inbox.accept))
    await asyncio.sleep(0.2)
    await asyncio.wait_for(platform.close(), 10)
    await asyncio.wait_for(starting, 10)
    await asyncio.wait_for(platform.close(), 10)


async def test_it_stops_while_telegram_hangs(server, start):
    server.misbehave("deleteWebhook", "hang")
    platform = await start(answer_s=60.0)
    await server.wait_until(lambda: bool(server.made("deleteWebhook")))
    await asyncio.wait_for(platform.close(), 10)


async def test_closing_without_a_start_is_harmless():
    platform = OnTelegram(TelegramSettings(SecretStr(TOKEN)))
    await platform.quiesce()
    await platform.close()
    await platform.ended()


async def test_no_token_in_any_log(server, inbox, start, caplog):
    caplog.set_level("DEBUG")
    for name in ("telegram", "telegram.Bot", "telegram.request.BaseRequest", "httpx", "httpcore"):
        caplog.set_level("DEBUG", logger=name)
    server.fail("getUpdates", status=502, times=2)
    server.misbehave("getUpdates", "garbage", times=1)
    server.misbehave("getUpdates", "drop before", times=1)
    await start()
    server.say("my private words")
    await heard(server, inbox)
    assert caplog.records
    assert TOKEN not in caplog.text
    assert TOKEN.partition(":")[2] not in caplog.text
    assert "my private words" not in caplog.text


@pytest.fixture
def free_port(unused_tcp_port):
    return unused_tcp_port


async def test_the_webhook_takes_updates_in_order_and_only_with_the_secret(server, inbox, start, free_port):
    where = f"http://127.0.0.1:{free_port}/telegram"
    server.say("before")
    await start(mode="webhook", webhook_url=where, webhook_port=free_port, webhook_secret=SecretStr("s3cret"))
    inbox.refusals = 2
    server.say("after")
    await heard(server, inbox, 2)
    await handled_all(server)
    assert [incoming.text for incoming in inbox.got] == ["before", "after"]
    assert server.webhook["max_connections"] == 1
    async with aiohttp.ClientSession() as session:
        forged = json.dumps({"update_id": 1, "message": {}})
        for headers in ({}, {"X-Telegram-Bot-Api-Secret-Token": "guess"}):
            async with session.post(where, data=forged, headers=headers) as answer:
                assert answer.status == 403
        good = {"X-Telegram-Bot-Api-Secret-Token": "s3cret"}
        for body, status in (("no json", 400), (forged, 200)):
            async with session.post(where, data=body, headers=good) as answer:
                assert answer.status == status
    assert len(inbox.got) == 2


async def test_a_webhook_without_a_secret_is_refused(start):
    with pytest.raises(PlatformDown, match="secret"):
        await start(mode="webhook", webhook_url="https://example.org/x")
