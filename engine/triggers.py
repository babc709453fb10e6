"""Words that call up a memory: what follows "remember when ...", and names (specification, "Semantic Search")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine.fact_phrases import FactPhrases, Pattern

SHORTEST: Final = 3
"""Characters of a trigger word; two where a script writes syllables or words with one character."""
MOST_CHARACTERS: Final = 4000
MOST_WORDS: Final = 20

_SENTENCE: Final = re.compile(r"[^.!?。！？…\n]+")
_NAME: Final = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{3,}|(?<=, )[^\W\d_]{3,}")
_DENSE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EDGES: Final = " \t,;:、，\"'“”„«»「」¿¡"


def trigger_words(message: str, phrases: FactPhrases) -> tuple[str, ...]:
    """Return what a message wants to be reminded of, then the names in it, without repeats.

    Args:
        message: The user's words.
        phrases: The trigger phrases of every language.
    """
    text = message[:MOST_CHARACTERS]
    found = [word for sentence in _SENTENCE.findall(text.lower()) for word in _called(sentence, phrases)]
    names = [name[0] for name in _NAME.finditer(text) if _is_name(text, name)]
    return tuple(dict.fromkeys((*found, *names)))[:MOST_WORDS]


def trigger_query(words: tuple[str, ...]) -> str:
    """Return the text whose meaning is searched for."""
    return " ".join(words)


def _called(sentence: str, phrases: FactPhrases) -> Iterator[str]:
    for language in phrases.languages.values():
        for pattern in language.triggers:
            word = _value(pattern, sentence)
            if len(word) >= SHORTEST or (len(word) == SHORTEST - 1 and _DENSE.search(word)):
                yield word
                break


def _value(pattern: Pattern, sentence: str) -> str:
    rest = sentence
    if pattern.opening is not None:
        opened = pattern.opening.search(rest)
        if opened is None:
            return ""
        rest = rest[opened.end() :]
    if pattern.closing is not None:
        closed = pattern.closing.search(rest)
        if closed is None:
            return ""
        rest = rest[: closed.start()]
    return rest.strip(_EDGES)


def _is_name(text: str, found: re.Match[str]) -> bool:
    """Tell whether a word inside a sentence begins with a capital, in any script that has them."""
    before = text[found.start() - 2]
    return found[0][0].isupper() and (before == "," or before.islower())
