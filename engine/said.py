"""Cuts a message into clauses and tells of each whether it is meant: not asked, quoted, played or joked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from engine.fact_phrases import Language

_STRAIGHT: Final = str.maketrans("’‘ʼ`´＇", "''''''")
_SENTENCE: Final = re.compile(r"[^.!?。！？…\n]*+(?:\.(?=[^\s.])[^.!?。！？…\n]*+)*+[.!?。！？…\n]*+")
"""Up to an end mark; a point inside a word or number ends nothing."""
_KEPT_POINT: Final = "\u2024"
"""Stands for the point of an abbreviation while sentences are cut; one character, like the point."""
_CLAUSE_END: Final = re.compile(r"[,;:—–()、，；：]|\s-\s")
_YEAR_OR_LIST: Final = re.compile(
    r"\s+(?:\d{4}|[^\W_]+\s+(?:and|or|und|oder|y|o|et|ou|e)\s+[^\W_]+\s*)(?:[.!?…\n]|$)"
)
"""After a comma: what still belongs to the clause (a year, the rest of a list)."""
_QUOTED: Final = re.compile(
    '"[^"\n]{1,500}"|“[^”\n]{1,500}”|„[^“”\n]{1,500}[“”]|«[^»\n]{1,500}»|»[^«\n]{1,500}«|「[^」\n]{1,500}」|『[^』\n]{1,500}』'
    r"|(?m:^\s*>[^\n]*)|\*[^*\n]{1,500}\*|```[^`]{1,2000}```|(?<!\w)_[^_\n]{1,500}_(?!\w)"
)
_ENDS: Final = " \t\n.!?。！？…"
_MARKS: Final = _ENDS + ",;—–()、，；¿¡-"
_QUESTION: Final = re.compile("[?？]")


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence.

    Attributes:
        text: Its words.
        supposed: Whether a guard word ("if", "she said") stands before it in its sentence.
        following: What stands after it in its sentence.
        start: Where it begins in the message, in characters.
        asks: Whether its sentence is a question.
        quoted: Whether it begins inside quotation marks, a quoted line or a played action.
        in_jest: Whether the message takes it back as a joke.
    """

    text: str
    supposed: bool
    following: str
    start: int
    asks: bool
    quoted: bool = False
    in_jest: bool = False


def clauses(message: str, language: Language) -> Iterator[Clause]:
    """Yield the clauses of a message."""
    text = language.abbreviations.sub(
        lambda found: found[0].replace(".", _KEPT_POINT), message.translate(_STRAIGHT)
    )
    spans = [found.span() for found in _QUOTED.finditer(text)]
    jest = max((found.start() for found in language.joke.finditer(text)), default=-1)
    for sentence in _SENTENCE.finditer(text):
        if sentence[0].strip():
            for clause in _of_sentence(sentence[0], sentence.start(), language):
                quoted = any(begin <= clause.start < stop for begin, stop in spans)
                yield replace(clause, quoted=quoted, in_jest=clause.start < jest)


def _of_sentence(sentence: str, offset: int, language: Language) -> Iterator[Clause]:
    cuts = [0, *_cuts(sentence, language), len(sentence)]
    guard = language.before.search(sentence)
    supposed_from = guard.start() if guard else len(sentence)
    pieces = list(pairwise(cuts))
    asks = _asks(sentence, [sentence[a:b] for a, b in pieces], language)
    for start, end in pieces:
        text = sentence[start:end]
        yield Clause(
            text=text.strip(_MARKS).replace(_KEPT_POINT, "."),
            supposed=supposed_from < start,
            following=sentence[end:].rstrip(_ENDS).replace(_KEPT_POINT, "."),
            start=offset + start + len(text) - len(text.lstrip(_MARKS + ":")),
            asks=asks,
        )


def _cuts(sentence: str, language: Language) -> list[int]:
    """Return where clauses begin: before a mark or a breaking word, but after a colon."""
    marks = {
        found.end() if found[0] in ":：" else found.start()
        for found in _CLAUSE_END.finditer(sentence)
        if not (found[0] == "," and _YEAR_OR_LIST.match(sentence, found.end()))
    }
    return sorted(
        (marks | {found.start() for found in language.breaks.finditer(sentence)}) - {0, len(sentence)}
    )


def _asks(sentence: str, pieces: list[str], language: Language) -> bool:
    """Tell whether a sentence asks; one that only asks back at its end ("and you?") does not."""
    if language.asking.match(sentence.lstrip(_MARKS + "\"'“„«")):
        return True
    if not _QUESTION.search(sentence):
        return False
    return len(pieces) < 2 or language.counter.fullmatch(pieces[-1].strip(_MARKS)) is None
