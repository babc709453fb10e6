"""Pictures inside a terminal, where it can: the Kitty and the iTerm2 protocol."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from PIL import Image

CHUNK: Final = 4096
"""Base64 characters per escape sequence (Kitty graphics protocol)."""
COLUMNS: Final = 28


def inline_picture(data: bytes, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the escape sequences that show a picture, or None where the terminal shows none."""
    if environment.get("TERM") == "xterm-kitty" or environment.get("TERM_PROGRAM") == "ghostty":
        return _kitty(_png(data))
    if environment.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm"):
        return _iterm(data)
    return None


def _kitty(png: bytes) -> str:
    text = base64.standard_b64encode(png).decode()
    pieces = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)]
    sequences = []
    for index, piece in enumerate(pieces):
        more = int(index < len(pieces) - 1)
        control = f"a=T,f=100,c={COLUMNS},m={more}" if index == 0 else f"m={more}"
        sequences.append(f"\x1b_G{control};{piece}\x1b\\")
    return "".join(sequences) + "\n"


def _iterm(data: bytes) -> str:
    text = base64.standard_b64encode(data).decode()
    return f"\x1b]1337;File=inline=1;width={COLUMNS};preserveAspectRatio=1:{text}\x07\n"


def _png(data: bytes) -> bytes:
    out = BytesIO()
    Image.open(BytesIO(data)).save(out, "PNG")
    return out.getvalue()
