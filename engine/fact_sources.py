"""What the user says of themselves: statements in their own words, found without a model.

The rule (a wrong memory hurts more than a missing one): only plain statements in the first person and
the present count. Suppositions, questions, reports of others, quotes, played parts, the past and jokes
marked as such are none. Linear in the text: every phrase is searched once a clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.character import STAT_MAX
from engine.conversation import FactCategory, NewFact
from engine.fact_patterns import USER_PREFIX
from engine.fact_phrases import FactPhrases, Kind, Language, Pattern
from engine.memory import BASE_IMPORTANCE, MAX_FACT_CHARACTERS, fact_importance
from engine.recall import keywords
from engine.said import Clause, clauses

MOST_CHARACTERS: Final = 4000
"""Of a longer message only the beginning is read."""
MOST_CLAUSES: Final = 60
"""Of a message in more pieces only the first ones are read."""
LONGEST_VALUE: Final = 300
NAME_WORDS: Final = 4
INTRODUCED_WORDS: Final = 2
SUPPORT: Final = 0.6
"""Share of the words of her note that the user must have said."""
WEIGHTS: Final[dict[Kind, int]] = {
    **dict.fromkeys(("name", "introduced", "allergy", "birthday"), 25),
    **dict.fromkeys(("home", "origin", "job", "study", "family", "age", "asked", "diet", "trait"), 15),
    **dict.fromkeys(("household", "pet", "relationship", "shared", "hobby", "lack"), 10),
}
"""What a kind adds to the importance of a fact; a language-free stand-in for the English word lists."""
_ABOUT: Final[frozenset[Kind]] = frozenset({"job", "study", "trait", "introduced", "lack", "birthday"})
"""Kinds whose openings ("I'm a ...") also begin much that is about the moment."""
_PLACES: Final[frozenset[Kind]] = frozenset({"home", "origin"})
_OF_OTHERS: Final[frozenset[Kind]] = frozenset({"asked", "family", "pet", "shared", "relationship"})
"""Kinds that speak of others, too."""
_CATEGORIES: Final[dict[Kind, FactCategory]] = {"relationship": "relationship", "shared": "shared_experience"}
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EDGES: Final = " \t\"'“”„«»「」『』*_~:;,-–—"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that the user has said of themselves.

    Attributes:
        kind: What it is about.
        clause: Their words.
        value: The part of the words that matters ("Rome").
        language: Two letters: whose phrase found it.
    """

    kind: Kind
    clause: str
    value: str
    language: str

    @property
    def content(self) -> str:
        """The sentence to remember: their own words, marked as theirs."""
        return f"{USER_PREFIX}{self.clause}"

    @property
    def category(self) -> FactCategory:
        """Where it is filed."""
        return _CATEGORIES.get(self.kind, "user")

    def as_fact(self, source: str, sentiment: float = 0.0) -> NewFact:
        """Return the fact to write; `source` says which message it comes from."""
        weight = max(fact_importance(self.content, sentiment), BASE_IMPORTANCE + WEIGHTS.get(self.kind, 5))
        return NewFact(self.content, self.category, min(weight, STAT_MAX), source=source)


def statements(text: str, phrases: FactPhrases) -> tuple[Statement, ...]:
    """Return what a message of the user's states about them, in the order of the words."""
    found: list[tuple[int, Statement]] = []
    for name, language in phrases.languages.items():
        for clause in islice(clauses(text[:MOST_CHARACTERS], language), MOST_CLAUSES):
            found += ((clause.start, one) for one in _of_clause(clause, name, language))
    found.sort(key=lambda one: one[0])
    kept: dict[str, Statement] = {}
    for _, one in found:
        if not any(one.clause in other.clause for other in kept.values()):
            kept.setdefault(one.clause, one)
    return tuple(kept.values())


def noted_by_her(dialogue: str, said: Sequence[str], phrases: FactPhrases) -> tuple[str, ...]:
    """Return what her reply takes note of and the user's recent messages bear out.

    Her own inventions never become facts: `said` must hold most of the words.

    Args:
        dialogue: Her cleaned reply.
        said: The user's recent messages, newest included.
        phrases: The phrases of every language.
    """
    noted: dict[str, None] = {}
    for language in phrases.languages.values():
        for clause in islice(clauses(dialogue[:MOST_CHARACTERS], language), MOST_CLAUSES):
            if clause.asks or clause.supposed:
                continue
            for pattern in language.noted:
                found = _find(pattern, clause, language, whole=True)
                if found is not None and is_supported(found.said, said):
                    noted.setdefault(found.said)
    return tuple(noted)


def is_supported(note: str, said: Sequence[str]) -> bool:
    """Tell whether the user's own messages hold most of a note's words, and all its numbers.

    Args:
        note: What is about to be remembered, in the language of the talk.
        said: The user's recent messages.
    """
    wanted, have = keywords(note), keywords(" ".join(said))
    numbers = set(re.findall(r"\d+", note))
    if not wanted or not numbers <= set(re.findall(r"\d+", " ".join(said))):
        return False
    return sum(is_among(word, have) for word in wanted) >= SUPPORT * len(wanted)


def is_among(word: str, have: frozenset[str]) -> bool:
    """Tell whether a word is among others, compared by its beginning too ("hikes" is borne out by "hiking")."""
    stem = word[: max(4, len(word) - 3)]
    return word in have or (len(word) > 4 and any(one.startswith(stem) for one in have))


@dataclass(frozen=True, slots=True)
class _Found:
    """A phrase in a clause: where it begins, what it says, and what stands before it as a topic."""

    start: int
    said: str
    topic: str


def _of_clause(clause: Clause, name: str, language: Language) -> Iterator[Statement]:
    if clause.asks or clause.quoted or clause.in_jest or clause.supposed:
        return
    for kind, patterns in language.statements:
        for pattern in patterns:
            found = _find(pattern, clause, language, whole=kind == "asked")
            if found is not None and _states(kind, found, clause, language):
                yield _statement(kind, found, pattern, clause, name)
                return


def _statement(kind: Kind, found: _Found, pattern: Pattern, clause: Clause, name: str) -> Statement:
    words = found.said if kind == "asked" else clause.text[found.start :].strip(_EDGES)
    return Statement(kind, " ".join(words.split())[:MAX_FACT_CHARACTERS], found.said, name)


def _find(pattern: Pattern, clause: Clause, language: Language, *, whole: bool) -> _Found | None:
    """Look for a phrase in a clause.

    Args:
        pattern: The phrase.
        clause: The clause, in which it must begin.
        language: The phrases it is one of.
        whole: Whether what it says may run on to the end of the sentence.
    """
    text = clause.text + clause.following if whole else clause.text
    start, after = 0, 0
    if pattern.opening is not None:
        opened = pattern.opening.search(text)
        if opened is None or opened.start() >= len(clause.text):
            return None
        start, after = opened.span()
    said = text[after:]
    if pattern.closing is not None:
        closed = pattern.closing.search(said)
        if closed is None or not _ends(pattern, said[closed.end() :], language):
            return None
        said = said[: closed.start()]
    if pattern.opening is None:
        said = language.topics.sub("", said)
    topic = said if pattern.opening is None else language.topics.sub("", text[:start])
    said = said if pattern.has_value else text[start:after]
    return _Found(start, " ".join(said.strip(_EDGES).split()), topic)


def _ends(pattern: Pattern, after: str, language: Language) -> bool:
    """Tell whether a phrase that closes a clause does: a verb form may go on into its negation."""
    return pattern.opening is not None or language.particles.fullmatch(after) is not None


def _states(kind: Kind, found: _Found, clause: Clause, language: Language) -> bool:
    said, before = found.said, clause.text[: found.start]
    if language.before.search(before) or (kind != "asked" and language.within.search(clause.text)):
        return False
    if kind == "asked":
        return not before.strip(_EDGES) and language.subjects.match(said) is not None
    if language.negations.search(before) or language.after.search(clause.following):
        return False
    if len(said) > LONGEST_VALUE or not _WORD.search(said):
        return False
    if (kind not in _OF_OTHERS or found.start) and language.others.search(found.topic):
        return False
    if language.empty.match(said) or (kind in _ABOUT and language.passing.match(said)):
        return False
    if kind in _PLACES and not _is_place(said, clause, language):
        return False
    if kind == "name" and language.determiners.match(said):
        return False
    return _fits(kind, said, before, clause)


def _is_place(said: str, clause: Clause, language: Language) -> bool:
    """Tell a place from a manner of speaking ("I live in hope"): a capital or an article begins it.

    Somebody who writes no capitals at all is taken at their word.
    """
    if language.negations.search(said):
        return False
    return not said[0].islower() or clause.text.islower() or language.determiners.match(said) is not None


def _fits(kind: Kind, said: str, before: str, clause: Clause) -> bool:
    words = _WORD.findall(said)
    if kind == "name":
        return len(words) <= NAME_WORDS and not said[0].isdigit()
    if kind == "introduced":
        named = all(word[:1].isupper() and not word.isupper() for word in words)
        return named and len(words) <= INTRODUCED_WORDS and not before.strip(_EDGES)
    if kind == "age":
        return clause.text.rstrip().endswith(said) and any(char.isdigit() for char in said)
    return True
