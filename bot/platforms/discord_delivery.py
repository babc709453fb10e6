"""What goes out: to the channel with a nonce, or through the interaction that it answers."""

from __future__ import annotations

import asyncio
import io
import logging
from typing import Any, Final

import discord

from bot.errors import NotSent
from bot.platforms import discord_answers
from bot.platforms.discord_answers import Answers, Waiting
from bot.platforms.discord_buttons import view_of
from bot.platforms.discord_errors import NETWORK_ERRORS, UNKNOWN_CHANNEL, delivering, token_is_lost
from bot.platforms.discord_network import DISCORD_LIMITS
from bot.platforms.formatting import utf16_length
from bot.ports import Receipt, Send
from engine.conversation import Address

_log = logging.getLogger(__name__)

LONGEST_SEND_S: Final = 90.0
"""A delivery that takes longer, the library's own repeats and waits included, is given up as doubtful."""

RECOVERY_S: Final = 60.0
"""After a start, for this long a first message to a chat may be one that was delivered before the end."""

_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\*_~`|>#-[]<:"})
"""Characters that Discord's Markdown may read as something."""


class Delivery:
    """The way out. `client` is the present client; it changes when the connection is made anew."""

    def __init__(self, client: discord.Client, answers: Answers) -> None:
        self.client = client
        self._answers = answers
        self._looked_up: set[str] = set()
        self._recovery_until = 0.0

    def begin(self) -> None:
        """Note the start: what the last process delivered may be asked for once more."""
        self._recovery_until = asyncio.get_running_loop().time() + RECOVERY_S

    async def send(self, send: Send) -> Receipt:
        """Deliver one message, through the interaction it answers or to the channel."""
        if self.client.user is None:
            raise NotSent("not logged in to Discord")
        to_one_person = send.address.private or send.address.thread is not None
        with delivering(to_one_person):
            async with asyncio.timeout(LONGEST_SEND_S):
                waiting = self._answers.find(send.address)
                message_id = await self._answer(waiting, send) if waiting else None
                if message_id is None:
                    message_id = await self._post(send)
        return Receipt(str(message_id))

    async def show_typing(self, address: Address) -> None:
        """Show "typing" for ten seconds; an interaction shows its own "thinking" already."""
        if self.client.user is None or address.thread is not None or not address.chat.isdecimal():
            return
        try:
            await self.client.get_partial_messageable(int(address.chat)).typing()
        except (discord.DiscordException, *NETWORK_ERRORS, RuntimeError) as error:
            _log.debug("No typing in channel %s (%s)", address.chat, type(error).__name__)

    async def _answer(self, waiting: Waiting, send: Send) -> int | None:
        """Return the id of the delivered message, or None where the interaction is lost."""
        try:
            message_id = await discord_answers.answer(waiting, send.nonce, _content(send))
        except discord.HTTPException as error:
            if not token_is_lost(error):
                raise
            self._answers.drop(waiting)
            return None
        if send.address.thread is None:
            self._answers.drop(waiting)
        return message_id

    async def _post(self, send: Send) -> int:
        address = send.address
        # An answer for one user's eyes that has lost its interaction (restart, 15 minutes) goes to the
        # direct messages, never into the open channel.
        if address.thread is not None or not address.chat.isdecimal():
            return await self._post_in(await self._direct_channel(address), send)
        try:
            return await self._post_in(self.client.get_partial_messageable(int(address.chat)), send)
        except discord.NotFound as error:
            if error.code != UNKNOWN_CHANNEL or not address.private:
                raise
            return await self._post_in(await self._direct_channel(address), send)

    async def _post_in(self, channel: discord.abc.Messageable, send: Send) -> int:
        known = await self._answered_before_the_end(channel, send)
        if known is not None:
            return known
        # discord.py adds enforce_nonce: Discord answers a repeated nonce with the message it made first.
        message = await channel.send(**_content(send), nonce=send.nonce, suppress_embeds=True)
        return message.id

    async def _answered_before_the_end(self, channel: discord.abc.Messageable, send: Send) -> int | None:
        """Return the id of this very answer where an interaction of the last process carries it already.

        Answers to interactions have no nonce, so what was delivered just before a crash must be looked up.
        """
        chat = send.address.chat
        over = asyncio.get_running_loop().time() > self._recovery_until
        if over or not send.address.private or chat in self._looked_up:
            return None
        self._looked_up.add(chat)
        async for message in channel.history(limit=5):
            if message.type is discord.MessageType.chat_input_command and _is_same(message, send):
                return message.id
        return None

    async def _direct_channel(self, address: Address) -> discord.DMChannel:
        return await self.client.create_dm(discord.Object(int(address.account)))


def _content(send: Send) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if send.text:
        content["content"] = _literal(send.text) if send.plain else send.text
    if send.picture is not None:
        content["file"] = discord.File(io.BytesIO(send.picture.data), filename=send.picture.name)
    if send.buttons:
        content["view"] = view_of(send.buttons)
    return content


def _is_same(message: discord.Message, send: Send) -> bool:
    names = [send.picture.name] if send.picture else []
    text = _content(send).get("content", "")
    return message.content == text.strip() and [file.filename for file in message.attachments] == names


def _literal(text: str) -> str:
    """Return a text that Discord shows as it is; where the escapes do not fit, the text itself."""
    escaped = text.translate(_MARKS)
    return escaped if utf16_length(escaped) <= DISCORD_LIMITS.text else text
