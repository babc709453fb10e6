"""`otomo run` and `otomo chat`: settings in, an exit code out."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

from pydantic import SecretStr
from rich.console import Console

from bot.app import App, open_app, stop_on_signals
from bot.logs import set_up_logs
from bot.platforms import PLATFORMS
from bot.platforms.on_terminal import OnTerminal, TerminalHooks, TerminalSettings
from bot.ports import Platform
from bot.settings import Settings, load_settings

log = logging.getLogger(__name__)


async def run_bots() -> int:
    """Run the bots whose tokens are set; without any, chat in the terminal.

    Raises:
        OtomoError: What the operator must mend, as one line.
    """
    settings = load_settings()
    wanted = [name for name in PLATFORMS if _token(settings, name)]
    if not wanted:
        return await run_chat(plain=not sys.stdin.isatty(), settings=settings)
    _logs(settings, settings.log.level)
    stop = asyncio.Event()
    undo = stop_on_signals(stop)
    try:
        async with open_app(settings) as app:
            log.info("%s", missing(settings, app))
            around = app.surroundings()
            platforms: dict[str, Platform] = {name: PLATFORMS[name](around) for name in wanted}
            await app.run(platforms, stop)
    finally:
        undo()
    return 0


async def run_chat(*, plain: bool, settings: Settings | None = None) -> int:
    """Chat in the terminal until the input ends.

    Raises:
        OtomoError: What the operator must mend, as one line.
    """
    settings = settings or load_settings()
    level = settings.log.level if settings.log.level == "debug" else "error"
    _logs(settings, level)
    quick = settings.turn.model_copy(update={"quiet_s": 0.0})
    stop = asyncio.Event()
    undo = stop_on_signals(stop)
    try:
        async with open_app(settings.model_copy(update={"turn": quick})) as app:
            console = Console(stderr=False, highlight=False)
            _greet(app, settings, plain, console)
            terminal = OnTerminal(
                TerminalSettings(plain, Path(settings.data.dir) / "pictures", app.persona.name),
                app.answered,
                console=console,
            )
            app.hooks["terminal"] = TerminalHooks(console, plain)
            await app.run({"terminal": terminal}, stop)
    finally:
        undo()
    return 0


def missing(settings: Settings, app: App) -> str:
    """Say in one line what is not set up."""
    gaps = [
        f"no {name.capitalize()} ({name.upper()}_TOKEN)" for name in PLATFORMS if not _token(settings, name)
    ]
    if app.voice.place == "none":
        gaps.append("no language model (OPENAI_API_KEY, ANTHROPIC_API_KEY, or a local Ollama)")
    return "not set up: " + "; ".join(gaps) if gaps else "everything is set up"


def _greet(app: App, settings: Settings, plain: bool, console: Console) -> None:
    line = "; ".join((*app.found, missing(settings, app)))
    if plain:
        print(f"otomo: {line}", file=sys.stderr)
        return
    console.print(f"[dim]{line}[/]")
    console.print(f"[dim]{app.persona.name} is here. /help shows what she can do, /quit ends.[/]\n")


def _token(settings: Settings, platform: str) -> str:
    secret: SecretStr = getattr(settings, platform).token
    return secret.get_secret_value()


def _logs(settings: Settings, level: str) -> None:
    secrets = (settings.telegram.token, settings.discord.token, settings.llm.api_key)
    set_up_logs(level, [secret.get_secret_value() for secret in secrets if secret.get_secret_value()])
