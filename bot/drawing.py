"""`otomo render`: one picture of her into a file, by the same code that serves the bots."""

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


def draw_to_file(wanted: argparse.Namespace) -> int:
    """Draw what the command line asks for.

    Raises:
        ConfigError: An argument is wrong.
    """
    out = Path(wanted.out)
    if out.suffix.lower() not in FORMATS:
        raise ConfigError(f"{out}: the name must end with .png, .webp or .jpg")
    if wanted.emotion not in EMOTIONS:
        raise ConfigError(f"--emotion: one of {', '.join(EMOTIONS)}")
    if not 0 <= wanted.intensity <= 100:
        raise ConfigError("--intensity: 0 to 100")
    try:
        data = asyncio.run(_draw(wanted, FORMATS[out.suffix.lower()]))
    except ChildError as error:
        print(f"otomo: {error}", file=sys.stderr)
        return 1
    out.write_bytes(data)
    return 0


async def _draw(wanted: argparse.Namespace, kind: str) -> bytes:
    child = Child("render.worker")
    model = model_of(wanted.avatar)
    try:
        header, _ = await child.ask("expressions", model=model)
        face = _face(wanted, tuple(header["expressions"]))
        _, data = await child.ask(
            "snapshot",
            model=model,
            expression=face.expression,
            weight=face.weight,
            emotion=face.emotion,
            framing=wanted.framing,
            size_px=wanted.size,
            background=wanted.background,
            format=kind,
        )
    finally:
        await child.close()
    return data


def _face(wanted: argparse.Namespace, available: tuple[str, ...]) -> Face:
    mood = MoodState(wanted.emotion, wanted.intensity)
    return face_for(mood, wanted.emotion if wanted.flash else None, available)
