"""The providers by name, so that a key and a model's name are enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bot.llm.settings import Style


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of a provider before anybody configures it.

    `who` is its name as people know it, `model` the one taken when none is named (empty: it must be named,
    or, for a local server, what it has loaded is taken), `example` a name for the error line, `local` whether
    it runs on the operator's machine and needs no key, `tokens_name` its word for the limit of a reply.
    """

    who: str
    base_url: str
    style: Style = "openai"
    model: str = ""
    example: str = ""
    local: bool = False
    tokens_name: str = "max_tokens"


_PRESETS: dict[str, Preset] = {
    "openai": Preset(
        "OpenAI",
        "https://api.openai.com/v1",
        model="gpt-5.4-mini",
        tokens_name="max_completion_tokens",
    ),
    "anthropic": Preset("Anthropic", "https://api.anthropic.com", "anthropic", model="claude-sonnet-5-5"),
    "openrouter": Preset("OpenRouter", "https://openrouter.ai/api/v1", example="mistralai/mistral-nemo"),
    "xai": Preset("xAI", "https://api.x.ai/v1", example="grok-4"),
    "deepseek": Preset("DeepSeek", "https://api.deepseek.com/v1", example="deepseek-chat"),
    "google": Preset(
        "Google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        example="gemini-2.5-flash",
    ),
    "ollama": Preset("Ollama", "http://127.0.0.1:11434/v1", local=True),
    "lmstudio": Preset("LM Studio", "http://127.0.0.1:1234/v1", local=True),
    "llamacpp": Preset("llama.cpp", "http://127.0.0.1:8080/v1", local=True),
    "vllm": Preset("vLLM", "http://127.0.0.1:8000/v1", local=True),
    "custom": Preset("the model server", "", local=True),
    "scripted": Preset("offline stand-in", "", "scripted", local=True),
}
PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(_PRESETS)
