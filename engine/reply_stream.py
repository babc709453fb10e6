"""Reading a reply while it is still coming, with the same result as reading it whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.character import StateUpdates
from engine.reasoning import ReasoningFilter
from engine.reminder_tags import ReminderTag
from engine.reply_scan import ReplyScanner

_UNSTORABLE: Final = re.compile("[\ud800-\udfff\x00]")
"""Characters that no database and no messenger takes."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A reply taken apart.

    Attributes:
        dialogue: What she says, ready to be shown, or None if nothing is left to say.
        updates: The state block's bounded suggestions; None if there was no usable block. A usable block
            may still suggest nothing.
        parse_error: Whether a block stood there that could not be read.
        reminder_tags: Closed reminder tags in order; their times are not yet read.
    """

    dialogue: str | None
    updates: StateUpdates | None
    parse_error: bool
    reminder_tags: tuple[ReminderTag, ...]


def parsed_reply(dialogue: str, scanner: ReplyScanner) -> ParsedReply:
    """Put together what a scanner that has finished found beside the dialogue."""
    return ParsedReply(dialogue or None, scanner.updates, scanner.parse_error, tuple(scanner.reminder_tags))


def storable(text: str) -> str:
    """Return a text without the characters that no database takes."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub("", text)


class ReplyStream:
    """The parser's streaming twin: feed it pieces of any size, then finish it.

    What it shows is always a beginning of the final dialogue: no piece of reasoning, state block,
    reminder tag, stop token or fake turn. A `</think>` whose opener the model never wrote turns all text
    before it into reasoning, so for an unknown model nothing can be shown before the end. For a model
    that is known not to do that pass `early=True`: text is then released as soon as nothing else can
    make it vanish. Work grows linearly with the reply's length.
    """

    def __init__(self, name: str = "", *, early: bool = False) -> None:
        self._name = name
        self._early = early
        self._thinking = ReasoningFilter()
        self._scanner = ReplyScanner(name)
        self._shown: list[str] = []
        self._carriage_return = ""

    @property
    def visible(self) -> str:
        """All text that may be shown by now."""
        self._shown = ["".join(self._shown)]
        return self._shown[0]

    def feed(self, piece: str) -> str:
        """Take the next piece of the raw reply and return the text that it newly releases.

        With `early=True` a stray `</think>` is the one case in which `visible` starts anew.
        """
        restarts = self._thinking.restarts
        text = self._thinking.feed(storable(self._whole_lines(piece)))
        if self._thinking.restarts != restarts:
            self._scanner = ReplyScanner(self._name)
            self._shown = []
        if text:
            self._scanner.feed(text)
        return self._release() if self._early else ""

    def finish(self) -> ParsedReply:
        """Say that the reply has ended; afterwards `visible` equals the dialogue."""
        rest = self._thinking.feed(self._carriage_return) + self._thinking.finish()
        self._scanner.finish(rest)
        self._release()
        return parsed_reply(self.visible, self._scanner)

    def _whole_lines(self, piece: str) -> str:
        """Turn CR LF into LF, also where the two come in different pieces."""
        text = self._carriage_return + piece
        self._carriage_return = "\r" if text.endswith("\r") else ""
        return text.removesuffix("\r").replace("\r\n", "\n")

    def _release(self) -> str:
        released = self._scanner.words.take()
        if released:
            self._shown.append(released)
        return released
