"""The same avatar drawn by three-vrm in a headless Chromium, as a web app would."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.three_vrm.browser import install, missing


@contextmanager
def packages() -> Iterator[tuple[Path | None, str]]:
    """A temporary folder with three-vrm installed in it, or None and the reason why there is none."""
    if reason := missing():
        yield None, reason
        return
    with tempfile.TemporaryDirectory() as folder:
        reason = install(Path(folder))
        yield (None if reason else Path(folder) / "node_modules"), reason
