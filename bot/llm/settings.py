"""What a voice must know to speak: one frozen value per model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from bot.errors import ConfigError

Style = Literal["openai", "anthropic", "scripted"]


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """One model and how it is asked.

    `provider` is a name of presets.PRESETS or "auto"; an empty `base_url` or `model` means the provider's
    own. `max_tokens` bounds one reply. `silence_s` is how long nothing may come, `turn_s` the whole reply
    with its retries, `connect_s` the connection alone, `retry_first_s` the first wait before another try
    (it doubles), all in seconds. `retries` counts further tries after the first. `fallbacks` are asked in
    order when this model fails.
    """

    provider: str = "auto"
    base_url: str = ""
    model: str = ""
    api_key: SecretStr = field(default_factory=lambda: SecretStr(""))
    temperature: float = 0.8
    top_p: float = 1.0
    max_tokens: int = 1024
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    context_window: int = 8192
    silence_s: float = 60.0
    turn_s: float = 120.0
    connect_s: float = 10.0
    retry_first_s: float = 2.0
    retries: int = 2
    fallbacks: tuple[LlmSettings, ...] = ()


def clean_base_url(url: str, style: Style) -> str:
    """Bring a base URL into the form its SDK wants: people paste the whole address of an endpoint.

    Raises:
        ConfigError: It is no http or https address.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError("llm.base_url: must begin with http:// or https:// and name a host")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/messages")
    if style == "anthropic":
        path = path.removesuffix("/v1")
    elif not path:
        path = "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
