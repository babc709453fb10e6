"""Every error that discord.py and its network can raise has a meaning for the outbox."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import aiohttp
import discord
import pytest

from bot.errors import MaybeSent, NotSent, PlatformDown, Rejected, SendError, SendLater, Unreachable
from bot.platforms.discord_errors import as_platform_down, as_send_error, delivering, token_is_lost


def answer(status: int, code: int = 0) -> discord.HTTPException:
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = kinds.get(status, discord.DiscordServerError if status >= 500 else discord.HTTPException)
    return kind(SimpleNamespace(status=status, reason="x"), {"code": code, "message": "x"})


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (discord.RateLimited(41.5), SendLater),
        (answer(429), SendLater),
        (answer(401), NotSent),
        (answer(403, 50007), Unreachable),
        (answer(403, 50278), Unreachable),
        (answer(403, 50013), Unreachable),
        (answer(404, 10003), Unreachable),
        (answer(404, 10008), Rejected),
        (answer(400, 50035), Rejected),
        (answer(413, 40005), Rejected),
        (answer(500), MaybeSent),
        (answer(502), MaybeSent),
        (aiohttp.ClientConnectorError(None, OSError("no route")), NotSent),
        (aiohttp.ConnectionTimeoutError(), NotSent),
        (aiohttp.ServerDisconnectedError(), MaybeSent),
        (aiohttp.ClientOSError(), MaybeSent),
        (aiohttp.ClientPayloadError(), MaybeSent),
        (TimeoutError(), MaybeSent),
        (ConnectionResetError(), MaybeSent),
        (RuntimeError("Session is closed"), NotSent),
        (ValueError("maximum number of children exceeded"), Rejected),
    ],
)
def test_meaning(error, meaning):
    with pytest.raises(SendError) as caught, delivering():
        raise error
    assert type(caught.value) is meaning
    assert "\n" not in str(caught.value)


def test_asked_wait_is_kept():
    later = as_send_error(discord.RateLimited(41.5))
    assert isinstance(later, SendLater)
    assert later.after_s == 41.5


def test_no_error_of_the_library_escapes():
    kinds = [
        kind
        for module in (discord, discord.app_commands, aiohttp)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, discord.DiscordException | aiohttp.ClientError)
        and kind is not discord.app_commands.CommandSyncFailure  # raised only where commands are told
    ]
    assert len(kinds) > 30
    for kind in kinds:
        with pytest.raises(SendError), delivering():
            raise _blank(kind)


def _blank(kind: type[Exception]) -> Exception:
    if issubclass(kind, discord.HTTPException):
        return kind(SimpleNamespace(status=418, reason="x"), None)
    return kind(1.0) if kind is discord.RateLimited else kind.__new__(kind)


@pytest.mark.parametrize(
    "error", [answer(404, 10015), answer(404, 10062), answer(401, 50027), answer(404, 10008)]
)
def test_lost_interactions_are_known(error):
    assert token_is_lost(error)


def test_other_errors_keep_the_interaction():
    assert not token_is_lost(answer(400, 50035))
    assert not token_is_lost(answer(500))


def test_refused_intents_are_named():
    intents = discord.Intents.default()
    intents.message_content = True
    down = as_platform_down(discord.PrivilegedIntentsRequired(None), intents)
    assert isinstance(down, PlatformDown)
    assert "message_content" in str(down)


@pytest.mark.parametrize(
    "error", [answer(500), answer(429), discord.GatewayNotFound(), ConnectionResetError()]
)
def test_passing_troubles_end_nothing(error):
    assert as_platform_down(error, discord.Intents.default()) is None
