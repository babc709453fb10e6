"""One call from a request to a picture file: the studio keeps models, light and canvas ready."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from render import RENDERER_VERSION, compose, framing, pose, wardrobe
from render.compose import DAYTIMES, FORMATS, Daytime, Format
from render.errors import BadRequestError
from render.framing import FRAMINGS, Framing, Measures
from render.lighting import LIGHTS
from render.rotations import Matrix
from render.swing import Swing
from render.vrm import Model, load
from render.vrm.constraints import follow
from render.vrm.textures import Pixels

if TYPE_CHECKING:
    from render.gl.context import Context
    from render.gl.toon import ToonRenderer

MIN_SIZE_PX: Final = 16
MAX_SIZE_PX: Final = 1536
WEIGHT_STEPS: Final = 8
"""Weights are rounded to eighths, so that a model has a few dozen stills and most are in the cache."""
_MODELS_KEPT: Final = 4
_STANCES_KEPT: Final = 24
_BINARY_FROM: Final = 0.25
"""From this weight on an expression that knows only on and off is on: the strongest mood asks for 0.8."""


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """A still to be made.

    `model` is a file's path or "default:NAME". `expression` is the avatar's own spelling, None for the
    face at rest; `weight` its strength 0..1. `emotion` picks pose and background. `background` is
    "mood", "transparent" or a picture's path; `daytime` tints light and background.

    Raises:
        BadRequestError: A value is out of its range.
    """

    model: str
    expression: str | None = None
    weight: float = 0.0
    emotion: str = "neutral"
    framing: Framing = "portrait"
    size_px: int = 512
    background: str = compose.MOOD
    format: Format = "png"
    daytime: Daytime | None = None

    def __post_init__(self) -> None:
        texts = (self.model, self.emotion, self.background, self.expression or "")
        if not all(isinstance(text, str) for text in texts):
            raise BadRequestError("model, expression, emotion and background are texts")
        if not isinstance(self.size_px, int) or not isinstance(self.weight, (int, float)):
            raise BadRequestError("size_px and weight are numbers")
        if not MIN_SIZE_PX <= self.size_px <= MAX_SIZE_PX:
            raise BadRequestError(f"size_px must lie in {MIN_SIZE_PX}..{MAX_SIZE_PX}")
        if not 0.0 <= self.weight <= 1.0:
            raise BadRequestError("weight must lie in 0..1")
        if self.framing not in FRAMINGS:
            raise BadRequestError(f"framing must be one of {', '.join(FRAMINGS)}")
        if self.format not in FORMATS:
            raise BadRequestError(f"format must be one of {', '.join(FORMATS)}")
        if self.daytime is not None and self.daytime not in DAYTIMES:
            raise BadRequestError(f"daytime must be one of {', '.join(DAYTIMES)}")

    @property
    def shown_weight(self) -> float:
        """The weight as it is drawn: in eighths, and never rounded down to nothing."""
        if self.expression is None or self.weight <= 0:
            return 0.0
        return max(1, round(self.weight * WEIGHT_STEPS)) / WEIGHT_STEPS

    def to_wire(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self)

    @classmethod
    def from_wire(cls, arguments: dict[str, Any]) -> SnapshotRequest:
        """Build a request from a JSON object; unknown keys are ignored.

        Raises:
            BadRequestError: A field is missing, of a wrong type or out of range.
        """
        known = {field.name for field in fields(cls)}
        try:
            return cls(**{key: value for key, value in arguments.items() if key in known})
        except TypeError as error:
            raise BadRequestError("a snapshot request has a missing or mistyped field") from error


def cache_key(request: SnapshotRequest, model_hash: str) -> str:
    """Return the name (40 hex digits) under which a still may be kept for ever.

    Args:
        request: What is asked for.
        model_hash: A digest of the model's file: a changed file makes new stills.
    """
    parts = request.to_wire()
    parts["model"] = model_hash
    parts["weight"] = request.shown_weight
    parts["expression"] = request.expression if request.shown_weight else None
    parts["version"] = RENDERER_VERSION
    if request.background not in (compose.MOOD, compose.TRANSPARENT):
        parts["background"] = _stamp(Path(request.background))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:40]


def _stamp(path: Path) -> list[Any]:
    try:
        stat = path.stat()
    except OSError:
        return [str(path)]
    return [str(path), stat.st_size, stat.st_mtime_ns]


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """A model in the pose of an emotion, everything hanging still: world matrices and look weights."""

    world: Matrix
    look_weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class _Sitter:
    """A loaded model with its measures and the stances it has taken so far, by emotion."""

    model: Model
    measures: Measures
    stances: dict[str, _Stance]

    def stance(self, emotion: str) -> _Stance:
        """Return the stance of an emotion: pose, gaze, constraints, springs, in this order."""
        if emotion not in self.stances:
            if len(self.stances) >= _STANCES_KEPT:
                self.stances.clear()
            model = self.model
            posed = pose.apply(model, pose.for_emotion(emotion))
            followed = follow(model.constraints, model.tree, posed.local)
            hanging = Swing(model).settle(followed)
            self.stances[emotion] = _Stance(model.tree.world(hanging), posed.look_weights)
        return self.stances[emotion]


class Studio:
    """Draws stills. All calls must come from the thread that made the first one: the context is its."""

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
            BadRequestError: The figure or background does not exist.
        """
        figure = self.figure(request)
        behind = compose.background(request.background, request.emotion, request.daytime, request.size_px)
        if behind is None and request.format != "jpeg":
            return compose.encode(compose.straight(figure), request.format)
        if behind is None:
            behind = np.full((request.size_px, request.size_px, 3), 255, np.uint8)
        return compose.encode(compose.over(figure, behind), request.format)

    def figure(self, request: SnapshotRequest) -> Pixels:
        """Return her alone, (size_px, size_px, 4), colours multiplied by alpha."""
        sitter = self._sitter(request.model)
        model = sitter.model
        stance = sitter.stance(request.emotion)
        weights = dict(stance.look_weights)
        weights.update(_face(model, request))
        shift = framing.head_shift(model, sitter.measures, stance.world)
        return self._open().draw(
            model,
            stance.world,
            model.resolve(weights),
            framing.camera(sitter.measures, request.framing, shift),
            LIGHTS[request.daytime],
            request.size_px,
        )

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
            self._renderer.delete()
            self._renderer = None
        if self._context is not None:
            close_context(self._context)
            self._context = None

    def _open(self) -> ToonRenderer:
        if self._renderer is None:
            from render.gl.context import open_context

            self._context = open_context()
            # Only now: PyOpenGL binds itself to a platform when it is imported.
            from render.gl.toon import ToonRenderer

            self._renderer = ToonRenderer()
        return self._renderer

    def _sitter(self, name: str) -> _Sitter:
        key = wardrobe.identity(name)
        sitter = self._sitters.get(key)
        if sitter is None:
            model = load(wardrobe.read(name, self._cache_dir))
            sitter = self._sitters[key] = _Sitter(model, framing.measure(model), {})
            self._drop_oldest()
        self._sitters.move_to_end(key)
        return sitter

    def _drop_oldest(self) -> None:
        while len(self._sitters) > _MODELS_KEPT:
            _, oldest = self._sitters.popitem(last=False)
            if self._renderer is not None:
                self._renderer.unload(oldest.model)


def _face(model: Model, request: SnapshotRequest) -> dict[str, float]:
    weight = request.shown_weight
    expression = model.expressions.get(request.expression or "")
    if expression is None or weight == 0.0:
        return {}
    if expression.binary:
        weight = float(weight >= _BINARY_FROM)
    return {expression.name: weight}
