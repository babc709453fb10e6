"""A Telegram Bot API over real HTTP for tests: it keeps the rules of the real one and can misbehave on request.

async with TelegramServer() as server:
    settings = TelegramSettings(token=server.token, base_url=server.url, base_file_url=server.file_url)
    server.say("hello")                                  # a private message of the default user
    server.fail("sendMessage", status=429, retry_after=3)  # the next call is refused
    await server.wait_for("sendMessage")                   # returns the Call once it was made
    server.sent                                            # the messages that reached a chat
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

from tests.telegram_methods import ANNA, BOT, Call
from tests.telegram_people import People
from tests.telegram_rules import Refused

__all__ = ["ANNA", "BOT", "TOKEN", "Call", "Fault", "TelegramServer"]

TOKEN = "123456789:AAtest-token_that-must-never-be-printed"
JSON_FIELDS = (
    "entities",
    "caption_entities",
    "reply_markup",
    "commands",
    "scope",
    "allowed_updates",
    "media",
)
JSON_FIELDS += ("link_preview_options", "reply_parameters")
NUMBERS = (
    "chat_id",
    "message_id",
    "offset",
    "limit",
    "timeout",
    "draft_id",
    "message_thread_id",
    "max_connections",
)


@dataclass(slots=True)
class Fault:
    """What shall happen to the next `times` calls of a method.

    `kind`: "status" (answer with `status`), "drop before" / "drop after" (close the connection without or
    after doing it), "hang" (do it, but answer only after `hang_s`), "garbage" (200 with no JSON).
    """

    kind: str
    times: int = 1
    status: int = 500
    description: str = ""
    retry_after: int | None = None
    migrate_to_chat_id: int | None = None
    hang_s: float = 3600.0


class TelegramServer(People):
    """The server. Everything pushed stays until a poll confirms it by a higher offset."""

    def __init__(self, token: str = TOKEN, port: int = 0) -> None:
        super().__init__()
        self.token, self.port = token, port
        self._faults: dict[str, list[Fault]] = {}

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=80_000_000)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/{path:.+}", self._serve_file)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """End it; a TelegramServer(port=server.port) may take its place."""
        self._stopping.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        """For `telegram.base_url`."""
        return f"http://127.0.0.1:{self.port}/bot"

    @property
    def file_url(self) -> str:
        """For `telegram.base_file_url`."""
        return f"http://127.0.0.1:{self.port}/file/bot"

    # What tests do to it

    def fail(
        self, method: str, status: int = 500, times: int = 1, description: str = "", **more: Any
    ) -> None:
        """Answer the next calls of `method` with an error."""
        self._faults.setdefault(method, []).append(Fault("status", times, status, description, **more))

    def misbehave(self, method: str, kind: str, times: int = 1, hang_s: float = 3600.0) -> None:
        """Let the next calls of `method` drop, hang or get garbage (see Fault)."""
        self._faults.setdefault(method, []).append(Fault(kind, times, hang_s=hang_s))

    def heal(self) -> None:
        """Forget all faults."""
        self._faults.clear()

    def made(self, method: str) -> list[Call]:
        """Return the calls of one method."""
        return [call for call in self.calls if call.method == method]

    async def wait_for(self, method: str, count: int = 1, within_s: float = 20.0) -> Call:
        """Wait until `method` was called (and answered) `count` times; return that call."""
        await self.wait_until(lambda: len([c for c in self.made(method) if c.status]) >= count, within_s)
        return [call for call in self.made(method) if call.status][count - 1]

    async def wait_until(self, holds: Callable[[], bool], within_s: float = 20.0) -> None:
        """Wait until something holds, here or in the program under test."""
        async with asyncio.timeout(within_s):
            while not holds():  # noqa: ASYNC110 - what holds is anybody's state, without an event
                await asyncio.sleep(0.005)

    def texts_to(self, chat: int = ANNA["id"]) -> list[str]:
        """Return what a chat has got, in order: texts and captions."""
        found = (message for message in self.sent if message["chat"]["id"] == chat)
        return [message.get("text", message.get("caption", "")) for message in found]

    @property
    def waiting(self) -> list[int]:
        """The update ids that nobody has confirmed."""
        return [update["update_id"] for update in self.updates]

    # HTTP

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        try:
            params, files = await _read(request)
        except ConnectionResetError:
            # The program was killed in the middle of its request.
            return web.Response(status=500)
        call = Call(request.match_info["method"], params, files, time.monotonic())
        self.calls.append(call)
        if request.match_info["token"] != self.token:
            call.status = 401
            return _error(Refused(401, "Unauthorized"))
        fault = self._next_fault(call.method)
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        try:
            response = await self._answer(request, call, fault)
        except Refused as refused:
            response = _error(refused)
        call.status = response.status
        return response

    async def _answer(self, request: web.Request, call: Call, fault: Fault | None) -> web.Response:
        if fault and fault.kind == "status":
            named = {"retry_after": fault.retry_after, "migrate_to_chat_id": fault.migrate_to_chat_id}
            parameters = {name: value for name, value in named.items() if value}
            raise Refused(fault.status, fault.description or f"Error {fault.status}", **parameters)
        if fault and fault.kind == "drop before":
            return await self._drop(request)
        handler = getattr(self, f"do_{call.method}", None)
        if handler is None:
            raise Refused(404, "Not Found: method not found")
        call.result = await handler(call)
        if fault and fault.kind == "drop after":
            return await self._drop(request)
        if fault and fault.kind == "hang":
            await self._sleep(fault.hang_s)
        if fault and fault.kind == "garbage":
            return web.Response(text="<html>oops")
        return web.json_response({"ok": True, "result": call.result})

    async def _drop(self, request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response(status=500)

    def _next_fault(self, method: str) -> Fault | None:
        waiting = self._faults.get(method) or self._faults.get("*") or []
        if not waiting:
            return None
        fault = waiting[0]
        fault.times -= 1
        if fault.times <= 0:
            waiting.pop(0)
        return fault

    async def _serve_file(self, request: web.Request) -> web.Response:
        data = self.files.get(request.match_info["path"].removeprefix("files/"))
        if request.match_info["token"] != self.token or data is None:
            return _error(Refused(404, "Not Found"))
        return web.Response(body=data)


def _error(refused: Refused) -> web.Response:
    body: dict[str, Any] = {"ok": False, "error_code": refused.status, "description": refused.description}
    if refused.parameters:
        body["parameters"] = refused.parameters
    return web.json_response(body, status=refused.status)


async def _read(request: web.Request) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read parameters from the address, a form, a multipart body or JSON; return them with the files."""
    params: dict[str, Any] = dict(request.query)
    files: dict[str, bytes] = {}
    if request.content_type == "application/json":
        params |= await request.json()
    elif request.method == "POST":
        for name, value in (await request.post()).items():
            if isinstance(value, web.FileField):
                files[name] = value.file.read()
                value.file.close()
            else:
                params[name] = value
    for name in JSON_FIELDS:
        if isinstance(params.get(name), str):
            params[name] = json.loads(params[name])
    for name in NUMBERS:
        if isinstance(params.get(name), str) and params[name].lstrip("-").isdecimal():
            params[name] = int(params[name])
    return params, files
