"""Which Discord she talks to, what it allows, and what the library may write into logs."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context
from pydantic import SecretStr
from yarl import URL

from bot.platforms.formatting import defuse
from bot.ports import Limits

CUSTOM_ID_PREFIX: Final = "otomo:"
"""What her buttons' custom ids begin with; a custom id has at most 100 characters."""

DISCORD_LIMITS: Final = Limits(
    text=2000,  # API docs, "Create Message": content
    caption=2000,  # a picture and its text are one message with one content
    button_data_bytes=100 - len(CUSTOM_ID_PREFIX),  # "Component Reference": custom_id 1-100
    button_label=80,  # "Component Reference", Button: label
    buttons_per_row=5,  # "Component Reference", Action Row
    upload_bytes=10 * 1024 * 1024,  # "Uploading Files": 10 MiB without boosts
    typing_every_s=8.0,  # "Trigger Typing Indicator": expires after 10 seconds
    nonce=True,  # "Create Message": enforce_nonce
    prepare=defuse,
    # An uploaded WebP plays by itself and repeats; an MP4 waits for a click.
    loops="webp",
)

_DUMPING_LOGGERS: Final = ("client", "gateway", "http", "state", "webhook.async_", "app_commands.tree")


@dataclass(frozen=True, slots=True)
class DiscordSettings:
    """How Discord is reached.

    `api_base` ends with the API's version ("http://host:1/api/v10"); with it alone the gateway's address
    is asked of that server. Both empty: Discord's own.
    """

    token: SecretStr
    api_base: str = ""
    gateway_url: str = ""
    application_id: str = ""


class _NoPayloads(logging.Filter):
    """Drops what the library dumps at DEBUG: users' words, interaction tokens, whole events."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


_no_payloads = _NoPayloads()


def quiet_library_logs() -> None:
    """Keep words and tokens out of the logs, whatever level somebody sets."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # she has no voice there
    for name in _DUMPING_LOGGERS:
        logging.getLogger(f"discord.{name}").addFilter(_no_payloads)


def redirect(client: discord.Client, settings: DiscordSettings) -> None:
    """Make one client talk to the server that the settings name.

    discord.py has no option for this. `Route.BASE` and `DiscordWebSocket.DEFAULT_GATEWAY` are class
    attributes, and changing them would move every client of the process. So the three doors through which
    this client's traffic leaves are wrapped instead: `HTTPClient.request`, `HTTPClient.ws_connect`, and
    (in `enter_webhooks`) the sender of interaction answers.
    """
    if settings.api_base:
        vars(client.http)["request"] = _moved_request(client.http.request, settings.api_base)
    if settings.api_base or settings.gateway_url:
        vars(client.http)["ws_connect"] = _moved_gateway(client, settings.gateway_url)


def enter_webhooks(settings: DiscordSettings) -> None:
    """Choose the sender of interaction answers for the running task and all tasks it starts."""
    if settings.api_base:
        async_context.set(_MovedWebhooks(settings.api_base))


def present_webhooks() -> AsyncWebhookAdapter:
    """Return the sender of interaction answers that holds in the running task."""
    return async_context.get()


@contextmanager
def webhooks(sender: AsyncWebhookAdapter) -> Iterator[None]:
    """Answer an interaction from a task that the client did not start, such as the outbox."""
    token = async_context.set(sender)
    try:
        yield
    finally:
        async_context.reset(token)


class _MovedWebhooks(AsyncWebhookAdapter):
    def __init__(self, api_base: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        self._api_base = api_base

    async def request(self, route: Route, *args: Any, **kwargs: Any) -> Any:
        _move(route, self._api_base)
        return await super().request(route, *args, **kwargs)


def _move(route: Route, api_base: str) -> None:
    route.url = api_base.rstrip("/") + route.url.removeprefix(Route.BASE)


def _moved_request(request: Callable[..., Awaitable[Any]], api_base: str) -> Callable[..., Awaitable[Any]]:
    async def moved(route: Route, **kwargs: Any) -> Any:
        _move(route, api_base)
        return await request(route, **kwargs)

    return moved


def _moved_gateway(
    client: discord.Client, gateway_url: str
) -> Callable[..., Awaitable[aiohttp.ClientWebSocketResponse]]:
    connect = client.http.ws_connect

    async def moved(url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        wanted = URL(url)
        # A resume goes to the address that the server itself gave in READY.
        if wanted.host == DiscordWebSocket.DEFAULT_GATEWAY.host:
            target = gateway_url or (await client.http.request(Route("GET", "/gateway")))["url"]
            wanted = URL(target).with_query(wanted.query)
        return await connect(str(wanted), compress=compress)

    return moved
