"""From Send to Telegram: one message each, in another form at once where Telegram refuses the first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    MessageEntity,
)
from telegram.error import BadRequest, ChatMigrated, TelegramError

from bot.errors import Rejected
from bot.platforms.formatting import clean, utf16_length
from bot.platforms.markdown_telegram import Formatted, to_entities
from bot.platforms.telegram_errors import send_error
from bot.platforms.telegram_settings import TELEGRAM_LIMITS
from bot.ports import Activity, Button, Receipt, Send
from engine.conversation import Address

_SHORT_LABEL: Final = 12
"""Labels up to this length stand beside each other, longer ones below each other."""
_ROW_OF_SHORT: Final = 4
_MOVING: Final = ("video/mp4", "image/gif")
"""What Telegram plays by itself, again and again, when it is sent as an animation."""
_NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)

_ENTITY_WORDS: Final = ("entit",)
_FILE_WORDS: Final = ("wrong file", "wrong remote file", "file identifier", "file_id", "file reference")
_THREAD_WORDS: Final = ("thread not found", "topic_deleted", "topic_closed", "topic_id_invalid")


class Sender:
    """Sends by one bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def send(self, send: Send) -> Receipt:
        """Deliver one message (see bot.ports.Platform.send).

        A refused formatting goes again as plain text, a picture that Telegram has forgotten again as bytes,
        a message to a closed topic again without it; none of these was delivered before.

        Raises:
            SendError: One of its kinds.
        """
        if send.picture is None and not clean(send.text).strip():
            raise Rejected("there is nothing to send")
        formatted = _formatted(send)
        for _ in range(4):
            try:
                return _receipt(await self._once(send, formatted))
            except ChatMigrated as error:
                send = _moved(send, error.new_chat_id)
            except BadRequest as error:
                changed = _another_form(send, formatted, error.message.lower())
                if changed is None:
                    raise send_error(error) from None
                send, formatted = changed
            except TelegramError as error:
                raise send_error(error) from None
        raise Rejected("Telegram takes this message in no form")

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show once what she is doing.

        Raises:
            TelegramError: It could not be shown.
        """
        await self._bot.send_chat_action(int(address.chat), kind, message_thread_id=_thread(address))

    async def _once(self, send: Send, formatted: Formatted) -> Message:
        entities = [
            MessageEntity(entity.kind, entity.offset, entity.length, language=entity.language)
            for entity in formatted.entities
        ]
        common: dict[str, Any] = {
            "chat_id": int(send.address.chat),
            "message_thread_id": _thread(send.address),
            "reply_markup": _keyboard(send.buttons),
        }
        if send.picture is None:
            return await self._bot.send_message(
                text=formatted.text, entities=entities, link_preview_options=_NO_PREVIEW, **common
            )
        media = send.picture.reference or InputFile(send.picture.data, filename=send.picture.name)
        caption: dict[str, Any] = {"caption": formatted.text or None, "caption_entities": entities}
        if send.picture.mime in _MOVING:
            return await self._bot.send_animation(animation=media, **caption, **common)
        if send.picture.mime == "image/webp":
            # As a photo it would lose its transparency.
            return await self._bot.send_document(document=media, **caption, **common)
        return await self._bot.send_photo(photo=media, **caption, **common)


def _formatted(send: Send) -> Formatted:
    """Convert the text; as it is where it is plain, or where nothing visible or too much would be left."""
    text = clean(send.text)
    plain = Formatted(text, ())
    if send.plain:
        return plain
    formatted = to_entities(text)
    room = TELEGRAM_LIMITS.caption if send.picture else TELEGRAM_LIMITS.text
    return formatted if formatted.text.strip() and utf16_length(formatted.text) <= room else plain


def _another_form(send: Send, formatted: Formatted, reason: str) -> tuple[Send, Formatted] | None:
    """Return the form to try after a refusal, or None if there is none."""
    if formatted.entities and any(words in reason for words in _ENTITY_WORDS):
        return send, Formatted(clean(send.text), ())
    if send.picture and send.picture.reference and any(words in reason for words in _FILE_WORDS):
        return replace(send, picture=replace(send.picture, reference=None)), formatted
    if send.address.thread and any(words in reason for words in _THREAD_WORDS):
        return replace(send, address=replace(send.address, thread=None)), formatted
    return None


def _moved(send: Send, chat: int) -> Send:
    """Send to where a group has moved."""
    return replace(send, address=replace(send.address, chat=str(chat)))


def _thread(address: Address) -> int | None:
    return int(address.thread) if address.thread else None


def _keyboard(buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
    """Lay buttons out: short ones side by side, long ones one below the other."""
    if not buttons:
        return None
    short = all(len(button.label) <= _SHORT_LABEL for button in buttons)
    width = min(_ROW_OF_SHORT, TELEGRAM_LIMITS.buttons_per_row) if short else 1
    keys = [
        InlineKeyboardButton(button.label[: TELEGRAM_LIMITS.button_label], callback_data=button.data)
        for button in buttons
    ]
    return InlineKeyboardMarkup([keys[start : start + width] for start in range(0, len(keys), width)])


def _receipt(message: Message) -> Receipt:
    """Keep the message's id, and the picture's so that it need not be uploaded again."""
    reference = None
    if message.photo:
        reference = message.photo[-1].file_id
    elif file := message.animation or message.sticker or message.document:
        reference = file.file_id
    return Receipt(str(message.message_id), reference)
