"""Replies that ran away: small models fall into saying one phrase until their token limit stops them.

Such a reply must not be shown in its length, and must not stand in the history, where it would teach the
model to go on like that.
"""

from __future__ import annotations

import re
from typing import Final

ROUNDS_CUT_OFF: Final = 5
"""A phrase said so often in a row up to the end of a reply that stops inside a sentence is a loop."""
ROUNDS: Final = 8
"""In a reply that ends like one it takes more: somebody may have asked for ten times "hello"."""
SHORTEST_LOOP: Final = 120
"""Characters that all its rounds take at least."""
LONGEST_PHRASE: Final = 300
_SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"'”’)\]*_]*(?=\s|$)")
_ENDED: Final = re.compile(r"(?:[.!?…。！？][\"'”’)\]*_]*|[)\]}|])\s*\Z")


def without_loop(dialogue: str) -> str:
    """Cut the loop at the end of a reply; a reply that ends with code is left alone.

    Linear in the reply's length.

    Args:
        dialogue: Her words, cleaned.

    Returns:
        What came before the loop with its first round, to a sentence's end if there is one.
    """
    if dialogue.endswith("```"):
        return dialogue
    start, period = _loop(dialogue, ROUNDS if _ENDED.search(dialogue[-8:]) else ROUNDS_CUT_OFF)
    if not period:
        return dialogue
    first_round = start + period
    ends = [end.end() for end in _SENTENCE_END.finditer(dialogue, 0, first_round + period)]
    end = next((end for end in ends if end >= first_round), ends[-1] if ends else 0)
    return dialogue[:end] if end else dialogue[:first_round].rstrip(" ,;:-\n") + "…"


def _loop(said: str, rounds: int) -> tuple[int, int]:
    """Find the shortest phrase of which the reply's end is made: where its rounds begin, and its length."""
    backwards = said[::-1]
    same = _common_beginnings(backwards)
    for period in range(1, min(LONGEST_PHRASE, len(said) - 1) + 1):
        reach = period + same[period]
        if reach >= max(rounds * period, SHORTEST_LOOP):
            return len(said) - reach, period
    return 0, 0


def _common_beginnings(text: str) -> list[int]:
    """Return for each place how many characters from there on equal the text's beginning (Z function)."""
    same = [0] * len(text)
    left = right = 0
    for place in range(1, len(text)):
        known = min(right - place, same[place - left]) if place < right else 0
        while place + known < len(text) and text[known] == text[place + known]:
            known += 1
        same[place] = known
        if place + known > right:
            left, right = place, place + known
    return same
