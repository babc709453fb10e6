"""What the Telegram library's errors mean for a message, and for the platform as a whole.

The texts never hold the token: messages of the library are passed on only where the server wrote them.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from bot.errors import MaybeSent, NotSent, PlatformDown, Rejected, SendError, SendLater, Unreachable

WRONG_TOKEN: Final = "Telegram refuses the bot token (TELEGRAM_TOKEN): ask @BotFather for the right one"
SECOND_POLLER: Final = "another program is using the same Telegram bot token: stop it, then start Otomo again"

_NEVER_LEFT: Final = (
    httpx.PoolTimeout,
    httpx.ConnectTimeout,
    httpx.ConnectError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.ProxyError,
)
"""With these the request has not reached the server; with all others it may have."""

_CLOSED_CHATS: Final = (
    "chat not found",
    "user not found",
    "user is deactivated",
    "peer_id_invalid",
    "bot was kicked",
    "have no rights to send",
    "not enough rights",
    "chat_write_forbidden",
)
_BUSY_S: Final = 5.0
"""How long to wait after a rate limit that names no time."""


def send_error(error: TelegramError) -> SendError:
    """Tell what an error of the library means for the message that was being sent."""
    match error:
        case RetryAfter():
            return SendLater("Telegram asks to wait", wait_s(error) or _BUSY_S)
        case Forbidden():
            return Unreachable(error.message)
        case InvalidToken():
            return NotSent(WRONG_TOKEN)
        case BadRequest():
            return _refused(error.message)
        case ChatMigrated():
            return Rejected("the group has moved to another chat")
        case TimedOut():
            return _undelivered(error, "Telegram gave no answer in time")
        case NetworkError():
            return _network_error(error)
        case _:
            return MaybeSent(f"Telegram's answer cannot be read ({type(error).__name__})")


def platform_error(error: TelegramError) -> PlatformDown | None:
    """Return the end of the platform where an error means it; None where trying again may help."""
    return PlatformDown(WRONG_TOKEN) if isinstance(error, InvalidToken) else None


def wait_s(error: TelegramError) -> float | None:
    """Return how long Telegram asks to wait, in seconds, if it does."""
    if not isinstance(error, RetryAfter):
        return None
    after = error.retry_after
    return after.total_seconds() if isinstance(after, timedelta) else float(after)


def outline(error: TelegramError) -> str:
    """Describe an error in a few words without addresses: its kind, and the cause's kind."""
    cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
    said = f": {error.message}" if isinstance(error, BadRequest | Conflict | Forbidden) else ""
    return f"{type(error).__name__}{cause}{said}"


def _refused(message: str) -> SendError:
    if any(words in message.lower() for words in _CLOSED_CHATS):
        return Unreachable(message)
    return Rejected(message)


def _network_error(error: NetworkError) -> SendError:
    """Read an error whose only detail is text: a status code, or the HTTP library's own error."""
    if "Too Many Requests" in error.message:
        return SendLater("Telegram asks to wait", _BUSY_S)
    if "Request Entity Too Large" in error.message:
        return Rejected("the file is too large for Telegram")
    return _undelivered(error, "the connection to Telegram failed")


def _undelivered(error: TelegramError, text: str) -> SendError:
    """Tell apart what has surely not been sent and what may have been."""
    return NotSent(text) if isinstance(error.__cause__, _NEVER_LEFT) else MaybeSent(text)
