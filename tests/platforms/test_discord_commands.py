"""Slash commands and buttons, in simcord's virtual Discord."""

from __future__ import annotations

import asyncio
import logging

import discord
import pytest

from bot.errors import Rejected
from bot.platforms.discord_answers import FOLLOWUPS_WITHOUT_BOT
from bot.ports import Button, Picture
from engine.conversation import Address
from tests.platforms.discord_world import COMMANDS, PRESSED_TWICE, discord_world, send_to, until
from tests.platforms.test_discord_talk import PNG

CHOICES = (Button("Stay", "scene:7:1"), Button("Go", "scene:7:2"))


async def test_slash_command_is_deferred_and_its_answer_takes_the_place():
    async with discord_world() as world:
        alice = world.env.create_user("alice", global_name="Alice")
        result = await alice.slash("status")
        assert result.deferred
        assert not result.ephemeral
        (incoming,) = world.taken
        assert incoming.kind == "command"
        assert incoming.text == "/status"
        assert incoming.key.startswith("discord:")
        assert incoming.language == "en"
        assert incoming.display_name == "Alice"
        assert incoming.address == Address("discord", str(alice.id), str(alice.dm_channel.id), private=True)
        receipt = await world.platform.send(send_to(incoming.address, "fine"))
        assert result.response.content == "fine"
        assert receipt.message_id == str(result.response.id)
        await world.platform.send(send_to(incoming.address, "and you?", "n2"))
        assert world.hers(alice) == ["fine", "and you?"]


async def test_answer_with_a_picture_and_buttons_takes_the_place_too():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        result = await alice.slash("start")
        picture = Picture(PNG, "image/png", "happy.png")
        await world.platform.send(send_to(world.taken[0].address, "hi", picture=picture, buttons=CHOICES))
        assert [file.filename for file in result.response.attachments] == ["happy.png"]
        await alice.click(result.response, label="Go")
        assert world.texts == ["/start", "scene:7:2"]


async def test_options_become_a_command_line():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.slash("mode", name="companion", loud=True)
        await alice.slash("mode", name="dating", days=3)
        await alice.slash("memory list")
        await alice.slash("memory forget", what="my old flat")
        assert world.texts == [
            "/mode companion on",
            "/mode dating 3",
            "/memory list",
            "/memory forget my old flat",
        ]


async def test_command_is_acknowledged_before_it_is_taken():
    """Discord waits three seconds; a store that is slow for longer must not make the command fail."""
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        world.gates["/status"] = asyncio.Event()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await alice.slash("status")
        callbacks = [r for r in world.env.http_requests if r.path.endswith("/callback")]
        assert [r.json["type"] for r in callbacks] == [
            discord.InteractionResponseType.deferred_channel_message.value
        ]
        assert world.taken == []
        world.gates["/status"].set()
        await until(lambda: world.texts == ["/status"])


async def test_in_a_server_the_answer_is_for_the_user_alone():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        result = await alice.slash(channel, "status")
        assert result.ephemeral
        address = world.taken[0].address
        assert not address.private
        for number in range(1 + FOLLOWUPS_WITHOUT_BOT):
            await world.platform.send(send_to(address, f"secret {number}", f"n{number}"))
        shown = [result.response, *result.followups]
        assert [message.content for message in shown] == [f"secret {n}" for n in range(6)]
        assert all(message.ephemeral for message in shown)
        assert channel.history() == []
        with pytest.raises(Rejected):
            await world.platform.send(send_to(address, "one more", "n9"))


async def test_follow_up_that_may_have_been_delivered_is_not_repeated():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        result = await alice.slash(channel, "status")
        address = world.taken[0].address
        await world.platform.send(send_to(address, "one", "n1"))
        await world.platform.send(send_to(address, "two", "n2"))
        with pytest.raises(Rejected):
            await world.platform.send(send_to(address, "two", "n2"))
        assert [message.content for message in result.followups] == ["two"]


async def test_talk_beside_a_command_stays_in_the_channel():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        await alice.slash(channel, "status")
        await alice.send(channel, f"{world.platform.client.user.mention} hi")
        await world.platform.send(send_to(world.taken[1].address, "hello all"))
        assert channel.last_message.content == "hello all"


async def test_answer_that_lost_its_interaction_goes_to_direct_messages():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        user = world.env.create_user("alice")
        alice = guild.add_member(user)
        await alice.slash(channel, "status")
        await world.restart()
        await world.platform.send(send_to(world.taken[0].address, "secret"))
        assert world.hers(user) == ["secret"]


async def test_answer_delivered_just_before_a_crash_is_not_said_again():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.slash("status")
        picture = Picture(PNG, "image/png", "happy.png")
        answer = send_to(world.taken[0].address, "fine", picture=picture)
        first = await world.platform.send(answer)
        await world.restart()
        assert await world.platform.send(answer) == first
        assert world.hers(alice) == ["fine"]
        await world.platform.send(send_to(world.taken[0].address, "fine", "n2"))
        assert world.hers(alice) == ["fine", "fine"]


async def test_answer_after_a_quarter_of_an_hour_goes_to_the_channel():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.slash("status")
        await world.env.advance_time(16 * 60)
        await world.platform.send(send_to(world.taken[0].address, "late"))
        assert world.hers(alice)[-1] == "late"
        assert alice.dm_channel.last_message.content == "late"


async def test_commands_work_everywhere_and_are_told_only_when_they_change():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        assert set(alice.available_commands()) == {spec.name for spec in COMMANDS}
        told = [r for r in world.env.http_requests if r.method == "PUT"]
        assert len(told) == 1
        assert all(sorted(command["contexts"]) == [0, 1, 2] for command in told[0].json)
        assert all(sorted(command["integration_types"]) == [0, 1] for command in told[0].json)
        await world.restart()
        assert len([r for r in world.env.http_requests if r.method == "PUT"]) == 1
        world.command_hash = "those of an older release"
        await world.restart()
        assert len([r for r in world.env.http_requests if r.method == "PUT"]) == 2


async def test_refused_commands_leave_the_talk_alive(caplog):
    async with discord_world() as world:
        world.command_hash = ""
        world.env.inject_error("PUT", "/applications/*/commands", status=400, code=30034)
        with caplog.at_level(logging.WARNING):
            await world.restart()
        assert "code 30034" in caplog.text
        assert world.command_hash == ""
        await world.env.create_user("alice").send_dm("hello")
        assert world.texts == ["hello"]


async def test_button_pressed_after_a_restart_counts_once():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        await world.platform.send(send_to(world.taken[0].address, "Stay or go?", buttons=CHOICES))
        question = alice.dm_channel.last_message
        await world.restart()
        first = await alice.click(question, label="Stay")
        assert first.acknowledged
        assert first.followups == []
        second = await alice.click(question, label="Stay")
        assert [message.content for message in second.followups] == [PRESSED_TWICE]
        assert second.followups[0].ephemeral
        assert world.texts == ["hello", "scene:7:1"]
        assert world.taken[1].kind == "choice"
        assert world.taken[1].address == world.taken[0].address


async def test_stranger_does_not_use_up_the_owners_press_and_hears_alone():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        eve = guild.add_member(world.env.create_user("eve"))
        address = Address("discord", str(alice.id), str(channel.id), private=False)
        await world.platform.send(send_to(address, "Stay or go?", buttons=CHOICES))
        pressed = await eve.click(channel.last_message, label="Go")
        assert world.taken[0].address.account == str(eve.id)
        await world.platform.send(send_to(world.taken[0].address, "These are not your buttons.", "n2"))
        assert [message.content for message in pressed.followups] == ["These are not your buttons."]
        assert pressed.followups[0].ephemeral
        assert channel.last_message.content == "Stay or go?"
        await alice.click(channel.last_message, label="Go")
        assert [incoming.address.account for incoming in world.taken] == [str(eve.id), str(alice.id)]


async def test_many_buttons_stand_in_rows_of_five_with_short_labels():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        many = tuple(Button("x" * 100, f"{n}:" + "d" * 90) for n in range(7))
        await world.platform.send(send_to(world.taken[0].address, "pick", buttons=many))
        rows = alice.dm_channel.last_message.components
        assert [len(row.children) for row in rows] == [5, 2]
        assert all(len(button.label) == 80 for row in rows for button in row.children)


async def test_unanswered_acknowledgement_does_not_lose_the_command():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062)
        await alice.slash("help")
        assert world.texts == ["/help"]
        await world.platform.send(send_to(world.taken[0].address, "help is here"))
        assert alice.dm_channel.last_message.content == "help is here"
