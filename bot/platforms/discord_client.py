"""The discord.py client: what it asks of Discord, and to whom it hands what comes."""

from __future__ import annotations

from typing import Any, Final, Protocol

import discord

from bot.errors import ConfigError
from bot.platforms.discord_buttons import HerButton
from bot.platforms.discord_commands import make_tree
from bot.platforms.discord_network import DiscordSettings, redirect
from bot.ports import CommandSpec

LONGEST_WAIT_FOR_LIMIT_S: Final = 30.0
"""A rate limit that lasts longer goes back to the outbox (30 is the least that discord.py allows)."""


class Listener(Protocol):
    """Who hears what happens on Discord."""

    async def logged_in(self, client: HerClient) -> None:
        """The token is good; the gateway is not connected yet."""

    async def connected(self, client: HerClient) -> None:
        """The gateway has begun a session."""

    async def heard(self, message: discord.Message) -> None:
        """A message has come."""

    async def commanded(
        self, interaction: discord.Interaction, spec: CommandSpec, values: dict[str, Any]
    ) -> None:
        """A slash command was used."""

    async def pressed(self, interaction: discord.Interaction, data: str) -> None:
        """A button of hers was pressed."""


class HerClient(discord.Client):
    """One discord.py client; it hands everything on to its listener."""

    def __init__(
        self, listener: Listener, settings: DiscordSettings, commands: tuple[CommandSpec, ...]
    ) -> None:
        known: dict[str, Any] = {}
        if settings.application_id:
            if not settings.application_id.isdecimal():
                raise ConfigError("discord.application_id: not a number")
            known["application_id"] = int(settings.application_id)
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
        self.listener = listener
        self.tree = make_tree(self, commands, listener.commanded)
        self.add_dynamic_items(HerButton)

    async def setup_hook(self) -> None:
        """Tell Discord about the commands, before the gateway connects."""
        await self.listener.logged_in(self)

    async def on_connect(self) -> None:
        """Begin to take, after the messages that were missed."""
        await self.listener.connected(self)

    async def on_message(self, message: discord.Message) -> None:
        """Hand a message on."""
        await self.listener.heard(message)

    async def pressed(self, interaction: discord.Interaction, data: str) -> None:
        """Hand a press on."""
        await self.listener.pressed(interaction, data)
