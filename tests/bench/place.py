"""A folder and an environment that belong to the bench alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_VARIABLES = ("TELEGRAM_TOKEN", "DISCORD_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def forget_settings() -> None:
    """Drop every variable that would change what is measured."""
    for name in list(os.environ):
        if name.startswith("OTOMO_") or name in OWN_VARIABLES:
            del os.environ[name]


@contextmanager
def own_folder() -> Iterator[Path]:
    """A fresh folder beside the code, because /tmp is memory on many machines and would flatter."""
    place = ROOT / ".bench"
    place.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
