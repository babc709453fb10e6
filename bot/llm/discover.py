"""Finding a model that is already there: a local Ollama or LM Studio, and the largest chat model that fits."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import aiohttp

from bot.llm.presets import PRESETS
from bot.llm.settings import LlmSettings

LOOK_S: Final = 1.0
"""How long a local server may take to answer; nothing there is refused at once."""
SHARE_OF_MEMORY: Final = 0.75
"""A model must leave room for its context, for her, and for the rest of the machine."""
BYTES_PER_PARAMETER: Final = 0.65
"""Of a model quantised to about 4 bits, with its overhead."""
NOT_FOR_CHAT: Final = re.compile(
    r"embed|bge|minilm|rerank|whisper|guard|\bocr\b|coder|codellama|starcoder|sqlcoder|-base\b|-math|"
    r"bert|moondream|tts",
    re.IGNORECASE,
)
BILLIONS: Final = re.compile(
    r"(?:^|[^a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)\s?([bm])(?![a-z0-9])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that a local server has; sizes in bytes, estimated where the server does not say."""

    name: str
    size_bytes: int
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A model that can be used as it is, and the one line that tells the operator."""

    settings: LlmSettings
    line: str


async def discover(
    settings: LlmSettings,
    ollama: str | None = None,
    lmstudio: str = "http://127.0.0.1:1234",
    memory_bytes: int | None = None,
) -> Found | None:
    """Look for a local model server with a chat model that fits.

    Args:
        settings: What the rest of the figures comes from.
        ollama: Ollama's address; by default OLLAMA_HOST or port 11434.
        lmstudio: LM Studio's address.
        memory_bytes: The machine's memory, for the choice of the model.
    """
    address = ollama or ollama_address(os.environ)
    room = int((memory_bytes or machine_memory()) * SHARE_OF_MEMORY)
    timeout = aiohttp.ClientTimeout(total=LOOK_S)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        at_ollama, at_lmstudio = await asyncio.gather(
            _installed(session, f"{address}/api/tags", "models", _from_ollama),
            _installed(session, f"{lmstudio}/api/v0/models", "data", _from_lmstudio),
        )
    for provider, url, models in (("ollama", address, at_ollama), ("lmstudio", lmstudio, at_lmstudio)):
        if best := choose(models, room):
            who = PRESETS[provider].who
            line = f"Found {who}: she speaks through {best.name} (set [llm] to choose another)."
            return Found(replace(settings, provider=provider, base_url=f"{url}/v1", model=best.name), line)
    return None


def choose(models: list[Installed], room_bytes: int) -> Installed | None:
    """Return the largest model that fits; one that is loaded already counts as fitting."""
    fitting = [model for model in models if model.loaded or model.size_bytes <= room_bytes]
    return max(fitting, key=lambda model: (model.size_bytes, model.name), default=None)


async def first_model(base_url: str, key: str = "") -> str | None:
    """Return the chat model that a server offers first at /models, or None."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=LOOK_S * 3)
    async with aiohttp.ClientSession(timeout=timeout, headers=headers) as session:
        models = await _installed(session, f"{base_url}/models", "data", _from_models)
    return models[0].name if models else None


def ollama_address(environment: Mapping[str, str]) -> str:
    """Return where Ollama listens: OLLAMA_HOST is written as a host, with or without scheme and port."""
    host = environment.get("OLLAMA_HOST", "").strip().rstrip("/")
    scheme, _, rest = host.rpartition("://")
    name, _, port = rest.partition(":")
    name = "127.0.0.1" if name in ("", "0.0.0.0") else name
    return f"{scheme or 'http'}://{name}:{port or '11434'}"


def machine_memory() -> int:
    """Return the machine's memory in bytes, 8 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8 * 1024**3


async def _installed(
    session: aiohttp.ClientSession, url: str, key: str, read: Callable[[Mapping[str, Any]], Installed | None]
) -> list[Installed]:
    try:
        async with session.get(url) as response:
            body = await response.json(content_type=None) if response.status == 200 else {}
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return []
    rows = body.get(key) if isinstance(body, Mapping) else None
    models = [read(row) for row in rows or () if isinstance(row, Mapping)]
    return [model for model in models if model is not None and not NOT_FOR_CHAT.search(model.name)]


def _from_ollama(row: Mapping[str, Any]) -> Installed | None:
    name = str(row.get("name") or "")
    details = row.get("details") or {}
    family = str(details.get("family") or "")
    # A "remote" model is run by a cloud service under a local name: nobody has agreed to that yet.
    if not name or row.get("remote_host") or "bert" in family:
        return None
    return Installed(
        name, int(row.get("size") or 0) or guessed_bytes(str(details.get("parameter_size") or name))
    )


def _from_lmstudio(row: Mapping[str, Any]) -> Installed | None:
    name = str(row.get("id") or "")
    if not name or row.get("type") not in ("llm", "vlm"):
        return None
    return Installed(name, guessed_bytes(name), row.get("state") == "loaded")


def _from_models(row: Mapping[str, Any]) -> Installed | None:
    name = str(row.get("id") or "")
    return Installed(name, guessed_bytes(name), loaded=True) if name else None


def guessed_bytes(name: str) -> int:
    """Guess a model's size from the number of parameters in its name ("8x7b", "1.5b", "350m")."""
    sizes = []
    for times, number, unit in BILLIONS.findall(name):
        parameters = float(number) * (1e9 if unit.lower() == "b" else 1e6)
        sizes.append(int(parameters * float(times or 1) * BYTES_PER_PARAMETER))
    return max(sizes, default=0)
