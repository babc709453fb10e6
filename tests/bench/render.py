"""Topic "render": what a picture of her costs in the drawing child, in CPU and on the clock."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from render import wire
from render.figures import NAMES
from render.requests import LoopRequest, SnapshotRequest, cache_key
from tests.bench.table import Figure, Table

EMOTIONS = ("happy", "sad", "excited", "content", "curious", "playful", "anxious", "neutral")
STILLS = 48
MANY = 1000
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Child:
    """The drawing process, measured from outside."""

    def __init__(self, cache: Path) -> None:
        environment = {**os.environ, "OTOMO_CACHE_DIR": str(cache)}
        command = [sys.executable, "-m", "render.worker"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )

    def ask(self, do: str, **arguments: Any) -> tuple[dict[str, Any], bytes]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(wire.pack({"do": do, **arguments}))
        self.process.stdin.flush()
        answer = wire.read(self.process.stdout)
        assert answer is not None
        assert answer[0]["ok"], answer[0]
        return answer

    def cpu_ms(self) -> float:
        """CPU time of all threads so far."""
        numbers = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(numbers[11]) + int(numbers[12])) / TICKS_PER_S * 1000

    def memory_mib(self) -> float:
        """Resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def child(cache: Path) -> Iterator[Child]:
    started = Child(cache)
    try:
        yield started
    finally:
        started.process.communicate()


def measure() -> list[Table]:
    with tempfile.TemporaryDirectory() as folder:
        tables = [_of_figure(f"default:{NAMES[0]}", "the default figure", Path(folder))]
        for path in _avatars():
            tables.append(_of_figure(str(path), path.stem, Path(folder)))
    return tables


def _avatars() -> list[Path]:
    folder = os.environ.get("OTOMO_TEST_AVATARS")
    return sorted(Path(folder).glob("Godette*.vrm")) if folder else []


def _of_figure(model: str, name: str, cache: Path) -> Table:
    figures = [_cold(model, cache, "first start"), _cold(model, cache, "next start")]
    with child(cache) as worker:
        for size_px in (512, 768):
            figures += _warm(worker, model, size_px)
        figures += [_loop(worker, model), _cache_hit(model), *_memory(worker, model)]
    return Table(f"Drawing {name}", tuple(figures))


def _cold(model: str, cache: Path, what: str) -> Figure:
    started = time.perf_counter()
    with child(cache) as worker:
        worker.ask("snapshot", **SnapshotRequest(model).to_wire())
        seconds = time.perf_counter() - started
        return Figure(
            f"{what} of the process to the first picture",
            seconds,
            None,
            "s",
            beside=f"{worker.cpu_ms():.0f} ms CPU",
        )


def _warm(worker: Child, model: str, size_px: int) -> list[Figure]:
    walls, cpus = [], []
    for number in range(STILLS):
        request = SnapshotRequest(
            model, "happy", (number % 8 + 1) / 8, EMOTIONS[number // 6], size_px=size_px
        )
        before, started = worker.cpu_ms(), time.perf_counter()
        worker.ask("snapshot", **request.to_wire())
        walls.append((time.perf_counter() - started) * 1000)
        cpus.append(worker.cpu_ms() - before)
    return [
        Figure.of(f"a still of {size_px} px", walls, "ms", beside="PNG, drawn at twice the size"),
        Figure(
            f"a still of {size_px} px, CPU", sum(cpus) / len(cpus), None, "ms", beside="mean, all threads"
        ),
    ]


def _loop(worker: Child, model: str) -> Figure:
    request = LoopRequest(model, framing="full", action="greeting", fps=12, max_seconds=2.0, format="mp4")
    before, started = worker.cpu_ms(), time.perf_counter()
    _, film = worker.ask("loop", **request.to_wire())
    seconds = time.perf_counter() - started
    beside = f"{worker.cpu_ms() - before:.0f} ms CPU, {len(film) // 1024} KB"
    return Figure("a loop of 2 s, 24 frames of 384 px, MP4", seconds, None, "s", beside=beside)


def _cache_hit(model: str) -> Figure:
    request = SnapshotRequest(model, "happy", 0.5)
    samples = []
    for _ in range(200):
        started = time.perf_counter()
        cache_key(request, "0" * 64)
        samples.append((time.perf_counter() - started) * 1000)
    return Figure.of("the name of a kept picture", samples, "ms", bar="1")


def _memory(worker: Child, model: str) -> list[Figure]:
    before = worker.memory_mib()
    for number in range(MANY):
        request = SnapshotRequest(
            model, "happy", (number % 8 + 1) / 8, EMOTIONS[number // 8 % 8], size_px=128, format="jpeg"
        )
        worker.ask("snapshot", **request.to_wire())
    after = worker.memory_mib()
    grown = f"{after - before:+.0f} MiB"
    return [Figure(f"memory after {MANY:,} pictures", after, None, "MiB", beside=grown)]
