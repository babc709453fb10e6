"""`otomo doctor`: looks at everything a start needs, and says what to mend."""

from __future__ import annotations

import importlib.util
import os
import platform as machine
from collections.abc import AsyncIterator
from pathlib import Path

from bot.children import Child
from bot.errors import ChildError, OtomoError
from bot.llm import make_model
from bot.personas import load_persona
from bot.settings import CONFIG_DIR, Settings, load_settings
from bot.store.store import Store
from bot.voice import llm_settings


async def examine() -> int:
    """Print one line a part. Returns 0 when she can run, 1 when something must be mended."""
    settings = load_settings()
    sound = True
    async for good, line in _examine(settings):
        print(f"{'ok  ' if good else 'MEND'} {line}")
        sound = sound and good
    return 0 if sound else 1


async def _examine(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    yield True, f"Python {machine.python_version()} on {machine.system()} {machine.machine()}"
    persona = load_persona(CONFIG_DIR / "personas", settings.companion.persona)
    yield True, f"persona {persona.name}"
    for name in ("telegram", "discord"):
        there = bool(getattr(settings, name).token.get_secret_value())
        yield True, f"{name}: {'token set' if there else f'no token ({name.upper()}_TOKEN)'}"
    yield await _model(settings)
    yield await _database(settings)
    yield _memory()
    yield await _face(settings)


async def _model(settings: Settings) -> tuple[bool, str]:
    try:
        model = await make_model(llm_settings(settings))
    except OtomoError as error:
        return False, f"model: {error}"
    await model.close()
    return True, f"model: {model.name}"


async def _database(settings: Settings) -> tuple[bool, str]:
    url = settings.database_url
    if url.startswith("sqlite") and not Path(url.split("///", 1)[1]).exists():
        return True, "database: none yet, made at the first start"
    try:
        store = await Store.open(
            url,
            secret=os.environ.get("OTOMO_SECRET_KEY") or None,
            key_file=Path(settings.storage.key_file).expanduser(),
            read_only=True,
        )
    except OtomoError as error:
        return False, f"database: {error}"
    await store.close()
    return True, "database: opens, and the key fits"


def _memory() -> tuple[bool, str]:
    if importlib.util.find_spec("sentence_transformers") and importlib.util.find_spec("torch"):
        return True, "memory by meaning: installed"
    return True, "memory by meaning: not installed, keywords serve"


async def _face(settings: Settings) -> tuple[bool, str]:
    if not settings.render.enabled:
        return True, "face: turned off (render.enabled)"
    child = Child("render.worker")
    try:
        header, _ = await child.ask("ping")
    except ChildError as error:
        return True, f"face: ready-made pictures serve, because {error}"
    finally:
        await child.close()
    return True, f"face: {header.get('backend')}, {header.get('driver')}, OpenGL {header.get('opengl')}"
