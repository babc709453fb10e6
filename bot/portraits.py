"""Her face as a picture: asks the drawing child, keeps what it drew, survives its death.

The ladder, from the best rung down: the operator's figure, the default figure, a still drawn before,
a still that ships with the product, no picture. The last one is no error for the user.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bot.children import Child, ChildLimits
from bot.errors import ChildDied, ChildError, ChildRefused
from bot.ports import Picture
from engine.conversation import Face
from render.figures import NAMES
from render.framing import Framing
from render.snapshot import SnapshotRequest, cache_key

log = logging.getLogger(__name__)

DEFAULT_FIGURE: Final = "default"
MIME: Final = "image/jpeg"
STILLS: Final = Path(__file__).resolve().parent.parent / "render" / "stills"
"""The shipped stills, one an emotion, for machines that cannot draw."""
REST_AFTER_FAILURE_S: Final = 60.0
"""After a failed drawing the child is left alone this long; cached and shipped stills serve meanwhile."""


@dataclass(frozen=True, slots=True)
class PortraitSettings:
    """Which figure is drawn and how; `cache_bytes` bounds the pictures kept on disk."""

    figure: str
    framing: Framing
    size_px: int
    cache: Path
    cache_bytes: int
    timeout_s: float
    enabled: bool = True


@dataclass(slots=True)
class Portraits:
    """Faces of one figure."""

    settings: PortraitSettings
    _child: Child = field(init=False)
    _known: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[bytes | None]] = field(default_factory=dict)
    _rest_until: float = 0.0

    def __post_init__(self) -> None:
        limits = ChildLimits(request_s=self.settings.timeout_s)
        self._child = Child("render.worker", limits, {"OTOMO_CACHE_DIR": str(self.settings.cache)})

    async def warm(self) -> None:
        """Learn what the figure can show; afterwards `expressions` and `cached` know it."""
        if not self.settings.enabled:
            return
        for model in self._models():
            try:
                await self._learn(model)
                return
            except ChildRefused as error:
                log.error("the figure %s is refused: %s", self.settings.figure, error)
            except ChildError as error:
                log.error("drawing is not possible now: %s", error)
                return

    def expressions(self) -> tuple[str, ...]:
        """The expressions the present figure can show; none before `warm`."""
        model = self._model()
        return self._known[model][0] if model else ()

    def cached(self, face: Face) -> Picture | None:
        """The picture, if it was drawn before."""
        path = self._path(face)
        if path is None:
            return None
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return _picture(data, face)

    async def picture(self, face: Face) -> Picture | None:
        """The picture, drawn now if need be; None when no rung of the ladder holds."""
        if not self.settings.enabled:
            return None
        if (known := self.cached(face)) is not None:
            return known
        data = await self._drawn(face)
        return _picture(data, face) if data else self.shipped(face)

    def shipped(self, face: Face) -> Picture | None:
        """The ready-made still of an emotion."""
        for emotion in (face.emotion, "neutral"):
            try:
                return _picture((STILLS / f"{emotion}.jpg").read_bytes(), face)
            except OSError:
                continue
        return None

    async def prune(self) -> None:
        """Drop the pictures that were not used for the longest time, down to the allowed size."""
        await asyncio.to_thread(_prune, self._folder, self.settings.cache_bytes)

    async def close(self) -> None:
        """End the child and what still waits for it."""
        for task in self._drawing.values():
            task.cancel()
        await asyncio.gather(*self._drawing.values(), return_exceptions=True)
        await self._child.close()

    @property
    def _folder(self) -> Path:
        return self.settings.cache / "faces"

    def _models(self) -> tuple[str, ...]:
        own = model_of(self.settings.figure)
        return tuple(dict.fromkeys((own, model_of(DEFAULT_FIGURE))))

    def _model(self) -> str | None:
        return next((model for model in self._models() if model in self._known), None)

    async def _learn(self, model: str) -> None:
        header, _ = await self._child.ask("expressions", model=model)
        self._known[model] = (tuple(header["expressions"]), str(header["model_hash"]))

    def _request(self, face: Face, model: str) -> SnapshotRequest:
        return SnapshotRequest(
            model=model,
            expression=face.expression,
            weight=face.weight,
            emotion=face.emotion,
            framing=self.settings.framing,
            size_px=self.settings.size_px,
            format="jpeg",
        )

    def _path(self, face: Face) -> Path | None:
        model = self._model()
        if model is None or not self.settings.enabled:
            return None
        return self._folder / f"{cache_key(self._request(face, model), self._known[model][1])}.jpg"

    async def _drawn(self, face: Face) -> bytes | None:
        """Draw a face; askers of the same face share one drawing."""
        if time.monotonic() < self._rest_until:
            return None
        if self._model() is None:
            await self.warm()
        path, model = self._path(face), self._model()
        if path is None or model is None:
            return None
        task = self._drawing.get(path.name)
        if task is None:
            task = self._drawing[path.name] = asyncio.create_task(
                self._draw(self._request(face, model), path)
            )
            task.add_done_callback(lambda _: self._drawing.pop(path.name, None))
        return await asyncio.shield(task)

    async def _draw(self, request: SnapshotRequest, path: Path) -> bytes | None:
        try:
            _, data = await self._child.ask("snapshot", **request.to_wire())
        except ChildDied as error:
            log.error("a drawing was given up: %s", error)
            self._rest_until = time.monotonic() + REST_AFTER_FAILURE_S
            return None
        except ChildRefused as error:
            log.error("a drawing was refused: %s: %s", error.kind, error)
            self._rest_until = time.monotonic() + REST_AFTER_FAILURE_S
            return None
        await asyncio.to_thread(_keep, path, data)
        return data


def model_of(figure: str) -> str:
    """Return the renderer's name of a figure: a file's path, or one of the shipped figures by name."""
    if figure.endswith(".vrm"):
        return figure
    return f"default:{NAMES[0] if figure == DEFAULT_FIGURE else figure}"


def _picture(data: bytes, face: Face) -> Picture:
    digest = hashlib.sha256(data).hexdigest()[:12]
    return Picture(data, MIME, f"{face.emotion}-{digest}.jpg")


def _keep(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever reads half of it; a full disk costs the cache, not the picture."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(data)
        os.replace(draft.name, path)
    except OSError as error:
        log.warning("a picture could not be kept: %s", error.strerror)


def _prune(folder: Path, allowed_bytes: int) -> None:
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
