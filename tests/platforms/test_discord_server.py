"""The whole adapter, network included, against a Discord of our own over HTTP and WebSocket."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from bot.errors import ConfigError, MaybeSent, NotSent, PlatformDown, Rejected, SendLater, StoreError
from bot.platforms import discord_delivery
from bot.platforms.on_discord import DiscordMemory, DiscordSettings, OnDiscord
from bot.ports import CommandSpec, Picture
from engine.conversation import Address, Incoming
from tests.platforms.discord_server import ALICE, DM, DiscordServer, discord_server
from tests.platforms.discord_world import send_to, until
from tests.platforms.test_discord_talk import PNG

ADDRESS = Address("discord", ALICE["id"], DM)


class Person:
    """The adapter, what it took, and what it remembers."""

    def __init__(self, server: DiscordServer, token: str = "", **settings: str) -> None:
        self.taken: list[Incoming] = []
        self.seen: dict[str, int] = {}
        self.failures: list[StoreError] = []
        addresses = {"api_base": server.api_base, **settings}
        self.memory = DiscordMemory(self._nothing, self._drop, self._load_seen, self._save_seen)
        self.platform = OnDiscord(
            DiscordSettings(SecretStr(token or server.token), **addresses),
            (CommandSpec("status", "how I feel"),),
            self.memory,
        )

    async def accept(self, incoming: Incoming) -> bool:
        if self.failures:
            raise self.failures.pop()
        if any(known.key == incoming.key for known in self.taken):
            return False
        self.taken.append(incoming)
        return True

    async def _nothing(self) -> str:
        return ""

    async def _drop(self, value: str) -> None:
        assert value

    async def _load_seen(self) -> dict[str, int]:
        return self.seen

    async def _save_seen(self, chat: str, message_id: int) -> None:
        self.seen[chat] = message_id


@asynccontextmanager
async def started(server: DiscordServer, **settings: str) -> AsyncIterator[Person]:
    person = Person(server, **settings)
    await person.platform.start(person.accept)
    try:
        yield person
    finally:
        await person.platform.close()


async def test_she_talks_to_the_server_that_api_base_names():
    async with discord_server() as server, started(server) as person:
        await server.dm("hello")
        await until(lambda: bool(person.taken))
        assert person.taken[0].address == ADDRESS
        receipt = await person.platform.send(send_to(ADDRESS, "hi"))
        assert server.messages[-1]["content"] == "hi"
        assert server.messages[-1]["id"] == receipt.message_id
        assert [command["name"] for command in server.commands] == ["status"]
        assert server.identified[0]["intents"] & (1 << 15) == 0, "message content is not asked for"


async def test_gateway_url_alone_can_be_set():
    async with (
        discord_server() as server,
        discord_server() as other,
        started(server, gateway_url=other.gateway_url),
    ):
        assert len(other.identified) == 1
        assert server.identified == []
        assert ("GET", "/gateway") not in server.requests


async def test_two_clients_of_one_process_talk_to_two_servers():
    async with (
        discord_server() as one,
        discord_server() as two,
        started(one) as first,
        started(two) as second,
    ):
        await first.platform.send(send_to(ADDRESS, "to one"))
        await second.platform.send(send_to(ADDRESS, "to two"))
        assert [m["content"] for m in one.messages] == ["to one"]
        assert [m["content"] for m in two.messages] == ["to two"]


async def test_interaction_is_acknowledged_and_answered_from_another_task():
    async with discord_server() as server, started(server) as person:
        token = await server.slash("status")
        await until(lambda: bool(person.taken))
        assert person.taken[0].text == "/status"
        assert person.taken[0].language == "de"
        picture = Picture(PNG, "image/png", "happy.png")
        await asyncio.create_task(person.platform.send(send_to(ADDRESS, "fine", picture=picture)))
        assert server.callbacks[0]["type"] == 5
        assert server.callbacks[1]["path"].endswith(f"{token}/messages/@original")
        assert server.callbacks[1]["content"] == "fine"


async def test_command_is_taken_again_where_the_store_fails_for_a_moment():
    async with discord_server() as server, started(server) as person:
        person.failures.append(StoreError("locked"))
        await server.slash("status")
        await until(lambda: bool(person.taken))
        assert len(server.callbacks) == 1


@pytest.mark.parametrize(
    "place",
    [
        {"context": 2, "channel_id": "5", "channel": {"id": "5", "type": 3, "recipients": [], "name": "us"}},
        {
            "context": 0,
            "channel_id": "5",
            "channel": {"id": "5", "type": 0, "name": "general", "permissions": "0", "position": 0},
            "guild_id": "6",
            "guild": {"id": "6", "features": [], "locale": "en-US"},
            "member": {"user": ALICE, "roles": [], "joined_at": None, "permissions": "0", "flags": 0},
        },
    ],
    ids=["group of people", "server without the bot"],
)
async def test_where_only_the_interaction_can_answer_all_is_hidden_and_limited(place):
    async with discord_server() as server, started(server) as person:
        token = await server.slash("status", authorizing_integration_owners={"1": ALICE["id"]}, **place)
        await until(lambda: bool(person.taken))
        address = person.taken[0].address
        assert not address.private
        assert server.callbacks[0]["data"]["flags"] == 64
        for number in range(6):
            await person.platform.send(send_to(address, f"part {number}", f"n{number}"))
        with pytest.raises(Rejected):
            await person.platform.send(send_to(address, "part 6", "n6"))
        await person.platform.activity(address, "typing")
        assert [call["content"] for call in server.callbacks[1:]] == [f"part {n}" for n in range(6)]
        assert all(token in call["path"] for call in server.callbacks)
        assert all(call["flags"] & 64 for call in server.callbacks[2:])
        assert not [path for _, path in server.requests if path.startswith("/channels/")]


async def test_delivery_that_hangs_is_given_up_as_doubtful(monkeypatch):
    monkeypatch.setattr(discord_delivery, "LONGEST_SEND_S", 0.2)
    async with discord_server() as server, started(server) as person:
        server.fail("POST", "/messages", "hang")
        with pytest.raises(MaybeSent):
            await person.platform.send(send_to(ADDRESS, "hi"))


async def test_same_nonce_twice_is_one_message():
    async with discord_server() as server, started(server) as person:
        picture = Picture(PNG, "image/png", "happy.png")
        first = await person.platform.send(send_to(ADDRESS, "hi", "same", picture=picture))
        second = await person.platform.send(send_to(ADDRESS, "hi", "same", picture=picture))
        assert first == second
        assert len(server.messages) == 1


async def test_connection_that_breaks_after_delivery_may_have_sent_and_a_repeat_is_harmless():
    async with discord_server() as server, started(server) as person:
        server.fail("POST", "/messages", "drop after")
        with pytest.raises(MaybeSent):
            await person.platform.send(send_to(ADDRESS, "hi", "same"))
        await person.platform.send(send_to(ADDRESS, "hi", "same"))
        assert [m["content"] for m in server.messages] == ["hi"]


async def test_long_rate_limit_goes_back_to_the_outbox():
    async with discord_server() as server, started(server) as person:
        server.fail("POST", "/messages", 429)
        with pytest.raises(SendLater) as caught:
            await person.platform.send(send_to(ADDRESS, "hi"))
        assert caught.value.after_s == 40.0


async def test_without_a_connection_nothing_was_sent():
    async with discord_server() as server:
        person = Person(server)
        with pytest.raises(NotSent):
            await person.platform.send(send_to(ADDRESS, "before the start"))
        await person.platform.start(person.accept)
    with pytest.raises(NotSent):
        await person.platform.send(send_to(ADDRESS, "server gone"))
    await person.platform.activity(ADDRESS, "typing")
    await person.platform.close()
    with pytest.raises(NotSent):
        await person.platform.send(send_to(ADDRESS, "after the end"))


async def test_wrong_token_is_one_clear_line_without_it():
    async with discord_server() as server:
        person = Person(server, token="a-wrong-token")
        before = asyncio.all_tasks()
        with pytest.raises(PlatformDown) as caught:
            await person.platform.start(person.accept)
        assert "token" in str(caught.value)
        assert "a-wrong-token" not in str(caught.value)
        assert "\n" not in str(caught.value)
        with pytest.raises(PlatformDown):
            await person.platform.ended()
        await person.platform.close()
        assert asyncio.all_tasks() <= before


async def test_server_that_is_not_discord_is_asked_again(caplog):
    async with discord_server() as server:
        server.fail("GET", "/users/@me", "nonsense")
        with caplog.at_level(logging.WARNING):
            async with started(server):
                assert "cannot be reached" in caplog.text
                await until(lambda: bool(server.sockets))


def test_application_id_that_is_no_number_is_a_wrong_setting():
    settings = DiscordSettings(SecretStr("x"), application_id="otomo")
    with pytest.raises(ConfigError, match=r"discord\.application_id"):
        OnDiscord(settings, (), Person(DiscordServer()).memory)


async def test_close_while_the_start_is_waiting_leaves_nothing():
    async with discord_server() as server:
        person = Person(server)
        server.fail("GET", "/users/@me", "hang")
        start = asyncio.create_task(person.platform.start(person.accept))
        await until(lambda: bool(server.requests))
        await person.platform.close()
        await start
        await person.platform.ended()
        assert [task for task in asyncio.all_tasks() if task.get_name().startswith("discord")] == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (4004, "token"),
        (4013, "intents invalid: guilds"),
        (4014, "refuses the intents: guilds"),
        (4011, "sharding"),
    ],
)
async def test_fatal_close_codes_end_the_platform(code, words):
    async with discord_server() as server:
        server.close_code = code
        person = Person(server)
        with pytest.raises(PlatformDown, match=words):
            await person.platform.start(person.accept)
        await person.platform.close()


async def test_end_while_running_is_told():
    async with discord_server() as server, started(server) as person:
        ended = asyncio.create_task(person.platform.ended())
        await asyncio.sleep(0)
        assert not ended.done()
        await server.sockets[-1].close(code=4004)
        with pytest.raises(PlatformDown, match="token"):
            await ended


async def test_missing_network_is_waited_for(unused_port, caplog):
    person = None
    async with discord_server(unused_port) as server:
        person = Person(server)
    with caplog.at_level(logging.WARNING):
        await person.platform.start(person.accept)
    assert "cannot be reached" in caplog.text
    async with discord_server(unused_port) as server:
        await until(lambda: bool(server.identified))
        await until(lambda: bool(server.sockets))
        await server.dm("there you are")
        await until(lambda: bool(person.taken))
        await person.platform.close()


async def test_gateway_that_refuses_at_first_is_tried_again():
    async with discord_server() as server:
        server.refuse_gateway = 1
        async with started(server) as person:
            await until(lambda: bool(server.sockets))
            await server.dm("hello")
            await until(lambda: bool(person.taken))


async def test_event_that_cannot_be_read_ends_nothing():
    async with discord_server() as server, started(server) as person:
        await server.dm("one")
        await until(lambda: len(person.taken) == 1)
        await server.dispatch("MESSAGE_CREATE", {"channel_id": DM})
        await until(lambda: len(server.sockets) == 2)
        await server.dm("two")
        await until(lambda: len(person.taken) == 2)


async def test_lost_connection_is_made_again_and_the_gap_is_read_back():
    async with discord_server() as server, started(server) as person:
        await server.dm("one")
        await until(lambda: len(person.taken) == 1)
        server.says("two")
        await server.sockets[-1].close(code=4000)
        await until(lambda: len(server.identified) == 2)
        await until(lambda: len(person.taken) == 2)
        assert [incoming.text for incoming in person.taken] == ["one", "two"]


async def test_heartbeats_go_on_while_a_message_is_taken_slowly():
    async with discord_server() as server:
        server.hello_s = 0.05
        async with started(server) as person:
            gate = asyncio.Event()

            async def slowly(incoming: Incoming) -> bool:
                await gate.wait()
                return await person.accept(incoming)

            person.platform._intake._accept = slowly
            await server.dm("hello")
            beats = server.heartbeats
            await until(lambda: server.heartbeats >= beats + 3)
            assert person.taken == []
            gate.set()
            await until(lambda: bool(person.taken))


async def test_neither_tokens_nor_words_reach_a_log_at_debug(caplog):
    loggers = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    before = [(logger, logger.level) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    try:
        with caplog.at_level(logging.DEBUG):
            async with discord_server() as server, started(server) as person:
                await server.dm("a very private sentence")
                interaction_token = await server.slash("status")
                await until(lambda: len(person.taken) == 2)
                await person.platform.send(send_to(ADDRESS, "an answer as private", "n1"))
                await person.platform.send(send_to(ADDRESS, "an answer as private", "n2"))
                server.fail("POST", "/messages", "drop after")
                with pytest.raises(MaybeSent):
                    await person.platform.send(send_to(ADDRESS, "an answer as private", "n3"))
                server.close_code = 4004
                await server.sockets[-1].close(code=4000)
                with pytest.raises(PlatformDown):
                    await person.platform.ended()
    finally:
        for logger, level in before:
            logger.setLevel(level)
    assert "connected as Otomo" in caplog.text
    for secret in (server.token, interaction_token, "private"):
        assert secret not in caplog.text


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
