"""From nothing to ready: the bots, a repeated chat of one line, and what the imports cost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.bench.memory import environment
from tests.bench.place import ROOT
from tests.bench.samples import quantile
from tests.bench.table import Figure, Table
from tests.bot_process import BotProcess
from tests.model_server import ModelServer
from tests.telegram_server import TelegramServer

STARTS = 9
CHAT = ("chat", "--plain")
IMPORTED = ("bot.cli", "bot.platforms.on_telegram", "bot.platforms.on_discord")
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Start:
    """One start: seconds until the awaited output, until the end, and of CPU (its children's too)."""

    ready_s: float
    ended_s: float
    cpu_s: float


def measure() -> list[Table]:
    bots = asyncio.run(_bots(Path("bots").resolve()))
    return [_chats(Path("start").resolve()), bots, *map(_imports, IMPORTED)]


async def _bots(folder: Path) -> Table:
    """Start the bots against the Bot API fake, from the process to the line that they are ready."""
    folder.mkdir()
    ready_s = []
    async with TelegramServer() as telegram, ModelServer() as model:
        for _ in range(STARTS + 1):
            async with BotProcess(folder, **environment(telegram, model)) as bot:
                began = time.perf_counter()
                await bot.start()
                ready_s.append(time.perf_counter() - began)
                assert await bot.stop() == 0
    figures = (Figure.of("run: start to ready on Telegram", ready_s[1:], "s", "10"),)
    return Table("Start of the bots", figures, "The bar is that of a start after a crash, without models.")


def _chats(folder: Path) -> Table:
    folder.mkdir()
    chat(folder)  # the first start makes the database and the key
    starts = [chat(folder) for _ in range(STARTS)]
    empty = [_python() for _ in range(STARTS)]
    figures = (
        Figure.of("chat --plain: start to her first words", [s.ready_s for s in starts], "s", "2"),
        Figure.of("chat --plain: start to end", [s.ended_s for s in starts], "s"),
        Figure.of("chat --plain: CPU", [s.cpu_s for s in starts], "s", "", "the drawing child's too"),
        Figure.of("Python alone", empty, "s", "", 'python -c ""'),
    )
    return Table(
        "Start", figures, "One line piped in, on a database that is there already; no model, no network."
    )


def chat(folder: Path) -> Start:
    """Say one line in a terminal chat and wait for the end."""
    before = os.times()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", *CHAT],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"hello, how are you?\n")
    process.stdin.close()
    first = process.stdout.readline()
    ready = time.perf_counter()
    process.stdout.read()
    process.stdout.close()
    code = process.wait()
    assert code == 0, f"the chat ended with {code}"
    assert first, "the chat ended without a word"
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Start(ready - began, time.perf_counter() - began, cpu_s)


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OTOMO_DATA__DIR": str(folder / "data"),
        "OTOMO_STORAGE__KEY_FILE": str(folder / "keys" / "otomo.key"),
    }


def _python() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.perf_counter() - began


def _imports(module: str) -> Table:
    runs = [import_ms(module) for _ in range(3)]
    packages = Counter({name: min(run[name] for run in runs) for name in runs[0]})
    figures = [Figure(name, ms, None, "ms") for name, ms in packages.most_common(SHOWN)]
    whole = quantile([run.total() for run in runs], 0.5)
    return Table(f"Import of {module}: {whole:.0f} ms", tuple(figures), "Own time by package.")


def import_ms(module: str) -> Counter[str]:
    """Return the milliseconds that importing a module takes, by top-level package."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", f"import {module}"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    spent: Counter[str] = Counter()
    for line in done.stderr.splitlines():
        own, _, name = line.removeprefix("import time:").split("|")
        if own.strip().isdigit():
            spent[name.strip().split(".")[0]] += int(own) / 1000
    return spent
