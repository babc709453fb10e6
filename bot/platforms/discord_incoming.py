"""What people do on Discord, translated: messages, commands and presses become Incoming."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import discord

from bot.platforms.formatting import clean
from bot.ports import PANELS, CommandSpec
from engine.conversation import Address, Attached, Incoming

NAME: Final = "discord"
NAME_CHARS: Final = 200
"""Characters of a file's name that are kept."""

_TAG = re.compile(r"<(?:(?P<kind>@[!&]?|\#)(?P<id>\d{15,20})|a?:(?P<emoji>\w{2,32}):\d{15,20})>")
_SPACES = re.compile(r"[ \t]{2,}")
_WORDS_OF_PEOPLE: Final = (discord.MessageType.default, discord.MessageType.reply)


def message_incoming(message: discord.Message, me: int) -> Incoming | None:
    """Translate a message, or return None where it is not for her.

    Direct messages are always for her; in servers only those that mention her or reply to her are
    (without the message content intent Discord hides the text of all others).

    Args:
        message: The message as discord.py built it; its channel may be partial.
        me: Her own user id.
    """
    author = message.author
    if author.bot or message.webhook_id is not None or message.type not in _WORDS_OF_PEOPLE:
        return None
    private = message.guild is None
    if not private and not _speaks_to(message, me):
        return None
    text = readable_text(message, me)
    cannot_take = _strange_kind(message)
    if not text and cannot_take is None:
        return None
    return Incoming(
        kind="message",
        key=f"{NAME}:{message.id}",
        address=Address(NAME, str(author.id), str(message.channel.id), private),
        text=text,
        sent_at=message.created_at,
        display_name=author.display_name,
        cannot_take=cannot_take,
        attached=_attached(message) if private else None,
    )


def command_incoming(
    interaction: discord.Interaction, spec: CommandSpec, values: Mapping[str, Any]
) -> Incoming:
    """Translate a slash command into the command line that every platform hands over."""
    given = (values.get(option.name) for option in spec.options)
    words = [_as_word(value) for value in given if value is not None]
    return _of_interaction(
        interaction, "command", f"{NAME}:{interaction.id}", " ".join([f"/{spec.name}", *words])
    )


def choice_incoming(interaction: discord.Interaction, data: str) -> Incoming:
    """Translate a pressed button. The same button pressed twice by one account has one key.

    The account is part of the key, so that a stranger's press cannot use up the owner's. Panels may be
    pressed again and again: there each press has its own key.
    """
    if data.startswith(PANELS):
        return _of_interaction(interaction, "choice", f"{NAME}:{interaction.id}", data)
    return _of_interaction(interaction, "choice", f"choice:{NAME}:{interaction.user.id}:{data}", data)


def _of_interaction(interaction: discord.Interaction, kind: Any, key: str, text: str) -> Incoming:
    private = is_private(interaction)
    return Incoming(
        kind=kind,
        key=key,
        address=Address(
            NAME,
            str(interaction.user.id),
            str(interaction.channel_id or ""),
            private,
            # Outside of direct messages an answer to an interaction is for its user alone.
            thread=None if private else str(interaction.id),
        ),
        text=text,
        sent_at=interaction.created_at,
        display_name=interaction.user.display_name,
        language=interaction.locale.value[:2].lower(),
    )


def is_private(interaction: discord.Interaction) -> bool:
    """Tell whether an interaction happened in the direct messages with her (not in a group of people)."""
    if interaction.guild_id is not None:
        return False
    return not interaction.context.private_channel


def readable_text(message: discord.Message, me: int) -> str:
    """Return the words as a reader sees them: names for mentions, and without the mention of her."""
    names = {f"@{user.id}": f"@{user.display_name}" for user in message.mentions}
    names |= {f"@&{role.id}": f"@{role.name}" for role in message.role_mentions}
    names |= {
        f"#{channel.id}": f"#{getattr(channel, 'name', 'channel')}" for channel in message.channel_mentions
    }
    her_name = names.get(f"@{me}", "")
    without_her = _replace_tags(message.content, names | {f"@{me}": ""}).strip()
    without_her = _SPACES.sub(" ", without_her) if her_name else without_her
    return without_her or (_replace_tags(message.content, names).strip() if her_name else "")


def _replace_tags(text: str, names: Mapping[str, str]) -> str:
    def name_of(tag: re.Match[str]) -> str:
        if tag["emoji"]:
            return f":{tag['emoji']}:"
        return names.get(tag["kind"].replace("!", "") + tag["id"], tag[0])

    return _TAG.sub(name_of, text)


def _speaks_to(message: discord.Message, me: int) -> bool:
    if any(user.id == me for user in message.mentions):
        return True
    resolved = message.reference.resolved if message.reference else None
    return isinstance(resolved, discord.Message) and resolved.author.id == me


def _strange_kind(message: discord.Message) -> str | None:
    """Name the kind of thing in a message that she cannot take yet (the keys of `cannot_take` in wording)."""
    if message.flags.voice:
        return "voice"
    if message.stickers:
        return "sticker"
    if message.poll is not None:
        return "poll"
    if message.attachments:
        return _kind_of_file(message.attachments[0].content_type or "")
    return "other" if not message.content else None


def _attached(message: discord.Message) -> Attached | None:
    """Return the first file that is no picture, film or sound."""
    for file in message.attachments:
        if _kind_of_file(file.content_type or "") == "document":
            return Attached(clean(file.filename)[:NAME_CHARS], file.size, file.url)
    return None


def _kind_of_file(content_type: str) -> str:
    kinds = {"image": "picture", "video": "video", "audio": "audio"}
    return kinds.get(content_type.split("/", 1)[0], "document")


def _as_word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
