"""Voices of Anthropic, over /v1/messages."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from bot.errors import ModelError, ModelFiltered, ModelUnreachable
from bot.llm.messages import alternating
from bot.llm.patience import Pace, Piece, patient_reply
from bot.llm.refusals import asked_wait, refused, unwanted
from bot.llm.settings import LlmSettings
from bot.llm.transport import LazyClient, broken, errors_mapped, foreign_to, hush
from bot.llm.usage import count, count_request
from bot.ports import ChatRequest, Usage
from engine.conversation import ChatMessage, Image

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

log = logging.getLogger(__name__)

JSON_TOKENS: Final = 400
FORMAT: Final = "output_config"
WARMEST: Final = 1.0
"""Anthropic's temperature ends at 1, the others' at 2."""
OPTIONAL: Final = frozenset({"temperature", "top_p", "output_config"})
"""Parameters that a model may refuse and a reply can do without."""

Body = dict[str, Any]


class AnthropicStyle:
    """A ChatModel over Anthropic's messages.

    Args:
        settings: The model and its figures; base_url is complete.
        who: The provider's name as people know it.
    """

    def __init__(self, settings: LlmSettings, who: str = "Anthropic") -> None:
        self.name = f"{settings.model} ({who})"
        self._settings = settings
        self._who = who
        self._pace = Pace.of(who, settings)
        self._unwanted: set[str] = set()
        self._client: LazyClient[AsyncAnthropic] = LazyClient(self._build)

    def warm(self) -> None:
        """Begin to load the SDK, without waiting for it."""
        self._client.warm()

    async def close(self) -> None:
        """Give back connections."""
        await self._client.close()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's pieces as they come."""
        usage = Usage()

        def spent(part: Usage) -> None:
            nonlocal usage
            usage = Usage(
                usage.prompt_tokens + part.prompt_tokens, usage.completion_tokens + part.completion_tokens
            )
            request.usage = usage
            count(part)

        body = self._chat_body(request)
        client = await self._client.get()  # before any clock runs: the first time it takes seconds
        async with aclosing(patient_reply(lambda: self._attempt(client, body), self._pace, spent)) as words:
            async for text in words:
                yield text

    async def complete_json(
        self,
        system: str,
        user: str,
        schema: Mapping[str, object] | None = None,
        max_tokens: int = JSON_TOKENS,
    ) -> str:
        """Answer one request for a JSON object; the text may need the tolerant parser."""
        body: Body = {
            "model": self._settings.model,
            "system": system,
            "messages": [{"role": "user", "content": user}],
            "max_tokens": max_tokens,
            "stream": True,
        }
        if schema is not None:
            body[FORMAT] = {"format": {"type": "json_schema", "schema": dict(schema)}}
        client = await self._client.get()
        async with aclosing(patient_reply(lambda: self._attempt(client, body), self._pace, count)) as words:
            return "".join([text async for text in words])

    def _build(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout

        settings, pause = self._settings, self._settings.connect_s
        # Our own silence limit strikes first; this one ends what hangs while nobody listens.
        waits = Timeout(connect=pause, pool=pause, write=settings.silence_s, read=settings.silence_s + 5)
        client = AsyncAnthropic(
            api_key=settings.api_key.get_secret_value(),
            base_url=settings.base_url,
            max_retries=0,
            timeout=waits,
            http_client=DefaultAioHttpClient(timeout=waits),
        )
        _ = client.messages.with_raw_response  # the SDK imports its endpoints at first touch
        hush("anthropic", "httpx2", "httpcore2")
        return client

    def _chat_body(self, request: ChatRequest) -> Body:
        settings = self._settings
        body: Body = {
            "model": settings.model,
            "system": request.prompt.system,
            "messages": [_message(message) for message in alternating(request.prompt.messages)],
            "max_tokens": request.max_tokens or settings.max_tokens,
            "stream": True,
            "temperature": min(settings.temperature, WARMEST),
        }
        if settings.top_p != 1:
            # Several models take only one of the two.
            del body["temperature"]
            body["top_p"] = settings.top_p
        return body

    async def _attempt(self, client: AsyncAnthropic, body: Body) -> AsyncGenerator[Piece, None]:
        with mapped_errors(self._who):
            raw = await self._create(client, body)
            kind = raw.headers.get("content-type", "")
            if "application/json" in kind or "text/html" in kind:
                raise _not_a_stream(await raw.http_response.aread(), self._who)
            async with await raw.parse() as events:
                async for event in events:
                    if piece := _piece(event, self._who):
                        yield piece

    async def _create(self, client: AsyncAnthropic, body: Body) -> Any:
        """Send the request, and again without what the server names as unwanted."""
        from anthropic import BadRequestError

        while True:
            sent = {key: value for key, value in body.items() if key not in self._unwanted}
            # The SDK's own signature has lost temperature and top_p, which older models still take.
            extra = {key: sent.pop(key) for key in ("temperature", "top_p") if key in sent}
            count_request()
            try:
                return await client.messages.with_raw_response.create(**sent, extra_body=extra)
            except BadRequestError as error:
                name = unwanted(error.body, dict.fromkeys(body.keys() & OPTIONAL - self._unwanted, True))
                if name is None and FORMAT in sent:
                    name = FORMAT
                if name is None:
                    raise
                log.info("%s does not take %s; asking without it", self._who, name)
                self._unwanted.add(name)


def _message(message: ChatMessage) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts = [_image(image) for image in message.images]
    return {
        "role": message.role,
        "content": parts + [{"type": "text", "text": message.text}] * bool(message.text),
    }


def _image(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": data}}


def _piece(event: Any, who: str) -> Piece | None:
    """Read one event; thinking, signatures and block borders carry nothing for us."""
    match getattr(event, "type", None):
        case "message_start":
            usage = getattr(event.message, "usage", None)
            return Piece(usage=Usage(prompt_tokens=getattr(usage, "input_tokens", None) or 0))
        case "content_block_delta" if getattr(event.delta, "type", None) == "text_delta":
            return Piece(event.delta.text or "")
        case "message_delta":
            if getattr(event.delta, "stop_reason", None) == "refusal":
                raise ModelFiltered(f"{who} has refused to answer")
            usage = getattr(event, "usage", None)
            return Piece(usage=Usage(completion_tokens=getattr(usage, "output_tokens", None) or 0))
    return None


def _not_a_stream(data: bytes, who: str) -> ModelError:
    text = data.decode("utf-8", "replace")
    if text.lstrip()[:1] == "<":
        return ModelUnreachable(f"{who} answered with a web page: is the address right?")
    return refused(who, json.loads(text))


def foreign_errors() -> tuple[type[Exception], ...]:
    """Return every class of error that may come out of the SDK and what lies below it."""
    from anthropic import AnthropicError

    return foreign_to(AnthropicError)


def mapped_errors(who: str) -> AbstractContextManager[None]:
    """Turn the SDK's errors into ModelError kinds."""
    return errors_mapped(foreign_errors, partial(mapped, who))


def mapped(who: str, error: Exception) -> ModelError:
    """Return the ModelError that an error of the SDK means."""
    import anthropic

    match error:
        case anthropic.APIStatusError():
            return refused(who, error.body, error.status_code, asked_wait(error.response.headers))
        case anthropic.CredentialsError():
            return refused(who, "", 401)
        case anthropic.APIResponseValidationError():
            return ModelUnreachable(f"{who} sent something that cannot be read")
        case anthropic.APIConnectionError():
            return broken(who, error)
        case anthropic.APIError():
            return refused(who, error.body or error.message)
    return broken(who, error)
