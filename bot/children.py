"""One kind of child process for three jobs: to draw, to decode pictures, to embed text.

What runs in there may hang, grow or crash on hostile input. The child is killed at its time limit,
started again at the next request, ended when idle and replaced after enough requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.errors import ChildDied, ChildRefused
from render import wire

log = logging.getLogger(__name__)

KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "OTOMO_GL_BACKEND",
)
"""All of the environment that a child sees: no token and no key is among them."""


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """When a child is killed, ended or replaced.

    Attributes:
        request_s: A request may take this long, in seconds; the first one also pays for the start.
        start_s: Added to the limit of a fresh child's first request, in seconds.
        idle_s: An unused child is ended after this many seconds.
        requests: A child is replaced after this many requests.
        memory_bytes: Address space of the child, or None for no limit of the operating system's.
    """

    request_s: float = 10.0
    start_s: float = 30.0
    idle_s: float = 300.0
    requests: int = 5000
    memory_bytes: int | None = None


@dataclass(slots=True)
class Child:
    """A child process that answers one request at a time.

    Args:
        module: The Python module that is its main program and speaks `render.wire`.
        limits: When it is killed, ended or replaced.
        environment: Variables it sees beside KEPT_VARIABLES.
    """

    module: str
    limits: ChildLimits = field(default_factory=ChildLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _served: int = 0
    _idle: asyncio.TimerHandle | None = None

    async def ask(
        self, do: str, body: bytes = b"", *, patience: float = 1.0, **arguments: Any
    ) -> tuple[dict[str, Any], bytes]:
        """Send one request and wait for its answer.

        Args:
            do: What is asked.
            body: Bytes that belong to it.
            patience: How many times the usual limit this request may take.
            arguments: The other fields of the request.

        Returns:
            The answer's header and body.

        Raises:
            ChildDied: The child ended, or was killed at its time limit.
            ChildRefused: The child answered with an error of its own.
        """
        request = wire.pack({"do": do, **arguments}, body)
        async with self._lock:
            header, answer = await self._exchange(request, patience)
        if not header.get("ok"):
            raise ChildRefused(str(header.get("error", "")), str(header.get("message", "")))
        return header, answer

    async def close(self) -> None:
        """End the child."""
        async with self._lock:
            await self._end()

    @property
    def pid(self) -> int | None:
        """The process id while the child runs."""
        return self._process.pid if self._alive() and self._process else None

    async def _exchange(self, request: bytes, patience: float) -> tuple[dict[str, Any], bytes]:
        if self._idle:
            self._idle.cancel()
        fresh = not self._alive() or self._served >= self.limits.requests
        if fresh:
            await self._end()
            await self._start()
        limit_s = self.limits.request_s * patience + (self.limits.start_s if fresh else 0.0)
        done = False
        try:
            async with asyncio.timeout(limit_s):
                answer = await self._round_trip(request)
            done = True
        except (TimeoutError, OSError, asyncio.IncompleteReadError, ValueError, wire.WireError) as error:
            raise ChildDied(f"{self.module}: {type(error).__name__} within {limit_s:g} s") from None
        finally:
            # Also when the asker was cancelled: a half-read answer must not meet the next request.
            if not done:
                await self._end()
        self._served += 1
        self._idle = asyncio.get_running_loop().call_later(self.limits.idle_s, self._end_if_idle)
        return answer

    async def _start(self) -> None:
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot.child_start",
            str(self.limits.memory_bytes or 0),
            self.module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**environment, **self.environment},
            start_new_session=True,
        )
        self._served = 0
        log.debug("child %s started, pid %d", self.module, self._process.pid)

    async def _round_trip(self, request: bytes) -> tuple[dict[str, Any], bytes]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(request)
        await process.stdin.drain()
        head, body = wire.lengths(await process.stdout.readexactly(wire.PREFIX.size))
        data = await process.stdout.readexactly(head + body)
        return wire.header(data[:head]), data[head:]

    async def _end(self) -> None:
        process, self._process = self._process, None
        if self._idle:
            self._idle.cancel()
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        # asyncio closes a pipe's transport only when somebody asks; at interpreter end that is a warning.
        process._transport.close()  # type: ignore[attr-defined]  # there is no public way

    def _alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def _end_if_idle(self) -> None:
        if not self._lock.locked() and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
