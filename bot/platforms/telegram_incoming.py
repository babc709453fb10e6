"""From Telegram's updates to Incoming. Pure: no request is made here."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from telegram import CallbackQuery, Message, Update, User
from telegram.constants import ChatType, MessageEntityType

from bot.platforms.formatting import clean
from bot.platforms.telegram_settings import NAME
from engine.conversation import Address, Attached, Incoming

CANNOT_TAKE: Final = (
    "voice",
    "video_note",
    "animation",
    "video",
    "audio",
    "photo",
    "sticker",
    "document",
    "venue",
    "location",
    "contact",
    "poll",
    "dice",
    "game",
    "story",
    "paid_media",
    "checklist",
)
"""Message fields she cannot take yet, the telling one first (a venue has a location, too)."""
NAME_CHARS: Final = 200
"""Characters of a file's name that are kept."""


def incoming_of(update: Update, me: User, commands: frozenset[str]) -> Incoming | None:
    """Translate an update; None for what is not for her.

    Args:
        update: Any update.
        me: The bot itself.
        commands: The names that count as hers in a group without "@".

    Returns:
        A message, a command or a choice. Edits, other bots' words, groups' talk that does not address her
        and service messages are nothing.
    """
    if update.message is not None:
        return _message(update.message, me, commands)
    if update.callback_query is not None:
        return _choice(update.callback_query, me)
    return None


def _message(message: Message, me: User, commands: frozenset[str]) -> Incoming | None:
    user = message.from_user
    if user is None or user.is_bot or message.is_automatic_forward or message.sender_chat is not None:
        return None
    cannot_take = None if message.text else _kind(message)
    if message.text is None and cannot_take is None:
        return None
    private = message.chat.type == ChatType.PRIVATE
    command = _command(message, me, commands, private)
    if not private and command is None and not _addressed(message, me):
        return None
    text = message.text or message.caption or ""
    return Incoming(
        kind="message" if command is None else "command",
        key=f"{NAME}:{me.id}:{message.chat.id}:{message.message_id}",
        address=_address(message, user),
        text=clean(_without_name(text, me) if command is None else command),
        sent_at=message.date,
        display_name=clean(user.full_name),
        language=_language(user),
        cannot_take=cannot_take,
        attached=_attached(message) if private else None,
    )


def _choice(press: CallbackQuery, me: User) -> Incoming | None:
    """Translate a press; one on an inline message or without data is not from a message of ours."""
    message = press.message
    if message is None or not press.data or press.from_user.is_bot:
        return None
    thread = _thread(message) if isinstance(message, Message) else None
    private = message.chat.type == ChatType.PRIVATE
    return Incoming(
        kind="choice",
        key=f"{NAME}:{me.id}:press:{press.id}",
        address=Address(NAME, str(press.from_user.id), str(message.chat.id), private, thread),
        text=clean(press.data),
        sent_at=datetime.now(UTC),
        display_name=clean(press.from_user.full_name),
        language=_language(press.from_user),
    )


def _address(message: Message, user: User) -> Address:
    private = message.chat.type == ChatType.PRIVATE
    return Address(NAME, str(user.id), str(message.chat.id), private, _thread(message))


def _thread(message: Message) -> str | None:
    """Return the topic; replies in ordinary groups carry a thread id as well, and it must not be echoed."""
    if not message.is_topic_message or message.message_thread_id is None:
        return None
    return str(message.message_thread_id)


def _language(user: User) -> str:
    return (user.language_code or "").partition("-")[0].lower()[:2]


def _kind(message: Message) -> str | None:
    return next((name for name in CANNOT_TAKE if getattr(message, name, None)), None)


def _attached(message: Message) -> Attached | None:
    file = message.document
    if file is None:
        return None
    return Attached(clean(file.file_name or "")[:NAME_CHARS], file.file_size or 0, file.file_id)


def _command(message: Message, me: User, commands: frozenset[str], private: bool) -> str | None:
    """Return the command line without "@name", or None; in a group only for a command that is hers."""
    found = re.match(r"/(\w{1,32})(?:@(\w+))?(?=\s|$)", message.text or "")
    if found is None:
        return None
    name, target = found[1], found[2]
    if target and target.lower() != (me.username or "").lower():
        return None
    if not private and not target and name.lower() not in commands:
        return None
    return f"/{name.lower()}{(message.text or '')[found.end() :]}"


def _addressed(message: Message, me: User) -> bool:
    """Tell whether a group's message mentions her or answers one of hers."""
    answered = message.reply_to_message
    if answered is not None and answered.from_user == me and answered.forum_topic_created is None:
        return True
    kinds: list[str | None] = [MessageEntityType.MENTION, MessageEntityType.TEXT_MENTION]
    # The library refuses to read the entities of a text that is not there.
    named = message.parse_entities(kinds) if message.text else {}
    named |= message.parse_caption_entities(kinds) if message.caption else {}
    own_name = f"@{me.username}".lower()
    return any(entity.user == me or text.lower() == own_name for entity, text in named.items())


def _without_name(text: str, me: User) -> str:
    """Take her own @name out of a text, unless it is all of it."""
    rest = re.sub(rf"(?<!\w)@{re.escape(me.username or '')}\b[ ]?", "", text, flags=re.IGNORECASE).strip()
    return rest if me.username and rest else text
