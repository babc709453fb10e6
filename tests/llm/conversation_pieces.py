"""Small builders for the voices' tests."""

from typing import Any

from pydantic import SecretStr

from bot.llm.settings import LlmSettings
from bot.ports import ChatModel, ChatRequest
from engine.conversation import ChatMessage, Image, Prompt, Subject


def a_subject(**changes: Any) -> Subject:
    base: dict[str, Any] = {
        "name": "Hana",
        "emotion": "happy",
        "intensity": 50,
        "energy": 80,
        "stage": "friend",
        "app_mode": "dating_sim",
        "language": "en",
        "total_interactions": 12,
    }
    return Subject(**(base | changes))


def a_request(
    *texts: str, images: tuple[Image, ...] = (), system: str = "You are Hana.", **subject: Any
) -> ChatRequest:
    """A talk of alternating turns that ends with the user."""
    roles = ["user" if (len(texts) - index) % 2 else "assistant" for index in range(len(texts))]
    messages = [ChatMessage(role, text) for role, text in zip(roles, texts, strict=True)]  # type: ignore[arg-type]
    if images:
        messages[-1] = ChatMessage("user", messages[-1].text, images)
    return ChatRequest(Prompt(system, tuple(messages), a_subject(**subject)))


def quick(base_url: str, **changes: Any) -> LlmSettings:
    """Settings whose waits are short."""
    base: dict[str, Any] = {
        "provider": "custom",
        "base_url": base_url,
        "model": "test-model",
        "api_key": SecretStr("sk-secret-canary"),
        "silence_s": 1.0,
        "turn_s": 20.0,
        "retry_first_s": 0.01,
        "retries": 0,
    }
    return LlmSettings(**(base | changes))


async def said(model: ChatModel, request: ChatRequest) -> str:
    return "".join([text async for text in model.stream(request)])
