"""`otomo render`: one picture of her, or a short loop, into a file, by the same code that serves the bots."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

from bot.children import Child
from bot.errors import ChildError, ConfigError
from bot.figures import model_of
from engine.character import EMOTIONS, MoodState
from engine.conversation import Face
from engine.mood_face import face_for

FORMATS: Final = {".png": "png", ".webp": "webp", ".jpg": "jpeg", ".jpeg": "jpeg"}
LOOP_FORMATS: Final = {".webp": "webp", ".mp4": "mp4"}
LOOP_PATIENCE: Final = 6.0
"""How many times the usual limit a loop may take: it is some sixty pictures."""


def draw_to_file(wanted: argparse.Namespace) -> int:
    """Draw what the command line asks for.

    Raises:
        ConfigError: An argument is wrong.
    """
    out = Path(wanted.out)
    formats = LOOP_FORMATS if wanted.action else FORMATS
    if out.suffix.lower() not in formats:
        raise ConfigError(f"{out}: the name must end with one of {', '.join(formats)}")
    if wanted.emotion not in EMOTIONS:
        raise ConfigError(f"--emotion: one of {', '.join(EMOTIONS)}")
    if not 0 <= wanted.intensity <= 100:
        raise ConfigError("--intensity: 0 to 100")
    try:
        data = asyncio.run(_draw(wanted, formats[out.suffix.lower()]))
    except ChildError as error:
        print(f"otomo: {error}", file=sys.stderr)
        return 1
    try:
        out.write_bytes(data)
    except OSError as error:
        raise ConfigError(f"{out}: {error.strerror}") from None
    return 0


async def _draw(wanted: argparse.Namespace, kind: str) -> bytes:
    child = Child("render.worker")
    model = model_of(wanted.avatar)
    try:
        header, _ = await child.ask("expressions", model=model)
        face = _face(wanted, tuple(header["expressions"]))
        request = {
            "model": model,
            "expression": face.expression,
            "weight": face.weight,
            "emotion": face.emotion,
            "framing": wanted.framing,
            "size_px": wanted.size,
            "background": wanted.background,
            "format": kind,
        }
        if wanted.action:
            _, data = await child.ask("loop", patience=LOOP_PATIENCE, action=wanted.action, **request)
        else:
            _, data = await child.ask("snapshot", **request)
    finally:
        await child.close()
    return data


def _face(wanted: argparse.Namespace, available: tuple[str, ...]) -> Face:
    mood = MoodState(wanted.emotion, wanted.intensity)
    return face_for(mood, wanted.emotion if wanted.flash else None, available)
