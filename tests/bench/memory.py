"""Memory of the real bot: idle, after many turns over real HTTP, and of the child that draws her."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.bench.table import Figure, Table
from tests.bench.talk import REPLY, SAID
from tests.bot_process import BotProcess
from tests.model_server import ModelServer
from tests.telegram_server import TelegramServer

USERS = 50
TURNS = 500
SETTLE_S = 3.0
WITHIN_S = 300.0


def measure() -> list[Table]:
    if not Path("/proc/self/status").exists():
        return [Table("Memory", (), "This system has no /proc to read it from.")]
    return [asyncio.run(_measure(Path("memory").resolve()))]


async def _measure(folder: Path) -> Table:
    folder.mkdir()
    async with (
        TelegramServer() as telegram,
        ModelServer(replies=[REPLY]) as model,
        BotProcess(folder, **environment(telegram, model)) as bot,
    ):
        await bot.start()
        await asyncio.sleep(SETTLE_S)
        assert bot.process
        pid = bot.process.pid
        idle = rss_mb(pid)
        await _talk(telegram, USERS)
        warm = rss_mb(pid)
        await _talk(telegram, TURNS - USERS)
        await asyncio.sleep(SETTLE_S)
        after, children = rss_mb(pid), [rss_mb(child) for child in children_of(pid)]
        assert await bot.stop() == 0
    figures = [
        Figure("bot, ready and idle", idle, None, "MB", "", "Telegram, OpenAI's SDK, SQLite"),
        Figure(f"bot after {USERS} turns", warm, None, "MB"),
        Figure(f"bot after {TURNS} turns", after, None, "MB", "", f"{after - warm:+.1f} MB since then"),
    ]
    figures += [Figure("drawing child", mb, None, "MB") for mb in children]
    return Table(
        "Memory (resident)", tuple(figures), f"{USERS} users over the Bot API fake and a model server."
    )


def environment(telegram: TelegramServer, model: ModelServer) -> dict[str, str]:
    return {
        "TELEGRAM_TOKEN": telegram.token,
        "OTOMO_TELEGRAM__BASE_URL": telegram.url,
        "OTOMO_TELEGRAM__BASE_FILE_URL": telegram.file_url,
        "OTOMO_LLM__PROVIDER": "custom",
        "OTOMO_LLM__BASE_URL": model.url,
        "OTOMO_LLM__MODEL": "bench",
        "OTOMO_TURN__QUIET_S": "0",
        "OTOMO_RENDER__ENABLED": "true",
    }


async def _talk(telegram: TelegramServer, turns: int) -> None:
    """Let the users talk in rounds: each waits for her answer before the next words."""
    for _ in range(turns // USERS):
        answered = {number: _answers(telegram, number) for number in range(USERS)}
        for number in range(USERS):
            telegram.say(SAID, {"id": 2000 + number, "is_bot": False, "first_name": f"User{number}"})
        await telegram.wait_until(
            lambda before=answered: all(_answers(telegram, number) > n for number, n in before.items()),
            WITHIN_S,
        )


def _answers(telegram: TelegramServer, number: int) -> int:
    # The first message of the app (that she is an AI) is no answer of hers.
    return sum("wonderful" in text for text in telegram.texts_to(2000 + number))


def rss_mb(pid: int) -> float:
    """Return a process's resident memory in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def children_of(pid: int) -> list[int]:
    """Return the ids of a process's children."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found
