"""The two dialects of the test model server: what an answer looks like on the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Fault = Literal[
    "hang",  # nothing more comes, the connection stays open
    "comments",  # only ": keep-alive" comments come
    "drop",  # the connection is cut
    "truncated_json",  # a data line ends in the middle of its JSON
    "error_chunk",  # an error object inside the 200 stream
    "rate_limit_body",  # status 200, but the body is a rate limit error
    "rate_limit_text",  # status 200, and the reply's text is a rate limit notice
    "html",  # status 200 and a web page (a wrong address, a captive portal)
    "no_end",  # the stream just ends: no finish reason, no [DONE]
    "empty",  # a proper stream without a word
    "filtered",  # finish reason content_filter (refusal for Anthropic)
]


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply: its text, how it is cut into pieces, and what goes wrong after `after` characters."""

    text: str = "Hello."
    fault: Fault | None = None
    after: int = 0
    status: int = 200
    error: str = "The server had an error."
    error_code: str | None = None
    retry_after: str | None = None
    piece: int = 7
    piece_pause_s: float = 0.0
    first_pause_s: float = 0.0
    usage: bool = True
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the request, the system message included."""
        return list(self.body.get("messages", []))

    @property
    def system(self) -> str:
        """The system text, wherever this dialect puts it."""
        if "system" in self.body:
            system = self.body["system"]
            return system if isinstance(system, str) else "".join(block["text"] for block in system)
        return "".join(message["content"] for message in self.messages if message["role"] == "system")

    @property
    def user_text(self) -> str:
        """The words of the newest user message."""
        content = next(m["content"] for m in reversed(self.messages) if m["role"] == "user")
        if isinstance(content, str):
            return content
        return " ".join(part["text"] for part in content if part["type"] == "text")

    @property
    def wants_json(self) -> bool:
        """Whether a JSON answer is asked for by response_format or Anthropic's output_config."""
        return "response_format" in self.body or "format" in self.body.get("output_config", {})


def _shown(answer: Answer) -> str:
    """The text that is sent before the fault strikes."""
    if answer.fault == "empty":
        return ""
    if answer.fault == "rate_limit_text":
        return "Rate limit reached for requests. Please try again in 20s."
    if answer.fault in (None, "filtered", "no_end"):
        return answer.text
    return answer.text[: answer.after]


def _cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _sse(data: object, event: str | None = None) -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


@dataclass(frozen=True, slots=True)
class OpenAiWire:
    """The OpenAI dialect of one answer."""

    request: Request
    answer: Answer

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _sse(self._head("chat.completion.chunk") | {"choices": [choice]})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": self.request.body.get("model")}

    def _usage(self) -> dict[str, int]:
        words = len(self.answer.text.split())
        return {"prompt_tokens": 11, "completion_tokens": words, "total_tokens": 11 + words}

    def _finish(self) -> str:
        return "content_filter" if self.answer.fault == "filtered" else "stop"

    def opening(self) -> list[bytes]:
        """Role and reasoning come before the words."""
        lines = [self._chunk({"role": "assistant", "content": ""})]
        return lines + [self._chunk({"reasoning_content": part}) for part in _cut(self.answer.reasoning, 20)]

    def pieces(self) -> list[bytes]:
        """The words."""
        return [self._chunk({"content": part}) for part in _cut(_shown(self.answer), self.answer.piece)]

    def closing(self) -> list[bytes]:
        """Finish reason, usage if it was asked for, and the end mark."""
        lines = [self._chunk({}, self._finish())]
        if self.answer.usage and self.request.body.get("stream_options", {}).get("include_usage"):
            lines.append(_sse(self._head("chat.completion.chunk") | {"choices": [], "usage": self._usage()}))
        return [*lines, b"data: [DONE]\n\n"]

    def truncated(self) -> bytes:
        """A data line whose JSON ends too early."""
        return b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"cont\n\n'

    def error_chunk(self, message: str, code: str | None) -> bytes:
        """An error inside the stream."""
        return _sse({"error": {"message": message, "code": code}})

    def whole(self) -> dict[str, Any]:
        """The answer in one piece."""
        message = {"role": "assistant", "content": _shown(self.answer) or None}
        choice = {"index": 0, "message": message, "finish_reason": self._finish()}
        return self._head("chat.completion") | {"choices": [choice], "usage": self._usage()}


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """The Anthropic dialect of one answer."""

    request: Request
    answer: Answer

    def _message(self, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": self.request.body.get("model"),
            "content": content,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 11, "output_tokens": 1},
        }

    def _words(self) -> int:
        return len(self.answer.text.split())

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return _sse({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")

    def opening(self) -> list[bytes]:
        """The message, the thinking block and the start of the text block."""
        start = _sse({"type": "message_start", "message": self._message([])}, "message_start")
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        thinking = [
            self._delta({"type": "thinking_delta", "thinking": t}) for t in _cut(self.answer.reasoning, 20)
        ]
        return [start, _sse({"type": "ping"}, "ping"), _sse(block, "content_block_start"), *thinking]

    def pieces(self) -> list[bytes]:
        """The words."""
        parts = _cut(_shown(self.answer), self.answer.piece)
        return [self._delta({"type": "text_delta", "text": part}) for part in parts]

    def _stop_reason(self) -> str:
        return "refusal" if self.answer.fault == "filtered" else "end_turn"

    def closing(self) -> list[bytes]:
        """Stop reason, usage and the end."""
        delta = {"stop_reason": self._stop_reason(), "stop_sequence": None}
        end = {"type": "message_delta", "delta": delta, "usage": {"output_tokens": self._words()}}
        return [
            _sse({"type": "content_block_stop", "index": 0}, "content_block_stop"),
            _sse(end, "message_delta"),
            _sse({"type": "message_stop"}, "message_stop"),
        ]

    def truncated(self) -> bytes:
        """A data line whose JSON ends too early."""
        return b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n'

    def error_chunk(self, message: str, code: str | None) -> bytes:
        """An error inside the stream."""
        error = {"type": code or "overloaded_error", "message": message}
        return _sse({"type": "error", "error": error}, "error")

    def whole(self) -> dict[str, Any]:
        """The answer in one piece."""
        text = _shown(self.answer)
        message = self._message([{"type": "text", "text": text}] if text else [])
        usage = {"input_tokens": 11, "output_tokens": self._words()}
        return message | {"stop_reason": self._stop_reason(), "usage": usage}
