"""Her face as a picture or a short loop: asks the drawing child, keeps what it drew, survives its death.

The ladder, from the best rung down: the figure the user has chosen, the operator's, the shipped one, a
still drawn before, a still that ships with the product, no picture. The last one is no error for the user.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from bot.acquaintance import Acquaintance, Known
from bot.backgrounds import Backgrounds
from bot.children import Child, ChildLimits
from bot.emotes import Emotes
from bot.errors import ChildDied, ChildError, ChildRefused
from bot.figures import Figure, Figures
from bot.picture_files import fetch, keep, prune
from bot.ports import LoopFormat, Picture
from engine.conversation import Face
from render.compose import TRANSPARENT
from render.framing import Framing
from render.snapshot import LoopRequest, SnapshotRequest, cache_key

log = logging.getLogger(__name__)

MIMES: Final = {"jpeg": "image/jpeg", "webp": "image/webp", "mp4": "video/mp4"}
SUFFIXES: Final = {"jpeg": "jpg"}
STILLS: Final = Path(__file__).resolve().parent.parent / "render" / "stills"
"""The shipped stills, one an emotion, for machines that cannot draw."""
REST_AFTER_FAILURE_S: Final = 60.0
"""After a failed drawing the child is left alone this long; cached and shipped stills serve meanwhile."""
LOOP_PATIENCE: Final = 4.0
"""A loop is some sixty pictures: it may take so many times as long as one."""
NO_BACKGROUNDS: Final = Backgrounds()

Wanted = SnapshotRequest | LoopRequest


@dataclass(frozen=True, slots=True)
class PortraitSettings:
    """How she is drawn; `cache_bytes` bounds the pictures kept on disk, `idles` is the pool of resting poses.

    `upload_bytes` is how large a user's own avatar may be.
    """

    framing: Framing
    size_px: int
    cache: Path
    cache_bytes: int
    timeout_s: float
    enabled: bool = True
    loop_size_px: int = 384
    idles: Literal["all"] | tuple[str, ...] = "all"
    upload_bytes: int = 32 << 20


@dataclass(slots=True)
class Portraits:
    """Faces and loops of all figures."""

    settings: PortraitSettings
    figures: Figures
    emotes: Emotes
    backgrounds: Backgrounds = NO_BACKGROUNDS
    _child: Child = field(init=False)
    _known: Acquaintance = field(init=False)
    _drawing: dict[tuple[Wanted, str], asyncio.Task[bytes | None]] = field(default_factory=dict)
    _rest_until: float = 0.0
    _warm: asyncio.Event = field(default_factory=asyncio.Event)
    _meeting: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        limits = ChildLimits(request_s=self.settings.timeout_s)
        self._child = Child("render.worker", limits, {"OTOMO_CACHE_DIR": str(self.settings.cache)})
        self._known = Acquaintance(self.settings.cache / "figures")

    async def warm(self) -> None:
        """Learn what the usual figure can show, and which of the operator's animations can be played."""
        if self.settings.enabled:
            await self._model_for("")
            for complaint in await self.emotes.look(self.check_clip):
                log.warning("an animation is left out: %s", complaint)
        self._warm.set()

    async def ready(self, timeout_s: float) -> bool:
        """Wait for the end of `warm`, but not for ever. Returns whether it has ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._warm.wait(), timeout_s)
        return self._warm.is_set()

    async def meet_all(self, timeout_s: float) -> None:
        """Look at every figure that can be chosen, but wait for it no longer than `timeout_s`."""
        if self.settings.enabled and (self._meeting is None or self._meeting.done()):
            self._meeting = asyncio.create_task(self._meet_all(), name="figures")
        if self._meeting is not None:
            await asyncio.wait({self._meeting}, timeout=timeout_s)

    async def _meet_all(self) -> None:
        for figure in self.figures.listed():
            if time.monotonic() < self._rest_until:
                return
            await self._model_for(figure.id)

    async def check_clip(self, path: str) -> None:
        """Parse an animation file in the child.

        Raises:
            ChildRefused: It is no animation that can be played, with the reason.
            ChildDied: The child did not survive it.
        """
        await self._child.ask("clip", action=path)

    async def examine(self, path: str) -> Known:
        """Let the child read an avatar file of which nothing is known.

        Raises:
            ChildRefused: It is no avatar, with the reason (kind "VrmError"), or the child cannot work.
            ChildDied: The child did not survive it.
        """
        header, _ = await self._child.ask("expressions", model=path)
        return Known(tuple(header["expressions"]), str(header["model_hash"]))

    def learn(self, path: str, known: Known) -> None:
        """Remember what `examine` found out of a file that has since been moved to `path`."""
        self._known.learn(path, known.expressions, known.digest)

    def expressions(self, figure: str = "") -> tuple[str, ...]:
        """The expressions a figure can show; none before `warm`, or before its first picture."""
        if not self.settings.enabled:
            return ()
        model = self._best(figure)
        return (self._known.expressions_of(model) if model else None) or ()

    def cached(self, face: Face) -> Picture | None:
        """The picture, if it was drawn before."""
        return self._kept(self._still(face), face.emotion, face.figure)

    def cached_loop(self, face: Face, action: str, kind: LoopFormat) -> Picture | None:
        """The loop, if it was made before."""
        wanted = self._moving(face, action, kind)
        return None if wanted is None else self._kept(wanted, action, face.figure)

    async def picture(self, face: Face) -> Picture | None:
        """The picture, drawn now if need be; None when no rung of the ladder holds."""
        if not self.settings.enabled:
            return None
        found = await self._made(self._still(face), face.emotion, face.figure)
        if found is None and face.background:  # perhaps it is the picture behind her that cannot be read
            return await self.picture(replace(face, background=""))
        return found or self.shipped(face)

    async def loop(self, face: Face, action: str, kind: LoopFormat) -> Picture | None:
        """A short loop of an animation; None where it cannot be had, and a still takes its place."""
        wanted = self._moving(face, action, kind)
        if wanted is None or not self.settings.enabled:
            return None
        return await self._made(wanted, action, face.figure)

    def shipped(self, face: Face) -> Picture | None:
        """The ready-made still of an emotion."""
        for emotion in (face.emotion, "neutral"):
            if data := fetch(STILLS / f"{emotion}.jpg"):
                return _picture(data, face.emotion, "jpeg")
        return None

    def can_wear(self, figure: Figure) -> bool:
        """Tell whether a figure is there and not known to be broken."""
        return self._known.is_possible(figure.model)

    async def prune(self) -> None:
        """Drop the pictures that were not used for the longest time, down to the allowed size."""
        await asyncio.to_thread(prune, self._folder, self.settings.cache_bytes)

    async def close(self) -> None:
        """End the child and what still waits for it."""
        under_way = [*self._drawing.values(), *([self._meeting] if self._meeting else ())]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._child.close()

    @property
    def _folder(self) -> Path:
        return self.settings.cache / "faces"

    def _still(self, face: Face) -> SnapshotRequest:
        framing: Any = face.framing or self.settings.framing
        daytime: Any = face.daytime or None
        background = self.backgrounds.asked(face.background)
        return SnapshotRequest(
            model="",
            expression=face.expression,
            weight=face.weight,
            emotion=face.emotion,
            framing=framing,
            size_px=self.settings.size_px,
            background=background,
            daytime=daytime,
            format="webp" if background == TRANSPARENT else "jpeg",
            pose=face.pose,
        )

    def _moving(self, face: Face, action: str, kind: LoopFormat) -> LoopRequest | None:
        emote = self.emotes.find(action)
        if emote is None:
            return None
        return LoopRequest(
            model="",
            expression=face.expression,
            weight=face.weight,
            emotion=face.emotion,
            framing=emote.framing,
            size_px=self.settings.loop_size_px,
            action=emote.play,
            format=kind,
        )

    def _best(self, figure: str) -> str | None:
        """Return the first rung of the ladder that is not known to be broken."""
        return next((m for m in self.figures.ladder(figure) if self._known.is_possible(m)), None)

    async def _model_for(self, figure: str) -> str | None:
        """Return the model to draw, learnt by then; None while drawing is not possible."""
        while (model := self._best(figure)) is not None and self._known.of(model) is None:
            try:
                header, _ = await self._child.ask("expressions", model=model)
                self._known.learn(model, tuple(header["expressions"]), str(header["model_hash"]))
            except ChildRefused as error:
                log.error("the figure %s is refused: %s", Path(model).name, error)
                self._known.refuse(model)
            except ChildDied as error:
                log.error("the figure %s cannot be looked at: %s", Path(model).name, error)
                self._known.suspect(model)
                self._rest_until = time.monotonic() + REST_AFTER_FAILURE_S
                return None
        return model

    def _path(self, wanted: Wanted, model: str) -> Path | None:
        known = self._known.of(model)
        if known is None:
            return None
        kind = SUFFIXES.get(wanted.format, wanted.format)
        return self._folder / f"{cache_key(replace(wanted, model=model), known.digest)}.{kind}"

    def _kept(self, wanted: Wanted, name: str, figure: str) -> Picture | None:
        model = self._best(figure) if self.settings.enabled else None
        path = self._path(wanted, model) if model else None
        data = fetch(path) if path else None
        return _picture(data, name, wanted.format) if data else None

    async def _made(self, wanted: Wanted, name: str, figure: str) -> Picture | None:
        """Draw a picture, if it is not there; askers of the same one share one drawing.

        Whoever stops waiting leaves the drawing alone: it is there for the next who asks.
        """
        if (known := self._kept(wanted, name, figure)) is not None:
            return known
        if time.monotonic() < self._rest_until:
            return None
        key = (wanted, figure)
        task = self._drawing.get(key)
        if task is None:
            task = self._drawing[key] = asyncio.create_task(self._draw(wanted, figure), name="drawing")
            task.add_done_callback(lambda _: self._drawing.pop(key, None))
        data = await asyncio.shield(task)
        return _picture(data, name, wanted.format) if data else None

    async def _draw(self, wanted: Wanted, figure: str) -> bytes | None:
        model = await self._model_for(figure)
        path = self._path(wanted, model) if model else None
        if model is None or path is None:
            return None
        loop = isinstance(wanted, LoopRequest)
        request = replace(wanted, model=model)
        try:
            _, data = await self._child.ask(
                "loop" if loop else "snapshot", patience=LOOP_PATIENCE if loop else 1.0, **request.to_wire()
            )
        except ChildError as error:
            self._failed(request, error)
            return None
        await asyncio.to_thread(keep, path, data)
        return data

    def _failed(self, wanted: Wanted, error: ChildError) -> None:
        log.error("a drawing of %s failed: %s", Path(wanted.model).name, error)
        kind = error.kind if isinstance(error, ChildRefused) else ""
        if kind == "VrmError" and not isinstance(wanted, LoopRequest):
            self._known.refuse(wanted.model)
        if kind in ("VrmError", "BadRequestError"):  # it is a file's fault, not the machine's
            return
        if isinstance(error, ChildDied):
            self._known.suspect(wanted.model)
        self._rest_until = time.monotonic() + REST_AFTER_FAILURE_S


def _picture(data: bytes, name: str, kind: Literal["png", "jpeg", "webp", "mp4"]) -> Picture:
    digest = hashlib.sha256(data).hexdigest()[:12]
    return Picture(data, MIMES[kind], f"{name}-{digest}.{SUFFIXES.get(kind, kind)}")
