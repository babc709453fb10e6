"""Interactions that still wait for their answer, and how one is answered.

A command is acknowledged at once and answered later. In direct messages the first thing that she says there
takes the place of the acknowledgement. Everywhere else the address carries the interaction's id as its
`thread`, and all of the answer goes through the interaction, for its user's eyes only.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final

import discord
from discord.webhook.async_ import AsyncWebhookAdapter

from bot.errors import Rejected
from bot.platforms.discord_incoming import is_private
from bot.platforms.discord_network import present_webhooks, webhooks
from engine.conversation import Address

TOKEN_LIFE_S: Final = 15 * 60 - 10
"""How long an interaction can be answered, less a margin. The event loop counts it: a machine's clock may be
wrong."""

FOLLOWUPS_WITHOUT_BOT: Final = 5
"""Follow-ups that Discord allows where the app is installed for a user and not in the server."""


@dataclass(slots=True)
class Waiting:
    """One acknowledged interaction.

    Attributes:
        original_open: Whether the acknowledgement still shows "thinking" and can become the answer.
        followups_left: How many more messages Discord takes for it; None for no limit.
        expiry: The timer that forgets it.
        tried: Nonces of follow-ups that were sent or may have been: a follow-up cannot be repeated safely.
    """

    interaction: discord.Interaction
    sender: AsyncWebhookAdapter
    original_open: bool
    followups_left: int | None
    expiry: asyncio.TimerHandle
    tried: set[str] = field(default_factory=set)


class Answers:
    """The interactions of this process that can still be answered (15 minutes each)."""

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}

    def keep(self, interaction: discord.Interaction, original_open: bool) -> None:
        """Remember an acknowledged interaction."""
        in_server_too = interaction.is_guild_integration()
        self._waiting[interaction.id] = Waiting(
            interaction,
            present_webhooks(),
            original_open,
            None if in_server_too else FOLLOWUPS_WITHOUT_BOT,
            asyncio.get_running_loop().call_later(TOKEN_LIFE_S, self._waiting.pop, interaction.id, None),
        )

    def drop(self, waiting: Waiting) -> None:
        """Forget an interaction that is answered or lost."""
        waiting.expiry.cancel()
        self._waiting.pop(waiting.interaction.id, None)

    def find(self, address: Address) -> Waiting | None:
        """Return the oldest interaction that what is said to this address belongs to."""
        return next((w for w in self._waiting.values() if _belongs(w.interaction, address)), None)

    def close(self) -> None:
        """Forget all."""
        for waiting in list(self._waiting.values()):
            self.drop(waiting)


def _belongs(interaction: discord.Interaction, address: Address) -> bool:
    if address.thread is not None:
        return address.thread == str(interaction.id)
    return (
        is_private(interaction)
        and address.private
        and address.chat == str(interaction.channel_id)
        and address.account == str(interaction.user.id)
    )


async def answer(waiting: Waiting, nonce: str, content: dict[str, Any]) -> int:
    """Say something through an interaction and return the message's id.

    Args:
        waiting: The interaction.
        nonce: The Send's nonce; the same one is never tried twice as a follow-up.
        content: `content`, `file` and `view` as discord.py names them, absent where there is none.

    Raises:
        Rejected: Discord takes no more follow-ups, or this one may have been delivered already.
    """
    with webhooks(waiting.sender):
        if waiting.original_open:
            return await _fill_original(waiting, content)
        _take_followup(waiting, nonce)
        message = await waiting.interaction.followup.send(
            **content, ephemeral=True, suppress_embeds=True, wait=True
        )
        return message.id


async def _fill_original(waiting: Waiting, content: dict[str, Any]) -> int:
    files = [content["file"]] if "file" in content else []
    message = await waiting.interaction.edit_original_response(
        content=content.get("content"), attachments=files, view=content.get("view")
    )
    waiting.original_open = False
    return message.id


def _take_followup(waiting: Waiting, nonce: str) -> None:
    if nonce in waiting.tried:
        raise Rejected("a follow-up that may have been delivered is not repeated")
    if waiting.followups_left == 0:
        raise Rejected(f"Discord takes only {FOLLOWUPS_WITHOUT_BOT} follow-ups here")
    waiting.tried.add(nonce)
    if waiting.followups_left is not None:
        waiting.followups_left -= 1
