"""The messengers: each module translates one platform to and from the neutral conversation types.

`PLATFORMS` is the one place where a platform is registered: its name is also its section of the
settings and the start of its token's variable. The libraries are imported only when a bot is made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.ports import CommandSpec, Platform
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a platform is made from.

    `load(name)`, `load_all(prefix)` and `save(name, value)` keep small JSON values over a restart.
    """

    settings: Settings
    commands: tuple[CommandSpec, ...]
    pressed_twice: str
    load: Callable[[str], Awaitable[Any]]
    load_all: Callable[[str], Awaitable[Mapping[str, Any]]]
    save: Callable[[str, Any], Awaitable[None]]


def _telegram(around: Surroundings) -> Platform:
    from bot.platforms.on_telegram import OnTelegram, TelegramSettings

    section = around.settings.telegram
    settings = TelegramSettings(
        section.token,
        section.base_url,
        section.base_file_url,
        section.mode,
        section.webhook_url,
        section.webhook_host,
        section.webhook_port,
        section.webhook_secret,
    )
    return OnTelegram(settings, around.commands)


def _discord(around: Surroundings) -> Platform:
    from bot.platforms.on_discord import DiscordMemory, DiscordSettings, OnDiscord

    section = around.settings.discord
    seen = "discord.seen."

    async def load_hash() -> str:
        return await around.load("discord.commands") or ""

    async def save_hash(value: str) -> None:
        await around.save("discord.commands", value)

    async def load_seen() -> dict[str, int]:
        return {name.removeprefix(seen): int(value) for name, value in (await around.load_all(seen)).items()}

    async def save_seen(channel: str, message: int) -> None:
        await around.save(f"{seen}{channel}", message)

    return OnDiscord(
        DiscordSettings(section.token, section.api_base, section.gateway_url, section.application_id),
        around.commands,
        DiscordMemory(load_hash, save_hash, load_seen, save_seen),
        around.pressed_twice,
    )


PLATFORMS: Final[Mapping[str, Callable[[Surroundings], Platform]]] = {
    "telegram": _telegram,
    "discord": _discord,
}
