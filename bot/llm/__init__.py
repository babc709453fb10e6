"""Her voices: from settings to the one ChatModel that the rest of the bot knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bot.errors import ConfigError
from bot.llm.anthropic_style import AnthropicStyle
from bot.llm.discover import discover, first_model
from bot.llm.fallback import FallbackModel
from bot.llm.openai_style import OpenAiStyle
from bot.llm.presets import PRESETS, Preset
from bot.llm.scripted import ScriptedModel, load_lines
from bot.llm.settings import LlmSettings, clean_base_url
from bot.llm.usage import Meter, metering
from bot.ports import ChatModel

__all__ = ["LlmSettings", "Meter", "ScriptedModel", "make_model", "metering"]

SCRIPTED_DIR = Path(__file__).resolve().parent.parent.parent / "config" / "scripted"

Announce = Callable[[str], None]


async def make_model(settings: LlmSettings, announce: Announce | None = None) -> ChatModel:
    """Return the voice that the settings describe.

    Provider "auto" looks for a local server and takes the offline stand-in where there is none.

    Args:
        settings: The preferred model; its fallbacks are asked in order when it fails.
        announce: Is told in one line which model was found by itself.

    Raises:
        ConfigError: A provider is unknown, a key or a model's name is missing, an address is none.
    """
    first = await _complete(settings, announce or _nobody)
    if not settings.fallbacks:
        return _voice(first)
    # The next voice is the better further try: only the last one is asked twice.
    chain = [first, *[await _complete(fallback, announce or _nobody) for fallback in settings.fallbacks]]
    impatient = [replace(one, retries=0) for one in chain[:-1]]
    return FallbackModel([_voice(one) for one in (*impatient, chain[-1])], settings.turn_s)


def _nobody(line: str) -> None:
    """Tell nobody."""


async def _complete(settings: LlmSettings, announce: Announce) -> LlmSettings:
    """Return the settings with provider, address and model filled in."""
    if settings.provider == "auto":
        found = await discover(settings)
        if found is None:
            return replace(settings, provider="scripted")
        announce(found.line)
        settings = found.settings
    preset = PRESETS.get(settings.provider)
    if preset is None:
        raise ConfigError(f"llm.provider: '{settings.provider}' is none of {', '.join(sorted(PRESETS))}")
    if preset.style == "scripted":
        return settings
    if not preset.local and not settings.api_key.get_secret_value():
        raise ConfigError(f"llm.api_key: {preset.who} needs a key")
    address = settings.base_url or preset.base_url
    if not address:
        raise ConfigError("llm.base_url: name the address of the model server")
    settings = replace(settings, base_url=clean_base_url(address, preset.style))
    return settings if settings.model else await _with_model(settings, preset, announce)


async def _with_model(settings: LlmSettings, preset: Preset, announce: Announce) -> LlmSettings:
    if preset.model:
        return replace(settings, model=preset.model)
    if not preset.local:
        raise ConfigError(f"llm.model: name a model of {preset.who}, for example {preset.example}")
    model = await first_model(settings.base_url, settings.api_key.get_secret_value())
    if model is None:
        raise ConfigError(
            f"llm.model: {preset.who} at {settings.base_url} offers no chat model; name one or start it"
        )
    announce(f"She speaks through {model} ({preset.who}).")
    return replace(settings, model=model)


def _voice(settings: LlmSettings) -> ChatModel:
    preset = PRESETS[settings.provider]
    if preset.style == "scripted":
        return ScriptedModel(load_lines(SCRIPTED_DIR))
    voice = (
        AnthropicStyle(settings, preset.who)
        if preset.style == "anthropic"
        else OpenAiStyle(settings, preset.who, preset.tokens_name)
    )
    voice.warm()
    return voice
