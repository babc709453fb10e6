"""Messages in and out, in simcord's virtual Discord."""

from __future__ import annotations

import asyncio

import discord
import pytest
from simcord.backend.models import MessageSticker, Poll, PollAnswer

from bot.errors import MaybeSent, Rejected, StoreError, Unreachable
from bot.ports import Picture
from engine.conversation import Address
from tests.platforms.discord_world import discord_world, send_to, until

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde"
    b"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"
)


async def test_direct_message_comes_in():
    async with discord_world() as world:
        alice = world.env.create_user("alice", global_name="Alice")
        message = await alice.send_dm("hello <:wave:123456789012345678>")
        (incoming,) = world.taken
        assert incoming.kind == "message"
        assert incoming.key == f"discord:{message.id}"
        assert incoming.address == Address("discord", str(alice.id), str(alice.dm_channel.id), private=True)
        assert incoming.text == "hello :wave:"
        assert incoming.display_name == "Alice"
        assert incoming.sent_at == message.created_at
        assert incoming.cannot_take is None


async def test_answer_goes_out_with_nonce_and_without_pings_or_previews():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        receipt = await world.platform.send(send_to(world.taken[0].address, "hi @everyone", "abc-1"))
        last = alice.dm_channel.last_message
        assert last.content == "hi @everyone"
        assert str(last.id) == receipt.message_id
        assert not last.mention_everyone
        request = world.env.http_requests[-1].json
        assert request["nonce"] == "abc-1"
        assert request["enforce_nonce"] is True
        assert request["allowed_mentions"] == {"parse": []}
        assert last.flags.suppress_embeds


async def test_picture_and_text_are_one_message():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        picture = Picture(PNG, "image/png", "happy.png")
        await world.platform.send(send_to(world.taken[0].address, "look", picture=picture))
        last = alice.dm_channel.last_message
        assert last.content == "look"
        assert [file.filename for file in last.attachments] == ["happy.png"]
        assert await last.attachments[0].read() == PNG


async def test_pieces_keep_their_order_and_the_longest_fits():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("tell me a lot")
        pieces = ["a" * 2000, "b" * 2000, "c"]
        for number, piece in enumerate(pieces):
            await world.platform.send(send_to(world.taken[0].address, piece, f"n{number}"))
        assert world.hers(alice) == pieces


async def test_too_long_text_is_rejected():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        with pytest.raises(Rejected):
            await world.platform.send(send_to(world.taken[0].address, "a" * 2001))


async def test_plain_text_is_shown_as_it_is():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        await world.platform.send(send_to(world.taken[0].address, "2*3*4 <@1> [a](b)", plain=True))
        assert alice.dm_channel.last_message.content == r"2\*3\*4 \<@1\> \[a\](b)"
        crowded = "*" * 1999
        await world.platform.send(send_to(world.taken[0].address, crowded, "n2", plain=True))
        assert alice.dm_channel.last_message.content == crowded


async def test_in_a_server_only_mentions_and_replies_are_hers():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        bob = guild.add_member(world.env.create_user("bob"))
        me = world.platform.client.user
        await alice.send(channel, "nobody in particular")
        assert world.taken == []
        await alice.send(channel, f"hey {me.mention} greet {bob.mention} in {channel.mention}")
        (mention,) = world.taken
        assert mention.text == "hey greet @bob in #general"
        assert mention.address == Address("discord", str(alice.id), str(channel.id), private=False)
        await world.platform.send(send_to(mention.address, "hi Bob"))
        await bob.send(channel, "hi yourself", reply_to=channel.last_message)
        assert world.texts[1:] == ["hi yourself"]
        await alice.send(channel, me.mention)
        assert world.texts[2:] == [f"@{me.display_name}"]


async def test_bots_webhooks_and_herself_are_ignored():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        me = world.platform.client.user
        robot = guild.add_member(world.env.create_user("robot", bot=True))
        hook = guild.create_webhook(channel, "hook")
        await robot.send(channel, f"{me.mention} beep")
        await hook.send(f"{me.mention} news")
        await world.platform.client.get_partial_messageable(channel.id).send(f"{me.mention} me")
        assert world.taken == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "picture"), ("a.mp4", "video"), ("a.mp3", "audio"), ("a.pdf", "document")],
)
async def test_attachments_are_named_as_what_she_cannot_take(name, kind):
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        await alice.send(channel, world.platform.client.user.mention + " see", attachments=[(name, PNG)])
        (incoming,) = world.taken
        assert (incoming.text, incoming.cannot_take) == ("see", kind)


async def test_voice_poll_and_forward_are_named_as_what_she_cannot_take():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        voice = world.env.backend.store_attachments(alice.dm_channel.id, [("voice.ogg", b"OggS")])
        await alice.send_dm(flags=1 << 13, attachments=voice)
        poll = Poll(
            question="Where?",
            answers=[PollAnswer(1, "here"), PollAnswer(2, "there")],
            expiry="2026-01-02T00:00:00+00:00",
        )
        await alice.send_dm(poll=poll)
        sticker = MessageSticker(id=123456789012345678, name="wave", format_type=1, guild_id=1)
        await alice.send_dm(stickers=[sticker])
        assert [incoming.cannot_take for incoming in world.taken] == ["voice", "poll", "sticker"]
        assert world.texts == ["", "", ""]


async def test_edits_and_deletes_change_nothing():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        message = await alice.send_dm("first words")
        await alice.edit(message, "other words")
        await alice.delete(message)
        assert world.texts == ["first words"]


async def test_closed_messages_make_the_user_unreachable():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        for code in (50007, 50278):
            world.env.inject_error("POST", "/channels/*/messages", status=403, code=code)
            with pytest.raises(Unreachable):
                await world.platform.send(send_to(world.taken[0].address, "hi"))


async def test_forgotten_direct_channel_is_opened_by_account():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        account = str(alice.id)
        for number, chat in enumerate(("", "999999999999999999")):
            await world.platform.send(
                send_to(Address("discord", account, chat), "there you are", f"n{number}")
            )
        assert world.hers(alice) == ["there you are"] * 2


async def test_closed_server_channel_makes_nobody_unreachable():
    async with discord_world() as world:
        guild = world.env.create_guild()
        channel = guild.create_text_channel("general")
        alice = guild.add_member(world.env.create_user("alice"))
        await alice.send(channel, f"hi {world.platform.client.user.mention}")
        world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
        with pytest.raises(Rejected):
            await world.platform.send(send_to(world.taken[0].address, "hi"))
        gone = Address("discord", str(alice.id), "999999999999999999", private=False)
        with pytest.raises(Rejected):
            await world.platform.send(send_to(gone, "hi"))


async def test_discords_own_fault_may_have_been_delivered():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        world.env.inject_error("POST", "/channels/*/messages", status=503)
        with pytest.raises(MaybeSent):
            await world.platform.send(send_to(world.taken[0].address, "hi"))


async def test_typing_is_shown_and_its_failure_swallowed():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("hello")
        await world.platform.activity(world.taken[0].address, "typing")
        assert world.env.http_requests[-1].path == f"/channels/{alice.dm_channel.id}/typing"
        world.env.inject_error("POST", "/channels/*/typing", status=403)
        await world.platform.activity(world.taken[0].address, "typing")


async def test_missed_messages_are_taken_after_a_restart_in_order_and_before_new_ones():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("one")
        await world.platform.close()
        for text in ("two", "three"):
            world.env.backend.create_message(alice.dm_channel.id, alice.id, text, broadcast=False)
        await world.restart()
        await alice.send_dm("four")
        await until(lambda: len(world.taken) == 4)
        assert world.texts == ["one", "two", "three", "four"]
        await world.platform.quiesce()
        assert (
            world.seen[str(alice.dm_channel.id)]
            == world.env.backend.get_channel(alice.dm_channel.id).last_message_id
        )


async def test_reading_back_is_tried_again_after_an_error():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("one")
        await world.platform.close()
        world.env.backend.create_message(alice.dm_channel.id, alice.id, "two", broadcast=False)
        world.env.inject_error("GET", "/channels/*/messages", status=500)
        await world.restart()
        await until(lambda: world.texts == ["one", "two"])


async def test_closed_channel_does_not_stop_the_others_from_being_read_back():
    async with discord_world() as world:
        alice, bob = world.env.create_user("alice"), world.env.create_user("bob")
        await bob.send_dm("one")
        await alice.send_dm("one")
        await world.platform.close()
        world.seen = {"999999999999999999": 1, **world.seen}
        world.env.backend.create_message(alice.dm_channel.id, alice.id, "two", broadcast=False)
        await world.restart()
        await until(lambda: world.texts == ["one", "one", "two"])


async def test_the_same_message_twice_counts_once():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        message = await alice.send_dm("hello")
        world.env.backend.announce_message_create(
            world.env.backend.get_message(message.channel.id, message.id)
        )
        await world.env.settle()
        assert world.texts == ["hello"]
        assert [double.key for double in world.doubles] == [f"discord:{message.id}"]


async def test_messages_of_one_channel_are_taken_in_order_however_slow_the_store_is():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        world.gates["a"] = asyncio.Event()
        for text in "abcd":
            world.env.backend.create_message(alice.dm_channel.id, alice.id, text)
        for _ in range(50):
            await asyncio.sleep(0)
        assert world.taken == []
        world.gates["a"].set()
        await until(lambda: len(world.taken) == 4)
        assert world.texts == list("abcd")


async def test_message_that_the_store_refused_is_read_back():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        world.failures.append(StoreError("disk full"))
        await alice.send_dm("one")
        assert world.taken == []
        await until(lambda: world.texts == ["one"])


async def test_after_quiesce_nothing_is_taken_but_sending_works():
    async with discord_world() as world:
        alice = world.env.create_user("alice")
        await alice.send_dm("one")
        await world.platform.quiesce()
        await alice.send_dm("two")
        await world.platform.send(send_to(world.taken[0].address, "bye"))
        assert world.texts == ["one"]
        assert alice.dm_channel.last_message.content == "bye"
        await world.restart()
        await until(lambda: world.texts == ["one", "two"])


async def test_close_leaves_no_tasks():
    before = asyncio.all_tasks()
    async with discord_world() as world:
        await world.env.create_user("alice").send_dm("hello")
    assert asyncio.all_tasks() == before


async def test_only_default_intents_are_asked_for():
    async with discord_world() as world:
        assert world.platform.client.intents == discord.Intents.default()
        assert not world.platform.client.intents.message_content
