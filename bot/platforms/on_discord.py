"""Otomo on Discord: direct messages, mentions in servers, slash commands and buttons, by discord.py.

What comes in is translated (`discord_incoming`), taken in order (`discord_intake`) and handed to `accept`.
What goes out goes to the channel with a nonce, or through the interaction it answers (`discord_answers`).
"""

from __future__ import annotations

import asyncio
import io
import logging
from typing import Any, Final

import discord

from bot.errors import NotSent
from bot.platforms import discord_answers
from bot.platforms.discord_answers import Answers, Waiting
from bot.platforms.discord_buttons import HerButton, view_of
from bot.platforms.discord_commands import make_tree, sync_if_changed
from bot.platforms.discord_errors import (
    NETWORK_ERRORS,
    UNKNOWN_CHANNEL,
    as_platform_down,
    delivering,
    token_is_lost,
)
from bot.platforms.discord_incoming import NAME, choice_incoming, command_incoming, is_private
from bot.platforms.discord_intake import DiscordMemory, Intake
from bot.platforms.discord_network import (
    DISCORD_LIMITS,
    DiscordSettings,
    enter_webhooks,
    quiet_library_logs,
    redirect,
)
from bot.platforms.formatting import utf16_length
from bot.ports import Accept, Activity, CommandSpec, Receipt, Send
from engine.conversation import Address

__all__ = ["DiscordMemory", "DiscordSettings", "OnDiscord"]

_log = logging.getLogger(__name__)

LONGEST_WAIT_FOR_LIMIT_S: Final = 30.0
"""A rate limit that lasts longer goes back to the outbox (30 is the least that discord.py allows)."""

FIRST_RETRY_S: Final = 1.0
LONGEST_RETRY_S: Final = 60.0
"""Pauses between tries to log in while the network is missing, doubled each time."""

_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\*_~`|>#-[]<:"})
"""Characters that Discord's Markdown may read as something."""


class HerClient(discord.Client):
    """One discord.py client; it hands everything on to the platform."""

    def __init__(
        self, platform: OnDiscord, settings: DiscordSettings, commands: tuple[CommandSpec, ...]
    ) -> None:
        known: dict[str, Any] = (
            {"application_id": int(settings.application_id)} if settings.application_id else {}
        )
        super().__init__(
            # Direct messages and mentions come with their text without the message content intent.
            intents=discord.Intents.default(),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            max_ratelimit_timeout=LONGEST_WAIT_FOR_LIMIT_S,
            **known,
        )
        redirect(self, settings)
        self.platform = platform
        self.tree = make_tree(self, commands, platform.commanded)
        self.add_dynamic_items(HerButton)

    async def setup_hook(self) -> None:
        """Tell Discord about the commands, before the gateway connects."""
        await self.platform.logged_in(self)

    async def on_connect(self) -> None:
        """Begin to take, after the messages that were missed."""
        await self.platform.connected(self)

    async def on_message(self, message: discord.Message) -> None:
        """Hand a message on."""
        await self.platform.heard(message)

    async def pressed(self, interaction: discord.Interaction, data: str) -> None:
        """Hand a press on."""
        await self.platform.pressed(interaction, data)


class OnDiscord:
    """The Discord platform (see bot.ports.Platform).

    Args:
        settings: Token and addresses.
        commands: The slash commands; a change is told to Discord at the next start.
        memory: What must outlive the process.
        pressed_twice: What is said to somebody who presses a used button again; empty for nothing.
    """

    name = NAME
    limits = DISCORD_LIMITS

    def __init__(
        self,
        settings: DiscordSettings,
        commands: tuple[CommandSpec, ...],
        memory: DiscordMemory,
        pressed_twice: str = "",
    ) -> None:
        quiet_library_logs()
        self._settings = settings
        self._commands = commands
        self._memory = memory
        self._pressed_twice = pressed_twice
        self._answers = Answers()
        self._intake = Intake(memory)
        self._up = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.client = HerClient(self, settings, commands)

    async def start(self, accept: Accept) -> None:
        """Connect; without a network it returns after the first try and goes on trying.

        Raises:
            PlatformDown: Discord refuses the token or the connection for good.
        """
        self._intake.open(accept)
        self._running = asyncio.create_task(self._keep_connected(), name="discord")
        up = asyncio.create_task(self._up.wait())
        await asyncio.wait({up, self._running}, return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        if self._running.done():
            await self._intake.close()
            await self.ended()

    async def ended(self) -> None:
        """Wait for the end.

        Raises:
            PlatformDown: It ended by itself, with the reason.
        """
        if self._running is not None:
            await asyncio.wait({self._running})
            if not self._running.cancelled():
                self._running.result()

    async def quiesce(self) -> None:
        """Take nothing more; what is being taken is finished first."""
        await self._intake.close()

    async def close(self) -> None:
        """End the connection and leave no task behind."""
        await self._intake.close()
        self._answers.close()
        await self.client.close()
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def send(self, send: Send) -> Receipt:
        """Deliver one message, through the interaction it answers or to the channel."""
        if self.client.user is None:
            raise NotSent("not logged in to Discord")
        with delivering():
            waiting = self._answers.find(send.address)
            message_id = await self._answer(waiting, send) if waiting else None
            if message_id is None:
                message_id = await self._post(send)
        return Receipt(str(message_id))

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show "typing" for ten seconds; an interaction shows its own "thinking" already."""
        if self.client.user is None or address.thread is not None or not address.chat.isdecimal():
            return
        try:
            await self.client.get_partial_messageable(int(address.chat)).typing()
        except (discord.DiscordException, *NETWORK_ERRORS, RuntimeError) as error:
            _log.debug("No typing in channel %s (%s)", address.chat, type(error).__name__)

    async def logged_in(self, client: HerClient) -> None:
        """Bring Discord's list of commands up to date."""
        await sync_if_changed(client.tree, self._memory.load_hash, self._memory.save_hash)

    async def connected(self, client: discord.Client) -> None:
        """Read what was missed."""
        _log.info("Discord: connected as %s", client.user)
        await self._intake.connected(client)
        self._up.set()

    async def heard(self, message: discord.Message) -> None:
        """Take a message."""
        await self._intake.message(message)

    async def commanded(
        self, interaction: discord.Interaction, spec: CommandSpec, values: dict[str, Any]
    ) -> None:
        """Acknowledge a slash command (Discord waits three seconds), then take it."""
        if not self._intake.is_open:
            return
        if await _acknowledge(interaction):
            self._answers.keep(interaction, original_open=True)
        await self._intake.take(command_incoming(interaction, spec, values), interaction.id)

    async def pressed(self, interaction: discord.Interaction, data: str) -> None:
        """Acknowledge a press, then take it; the second press of a button is told so."""
        if not self._intake.is_open:
            return
        acknowledged = await _acknowledge(interaction)
        if acknowledged and not is_private(interaction):
            self._answers.keep(interaction, original_open=False)
        fresh = await self._intake.take(choice_incoming(interaction, data), interaction.id)
        if acknowledged and not fresh and self._pressed_twice and self._intake.is_open:
            await interaction.followup.send(self._pressed_twice, ephemeral=True)

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
        # discord.py adds enforce_nonce: Discord answers a repeated nonce with the message it made first.
        message = await channel.send(**_content(send), nonce=send.nonce, suppress_embeds=True)
        return message.id

    async def _direct_channel(self, address: Address) -> discord.DMChannel:
        return await self.client.create_dm(discord.Object(int(address.account)))

    async def _keep_connected(self) -> None:
        pause_s = FIRST_RETRY_S
        while True:
            try:
                await self._connect()
                return
            except (discord.DiscordException, *NETWORK_ERRORS) as error:
                await self._give_up_or_renew(error)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                # Before there is a ws, discord.py 2.7 stumbles like this over answers that are not Discord's
                # (a hotel's network), and over a first gateway connection that fails (it reads ws.sequence).
                if self.client.ws is not None:
                    raise
                await self._give_up_or_renew(error)
            self._up.set()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_RETRY_S)

    async def _connect(self) -> None:
        enter_webhooks(self._settings)
        await self.client.start(self._settings.token.get_secret_value())

    async def _give_up_or_renew(self, error: Exception) -> None:
        """Raise PlatformDown, or leave a fresh client for the next try (discord.py reopens none safely)."""
        await self.client.close()
        down = as_platform_down(error, self.client.intents)
        if down is not None:
            raise down from None
        _log.warning("Discord cannot be reached (%s); trying again", type(error).__name__)
        self.client = HerClient(self, self._settings, self._commands)


async def _acknowledge(interaction: discord.Interaction) -> bool:
    """Tell Discord that an answer follows; hidden from others outside of direct messages."""
    try:
        if interaction.type is discord.InteractionType.component:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=not is_private(interaction), thinking=True)
    except (discord.HTTPException, *NETWORK_ERRORS) as error:
        _log.warning("An interaction could not be acknowledged (%s)", type(error).__name__)
        return False
    return True


def _content(send: Send) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if send.text:
        content["content"] = _literal(send.text) if send.plain else send.text
    if send.picture is not None:
        content["file"] = discord.File(io.BytesIO(send.picture.data), filename=send.picture.name)
    if send.buttons:
        content["view"] = view_of(send.buttons)
    return content


def _literal(text: str) -> str:
    """Return a text that Discord shows as it is; where the escapes do not fit, the text itself."""
    escaped = text.translate(_MARKS)
    return escaped if utf16_length(escaped) <= DISCORD_LIMITS.text else text
