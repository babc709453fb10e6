"""Listening to one streamed reply: what may be passed on, what is no reply at all, and when it is enough."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

from bot.errors import ModelBusy, ModelEmpty, ModelError
from bot.llm.refusals import refused
from bot.ports import LONGEST_REPLY

LONGEST_NOTICE: Final = 400
LONGEST_TAG: Final = 12
BLANK_LETTERS: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Fillers that Unicode counts among letters and symbols, and nobody can see."""

THINKING: Final = re.compile(r"<(think|thinking|thought|reasoning)>", re.IGNORECASE)
TAGS: Final = ("<think>", "<thinking>", "<thought>", "<reasoning>")
NOTICES: Final = (
    "rate limit reached",
    "rate limit exceeded",
    "rate limited",
    "too many requests",
    "error: rate limit",
    "error code: 429",
    "error 429",
    "429 too many requests",
    '{"error"',
)


class Hearing:
    """Takes the pieces of one reply and gives back what is her words.

    Held back until it is known to be none: leading blanks, a leading block of reasoning (dropped), and a
    beginning that looks like a proxy's rate limit notice sent as if it were a reply.
    """

    def __init__(self, who: str) -> None:
        self._who = who
        self._held = ""
        self._passed = 0
        self._thinking = ""

    @property
    def spoken(self) -> bool:
        """Whether words have been passed on."""
        return self._passed > 0

    @property
    def full(self) -> bool:
        """Whether the reply has reached its greatest length."""
        return self._passed >= LONGEST_REPLY

    def take(self, text: str) -> str:
        """Return what of this piece, and of the pieces held back, may be passed on now."""
        if self.spoken:
            return self._pass(text)
        self._held = self._after_thinking(self._held + text)
        if self._thinking or self._unclear():
            return ""
        return self._release()

    def end(self) -> str:
        """Return the words still held back when the stream has ended.

        Raises:
            ModelEmpty: There were no words at all.
            ModelBusy: The whole reply is a rate limit notice.
            ModelError: The whole reply is an error object.
        """
        if self.spoken:
            return ""
        if self._thinking or not _has_words(self._held):
            raise ModelEmpty(f"{self._who} answered without a word")
        if self._held.strip().lower().startswith(NOTICES):
            raise self._notice()
        return self._release()

    def usable(self) -> bool:
        """Tell whether a stream that broke off here has left a reply."""
        return self.spoken or (not self._thinking and _has_words(self._held) and not self._unclear())

    def _after_thinking(self, text: str) -> str:
        """Drop reasoning at the beginning, at any cut of the pieces."""
        while True:
            if self._thinking:
                end = re.search(self._thinking, text, re.IGNORECASE)
                if end is None:
                    return text[-LONGEST_TAG:]
                text, self._thinking = text[end.end() :], ""
            tag = THINKING.match(text.lstrip())
            if tag is None:
                return text
            self._thinking = f"</{tag[1].lower()}>"
            text = text.lstrip()[tag.end() :]

    def _unclear(self) -> bool:
        head = self._held.lstrip().lower()
        if not _has_words(head) and len(head) < LONGEST_NOTICE:
            return True
        if any(tag.startswith(head) for tag in TAGS):
            return True
        might_be = any(head.startswith(notice) or notice.startswith(head) for notice in NOTICES)
        return might_be and len(head) <= LONGEST_NOTICE

    def _release(self) -> str:
        text, self._held = self._held.lstrip(), ""
        return self._pass(text)

    def _pass(self, text: str) -> str:
        text = text[: LONGEST_REPLY - self._passed]
        self._passed += len(text)
        return text

    def _notice(self) -> ModelError:
        if not self._held.lstrip().startswith("{"):
            return ModelBusy(f"{self._who} sent a rate limit notice as its reply")
        try:
            body = json.loads(self._held)
        except ValueError:
            body = self._held
        return refused(self._who, body)


def _has_words(text: str) -> bool:
    """Tell whether somebody has said something; a lone emoji or heart is an answer too."""
    seen = (character for character in text if character not in BLANK_LETTERS)
    return any(character.isalnum() or unicodedata.category(character) == "So" for character in seen)
