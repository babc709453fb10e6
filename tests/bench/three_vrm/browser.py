"""Starting Chromium with one of its software drivers, and what all its processes cost."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from tests.bench.processes import cpu_ms, family, pss_mib
from tests.bench.three_vrm.server import HERE, PageServer

Driver = Literal["swiftshader", "llvmpipe"]

START_S: Final = 90.0
_QUIET: Final = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--ignore-gpu-blocklist"),
)
DRIVERS: Final[dict[Driver, tuple[str, ...]]] = {
    "swiftshader": ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    "llvmpipe": ("--use-gl=angle", "--use-angle=gl-egl"),
}


def missing() -> str:
    """Say what is not installed here, nothing if all is."""
    absent = [name for name in ("chromium", "npm") if shutil.which(name) is None]
    return f"{' and '.join(absent)} not installed" if absent else ""


def install(folder: Path) -> str:
    """Install three and three-vrm into a folder; return why that failed, nothing if it did not."""
    shutil.copy(HERE / "package.json", folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return "" if done.returncode == 0 else f"npm could not install three-vrm (exit code {done.returncode})"


class Browser:
    """A Chromium that shows one avatar and draws it when asked."""

    def __init__(self, page: PageServer, driver: Driver, profile: Path) -> None:
        self._page = page
        command = ["chromium", *_QUIET, *DRIVERS[driver], f"--user-data-dir={profile}", page.url]
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        self.driver = page.wait("driver", START_S).decode()

    def draw(self, size_px: int, weight: float, camera: dict[str, object]) -> bytes:
        self._page.jobs.put({"size_px": size_px, "weight": weight, "camera": camera})
        return self._page.wait("picture", START_S)

    def cpu_ms(self) -> float:
        """CPU time of all its processes so far."""
        return sum(cpu_ms(pid) for pid in family(self.process.pid))

    def memory_mib(self) -> float:
        """Proportional share of memory of all its processes."""
        return sum(pss_mib(pid) for pid in family(self.process.pid))

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def browser(packages: Path, model: bytes, driver: Driver) -> Iterator[tuple[Browser, float]]:
    """A running browser, and when it was started (`time.perf_counter`)."""
    page = PageServer(packages, model)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            began = time.perf_counter()
            running = Browser(page, driver, Path(profile))
            try:
                yield running, began
            finally:
                running.close()
    finally:
        page.close()
