"""Cuts what she says into messages that a platform takes, without losing or tearing anything.

Pure text work: no platform library, no clock. The platforms add their own conversion by `measure`.
"""

from __future__ import annotations

import re

from bot.platforms.characters import clean, utf16_length
from bot.platforms.cutting import Cutter, Measure
from bot.platforms.markdown_marks import read_marks
from bot.ports import Limits

__all__ = ["ZERO_WIDTH_SPACE", "clean", "defuse", "split", "utf16_length"]

ZERO_WIDTH_SPACE = "\u200b"
_PING = re.compile(r"@(?=everyone|here)|(?<=<)@(?=[!&]?\d)", re.IGNORECASE)
_MASKED = re.compile(r"\](?=\(\s{0,9}<?\s{0,9}\w{2,20}://)")
"""What would still be a masked link: brackets in its label, a bracketed target, another scheme."""
_INVITE = re.compile(r"(discord\.gg|discord(?:app)?\.com/invite|dsc\.gg|discord\.me)/(?=\S)", re.IGNORECASE)


def defuse(text: str) -> str:
    """Take the teeth out of model text for a platform that reads Markdown itself (Discord).

    Pings get an invisible space, invites too; a masked link shows where it leads. The bot still sends with
    `allowed_mentions` none and link previews off: this is the second wall, and keeps a quoted
    `@everyone` from even looking like one. Call it before `split`, because it can lengthen the text.
    """
    text = clean(text)
    pieces: list[str] = []
    position = 0
    for link in read_marks(text).links:
        if link.label:
            pieces += [text[position : link.start], f"{link.label} (<{link.target}>)"]
            position = link.end
    text = "".join(pieces) + text[position:]
    text = _MASKED.sub("]" + ZERO_WIDTH_SPACE, text)
    text = _PING.sub("@" + ZERO_WIDTH_SPACE, text)
    return _INVITE.sub(lambda found: f"{found[1]}/{ZERO_WIDTH_SPACE}", text)


def split(text: str, limits: Limits, measure: Measure | None = None) -> tuple[str, ...]:
    """Cut `text` into messages of at most `limits.text`, counted both in UTF-16 units and code points.

    Cuts are made at the end of a paragraph, a line, a sentence, a word or a character, in this order. Code
    blocks and spans that reach over a cut are closed and opened again; white space at a cut is dropped.

    Args:
        text: Neutral Markdown of any length.
        limits: The platform's limits; only `text` is read.
        measure: The length of a piece after the platform's conversion, when it can differ.

    Returns:
        The pieces in order; none for a text of white space only.
    """
    return Cutter(clean(text), limits.text, measure).pieces()
