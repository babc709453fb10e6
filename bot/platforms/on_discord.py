"""Otomo on Discord: direct messages, mentions in servers, slash commands and buttons, by discord.py.

What comes in is translated (`discord_incoming`), taken in order (`discord_intake`) and handed to `accept`.
What goes out goes to the channel with a nonce, or through the interaction it answers (`discord_delivery`).
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from pathlib import Path
from typing import Any, Final

import discord

from bot.platforms.discord_answers import Answers
from bot.platforms.discord_client import HerClient
from bot.platforms.discord_commands import sync_if_changed
from bot.platforms.discord_delivery import Delivery
from bot.platforms.discord_errors import NETWORK_ERRORS, as_platform_down
from bot.platforms.discord_files import fetch_file
from bot.platforms.discord_incoming import NAME, choice_incoming, command_incoming, is_private
from bot.platforms.discord_intake import DiscordMemory, Intake
from bot.platforms.discord_network import DISCORD_LIMITS, DiscordSettings, enter_webhooks, quiet_library_logs
from bot.ports import Accept, Activity, CommandSpec, Receipt, Send
from engine.conversation import Address

__all__ = ["DiscordMemory", "DiscordSettings", "OnDiscord"]

_log = logging.getLogger(__name__)

FIRST_RETRY_S: Final = 1.0
LONGEST_RETRY_S: Final = 60.0
"""Pauses between tries to log in while the network is missing, doubled each time."""
DOWNLOAD_S: Final = 60.0


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
        self._retry_s = FIRST_RETRY_S
        self._running: asyncio.Task[None] | None = None
        self.client = HerClient(self, settings, commands)
        self._delivery = Delivery(self.client, self._answers)

    async def start(self, accept: Accept) -> None:
        """Connect; without a network it returns after the first try and goes on trying.

        Raises:
            PlatformDown: Discord refuses the token or the connection for good.
        """
        self._intake.open(accept)
        self._delivery.begin()
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
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})
        await self.client.close()

    async def send(self, send: Send) -> Receipt:
        """Deliver one message, through the interaction it answers or to the channel."""
        return await self._delivery.send(send)

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show "typing", the only thing Discord can show."""
        await self._delivery.show_typing(address)

    async def download(self, reference: str, max_bytes: int) -> bytes:
        """Fetch a user's attachment; see bot.ports.Platform for the errors."""
        return await fetch_file(reference, max_bytes, self._settings.api_base, DOWNLOAD_S)

    async def logged_in(self, client: HerClient) -> None:
        """Bring Discord's list of commands up to date."""
        await sync_if_changed(client.tree, self._memory.load_hash, self._memory.save_hash)

    async def connected(self, client: HerClient) -> None:
        """Read what was missed."""
        _log.info("Discord: connected as %s", client.user)
        await self._intake.connected(client)
        self._retry_s = FIRST_RETRY_S
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

    async def _keep_connected(self) -> None:
        while True:
            try:
                await self._connect()
                return
            except (discord.DiscordException, *NETWORK_ERRORS) as error:
                await self._give_up_or_renew(error)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                # discord.py 2.7 stumbles like this over answers that are not Discord's (a hotel's network),
                # over a first gateway connection that fails (it reads ws.sequence before there is a ws), and
                # over an event it cannot read. None of these is a reason to stay away.
                await self._give_up_or_renew(error)
            self._up.set()
            await asyncio.sleep(self._retry_s)
            self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S)

    async def _connect(self) -> None:
        enter_webhooks(self._settings)
        await self.client.start(self._settings.token.get_secret_value())

    async def _give_up_or_renew(self, error: Exception) -> None:
        """Raise PlatformDown, or leave a fresh client for the next try (discord.py reopens none safely)."""
        await self.client.close()
        down = as_platform_down(error, self.client.intents)
        if down is not None:
            raise down from None
        where = traceback.extract_tb(error.__traceback__)[-1]
        _log.warning(
            "Discord cannot be reached (%s at %s:%s); trying again",
            type(error).__name__,
            Path(where.filename).name,
            where.lineno,
        )
        self._answers.close()
        self.client = HerClient(self, self._settings, self._commands)
        self._delivery.client = self.client


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
