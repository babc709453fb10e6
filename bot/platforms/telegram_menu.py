"""The command menu of the Telegram apps, per kind of chat."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats
from telegram.error import TelegramError

from bot.platforms.telegram_errors import outline
from bot.ports import CommandSpec

GROUP_COMMANDS: Final = frozenset({"help"})
"""Commands whose answer holds nothing personal."""

_log = logging.getLogger(__name__)


def menu_of(commands: Iterable[CommandSpec]) -> tuple[BotCommand, ...]:
    """Return the menu; Telegram has no groups of commands, so "memory list" stands there as "memory"."""
    first_of: dict[str, CommandSpec] = {}
    for command in commands:
        first_of.setdefault(command.name.split()[0], command)
    return tuple(BotCommand(name, command.description[:256]) for name, command in first_of.items())


async def announce_menu(bot: Bot, menu: tuple[BotCommand, ...]) -> None:
    """Show the menu in private chats, and what is fit for everybody's eyes in groups.

    A menu is presentation only: a failure is logged, not raised.
    """
    public = tuple(command for command in menu if command.command in GROUP_COMMANDS)
    try:
        await bot.set_my_commands(menu, scope=BotCommandScopeAllPrivateChats())
        await bot.set_my_commands(public, scope=BotCommandScopeAllGroupChats())
    except TelegramError as error:
        _log.warning("the command menu could not be set: %s", outline(error))
