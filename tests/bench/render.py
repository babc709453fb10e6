"""Topic "render": what a picture of her costs in the drawing child, beside three-vrm in a browser."""

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

from bot.picture_files import fetch, keep
from render import framing, wardrobe, wire
from render.figures import NAMES
from render.requests import LoopRequest, SnapshotRequest, cache_key
from render.vrm import load
from tests.bench import three_vrm
from tests.bench.place import ROOT
from tests.bench.processes import cpu_ms, pss_mib
from tests.bench.samples import quantile
from tests.bench.table import Figure, Table
from tests.bench.three_vrm.browser import DRIVERS, Browser, Driver, browser

EMOTIONS = ("sad", "excited", "content", "curious", "playful", "anxious", "neutral", "melancholy")
SIZES_PX = (512, 768)
STILLS = 32
MANY = 1000
AVATARS = Path(os.environ.get("OTOMO_TEST_AVATARS") or ROOT.parent / "shared" / "models")
"""Read when the bench starts, before it forgets the operator's settings."""


class Child:
    """The drawing process, measured from outside."""

    def __init__(self, cache: Path) -> None:
        environment = {**os.environ, "OTOMO_CACHE_DIR": str(cache)}
        command = [sys.executable, "-m", "render.worker"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT
        )

    def ask(self, do: str, **arguments: Any) -> bytes:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(wire.pack({"do": do, **arguments}))
        self.process.stdin.flush()
        answer = wire.read(self.process.stdout)
        assert answer is not None
        assert answer[0]["ok"], answer[0]
        return answer[1]

    def cpu_ms(self) -> float:
        return cpu_ms(self.process.pid)

    def memory_mib(self) -> float:
        return pss_mib(self.process.pid)


@contextmanager
def child(cache: Path) -> Iterator[Child]:
    started = Child(cache)
    try:
        yield started
    finally:
        started.process.communicate()


def measure() -> list[Table]:
    tables = []
    with tempfile.TemporaryDirectory() as folder, three_vrm.packages() as (packages, reason):
        for model, name in ((f"default:{NAMES[0]}", "the default figure"), (_godette(), "Godette")):
            if model:
                tables.append(_of_figure(model, name, Path(folder), packages, reason))
            else:
                tables.append(Table(f"Her face: {name}", (), f"Skipped: no such file in {AVATARS.name}/."))
    return tables


def _godette() -> str:
    return str(next(iter(sorted(AVATARS.glob("Godette*.vrm"))), ""))


def _of_figure(model: str, name: str, cache: Path, packages: Path | None, reason: str) -> Table:
    first, again = (_cold(model, cache, what) for what in ("first start", "next start"))
    with child(cache) as worker:
        stills = {size_px: _stills(worker, model, size_px) for size_px in SIZES_PX}
        ours = {size_px: mean for size_px, (mean, _) in stills.items()}
        figures = [first, again, *(row for _, rows in stills.values() for row in rows)]
        figures += [_new_moods(worker, model), _loop(worker, model), _cache_hit(model, cache)]
        memory = worker.memory_mib()
        figures.append(Figure("memory after these", memory, None, "MiB", beside="PSS"))
        figures.append(_many(worker, model))
    if packages is None:
        return Table(f"Her face: {name}", tuple(figures), f"three-vrm was skipped: {reason}.")
    drivers = []
    for driver in DRIVERS:
        rows, named = _browser_rows(packages, model, driver, ours, memory)
        figures += rows
        drivers.append(f"{driver} is {named}")
    return Table(f"Her face: {name}", tuple(figures), "; ".join(drivers) + ".")


def _cold(model: str, cache: Path, what: str) -> Figure:
    began = time.perf_counter()
    with child(cache) as worker:
        worker.ask("snapshot", **SnapshotRequest(model).to_wire())
        seconds = time.perf_counter() - began
        spent = f"{worker.cpu_ms():.0f} ms CPU"
    return Figure(f"{what} of the process to the first PNG", seconds, None, "s", beside=spent)


def _stills(worker: Child, model: str, size_px: int) -> tuple[float, list[Figure]]:
    """Return the mean CPU ms of a still whose face alone is new, and its rows."""
    requests = [
        SnapshotRequest(model, "happy", (number % 8 + 1) / 8, "happy", size_px=size_px)
        for number in range(STILLS)
    ]
    worker.ask("snapshot", **requests[0].to_wire())
    spent, walls = _timed(worker, requests)
    name = f"a still of {size_px} px, a new face"
    rows = [
        Figure.of(name, walls, "ms", beside="PNG, drawn at twice the size"),
        Figure(f"{name}, CPU", spent, None, "ms", beside="mean, all threads"),
    ]
    return spent, rows


def _new_moods(worker: Child, model: str) -> Figure:
    requests = [SnapshotRequest(model, "happy", 0.5, emotion, daytime="day") for emotion in EMOTIONS]
    spent, _ = _timed(worker, requests)
    return Figure("a still of 512 px, a new pose, CPU", spent, None, "ms", beside="hair and clothes settle")


def _timed(worker: Child, requests: list[SnapshotRequest]) -> tuple[float, list[float]]:
    """Return the mean CPU ms and all wall ms of requests."""
    walls, before = [], worker.cpu_ms()
    for request in requests:
        began = time.perf_counter()
        worker.ask("snapshot", **request.to_wire())
        walls.append((time.perf_counter() - began) * 1e3)
    return (worker.cpu_ms() - before) / len(requests), walls


def _loop(worker: Child, model: str) -> Figure:
    request = LoopRequest(model, framing="full", action="greeting", fps=12, max_seconds=2.0, format="mp4")
    before, began = worker.cpu_ms(), time.perf_counter()
    film = worker.ask("loop", **request.to_wire())
    seconds = time.perf_counter() - began
    beside = f"{worker.cpu_ms() - before:.0f} ms CPU, {len(film) // 1024} KB"
    return Figure("a loop of 2 s, 24 frames of 384 px, MP4", seconds, None, "s", beside=beside)


def _cache_hit(model: str, cache: Path) -> Figure:
    request = SnapshotRequest(model, "happy", 0.5)
    keep(cache / cache_key(request, "0" * 64), bytes(60_000))
    samples = []
    for _ in range(400):
        began = time.perf_counter()
        assert fetch(cache / cache_key(request, "0" * 64))
        samples.append((time.perf_counter() - began) * 1e3)
    return Figure.of("a kept picture", samples, "ms", bar="1", beside="its name and its bytes")


def _many(worker: Child, model: str) -> Figure:
    before = worker.memory_mib()
    for number in range(MANY):
        weight, emotion = (number % 8 + 1) / 8, EMOTIONS[number // 8 % 8]
        request = SnapshotRequest(model, "happy", weight, emotion, size_px=128, format="jpeg")
        worker.ask("snapshot", **request.to_wire())
    after = worker.memory_mib()
    return Figure(
        f"memory after {MANY:,} pictures", after, None, "MiB", beside=f"PSS, {after - before:+.0f} MiB"
    )


def _browser_rows(
    packages: Path, model: str, driver: Driver, ours: dict[int, float], memory: float
) -> tuple[list[Figure], str]:
    data = wardrobe.read(model, None)
    camera = _camera(data)
    try:
        with browser(packages, data, driver) as (running, began):
            running.draw(512, 0.5, camera)
            cold = Figure(
                f"three-vrm on {driver}: start to the first PNG", time.perf_counter() - began, None, "s"
            )
            rows = [cold, *(_browser_still(running, driver, px, camera, ours[px]) for px in SIZES_PX)]
            theirs = running.memory_mib()
            beside = f"PSS of all its processes; {theirs / memory:.1f} times ours"
            last = Figure(
                f"three-vrm on {driver}: memory", theirs, None, "MiB", "at least 2 times ours", beside
            )
            return [*rows, last], running.driver
    except RuntimeError as error:
        return [], f"left out ({error})"


def _browser_still(
    running: Browser, driver: Driver, size_px: int, camera: dict[str, object], ours: float
) -> Figure:
    for weight in (0.2, 0.4, 0.6):
        running.draw(size_px, weight, camera)
    walls, before = [], running.cpu_ms()
    for number in range(STILLS):
        began = time.perf_counter()
        running.draw(size_px, (number % 8 + 1) / 8, camera)
        walls.append((time.perf_counter() - began) * 1e3)
    spent = (running.cpu_ms() - before) / STILLS
    beside = f"wall {quantile(walls, 0.5):.0f} ms; {spent / ours:.1f} times ours"
    bar = "at least 2 times ours" if driver == "swiftshader" else "above ours"
    return Figure(f"three-vrm on {driver}: {size_px} px, CPU", spent, None, "ms", bar, beside)


def _camera(data: bytes) -> dict[str, object]:
    """The portrait's camera in the terms of three.js."""
    placed = framing.camera(framing.measure(load(data)), "portrait")
    a, b = placed.projection[2, 2], placed.projection[2, 3]
    return {
        "fov": framing.FIELD_OF_VIEW_DEGREES,
        "near": float(b / (a - 1)),
        "far": float(b / (a + 1)),
        "position": placed.position.tolist(),
    }
