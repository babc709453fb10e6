"""The command line as people and pipes use it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.bot_process import PASSED_ON, ROOT


async def run(
    folder: Path, *arguments: str, said: str | None = "", **environment: str
) -> tuple[int, str, str]:
    """Run one command to its end. Returns exit code, output and complaints."""
    settings = {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "PYTHONPATH": str(ROOT),
        "OTOMO_LLM__PROVIDER": "scripted",
        "OTOMO_GAME__EVENTS": "false",
        "OTOMO_RENDER__ENABLED": "false",
        **environment,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=folder,
        env=settings,
        stdin=asyncio.subprocess.PIPE if said is not None else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(100):
        out, errors = await process.communicate(said.encode() if said is not None else None)
    assert process.returncode is not None
    return process.returncode, out.decode(), errors.decode()


async def test_a_pipe_gets_answers_and_she_remembers(tmp_path: Path) -> None:
    code, out, errors = await run(tmp_path, "chat", "--plain", said="hi\nI love hiking\n")
    assert code == 0, errors
    assert "Otomo is an AI companion, not a person" in out
    assert len(out.strip().splitlines()) >= 3
    assert "{" not in out
    assert "Traceback" not in errors
    code, out, errors = await run(tmp_path, "chat", "--plain", said="what do you know about me?\n")
    assert code == 0, errors
    assert "hiking" in out
    assert "AI companion, not a person" not in out, "she was introduced twice"


async def test_a_line_without_an_end_and_a_quit_are_heard(tmp_path: Path) -> None:
    code, out, _ = await run(tmp_path, "chat", "--plain", said="/status\n/quit\nnever read")
    assert code == 0
    assert "still a stranger" in out
    code, out, _ = await run(tmp_path, "chat", "--plain", said="hello without an end")
    assert code == 0
    assert out.strip()


async def test_run_without_tokens_and_input_ends(tmp_path: Path) -> None:
    code, _, errors = await run(tmp_path, "run", said=None)
    assert code == 0, errors
    assert "TELEGRAM_TOKEN" in errors
    assert "DISCORD_TOKEN" in errors


async def test_parse(tmp_path: Path) -> None:
    reply = (
        'Hi!\n```json\n{"affection_delta": 3, "mood_change": {"emotion": "happy", "intensity_delta": 5}}\n```'
    )
    code, out, errors = await run(tmp_path, "parse", said=reply)
    assert code == 0, errors
    parsed = json.loads(out)
    assert parsed["dialogue"] == "Hi!"
    assert parsed["stateUpdates"]["affectionDelta"] == 3


async def test_status_quotes_what_the_user_said(tmp_path: Path) -> None:
    await run(tmp_path, "chat", "--plain", said="my cat died yesterday and I feel awful\n")
    _, out, _ = await run(tmp_path, "chat", "--plain", said="/status\n")
    assert 'because of: "my cat died yesterday and I feel awful"' in out
    assert "they said" not in out


async def test_doctor(tmp_path: Path) -> None:
    code, out, errors = await run(tmp_path, "doctor")
    assert code == 0, errors
    assert all(line.startswith("ok  ") for line in out.splitlines()), out
    assert "database: none yet" in out
    await run(tmp_path, "chat", "--plain", said="hi\n")
    code, out, _ = await run(tmp_path, "doctor")
    assert (code, "database: opens, and the key fits" in out) == (0, True)
    code, out, _ = await run(tmp_path, "doctor", OTOMO_SECRET_KEY="ab" * 32)
    assert code == 1
    assert "MEND database" in out


@pytest.mark.parametrize("figure", ["nobody", "gone.vrm", "broken.vrm"])
async def test_doctor_names_a_figure_that_cannot_be_worn(tmp_path: Path, figure: str) -> None:
    (tmp_path / "broken.vrm").write_bytes(b"no model")
    wanted = {"OTOMO_RENDER__ENABLED": "true", "OTOMO_RENDER__FIGURE": figure}
    code, out, _ = await run(tmp_path, "doctor", **wanted)
    assert code == 1
    assert f"MEND face: the figure {figure} cannot be worn: " in out


async def test_render(tmp_path: Path) -> None:
    code, _, errors = await run(tmp_path, "render", "her.png", "--emotion", "happy", "--size", "128")
    assert code == 0, errors
    picture = Image.open(io.BytesIO((tmp_path / "her.png").read_bytes()))
    picture.load()
    assert (picture.format, picture.size) == ("PNG", (128, 128))
    code, _, errors = await run(tmp_path, "render", "her.txt")
    assert (code, errors.count("\n")) == (2, 1)
