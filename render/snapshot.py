"""One call from a request to a picture file: the studio keeps models, light and canvas ready."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from render import compose, emotes, film, framing, pose, posing, wardrobe
from render.errors import BadRequestError, VrmError
from render.framing import Camera, Measures
from render.lighting import LIGHTS
from render.motion import STILL, Clip, Motion
from render.requests import LoopRequest, SnapshotRequest, cache_key
from render.rotations import Matrix
from render.swing import Swing
from render.vrm import Model, load
from render.vrm.constraints import follow
from render.vrm.textures import Pixels

if TYPE_CHECKING:
    from render.gl.context import Context
    from render.gl.toon import ToonRenderer

__all__ = ["LoopRequest", "SnapshotRequest", "Studio", "cache_key"]

_MODELS_KEPT: Final = 4
_STANCES_KEPT: Final = 96
_BINARY_FROM: Final = 0.25
"""From this weight on an expression that knows only on and off is on: the strongest mood asks for 0.8."""
_BLINK_S: Final = 0.3
_BLINK_AT: Final = 0.55
"""Where in a loop she blinks once, as a share of it."""

Look = SnapshotRequest | LoopRequest


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """A model in a pose: world matrices and look weights."""

    world: Matrix
    look_weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class _Sitter:
    """A loaded model with its measures and the stances it has taken so far."""

    model: Model
    measures: Measures
    stances: dict[tuple[str, str | None], _Stance] = field(default_factory=dict)

    def stance(self, emotion: str, pose_id: str | None) -> _Stance:
        """Return a stance with everything hanging still; made once per emotion and pose."""
        key = (emotion, pose_id)
        if key not in self.stances:
            if len(self.stances) >= _STANCES_KEPT:
                self.stances.clear()
            self.stances[key] = self.moved(emotion, _best_moment(pose_id), Swing(self.model), None)
        return self.stances[key]

    def moved(self, emotion: str, motion: Motion, swing: Swing, seconds: float | None) -> _Stance:
        """Pose, gaze, constraints, springs, in this order; `seconds` since the last step, None to settle."""
        model = self.model
        posed = posing.apply(model, pose.for_emotion(emotion), motion)
        local = follow(model.constraints, model.tree, posed.local)
        if seconds is None:
            local = swing.settle(local, posed.moved)
        else:
            local = swing.step(local, seconds, posed.moved)
        return _Stance(model.tree.world(local, posed.moved), posed.look_weights)


def _best_moment(pose_id: str | None) -> Motion:
    if pose_id is None:
        return STILL
    clip = emotes.CLIPS.get(pose_id)
    if clip is None:
        raise BadRequestError(f"there is no pose {pose_id}: known are {', '.join(emotes.CLIPS)}")
    return clip.sample(clip.best_s)


class Studio:
    """Draws stills and loops. All calls must come from one thread: the OpenGL context belongs to it."""

    def __init__(self, cache_dir: Path | None = None) -> None:
        """Prepare a studio; OpenGL is opened by the first picture.

        Args:
            cache_dir: Where built figures are kept; None for the user's cache folder.
        """
        self._cache_dir = cache_dir
        self._sitters: OrderedDict[str, _Sitter] = OrderedDict()
        self._context: Context | None = None
        self._renderer: ToonRenderer | None = None

    def snapshot(self, request: SnapshotRequest) -> bytes:
        """Return a picture file.

        Raises:
            VrmError: The model's file is refused.
            NoGraphicsError: There is no OpenGL here.
            BadRequestError: The figure, pose or background does not exist.
        """
        figure = self.figure(request)
        behind = _background(request)
        if behind is None and request.format != "jpeg":
            return compose.encode(compose.straight(figure), request.format)
        if behind is None:
            behind = np.full((request.size_px, request.size_px, 3), 255, np.uint8)
        return compose.encode(compose.over(figure, behind), request.format)

    def figure(self, request: SnapshotRequest) -> Pixels:
        """Return her alone, (size_px, size_px, 4), colours multiplied by alpha."""
        sitter = self._sitter(request.model)
        stance = sitter.stance(request.emotion, request.pose)
        shift = framing.head_shift(sitter.model, sitter.measures, stance.world)
        camera = framing.camera(sitter.measures, request.framing, shift)
        worn = _best_moment(request.pose).expressions
        return self._draw(request, sitter, stance, camera, worn, 0.0)

    def loop(self, request: LoopRequest) -> bytes:
        """Return a short moving picture, hair and clothes swinging.

        Raises:
            VrmError: The model's or the animation's file is refused.
            NoGraphicsError: There is no OpenGL here.
            BadRequestError: The figure, action or background does not exist.
        """
        clip = wardrobe.clip(request.action)
        frames = self._frames(request, clip)
        if request.format == "mp4":
            return film.mp4(frames, request.fps, request.size_px)
        return film.webp(frames, request.fps)

    def _frames(self, request: LoopRequest, clip: Clip) -> Iterator[Pixels]:
        sitter = self._sitter(request.model)
        shown_s = min(clip.duration_s, request.max_seconds)
        count = max(2, round(shown_s * request.fps))
        behind = _background(request)
        camera = framing.camera(sitter.measures, request.framing)
        swing = Swing(sitter.model)
        for number in _with_run_up(count, looping=clip.loops):
            seconds = (number % count) / count * shown_s
            motion = clip.sample(seconds)
            step = None if number == -count or (number == 0 and not clip.loops) else shown_s / count
            stance = sitter.moved(request.emotion, motion, swing, step)
            if number < 0:
                continue
            worn = {**motion.expressions, **_blink(seconds / shown_s, shown_s, motion)}
            figure = self._draw(request, sitter, stance, camera, worn, seconds)
            yield compose.straight(figure) if behind is None else compose.over(figure, behind)

    def expressions(self, model: str) -> tuple[str, ...]:
        """Return the expressions of a model that change anything, in its own spelling.

        Raises:
            VrmError: The model's file is refused.
        """
        return self._sitter(model).model.available

    def digest(self, model: str) -> str:
        """Return the SHA-256 of a model's file, for `cache_key`."""
        return self._sitter(model).model.digest

    def backend(self) -> dict[str, str]:
        """Return backend, driver and OpenGL version.

        Raises:
            NoGraphicsError: There is no OpenGL here.
        """
        self._open()
        assert self._context is not None
        return {
            "backend": self._context.backend,
            "driver": self._context.driver,
            "opengl": self._context.version,
        }

    def close(self) -> None:
        """Free the graphics side."""
        from render.gl.context import close_context

        self._sitters.clear()
        if self._renderer is not None:
            self._open().delete()
            self._renderer = None
        if self._context is not None:
            close_context(self._context)
            self._context = None

    def _draw(
        self,
        look: Look,
        sitter: _Sitter,
        stance: _Stance,
        camera: Camera,
        worn: Mapping[str, float],
        seconds: float,
    ) -> Pixels:
        model = sitter.model
        weights = {**stance.look_weights, **worn, **_face(model, look, worn)}
        return self._open().draw(
            model,
            stance.world,
            model.resolve(weights),
            camera,
            LIGHTS[look.daytime],
            look.size_px,
            seconds,
        )

    def _open(self) -> ToonRenderer:
        if self._renderer is None:
            from render.gl.context import open_context

            self._context = open_context()
            # Only now: PyOpenGL binds itself to a platform when it is imported.
            from render.gl.toon import ToonRenderer

            self._renderer = ToonRenderer()
        assert self._context is not None
        # Another studio of this process may have been at work in between.
        self._context.platform.make_current()
        return self._renderer

    def _sitter(self, name: str) -> _Sitter:
        key = wardrobe.identity(name)
        sitter = self._sitters.get(key)
        if sitter is None:
            model = load(wardrobe.read(name, self._cache_dir))
            if not model.primitives:
                raise VrmError("there is nothing in it that could be drawn")
            sitter = self._sitters[key] = _Sitter(model, framing.measure(model))
            self._drop_oldest()
        self._sitters.move_to_end(key)
        return sitter

    def _drop_oldest(self) -> None:
        while len(self._sitters) > _MODELS_KEPT:
            _, oldest = self._sitters.popitem(last=False)
            if self._renderer is not None:
                self._renderer.unload(oldest.model)


def _background(look: Look) -> Pixels | None:
    return compose.background(look.background, look.emotion, look.daytime, look.size_px)


def _face(model: Model, look: Look, worn: Mapping[str, float]) -> dict[str, float]:
    """Her asked expression; a clip's own one counts where none is asked for or it is the stronger."""
    weight = look.shown_weight
    expression = model.expressions.get(look.expression or "")
    if expression is None or weight == 0.0:
        return {}
    if expression.binary:
        weight = float(weight >= _BINARY_FROM)
    return {expression.name: max(weight, worn.get(expression.name, 0.0))}


def _with_run_up(count: int, *, looping: bool) -> range:
    """Frames of a loop; a looping clip is played once unseen, so that hair swings as it will at the seam."""
    return range(-count if looping else 0, count)


def _blink(share: float, duration_s: float, motion: Motion) -> dict[str, float]:
    half = _BLINK_S / 2 / duration_s
    closed = max(0.0, 1.0 - abs(share - _BLINK_AT) / half)
    # Laughing eyes are closed already.
    return {"blink": closed} if closed and not motion.expressions.get("happy") else {}
