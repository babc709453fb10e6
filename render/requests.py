"""What can be asked of the studio, and the names under which answers may be kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

from render import RENDERER_VERSION, compose
from render.compose import DAYTIMES, FORMATS, Daytime, Format
from render.errors import BadRequestError
from render.framing import FRAMINGS, Framing

LoopFormat = Literal["webp", "mp4"]
LOOP_FORMATS: Final[tuple[LoopFormat, ...]] = get_args(LoopFormat)

MIN_SIZE_PX: Final = 16
MAX_SIZE_PX: Final = 1536
MAX_LOOP_SIZE_PX: Final = 768
MIN_FPS, MAX_FPS = 4, 30
WEIGHT_STEPS: Final = 8
"""Weights are rounded to eighths, so that a model has a few dozen stills and most are in the cache."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What stills and loops have in common."""

    model: str
    expression: str | None = None
    weight: float = 0.0
    emotion: str = "neutral"
    framing: Framing = "portrait"
    size_px: int = 512
    background: str = compose.MOOD
    daytime: Daytime | None = None

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
    def from_wire(cls, arguments: dict[str, Any]) -> Self:
        """Build a request from a JSON object; unknown keys are ignored.

        Raises:
            BadRequestError: A field is missing, of a wrong type or out of range.
        """
        known = {field.name for field in fields(cls)}
        try:
            return cls(**{key: value for key, value in arguments.items() if key in known})
        except TypeError as error:
            raise BadRequestError("a request has a missing or mistyped field") from error


def _check_look(look: _Look, largest_px: int) -> None:
    texts = (look.model, look.emotion, look.background, look.expression or "")
    if not all(isinstance(text, str) for text in texts):
        raise BadRequestError("model, expression, emotion and background are texts")
    if not isinstance(look.size_px, int) or not isinstance(look.weight, (int, float)):
        raise BadRequestError("size_px and weight are numbers")
    if not MIN_SIZE_PX <= look.size_px <= largest_px:
        raise BadRequestError(f"size_px must lie in {MIN_SIZE_PX}..{largest_px}")
    if not 0.0 <= look.weight <= 1.0:
        raise BadRequestError("weight must lie in 0..1")
    if look.framing not in FRAMINGS:
        raise BadRequestError(f"framing must be one of {', '.join(FRAMINGS)}")
    if look.daytime is not None and look.daytime not in DAYTIMES:
        raise BadRequestError(f"daytime must be one of {', '.join(DAYTIMES)}")


@dataclass(frozen=True, slots=True)
class SnapshotRequest(_Look):
    """A still to be made.

    `model` is a file's path or "default:NAME". `expression` is the avatar's own spelling, None for the
    face at rest; `weight` its strength 0..1. `emotion` picks pose and background. `background` is
    "mood", "transparent" or a picture's path; `daytime` tints light and background. `pose` is the id of
    one of our clips, of which the still shows the best moment, or None for the plain stance.

    Raises:
        BadRequestError: A value is out of its range.
    """

    format: Format = "png"
    pose: str | None = None

    def __post_init__(self) -> None:
        _check_look(self, MAX_SIZE_PX)
        if self.format not in FORMATS:
            raise BadRequestError(f"format must be one of {', '.join(FORMATS)}")
        if self.pose is not None and not isinstance(self.pose, str):
            raise BadRequestError("pose is a text")


@dataclass(frozen=True, slots=True)
class LoopRequest(_Look):
    """A short moving picture to be made.

    The look as in `SnapshotRequest`; `action` is the id of one of our clips or the path of a .vrma file.
    Of a long file the first `max_seconds` are shown.

    Raises:
        BadRequestError: A value is out of its range.
    """

    size_px: int = 384
    action: str = ""
    fps: int = 15
    max_seconds: float = 4.0
    format: LoopFormat = "webp"

    def __post_init__(self) -> None:
        _check_look(self, MAX_LOOP_SIZE_PX)
        if self.format not in LOOP_FORMATS:
            raise BadRequestError(f"format must be one of {', '.join(LOOP_FORMATS)}")
        if not isinstance(self.action, str) or not self.action:
            raise BadRequestError("a loop names its action")
        if not MIN_FPS <= self.fps <= MAX_FPS:
            raise BadRequestError(f"fps must lie in {MIN_FPS}..{MAX_FPS}")
        if not 0.5 <= self.max_seconds <= 60.0:
            raise BadRequestError("max_seconds must lie in 0.5..60")
        if self.format == "mp4" and (self.size_px % 2 or self.background == compose.TRANSPARENT):
            raise BadRequestError("an MP4 has an even size and a background")


def cache_key(request: SnapshotRequest | LoopRequest, model_hash: str) -> str:
    """Return the name (40 hex digits) under which a picture may be kept for ever.

    Args:
        request: What is asked for.
        model_hash: A digest of the model's file: a changed file makes new pictures.
    """
    parts = request.to_wire()
    parts["model"] = model_hash
    parts["weight"] = request.shown_weight
    parts["expression"] = request.expression if request.shown_weight else None
    parts["version"] = RENDERER_VERSION
    if request.background not in (compose.MOOD, compose.TRANSPARENT):
        parts["background"] = _stamp(Path(request.background))
    if isinstance(request, LoopRequest):
        parts["action"] = _stamp(Path(request.action))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:40]


def _stamp(path: Path) -> list[Any]:
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return [str(path)]
    return [str(path), stat.st_size, stat.st_mtime_ns]
