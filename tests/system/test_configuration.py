"""What the operator got wrong: one clear line, exit code 2, no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bot_process import BotProcess
from tests.system.stage import stage

TOKEN = "123456789:AAtest-token_that-must-never-be-printed"


async def refused(bot: BotProcess) -> str:
    """Start a bot that must not start. Returns its one line."""
    await bot.launch()
    assert await bot.ended() == 2, bot.output
    assert "Traceback" not in bot.output
    lines = [line for line in bot.output.splitlines() if line.startswith("otomo:")]
    assert len(lines) == 1, bot.output
    assert TOKEN not in bot.output
    return lines[0]


def broken_file(folder: Path) -> None:
    (folder / "otomo.toml").write_text("[llm\nmodel = 1")


def unknown_key(folder: Path) -> None:
    (folder / "otomo.toml").write_text("[llm]\nmodle = 'x'\n")


def nothing(folder: Path) -> None:
    """The environment is wrong enough."""


CASES: dict[str, tuple[Callable[[Path], None], dict[str, str], str]] = {
    "broken file": (broken_file, {}, "otomo: otomo.toml: "),
    "unknown key in the file": (unknown_key, {}, "otomo: llm.modle: unknown setting"),
    "unknown key": (nothing, {"OTOMO_LLM__MODLE": "x"}, "otomo: llm.modle: unknown setting"),
    "unknown section": (nothing, {"OTOMO_LMM__MODEL": "x"}, "unknown section 'lmm'"),
    "wrong value": (nothing, {"OTOMO_RENDER__SIZE_PX": "huge"}, "render.size_px"),
    "missing folder": (nothing, {"OTOMO_DATA__DIR": "nowhere/at/all"}, "data.dir"),
    "no persona": (nothing, {"OTOMO_COMPANION__PERSONA": "nobody"}, "nobody"),
    "no database": (nothing, {"OTOMO_STORAGE__URL": "mysql://localhost/x"}, "mysql"),
    "short secret": (nothing, {"OTOMO_SECRET_KEY": "too short"}, "OTOMO_SECRET_KEY is too short"),
}


@pytest.mark.parametrize("name", CASES)
async def test_wrong_settings(tmp_path: Path, name: str) -> None:
    prepare, environment, wanted = CASES[name]
    prepare(tmp_path)
    async with BotProcess(tmp_path, TELEGRAM_TOKEN=TOKEN, **environment) as bot:
        assert wanted in await refused(bot)


async def test_wrong_token(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        wrong = "987654321:AAnobody_has_ever_been_given_this_token"
        on.bot.environment["TELEGRAM_TOKEN"] = wrong
        assert "Telegram refuses the bot token (TELEGRAM_TOKEN)" in await refused(on.bot)
        assert wrong not in on.bot.output
        on.bot.environment["TELEGRAM_TOKEN"] = "no token at all"
        assert "TELEGRAM_TOKEN" in await refused(on.bot)


async def test_a_second_bot_and_a_wrong_key(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.bot.start()
        async with BotProcess(tmp_path, **on.bot.environment) as second:
            line = await refused(second)
        assert "another Otomo is running" in line
        on.telegram.say("hi")
        await on.telegram.wait_for("sendMessage", count=2, within_s=60)
        assert await on.bot.stop() == 0
        on.bot.environment["OTOMO_SECRET_KEY"] = "ab" * 32
        assert "sealed with another key" in await refused(on.bot)
        del on.bot.environment["OTOMO_SECRET_KEY"]
        (tmp_path / "keys" / "otomo.key").unlink()
        assert "its key is neither in OTOMO_SECRET_KEY nor in" in await refused(on.bot)
