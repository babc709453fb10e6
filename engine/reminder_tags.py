"""The tag by which she asks for a reminder: `[reminder:5min]tea is ready[/reminder]`.

What the time text means is the business of another module; here tags are only found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.lookahead import NeedMore

MAX_CONTENT: Final = 1000
"""A longer distance between the two halves of a tag is an accident, not a reminder."""

_OPENER: Final = re.compile(r"\[\s{0,2}reminder\s{0,2}[:：]([^\[\]\n]{0,80})\]", re.IGNORECASE)
_OPENER_BEGINNING: Final = re.compile(
    r"\[\s{0,2}(?:r(?:e(?:m(?:i(?:n(?:d(?:e(?:r(?:\s{0,2}(?:[:：][^\[\]\n]{0,80})?)?)?)?)?)?)?)?)?)?\Z",
    re.IGNORECASE,
)
_STOP: Final = re.compile(
    r"(?P<closer>\[\s{0,2}/\s{0,2}reminder\s{0,2}\])|\[\s{0,2}reminder\s{0,2}[:：]|```", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ReminderTag:
    """A tag as written: the time text ("5min", "tomorrow 9:00") and the content, both trimmed."""

    time: str
    content: str


def match_reminder_tag(text: str, at: int, *, final: bool = True) -> tuple[ReminderTag, int] | None:
    """Recognise a reminder tag that begins at the bracket at index `at`.

    Args:
        text: The reply or, while streaming, its part that has come so far.
        at: Index of an opening bracket.
        final: Whether the text is complete.

    Returns:
        The tag and the index behind it, or None if no closed tag begins here.

    Raises:
        NeedMore: Only if not `final`: a tag may begin here.
    """
    opener = _OPENER.match(text, at)
    if opener is None:
        if not final and _OPENER_BEGINNING.match(text, at):
            raise NeedMore
        return None
    limit = opener.end() + MAX_CONTENT
    stop = _STOP.search(text, opener.end(), limit)
    if stop is None and not final and len(text) < limit:
        raise NeedMore(far=True)
    if stop is None or not stop["closer"]:
        return None
    return ReminderTag(opener[1].strip(), text[opener.end() : stop.start()].strip()), stop.end()


def take_reminder_tags(text: str) -> tuple[str, tuple[ReminderTag, ...]]:
    """Take all closed tags out of a text and leave every other character where it is.

    Of two blanks around a removed tag one goes with it, so that no hole remains.
    """
    kept: list[str] = []
    tags: list[ReminderTag] = []
    at = done = 0
    while (at := text.find("[", at)) >= 0:
        found = match_reminder_tag(text, at)
        if found is None:
            at += 1
            continue
        kept.append(text[done:at])
        tags.append(found[0])
        at = done = found[1] + blank_to_skip(text[at - 1 : at], text[found[1] : found[1] + 1])
    kept.append(text[done:])
    return "".join(kept), tuple(tags)


def blank_to_skip(before: str, after: str) -> int:
    """Return 1 if the blank behind a removed piece would double the one before it, else 0."""
    doubled = after == "\n" and before in ("", "\n")
    return int(doubled or (after in (" ", "\t") and (before == "" or before.isspace())))
