"""A small Discord of our own over real HTTP and WebSocket: what the adapter needs of the API, with faults.

It keeps the rules that matter here: the token is checked, a repeated nonce returns the first message,
an interaction is acknowledged once, the gateway says HELLO, wants IDENTIFY and acknowledges heartbeats.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

ME = {
    "id": "900000000000000001",
    "username": "Otomo",
    "discriminator": "0",
    "global_name": None,
    "avatar": None,
    "bot": True,
}
APPLICATION = {
    "id": "900000000000000002",
    "name": "Otomo",
    "icon": None,
    "description": "",
    "summary": "",
    "bot_public": False,
    "bot_require_code_grant": False,
    "verify_key": "00",
    "flags": 0,
    "owner": ME,
}
ALICE = {
    "id": "700000000000000001",
    "username": "alice",
    "discriminator": "0",
    "global_name": "Alice",
    "avatar": None,
}
DM = "800000000000000001"
DISCORD_EPOCH_MS = 1420070400000


@dataclass(eq=False)
class DiscordServer:
    """What stands behind the two addresses."""

    token: str = "a-right-token"
    hello_s: float = 30.0
    requests: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[str, str, int | str]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    callbacks: list[dict[str, Any]] = field(default_factory=list)
    commands: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    identified: list[dict[str, Any]] = field(default_factory=list)
    heartbeats: int = 0
    close_code: int | None = None
    refuse_gateway: int = 0
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    base: str = ""
    sequence: int = 0

    @property
    def api_base(self) -> str:
        return f"http://{self.base}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws://{self.base}/gateway/"

    def fail(self, method: str, path_end: str, fault: int | str) -> None:
        """Let the next such request fail: a status, "nonsense", "hang", "drop before" or "drop after"."""
        self.faults.append((method, path_end, fault))

    def snowflake(self) -> str:
        self.sequence += 1
        return str((int(time.time() * 1000) - DISCORD_EPOCH_MS << 22) | self.sequence)

    def message(self, author: dict[str, Any], content: str, **more: Any) -> dict[str, Any]:
        return {
            "id": self.snowflake(),
            "channel_id": DM,
            "author": author,
            "content": content,
            "timestamp": "2026-11-30T12:00:00.000000+00:00",
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "flags": 0,
            **more,
        }

    def says(self, content: str) -> dict[str, Any]:
        """Put a message of Alice's into the direct channel without telling the gateway."""
        message = self.message(ALICE, content)
        self.messages.append(message)
        return message

    async def dispatch(self, event: str, data: dict[str, Any]) -> None:
        self.sequence += 1
        await self.sockets[-1].send_json({"op": 0, "t": event, "s": self.sequence, "d": data})

    async def dm(self, content: str) -> None:
        await self.dispatch("MESSAGE_CREATE", self.says(content))

    async def slash(self, name: str, locale: str = "de", **more: Any) -> str:
        """Use a slash command as Alice, in the direct channel unless `more` says otherwise; returns its token."""
        number = self.snowflake()
        data = {
            "id": number,
            "application_id": APPLICATION["id"],
            "type": 2,
            "token": f"interaction-token-{number}",
            "version": 1,
            "data": {"id": "1", "name": name, "type": 1},
            "channel_id": DM,
            "channel": {"id": DM, "type": 1, "recipients": [ALICE], "last_message_id": None},
            "user": ALICE,
            "locale": locale,
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 1,
            "app_permissions": "0",
            "attachment_size_limit": 10485760,
            **more,
        }
        await self.dispatch("INTERACTION_CREATE", data)
        return data["token"]

    async def api(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        self.requests.append((request.method, path))
        fault = next((f for f in self.faults if request.method == f[0] and path.endswith(f[1])), None)
        if fault is not None:
            self.faults.remove(fault)
            if isinstance(fault[2], int):
                body = {"code": 0, "message": "fault", "retry_after": 40.0}
                return _json(body, status=fault[2], headers={"Via": "1.1 test"})
            if fault[2] == "hang":
                await asyncio.sleep(60)
            if fault[2] == "nonsense":
                return web.Response(text="<html>welcome to the hotel's network</html>")
            if fault[2] == "drop after":
                await self._answer(request, path)
            assert request.transport is not None
            request.transport.close()
        return await self._answer(request, path)

    async def _answer(self, request: web.Request, path: str) -> web.StreamResponse:
        if path.startswith(("/webhooks/", "/interactions/")):
            return await self._interaction(request, path)
        if path == "/gateway":
            return _json({"url": self.gateway_url})
        if request.headers.get("Authorization") != f"Bot {self.token}":
            return _json({"code": 0, "message": "401: Unauthorized"}, status=401)
        if path == "/users/@me":
            return _json(ME)
        if path == "/oauth2/applications/@me":
            return _json(APPLICATION)
        if path.endswith("/commands"):
            self.commands = await request.json()
            return _json([])
        if path.endswith("/typing"):
            return web.Response(status=204)
        if path == f"/channels/{DM}/messages":
            return await self._messages(request)
        return _json({"code": 10003, "message": "Unknown Channel"}, status=404)

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            after = int(request.query.get("after", 0))
            found = [m for m in self.messages if int(m["id"]) > after][: int(request.query["limit"])]
            return _json(found[::-1])
        body = await _body(request)
        if body.get("enforce_nonce"):
            for known in self.messages:
                if known.get("nonce") == body["nonce"]:
                    return _json(known)
        files = await self._keep_files(request)
        message = self.message(ME, body.get("content", ""), nonce=body.get("nonce"), attachments=files)
        self.messages.append(message)
        return _json(message)

    async def _keep_files(self, request: web.Request) -> list[dict[str, Any]]:
        """Keep what was attached to a message."""
        if request.content_type != "multipart/form-data":
            return []
        found = [part for part in (await request.post()).values() if isinstance(part, web.FileField)]
        attachments = []
        for part in found:
            data = part.file.read()
            part.file.close()
            number = self.snowflake()
            self.files[number] = data
            attachments.append(
                {"id": number, "filename": part.filename, "size": len(data), "url": "", "proxy_url": ""}
            )
        return attachments

    async def _interaction(self, request: web.Request, path: str) -> web.StreamResponse:
        body = await _body(request)
        self.callbacks.append({"path": path, **body})
        if path.endswith("/callback"):
            return _json({"interaction": {"id": path.split("/")[2], "type": 2}})
        message = self.message(ME, body.get("content", ""))
        self.messages.append(message)
        return _json(message)

    async def attachment(self, request: web.Request) -> web.Response:
        """Hand out a file, as Discord's file servers do without a token."""
        self.requests.append(("GET", request.path))
        data = self.files.get(request.match_info["number"])
        return web.Response(status=404) if data is None else web.Response(body=data)

    async def gateway(self, request: web.Request) -> web.StreamResponse:
        if self.refuse_gateway:
            self.refuse_gateway -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": int(self.hello_s * 1000)}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._on_frame(socket, json.loads(frame.data))
        return socket

    async def _on_frame(self, socket: web.WebSocketResponse, frame: dict[str, Any]) -> None:
        if frame["op"] == 1:
            self.heartbeats += 1
            await socket.send_json({"op": 11})
        if frame["op"] == 6:
            await socket.send_json({"op": 9, "d": False})
        if frame["op"] == 2:
            self.identified.append(frame["d"])
            if self.close_code is not None:
                await socket.close(code=self.close_code)
                return
            self.sockets.append(socket)
            await self.dispatch(
                "READY",
                {
                    "v": 10,
                    "user": ME,
                    "guilds": [],
                    "session_id": "s",
                    "resume_gateway_url": self.gateway_url,
                    "application": {"id": APPLICATION["id"], "flags": 0},
                },
            )


def _json(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py reads JSON only where the type is exactly this, without a charset.
    kind = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(data).encode(), status=status, headers=kind)


async def _body(request: web.Request) -> dict[str, Any]:
    if request.content_type != "multipart/form-data":
        return await request.json()
    return json.loads((await request.post())["payload_json"])


@asynccontextmanager
async def discord_server(port: int = 0) -> AsyncIterator[DiscordServer]:
    """Listen on a free port (or on a given one) until the block ends."""
    server = DiscordServer()
    app = web.Application()
    app.router.add_route("*", "/api/v10/{path:.*}", server.api)
    app.router.add_get("/gateway/", server.gateway)
    app.router.add_get("/attachments/{channel}/{number}/{name}", server.attachment)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    server.base = f"127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        for socket in server.sockets:
            await socket.close()
        await runner.cleanup()
        await asyncio.sleep(0)
