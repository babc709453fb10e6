"""Where avatars come from: files of the operator, and our own figures, built once and kept on disk."""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Final

from render import emotes, figures
from render.errors import BadRequestError
from render.motion import Clip
from render.vrm import animation
from render.vrm.limits import MAX_FILE_BYTES

DEFAULT_PREFIX: Final = "default:"


def identity(name: str) -> str:
    """Return a key that changes when the file behind `name` does.

    Raises:
        BadRequestError: There is no such file or figure.
    """
    if name.startswith(DEFAULT_PREFIX):
        return f"{name}@{_recipe()}"
    try:
        stat = os.stat(name)
    except (OSError, ValueError) as error:
        raise BadRequestError(f"there is no avatar {Path(name).name}") from error
    return f"{name}@{stat.st_size}@{stat.st_mtime_ns}"


def read(name: str, cache_dir: Path | None) -> bytes:
    """Return an avatar's file.

    Args:
        name: A path, or "default:NAME" for one of our own figures.
        cache_dir: Where built figures are kept; None for the user's cache folder.

    Raises:
        BadRequestError: There is no such file or figure, or the file is too large to be an avatar.
    """
    if name.startswith(DEFAULT_PREFIX):
        return _figure(name.removeprefix(DEFAULT_PREFIX), cache_dir or user_cache_dir())
    try:
        if os.path.getsize(name) > MAX_FILE_BYTES:
            raise BadRequestError(f"the avatar {Path(name).name} is larger than {MAX_FILE_BYTES >> 20} MiB")
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise BadRequestError(f"the avatar {Path(name).name} cannot be read") from error


def clip(action: str) -> Clip:
    """Return what an action is: one of our clips, or the .vrma file of that path.

    Raises:
        BadRequestError: There is no such clip or file.
        VrmError: The file is refused.
    """
    if action in emotes.CLIPS:
        return emotes.CLIPS[action]
    path = Path(action)
    try:
        if path.stat().st_size > animation.MAX_FILE_BYTES:
            raise BadRequestError(f"the animation {path.name} is too large")
        return animation.load_animation(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadRequestError(
            f"there is no action {path.name}: known are {', '.join(emotes.CLIPS)}"
        ) from error


def user_cache_dir() -> Path:
    """Return the folder for things that can be made again."""
    base = os.environ.get("OTOMO_CACHE_DIR")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "otomo"


def _figure(name: str, cache_dir: Path) -> bytes:
    if name not in figures.NAMES:
        raise BadRequestError(f"there is no figure {name}: known are {', '.join(figures.NAMES)}")
    kept = cache_dir / "figures" / f"{name}-{_recipe()}.vrm"
    try:
        return kept.read_bytes()
    except OSError:
        built = figures.build(name)
        _keep(kept, built)
        return built


def _keep(path: Path, data: bytes) -> None:
    """Write a file so that no reader ever sees half of it; a full or read-only disk is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(data)
        os.replace(draft.name, path)
    except OSError:
        return


@lru_cache(maxsize=1)
def _recipe() -> str:
    """A digest of the code that builds the figures."""
    folder = Path(figures.__file__).parent
    digest = hashlib.sha256()
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
