"""Removing a model's thinking from its reply, whole or piece by piece."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = "think|thinking|thought|thoughts|reasoning"
_TAG: Final = re.compile(
    rf"<\s{{0,2}}(?P<close>/)?\s{{0,2}}(?:{_NAMES})\s{{0,4}}>|(?:\[(?P<close2>/)?THINK\])|◁(?P<close3>/)?think▷",
    re.IGNORECASE,
)
_TAG_BEGINNING: Final = re.compile(r"[<\[◁]\s{0,2}/?\s{0,2}[a-z]{0,9}\s{0,4}\Z", re.IGNORECASE)


class ReasoningFilter:
    """Lets everything through that is not thinking; give it a reply in pieces of any size.

    Pairs of tags vanish with what they hold; an opener that is never closed swallows the rest. A closer
    without an opener means that all text before it was thinking: `restarts` counts these moments, and
    the text returned by that call is only what follows the last of them.
    """

    def __init__(self) -> None:
        self.restarts = 0
        self._inside = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return the text that is certainly not thinking."""
        text = self._held + piece
        kept: list[str] = []
        at = 0
        for tag in _TAG.finditer(text):
            closes = tag["close"] or tag["close2"] or tag["close3"]
            if not self._inside:
                kept.append(text[at : tag.start()])
            if closes and not self._inside:
                kept.clear()
                self.restarts += 1
            self._inside = not closes
            at = tag.end()
        beginning = _TAG_BEGINNING.search(text, max(at, len(text) - 24))
        end = beginning.start() if beginning else len(text)
        self._held = text[end:]
        if not self._inside:
            kept.append(text[at:end])
        return "".join(kept)

    def finish(self) -> str:
        """Return the last held characters, if they turned out to be plain text."""
        rest, self._held = self._held, ""
        return "" if self._inside else rest


def without_reasoning(text: str) -> str:
    """Return a whole reply without its thinking.

    >>> without_reasoning("<think>hm</think>Hello")
    'Hello'
    """
    if not _TAG.search(text):
        return text
    thinking = ReasoningFilter()
    kept = thinking.feed(text)
    return kept + thinking.finish()
