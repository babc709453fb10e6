"""What discord.py and aiohttp raise, told in the product's own errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import aiohttp
import discord

from bot.errors import MaybeSent, NotSent, PlatformDown, Rejected, SendError, SendLater, Unreachable

UNKNOWN_CHANNEL: Final = 10003
_BANNED_WAIT_S: Final = 60.0
"""How long to wait after a 429 without a number: Cloudflare's ban of an address that erred too often."""

_LOST_TOKEN_CODES: Final = frozenset(
    {
        10008,  # the deferred message was deleted
        10015,  # unknown webhook: the token has expired
        10062,  # unknown interaction: not acknowledged in 3 seconds
        50027,  # invalid webhook token
    }
)

NETWORK_ERRORS: Final = (aiohttp.ClientError, OSError)
"""What a broken or missing connection raises (TimeoutError is an OSError)."""

_CLOSE_REASONS: Final = {
    4004: "Discord refuses the bot token (DISCORD_TOKEN): reset it in the developer portal, and set the new one",
    4010: "Discord refuses the shard number",
    4011: "Discord asks for sharding: she is in too many servers for one connection",
    4012: "Discord no longer speaks this version of its gateway: update Otomo",
    4013: "Discord calls the intents invalid",
    4014: "Discord refuses the intents",
}


@contextmanager
def delivering(private: bool = True) -> Iterator[None]:
    """Turn everything that a delivery can raise into a SendError.

    Args:
        private: Whether it goes to one person. A server's channel that is closed to her makes nobody
            unreachable; there the message is Rejected.
    """
    try:
        yield
    except (discord.DiscordException, *NETWORK_ERRORS, RuntimeError, ValueError) as error:
        meaning = as_send_error(error)
        if isinstance(meaning, Unreachable) and not private:
            meaning = Rejected(str(meaning))
        raise meaning from error


def as_send_error(error: Exception) -> SendError:
    """Name what a failed request means for the message."""
    if isinstance(error, discord.RateLimited):
        return SendLater("Discord's rate limit", error.retry_after)
    if isinstance(error, discord.HTTPException):
        return _of_answer(error)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return NotSent("no connection to Discord")
    if isinstance(error, NETWORK_ERRORS):
        return MaybeSent("the connection to Discord broke")
    if isinstance(error, ValueError):
        return Rejected(f"discord.py refuses it: {error}")
    # aiohttp's "Session is closed" and discord.py's client errors come before anything is sent.
    return NotSent(f"Discord is not connected ({type(error).__name__})")


def _of_answer(error: discord.HTTPException) -> SendError:
    reason = f"Discord answered {error.status} (code {error.code})"
    if error.status == 429:
        return SendLater(reason, _BANNED_WAIT_S)
    if error.status == 401:
        return NotSent(reason)
    if error.status == 403 or (error.status == 404 and error.code == UNKNOWN_CHANNEL):
        return Unreachable(reason)
    if error.status >= 500:
        return MaybeSent(reason)
    return Rejected(reason)


def token_is_lost(error: discord.HTTPException) -> bool:
    """Tell whether an interaction can no longer be answered by its token."""
    return error.code in _LOST_TOKEN_CODES or error.status == 401


def as_platform_down(error: Exception, intents: discord.Intents) -> PlatformDown | None:
    """Return the one line for an end that no retry mends, or None where another try may help."""
    if isinstance(error, discord.LoginFailure):
        return PlatformDown(_CLOSE_REASONS[4004])
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return PlatformDown(f"{_CLOSE_REASONS[4014]}: {_asked_for(intents)}")
    if isinstance(error, discord.ConnectionClosed) and error.code in _CLOSE_REASONS:
        asked = f": {_asked_for(intents)}" if error.code in (4013, 4014) else ""
        return PlatformDown(_CLOSE_REASONS[error.code] + asked)
    if isinstance(error, discord.HTTPException) and error.status in (401, 403):
        return PlatformDown(f"{_CLOSE_REASONS[4004]}: answer {error.status}")
    return None


def _asked_for(intents: discord.Intents) -> str:
    privileged = [n for n in ("members", "presences", "message_content") if getattr(intents, n)]
    names = privileged or [name for name, wanted in intents if wanted]
    return f"{', '.join(names)} (Developer Portal, page Bot)"
