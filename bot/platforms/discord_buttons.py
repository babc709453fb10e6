"""Buttons that outlive a restart: everything a press means stands in the button's own id."""

from __future__ import annotations

import re
from typing import Any, Protocol, Self

import discord

from bot.platforms.discord_network import CUSTOM_ID_PREFIX, DISCORD_LIMITS
from bot.ports import Button


class Presses(Protocol):
    """Who is told of a press."""

    async def pressed(self, interaction: discord.Interaction, data: str) -> None:
        """Acknowledge the press and take it in."""


class HerButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]],
    template=re.compile(re.escape(CUSTOM_ID_PREFIX) + r"(?P<data>.+)", re.DOTALL),
):
    """A button of hers, recognised by its id alone. The client it is pressed in must be a `Presses`."""

    def __init__(self, data: str, label: str) -> None:
        self.data = data
        super().__init__(discord.ui.Button(label=_short(label), custom_id=CUSTOM_ID_PREFIX + data))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Build the button again from a press."""
        return cls(match["data"], getattr(item, "label", None) or "")

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Hand the press over."""
        await interaction.client.pressed(interaction, self.data)


def view_of(buttons: tuple[Button, ...]) -> discord.ui.View:
    """Return buttons as discord.py sends them.

    The view is stopped at once: presses are found by the button's id, and a listening view would be kept
    in memory for every message that ever had buttons.
    """
    view = discord.ui.View(timeout=None)
    for button in buttons:
        view.add_item(HerButton(button.data, button.label))
    view.stop()
    return view


def _short(label: str) -> str:
    limit = DISCORD_LIMITS.button_label
    return label if len(label) <= limit else label[: limit - 1] + "…"
