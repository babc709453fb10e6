"""Voices that speak the OpenAI dialect: OpenAI itself, OpenRouter, xAI, Google, and every local server."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from bot.errors import ModelEmpty, ModelError, ModelFiltered, ModelUnreachable
from bot.llm.messages import alternating
from bot.llm.patience import Pace, Piece, patient_reply
from bot.llm.refusals import asked_wait, refused, unwanted
from bot.llm.settings import LlmSettings
from bot.llm.transport import LazyClient, broken, errors_mapped, foreign_to, hush
from bot.llm.usage import count, count_request
from bot.ports import ChatRequest, Usage
from engine.conversation import ChatMessage, Image

if TYPE_CHECKING:
    from openai import AsyncOpenAI

log = logging.getLogger(__name__)

NO_KEY: Final = "none"
FORMAT: Final = "response_format"
JSON_TOKENS: Final = 400
JSON_TEMPERATURE: Final = 0.2
"""A note is no place for ideas: small models invent memories at the temperature of talk."""
ANY_OBJECT: Final[Mapping[str, object]] = {"type": "object"}
OPTIONAL: Final = frozenset(
    {
        "stream_options",
        "response_format",
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "max_completion_tokens",
        "max_tokens",
    }
)
"""Parameters that a server may refuse and a reply can do without."""

Body = dict[str, Any]


class OpenAiStyle:
    """A ChatModel over /chat/completions.

    Args:
        settings: The model and its figures; base_url is complete.
        who: The provider's name as people know it.
        tokens_name: What the provider calls the limit of the reply.
    """

    def __init__(self, settings: LlmSettings, who: str, tokens_name: str = "max_tokens") -> None:
        self.name = f"{settings.model} ({who})"
        self._settings = settings
        self._who = who
        self._pace = Pace.of(who, settings)
        self._tokens_name = tokens_name
        self._unwanted: set[str] = set()
        self._client: LazyClient[AsyncOpenAI] = LazyClient(self._build)

    def warm(self) -> None:
        """Begin to load the SDK, without waiting for it."""
        self._client.warm()

    async def close(self) -> None:
        """Give back connections."""
        await self._client.close()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's pieces as they come."""

        def spent(usage: Usage) -> None:
            request.usage = usage
            count(usage)

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
        form = {"name": "answer", "schema": dict(schema or ANY_OBJECT)}
        body: Body = {
            "model": self._settings.model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            self._tokens_name: max_tokens,
            "temperature": JSON_TEMPERATURE,
            FORMAT: {"type": "json_schema", "json_schema": form},
        }
        client = await self._client.get()
        async with aclosing(patient_reply(lambda: self._attempt(client, body), self._pace, count)) as words:
            return "".join([text async for text in words])

    def _build(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout

        settings, pause = self._settings, self._settings.connect_s
        # Our own silence limit strikes first; this one ends what hangs while nobody listens.
        waits = Timeout(connect=pause, pool=pause, write=settings.silence_s, read=settings.silence_s + 5)
        client = AsyncOpenAI(
            api_key=settings.api_key.get_secret_value() or NO_KEY,
            base_url=settings.base_url,
            max_retries=0,
            timeout=waits,
            http_client=DefaultAioHttpClient(timeout=waits),
            default_headers={"X-Title": "Otomo"},
        )
        _ = client.chat.completions.with_raw_response  # the SDK imports its endpoints at first touch
        hush("openai", "httpx2", "httpcore2")
        return client

    def _chat_body(self, request: ChatRequest) -> Body:
        settings = self._settings
        talk = [_message(message) for message in alternating(request.prompt.messages)]
        body: Body = {
            "model": settings.model,
            "messages": [{"role": "system", "content": request.prompt.system}, *talk],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": settings.temperature,
            self._tokens_name: request.max_tokens or settings.max_tokens,
        }
        if settings.top_p != 1:
            body["top_p"] = settings.top_p
        if settings.presence_penalty:
            body["presence_penalty"] = settings.presence_penalty
        if settings.frequency_penalty:
            body["frequency_penalty"] = settings.frequency_penalty
        return body

    async def _attempt(self, client: AsyncOpenAI, body: Body) -> AsyncGenerator[Piece, None]:
        with mapped_errors(self._who):
            raw = await self._create(client, body)
            kind = raw.headers.get("content-type", "")
            if "application/json" in kind or "text/html" in kind:
                yield _whole(await raw.http_response.aread(), self._who)
                return
            async with raw.parse() as chunks:
                async for chunk in chunks:
                    yield _piece(chunk, self._who)

    async def _create(self, client: AsyncOpenAI, body: Body) -> Any:
        """Send the request, and again without what the server names as unwanted."""
        from openai import BadRequestError, UnprocessableEntityError

        while True:
            sent = {key: value for key, value in body.items() if key not in self._unwanted}
            count_request()
            try:
                return await client.chat.completions.with_raw_response.create(**sent)
            except (BadRequestError, UnprocessableEntityError) as error:
                name = unwanted(error.body, {key: sent[key] for key in sent.keys() & OPTIONAL})
                if name is None and FORMAT in sent:
                    name = FORMAT
                if name is None:
                    raise
                log.info("%s does not take %s; asking without it", self._who, name)
                self._unwanted.add(name)


def _message(message: ChatMessage) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
    return {"role": message.role, "content": parts + [_image(image) for image in message.images]}


def _image(image: Image) -> dict[str, Any]:
    data = base64.b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime};base64,{data}"}}


def _piece(chunk: Any, who: str) -> Piece:
    """Read one chunk of a stream; servers leave out whatever they like."""
    choices = getattr(chunk, "choices", None) or ()
    usage = _usage(getattr(chunk, "usage", None))
    if not choices:
        return Piece(usage=usage)
    delta = getattr(choices[0], "delta", None)
    if getattr(choices[0], "finish_reason", None) == "content_filter" or getattr(delta, "refusal", None):
        raise ModelFiltered(f"{who} has filtered the reply")
    return Piece(_text(getattr(delta, "content", None)), usage)


def _text(content: object) -> str:
    """Return the words of a content that is a text, or a list of typed parts (Mistral)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return "".join(str(part.get("text") or "") for part in parts)


def _usage(usage: Any) -> Usage | None:
    if usage is None:
        return None
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    return Usage(prompt or 0, completion or 0)


def _whole(data: bytes, who: str) -> Piece:
    """Read an answer that came in one piece, or the error that a proxy sends with status 200."""
    text = data.decode("utf-8", "replace")
    if text.lstrip()[:1] == "<":
        raise ModelUnreachable(f"{who} answered with a web page: is the address right?")
    body = json.loads(text)
    choices = body.get("choices") if isinstance(body, dict) else None
    if not choices:
        raise refused(who, body)
    usage = body.get("usage") or {}
    if choices[0].get("finish_reason") == "content_filter":
        raise ModelFiltered(f"{who} has filtered the reply")
    words = _text((choices[0].get("message") or {}).get("content"))
    return Piece(words, Usage(usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0))


def foreign_errors() -> tuple[type[Exception], ...]:
    """Return every class of error that may come out of the SDK and what lies below it."""
    from openai import OpenAIError

    return foreign_to(OpenAIError)


def mapped_errors(who: str) -> AbstractContextManager[None]:
    """Turn the SDK's errors into ModelError kinds."""
    return errors_mapped(foreign_errors, partial(mapped, who))


def mapped(who: str, error: Exception) -> ModelError:
    """Return the ModelError that an error of the SDK means."""
    import openai

    match error:
        case openai.ContentFilterFinishReasonError():
            return ModelFiltered(f"{who} has filtered the reply")
        case openai.LengthFinishReasonError():
            return ModelEmpty(f"{who} reached its token limit before the first word")
        case openai.APIStatusError():
            return refused(who, error.body, error.status_code, asked_wait(error.response.headers))
        case openai.APIResponseValidationError():
            return ModelUnreachable(f"{who} sent something that cannot be read")
        case openai.APIConnectionError():
            return broken(who, error)
        case openai.APIError():
            return refused(who, error.body or error.message)
    return broken(who, error)
