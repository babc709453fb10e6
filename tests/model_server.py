"""A model server for tests: real HTTP on 127.0.0.1, programmable replies and faults, every request kept.

    async with ModelServer(replies=["Hello!", Answer("...", fault="drop", after=12)]) as server:
        client(base_url=server.url)      # ".../v1" for OpenAI-compatible clients; server.root for Anthropic
        assert server.requests[0].messages[-1]["content"] == "hi"

Replies are used up in order and the last one stays. A reply is a text, an Answer, or a function from the
recorded Request to either. It speaks /v1/chat/completions, /v1/messages (both streamed and not), /v1/models,
and what local servers add: Ollama's /api/tags, /api/show and LM Studio's /api/v0/models.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.model_wires import Answer, AnthropicWire, Fault, OpenAiWire, Request

__all__ = ["Answer", "Fault", "ModelServer", "Request"]

Reply = str | Answer
ReplyMaker = Callable[[Request], Reply]


@dataclass(slots=True)
class ModelServer:
    """The server; use it as an async context manager. `models` empty means that any model name is known."""

    replies: Sequence[Reply | ReplyMaker] = ("Hello.",)
    key: str | None = None
    models: Sequence[str] = ()
    json_schema: bool = True
    ollama: Sequence[dict[str, Any]] | None = None
    lmstudio: Sequence[dict[str, Any]] | None = None
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    cut_by_client: int = 0
    _used: int = 0
    _runner: web.AppRunner | None = None
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def root(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The base URL for OpenAI-compatible clients."""
        return f"{self.root}/v1"

    def program(self, *replies: Reply | ReplyMaker) -> None:
        """Forget the replies so far and answer with these from now on."""
        self.replies, self._used = replies, 0

    async def __aenter__(self) -> ModelServer:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_get("/v1/models", self._models)
        if self.ollama is not None:
            app.router.add_get("/api/tags", self._ollama_tags)
            app.router.add_post("/api/show", self._ollama_show)
        if self.lmstudio is not None:
            app.router.add_get("/api/v0/models", self._lmstudio_models)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._closing.set()
        assert self._runner is not None
        await self._runner.cleanup()

    def _next(self, request: Request) -> Answer:
        reply = self.replies[min(self._used, len(self.replies) - 1)]
        self._used += 1
        if callable(reply):
            reply = reply(request)
        return reply if isinstance(reply, Answer) else Answer(reply)

    async def _record(self, request: web.Request) -> Request:
        recorded = Request(request.path, dict(request.headers), await request.json())
        self.requests.append(recorded)
        return recorded

    def _refusal(self, request: Request) -> tuple[int, str, str] | None:
        """What a real server says to a wrong key, model or message list."""
        key = request.headers.get("x-api-key") or request.headers.get("Authorization", "")[len("Bearer ") :]
        if self.key is not None and key != self.key:
            return 401, "invalid_api_key", f"Incorrect API key provided: {key}"
        if self.models and request.body.get("model") not in self.models:
            return 404, "model_not_found", f"The model {request.body.get('model')} does not exist"
        if not self.json_schema and request.wants_json:
            return 400, "invalid_request_error", "response_format is not supported"
        return _bad_messages(request)

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        if refusal := self._refusal(recorded):
            return _openai_error(*refusal)
        answer = self._next(recorded)
        if answer.status != 200:
            return _openai_error(
                answer.status, answer.error_code or "error", answer.error, answer.retry_after
            )
        return await self._answer(request, recorded, answer, OpenAiWire(recorded, answer))

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        if refusal := self._refusal(recorded):
            return _anthropic_error(*refusal)
        answer = self._next(recorded)
        if answer.status != 200:
            code = answer.error_code or "api_error"
            return _anthropic_error(answer.status, code, answer.error, answer.retry_after)
        return await self._answer(request, recorded, answer, AnthropicWire(recorded, answer))

    async def _answer(
        self, request: web.Request, recorded: Request, answer: Answer, wire: OpenAiWire | AnthropicWire
    ) -> web.StreamResponse:
        if answer.fault == "rate_limit_body":
            return web.json_response(
                {"error": {"message": "Rate limit reached", "type": "requests", "code": 429}}
            )
        if answer.fault == "html":
            return web.Response(text="<html><body>Sign in</body></html>", content_type="text/html")
        await asyncio.sleep(answer.first_pause_s)
        if not recorded.body.get("stream"):
            if answer.fault == "hang":
                await self._closing.wait()
            return web.json_response(wire.whole())
        return await self._stream(request, answer, wire)

    async def _stream(
        self, request: web.Request, answer: Answer, wire: OpenAiWire | AnthropicWire
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for line in wire.opening():
                await response.write(line)
            for piece in wire.pieces():
                await response.write(piece)
                await asyncio.sleep(answer.piece_pause_s)
            await self._strike(request, response, answer, wire)
        except (ConnectionResetError, asyncio.CancelledError):
            self.cut_by_client += 1
            raise
        return response

    async def _strike(
        self,
        request: web.Request,
        response: web.StreamResponse,
        answer: Answer,
        wire: OpenAiWire | AnthropicWire,
    ) -> None:
        match answer.fault:
            case "hang":
                await self._closing.wait()
            case "comments":
                while not self._closing.is_set():
                    await response.write(b": keep-alive\n\n")
                    await asyncio.sleep(0.05)
            case "drop":
                await asyncio.sleep(0.02)  # let the pieces leave the socket first
                assert request.transport is not None
                request.transport.abort()
            case "truncated_json":
                await response.write(wire.truncated())
            case "error_chunk":
                await response.write(wire.error_chunk(answer.error, answer.error_code))
            case "no_end":
                return
            case _:
                for line in wire.closing():
                    await response.write(line)

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response(
            {"object": "list", "data": [{"id": m, "object": "model"} for m in self.models]}
        )

    async def _ollama_tags(self, request: web.Request) -> web.Response:
        return web.json_response({"models": list(self.ollama or ())})

    async def _ollama_show(self, request: web.Request) -> web.Response:
        name = (await request.json())["model"]
        found = next((m for m in self.ollama or () if m["name"] == name), None)
        if found is None:
            return web.json_response({"error": f"model '{name}' not found"}, status=404)
        return web.json_response(
            {"capabilities": found.get("capabilities", ["completion"]), "model_info": {}}
        )

    async def _lmstudio_models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": list(self.lmstudio or ())})


def _openai_error(status: int, code: str, message: str, retry_after: str | None = None) -> web.Response:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return web.json_response(body, status=status, headers=headers)


def _anthropic_error(status: int, code: str, message: str, retry_after: str | None = None) -> web.Response:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    body = {"type": "error", "error": {"type": code, "message": message}}
    return web.json_response(body, status=status, headers=headers)


def _bad_messages(request: Request) -> tuple[int, str, str] | None:
    """The rules that real servers enforce on the message list."""
    if not request.messages:
        return 400, "invalid_request_error", "messages: at least one message is required"
    if request.path != "/v1/messages":
        return None
    roles = [message["role"] for message in request.messages]
    if roles[0] != "user" or any(a == b for a, b in itertools.pairwise(roles)):
        return 400, "invalid_request_error", "messages: roles must begin with user and alternate"
    if "max_tokens" not in request.body:
        return 400, "invalid_request_error", "max_tokens: Field required"
    return None
