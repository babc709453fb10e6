"""The phrases by which facts and memories are recognised, as data: one file for each language under config/facts/.

How a phrase is written:
    `(a|b)`  one of several wordings        `[a|b]`  the same, or nothing
    `~`      up to two of the language's `fillers` ("really", "also")
    `*`      any one word                   `#`      a number
    `{}`     what is said; it stands at the end, or at the beginning of a phrase that closes a clause,
             or between an opening and a closing
Blanks are runs of blanks, case does not matter, and a phrase begins and ends at the edge of a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter

Kind = Literal[
    "asked",
    "name",
    "introduced",
    "age",
    "birthday",
    "home",
    "household",
    "origin",
    "job",
    "study",
    "trait",
    "allergy",
    "diet",
    "family",
    "lack",
    "pet",
    "hobby",
    "favourite",
    "dislike",
    "like",
    "relationship",
    "shared",
]
"""What a statement is about, in the order in which kinds are tried."""

Phrase = Annotated[str, Field(min_length=1, max_length=1000)]
Phrases = tuple[Phrase, ...]

UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]")
"""A character of a script that puts no blanks between words: there is no word edge to look for."""
_TOKEN: Final = re.compile(r"\{\}|~\s*|[()\[\]|#*]|\s+|[^\s()\[\]|~{}#*]+")


@dataclass(frozen=True, slots=True)
class Guards:
    """Words that make a statement none.

    Attributes:
        before: Anywhere before it in its sentence: supposing, wishing, reporting, questions.
        within: In its clause: the past, games, dreams, jokes.
        joke: Anywhere in the message: what stands before it was not meant.
        asking: First words of a sentence that asks.
        after: Anywhere behind it in its sentence: who has said so.
        counter: A last clause that only asks back ("and you?"), after which the rest still counts.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    before: Phrases = ()
    within: Phrases = ()
    joke: Phrases = ()
    asking: Phrases = ()
    after: Phrases = ()
    counter: Phrases = ()


@dataclass(frozen=True, slots=True)
class PhraseList:
    """One language's file.

    Attributes:
        statements: The phrases of each kind.
        guards: What makes a statement none.
        empty: First words of a value that says nothing ("it", "that", "you").
        passing: First words of a value about the moment, not the person ("a bit", "going").
        determiners: Words that begin a place without a capital ("a small village").
        breaks: Words at which a clause ends.
        fillers: Words that `~` skips.
        subjects: What a sentence begins with that the user wants remembered ("I", "my").
        topics: Topics that mean the speaker, before which nothing else may stand (Japanese).
        others: Topics that mean somebody or something else (Japanese).
        abbreviations: Wordings with a point that ends no sentence.
        particles: What may still follow a phrase that closes a clause (Japanese).
        negations: Words that turn a sentence.
        opposites: Pairs of wordings that exclude each other ("like", "hate").
        trailing: Words behind a liked thing that do not belong to it ("any more").
        triggers: Phrases that call up a memory; `{}` is what of.
        noted: Phrases with which she takes note of something; `{}` is what.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    statements: Mapping[Kind, Phrases]
    guards: Guards
    triggers: Phrases
    negations: Phrases
    opposites: tuple[tuple[Phrase, Phrase], ...] = ()
    noted: Phrases = ()
    trailing: Phrases = ()
    empty: Phrases = ()
    passing: Phrases = ()
    determiners: Phrases = ()
    breaks: Phrases = ()
    fillers: Phrases = ()
    subjects: Phrases = ()
    topics: Phrases = ()
    others: Phrases = ()
    particles: Phrases = ()
    abbreviations: Phrases = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase ready to search: what opens the value and what closes it (one of them may be missing)."""

    opening: re.Pattern[str] | None
    closing: re.Pattern[str] | None
    has_value: bool


@dataclass(frozen=True, slots=True)
class Language:
    """One language's phrases, ready to search. An empty list matches nothing."""

    statements: tuple[tuple[Kind, tuple[Pattern, ...]], ...]
    triggers: tuple[Pattern, ...]
    noted: tuple[Pattern, ...]
    before: re.Pattern[str]
    within: re.Pattern[str]
    joke: re.Pattern[str]
    asking: re.Pattern[str]
    after: re.Pattern[str]
    determiners: re.Pattern[str]
    counter: re.Pattern[str]
    trailing: re.Pattern[str]
    empty: re.Pattern[str]
    passing: re.Pattern[str]
    breaks: re.Pattern[str]
    subjects: re.Pattern[str]
    topics: re.Pattern[str]
    others: re.Pattern[str]
    particles: re.Pattern[str]
    abbreviations: re.Pattern[str]
    negations: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True)
class FactPhrases:
    """The phrases of every language, by its two-letter name.

    `hints` tells for each kind, in one search, whether a text may hold a statement of it.
    """

    languages: Mapping[str, Language]
    hints: Mapping[Kind, re.Pattern[str]]


_LIST: Final = TypeAdapter(PhraseList)


def parse_phrase_list(table: Mapping[str, object]) -> PhraseList:
    """Read one language's file.

    Raises:
        pydantic.ValidationError: A key or a value is wrong.
    """
    return _LIST.validate_python(table, strict=False)


def build_language(words: PhraseList) -> Language:
    """Make one language's phrases ready to search.

    Raises:
        ValueError: A phrase is not written as it should be.
    """
    fillers = _any(words.fillers)
    guards = words.guards
    return Language(
        statements=tuple(
            (kind, tuple(_pattern(phrase, fillers) for phrase in words.statements.get(kind, ())))
            for kind in get_args(Kind)
        ),
        triggers=tuple(_pattern(phrase, fillers) for phrase in words.triggers),
        noted=tuple(_pattern(phrase, fillers) for phrase in words.noted),
        before=_search(guards.before),
        within=_search(guards.within),
        joke=_search(guards.joke),
        asking=_search(guards.asking),
        after=_search(guards.after),
        determiners=_search(words.determiners),
        counter=_search(guards.counter),
        trailing=_search(words.trailing),
        empty=_search(words.empty),
        passing=_search(words.passing),
        breaks=_search(words.breaks),
        subjects=_search(words.subjects),
        topics=_search(words.topics),
        others=_search(words.others),
        particles=re.compile(rf"(?:{_any(words.particles) or '(?!)'})*+"),
        negations=_search(words.negations),
        abbreviations=_search(words.abbreviations),
        opposites=tuple((_search((first,)), _search((second,))) for first, second in words.opposites),
    )


def join_languages(languages: Mapping[str, Language]) -> FactPhrases:
    """Put the languages together."""
    found: dict[Kind, list[str]] = {}
    for language in languages.values():
        for kind, patterns in language.statements:
            parts = (pattern.opening or pattern.closing for pattern in patterns)
            found.setdefault(kind, []).extend(part.pattern for part in parts if part is not None)
    hints = {kind: re.compile("|".join(parts) or r"(?!)", re.IGNORECASE) for kind, parts in found.items()}
    return FactPhrases(languages, hints)


def _search(phrases: Phrases) -> re.Pattern[str]:
    return re.compile("|".join(_compiled(phrase, "").pattern for phrase in phrases) or r"(?!)", re.IGNORECASE)


def _any(phrases: Phrases) -> str:
    return "|".join(_edged(phrase, "") for phrase in phrases)


def _pattern(phrase: str, fillers: str) -> Pattern:
    if phrase.count("{}") > 1:
        raise ValueError(f"{phrase!r}: one {{}} at most")
    opening, slot, closing = phrase.partition("{}")
    opened, closed = (_compiled(part, fillers) if part.strip() else None for part in (opening, closing))
    return Pattern(opened, closed, bool(slot))


def _compiled(phrase: str, fillers: str) -> re.Pattern[str]:
    try:
        return re.compile(_edged(phrase.strip(), fillers), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{phrase!r}: {error}") from None


def _edged(phrase: str, fillers: str) -> str:
    """Translate a phrase into an expression that begins and ends at a word's edge."""
    text = "".join(_translated(piece, fillers) for piece in _TOKEN.findall(phrase.strip()))
    first, last = phrase.strip()[:1], phrase.strip()[-1:]
    if UNSPACED.search(phrase):
        return f"(?:{text})"
    begin = r"(?<![^\W_])" if first.isalnum() or first in "([#*~" else ""
    end = r"(?![^\W_])" if last.isalnum() or last in ")#*" else ""
    return f"{begin}(?:{text}){end}"


def _translated(piece: str, fillers: str) -> str:
    fixed = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "|": "|", "#": r"\d+", "*": r"[^\W_]+"}
    if piece in fixed:
        return fixed[piece]
    if piece[0] == "~":
        return rf"(?:(?:{fillers})\s+){{0,2}}" if fillers else ""
    return r"\s+" if piece.isspace() else re.escape(piece)
