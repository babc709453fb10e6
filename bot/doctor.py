"""`otomo doctor`: looks at everything a start needs, and says what to mend."""

from __future__ import annotations

import platform as machine
from collections.abc import AsyncIterator
from pathlib import Path

from bot.children import Child
from bot.database import open_store
from bot.errors import ChildError, ChildRefused, OtomoError
from bot.figures import DEFAULT_FIGURE, model_of
from bot.llm import make_model
from bot.looks import emotes_of
from bot.personas import Persona, load_persona
from bot.settings import CONFIG_DIR, Settings, load_settings
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
    yield await _face(settings, persona)
    async for line in _emotes(settings):
        yield line


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
        store = await open_store(settings, read_only=True)
    except OtomoError as error:
        return False, f"database: {error}"
    await store.close()
    return True, "database: opens, and the key fits"


def _memory() -> tuple[bool, str]:
    return True, "memory: facts are found by their words"


async def _face(settings: Settings, persona: Persona) -> tuple[bool, str]:
    if not settings.render.enabled:
        return True, "face: turned off (render.enabled)"
    figure = settings.render.figure
    figure = persona.figure if figure == DEFAULT_FIGURE else figure
    child = Child("render.worker")
    try:
        header, _ = await child.ask("ping")
        refused = await _refusal(child, figure)
    except ChildError as error:
        return True, f"face: ready-made pictures serve, because {error}"
    finally:
        await child.close()
    if refused:
        return False, f"face: the figure {figure} cannot be worn: {refused}; the next best serves"
    return True, f"face: {header.get('backend')}, {header.get('driver')}, OpenGL {header.get('opengl')}"


async def _refusal(child: Child, figure: str) -> str:
    """Return why a figure cannot be worn; empty where it can."""
    try:
        await child.ask("expressions", model=model_of(figure))
    except ChildRefused as error:
        return str(error)
    return ""


async def _emotes(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    """Read the operator's animations as a start does; a wrong one is left out there."""
    if not settings.render.enabled:
        return
    emotes = emotes_of(settings)
    child = Child("render.worker")

    async def check(path: str) -> None:
        await child.ask("clip", action=path)

    try:
        complaints = await emotes.look(check)
    finally:
        await child.close()
    for complaint in complaints:
        yield True, f"animation left out: {complaint}"
    own = len(emotes.all()) - len(emotes.built_in)
    yield (
        True,
        f"animations: {len(emotes.built_in)} built in, {own} of your own, {len(emotes.for_her())} for her",
    )
