"""How Telegram is reached, and what it allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic import SecretStr

from bot.platforms.markdown_telegram import telegram_length
from bot.ports import Limits

NAME: Final = "telegram"

TELEGRAM_LIMITS: Final = Limits(
    text=4096,  # sendMessage, after entity parsing
    caption=1024,  # sendPhoto
    button_data_bytes=64,  # InlineKeyboardButton.callback_data
    button_label=64,  # no number is documented; longer labels are cut off on phones
    buttons_per_row=8,  # telegram.constants.InlineKeyboardMarkupLimit
    upload_bytes=10_000_000,  # sendPhoto
    typing_every_s=4.0,  # sendChatAction lasts five seconds
    nonce=False,
    per_chat_s=1.0,  # Telegram's FAQ: about one message a second in one chat
    measure=telegram_length,
    download_bytes=20 << 20,  # getFile: "bots can download files of up to 20MB in size"
    loops="mp4",  # sendAnimation: "H.264/MPEG-4 AVC video without sound"
)


@dataclass(frozen=True, slots=True)
class TelegramSettings:
    """Where the Bot API is and how patient we are; times in seconds.

    `base_url` and `base_file_url` end in "/bot", the token is put behind them. With `mode` "webhook"
    Telegram posts to `webhook_url`, and we listen on `webhook_host`:`webhook_port` behind whatever ends TLS.
    `poll_s` is how long one poll waits for news, `answer_s` how long any other call waits for its answer,
    `retry_s` the waits after failures in a row, the last one for ever, `conflicts` how many of them may be
    because of a second poller.
    """

    token: SecretStr
    base_url: str = "https://api.telegram.org/bot"
    base_file_url: str = "https://api.telegram.org/file/bot"
    mode: Literal["polling", "webhook"] = "polling"
    webhook_url: str = ""
    webhook_host: str = "127.0.0.1"
    webhook_port: int = 8443
    webhook_secret: SecretStr = field(default_factory=lambda: SecretStr(""))
    poll_s: int = 30
    answer_s: float = 15.0
    upload_s: float = 60.0
    retry_s: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 30.0)
    conflicts: int = 6
