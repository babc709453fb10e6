"""The words that a talk was about, in every script, without a model (specification, sessions' summaries)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final

SHORTEST: Final = 4
"""Letters of a topic word."""
SHORTEST_BY_SCRIPT: Final = (("\u0590", "\u07ff", 3), ("\uac00", "\ud7af", 2))
"""Scripts that need fewer: those without written vowels, and Hangul with its syllables (first, last, letters)."""
REPEATED: Final = 2
"""How often a run of characters must come up in a script without blanks: nothing else tells words there."""

_RUN: Final = re.compile("[\u4e00-\u9fff\u3400-\u4dbf々]{2,6}|[\u30a0-\u30ff]{2,12}")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
)
_ELIDED: Final = 2
"""Letters before an apostrophe that are an article, not a word ("l'école")."""
_STRAIGHT: Final = str.maketrans("’‘ʼ‐‑", "'''--")


def topic_words(texts: Iterable[str], stop_words: frozenset[str], limit: int) -> tuple[str, ...]:
    """Return the most frequent words, the most frequent first, ties by alphabet.

    Args:
        texts: What was said.
        stop_words: Words that are no topic, in lower case, of every language.
        limit: How many at most.
    """
    counted: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for text in texts:
        lowered = unicodedata.normalize("NFC", text).lower().translate(_STRAIGHT)
        counted.update(word for word in _words(lowered) if _is_topic(word, stop_words))
        runs.update(_RUN.findall(lowered))
    counted.update({run: n for run, n in runs.items() if n >= REPEATED and run not in stop_words})
    ranked = sorted(counted, key=lambda word: (-counted[word], _alphabetical(word), word))
    return tuple(ranked[:limit])


def _words(text: str) -> list[str]:
    """Cut into runs of letters with their marks; an apostrophe or a hyphen may stand inside."""
    letters = "".join(char if _belongs(char) else " " for char in text)
    words = [piece.strip("'-") for piece in letters.split()]
    return [_without_article(word) for word in words if word]


def _belongs(char: str) -> bool:
    return char in "'-" or char.isalpha() or unicodedata.category(char)[0] == "M"


def _without_article(word: str) -> str:
    head, mark, tail = word.partition("'")
    return tail if mark and len(head) <= _ELIDED and len(tail) > 1 else word


def _is_topic(word: str, stop_words: frozenset[str]) -> bool:
    if word in stop_words or _UNSPACED.search(word):
        return False
    least = next((n for first, last, n in SHORTEST_BY_SCRIPT if first <= word[0] <= last), SHORTEST)
    return len(word) >= least


def _alphabetical(word: str) -> str:
    """Order accented letters beside their plain ones."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
