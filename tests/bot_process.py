"""The real bot as a process of its own: started, killed, started again.

async with BotProcess(tmp_path, TELEGRAM_TOKEN=..., OTOMO_TELEGRAM__BASE_URL=...) as bot:
    await bot.start()
    bot.kill()          # SIGKILL, in the middle of whatever it was doing
    await bot.start()
    assert await bot.stop() == 0
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
READY_S = 60.0
PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "XDG_CACHE_HOME")


class BotProcess:
    """One bot with a folder of its own; `output` is all it has logged so far."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.folder = folder
        self.arguments = arguments or ("run",)
        self.environment = {
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
            "PYTHONPATH": str(ROOT),
            "OTOMO_DATA__DIR": str(folder / "data"),
            "OTOMO_STORAGE__KEY_FILE": str(folder / "keys" / "otomo.key"),
            "OTOMO_RENDER__ENABLED": "false",
            **environment,
        }
        self.output = ""
        self.process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._heard = asyncio.Condition()

    async def __aenter__(self) -> BotProcess:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process and self.process.returncode is None:
            self.process.kill()
        await self.ended()

    async def start(self, *, until: str = "ready:") -> None:
        """Start it and wait for a line of its log."""
        await self.launch()
        await self.wait_for(until)

    async def launch(self) -> None:
        """Start it and wait for nothing."""
        self.output = ""
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *self.arguments,
            cwd=self.folder,
            env=self.environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reader = asyncio.create_task(self._read())

    async def wait_for(self, text: str, seconds: float = READY_S) -> None:
        """Wait until the log holds a text.

        Raises:
            AssertionError: It ended or stayed silent; the log is the message.
        """
        try:
            async with asyncio.timeout(seconds), self._heard:
                await self._heard.wait_for(lambda: text in self.output or self._is_over())
        except TimeoutError:
            pass
        assert text in self.output, f"never said {text!r}:\n{self.output}"

    def kill(self) -> None:
        """SIGKILL: no goodbye."""
        assert self.process
        self.process.kill()

    async def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self, seconds: float = 60.0) -> int:
        """Wait for the end; returns the exit code."""
        if self.process is None:
            return 0
        async with asyncio.timeout(seconds):
            code = await self.process.wait()
            if self._reader:
                await self._reader
        if self.process.stdin:
            self.process.stdin.close()
        self.process._transport.close()  # type: ignore[attr-defined]
        return code

    def _is_over(self) -> bool:
        return self._reader is None or self._reader.done()

    async def _read(self) -> None:
        assert self.process
        assert self.process.stdout
        while line := await self.process.stdout.readline():
            async with self._heard:
                self.output += line.decode("utf-8", "replace")
                self._heard.notify_all()
        async with self._heard:
            self._heard.notify_all()
