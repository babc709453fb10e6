"""The machine that the figures belong to."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from tests.bench.samples import quantile

PAGE = b"\0" * 4096
LOOPS = 1_000_000
"""A yardstick for the processor: what it makes of this many empty rounds."""


def fsync_ms(folder: Path, times: int = 60) -> list[float]:
    """Measure what a durable write of one page costs on the disk of a folder, in milliseconds."""
    file = folder / "fsync"
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    found = []
    try:
        for _ in range(times):
            os.write(handle, PAGE)
            began = time.perf_counter()
            os.fsync(handle)
            found.append((time.perf_counter() - began) * 1e3)
    finally:
        os.close(handle)
        file.unlink()
    return found


def describe(folder: Path) -> str:
    """Return the line that stands above every run."""
    waits = fsync_ms(folder)
    began = time.thread_time()
    for _ in range(LOOPS):
        pass
    loop_ms = (time.thread_time() - began) * 1e3
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}: {_cpu()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {platform.system()}; load {load}; "
        f"a bare loop of {LOOPS:,} takes {loop_ms:.0f} ms; fsync {quantile(waits, 0.5):.2f} ms (p95 {quantile(waits, 0.95):.2f})"
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())
