"""Pictures on disk: kept whole or not at all, and the oldest dropped when they are too many."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path

log = logging.getLogger(__name__)


def fetch(path: Path) -> bytes | None:
    """Read a kept file and mark it as used; None where it is not there."""
    try:
        data = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    return data


def keep(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever reads half of it; a full disk costs the cache, not the picture."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(data)
        os.replace(draft.name, path)
    except OSError as error:
        log.warning("a picture could not be kept: %s", error.strerror)


def prune(folder: Path, allowed_bytes: int) -> None:
    """Drop the files that were not used for the longest time, down to the allowed size."""
    files = []
    for path in folder.glob("*"):
        try:
            stat = path.stat()
        except OSError:
            continue
        files.append((stat.st_mtime, stat.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= allowed_bytes:
            return
        path.unlink(missing_ok=True)
        total -= size
