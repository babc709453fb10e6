"""Who writes her words, for the sentences that tell people where their words go."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from bot.llm import LlmSettings, ScriptedModel, make_model
from bot.llm.presets import PRESETS
from bot.ports import ChatModel
from bot.settings import Fallback, Settings

Place = Literal["none", "local", "cloud"]


@dataclass(frozen=True, slots=True)
class Voice:
    """Where the model is: none (the stand-in), on the operator's machine or network, or a provider's."""

    place: Place
    provider: str = ""


def llm_settings(settings: Settings) -> LlmSettings:
    """Return the model's part of the settings."""
    llm = settings.llm
    first = LlmSettings(
        **{name: getattr(llm, name) for name in type(llm).model_fields if name != "fallbacks"}
    )
    others = tuple(
        replace(
            first, **{name: getattr(one, name) for name in type(one).model_fields if _is_given(one, name)}
        )
        for one in llm.fallbacks
    )
    return replace(first, fallbacks=others)


def _is_given(fallback: Fallback, name: str) -> bool:
    """Address and model of another provider never carry over; its figures do where none are given."""
    return name in ("base_url", "model", "api_key") or getattr(fallback, name) is not None


async def make_voice(settings: Settings, announce: Callable[[str], None]) -> tuple[ChatModel, Voice]:
    """Return the model that voices her, and where it is.

    Raises:
        ConfigError: A key or a model's name is missing, or an address is none.
    """
    model = await make_model(llm_settings(settings), announce)
    provider = settings.llm.provider
    if isinstance(model, ScriptedModel):
        return model, Voice("none")
    if provider == "auto":  # only local servers are found by themselves
        return model, Voice("local", model.name)
    preset = PRESETS[provider]
    return model, place_of(provider, settings.llm.base_url or preset.base_url, preset.who)


def place_of(provider: str, base_url: str, who: str) -> Voice:
    """Tell where a provider's model runs, by its address; an unknown host counts as a cloud."""
    host = urlsplit(base_url).hostname or ""
    if _is_near(host):
        return Voice("local", who)
    return Voice("cloud", host if provider == "custom" else who)


def _is_near(host: str) -> bool:
    if (
        host == "localhost"
        or host.endswith((".local", ".internal", ".lan"))
        or (host and "." not in host and ":" not in host)
    ):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private
