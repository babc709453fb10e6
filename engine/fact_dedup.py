"""Whether two facts say the same, and what a new one does to the known ones (specification, "Deduplication").

Nearness alone is not enough: "likes coffee" and "hates coffee" are neighbours for every model. So facts of
opposite sense, with other numbers or with other names are never merged, however near they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from engine.contradiction import Claim, claim_of, excludes, may_end
from engine.conversation import Fact, NewFact
from engine.embedding import EmbeddingModel, StoredVector, Vector, as_matrix, cosines, is_current
from engine.fact_patterns import USER_PREFIX
from engine.fact_phrases import FactPhrases, Language
from engine.memory import normalise_fact

_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NAME: Final = re.compile(r"(?<=[^\W\d_,] )[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact about to be written, with its vector where a model is at hand (shape (dimensions,))."""

    fact: NewFact
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that is remembered, with its kept vector."""

    fact: Fact
    vector: StoredVector | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """It is known: the known fact counts one more use and takes the larger importance."""

    fact_id: int
    importance: int


@dataclass(frozen=True, slots=True)
class Added:
    """It is new. `past` are the ids of facts that it ends: they stay, marked as past."""

    candidate: Candidate
    past: tuple[int, ...] = ()


Filed = Merged | Added


def find_duplicate(
    candidate: Candidate, known: Sequence[Known], model: EmbeddingModel, phrases: FactPhrases
) -> int | None:
    """Return the id of the fact that says the same: the same words first, else the nearest in meaning.

    Args:
        candidate: The new fact.
        known: The user's facts; only those of the same category are looked at.
        model: The model in use; vectors of another one do not count.
        phrases: Negations and opposites of every language.
    """
    alike = [one for one in known if one.fact.category == candidate.fact.category]
    text = normalise_fact(candidate.fact.content)
    same = next((one.fact.id for one in alike if normalise_fact(one.fact.content) == text), None)
    if same is not None or candidate.vector is None:
        return same
    current = [(one, one.vector) for one in alike if one.vector and is_current(one.vector, model)]
    if not current:
        return None
    near = cosines(as_matrix([vector for _, vector in current], model), candidate.vector)
    for place in sorted(range(len(current)), key=lambda place: -near[place]):
        if near[place] < model.same:
            break
        fact = current[place][0].fact
        if may_be_same(candidate.fact.content, fact.content, phrases):
            return fact.id
    return None


def may_be_same(first: str, second: str, phrases: FactPhrases) -> bool:
    """Tell whether two near facts may be one: the same sense, the same numbers, no other names."""
    one, two = first.removeprefix(USER_PREFIX), second.removeprefix(USER_PREFIX)
    if set(_NUMBER.findall(one)) != set(_NUMBER.findall(two)):
        return False
    if not (_names(one) <= _words(two) and _names(two) <= _words(one)):
        return False
    return not any(_opposed(one, two, language) for language in phrases.languages.values())


def file_facts(
    candidates: Iterable[Candidate],
    known: Sequence[Known],
    model: EmbeddingModel,
    phrases: FactPhrases,
) -> tuple[Filed, ...]:
    """Decide for each new fact whether it is known, new, or the end of an old one.

    Facts of the same call are compared with each other by their words, too.

    Args:
        candidates: What is about to be written, in order.
        known: The user's present facts (past ones left out).
        model: The model in use.
        phrases: The phrases of every language.
    """
    filed: list[Filed] = []
    fresh: set[tuple[str, str]] = set()
    claims: dict[int, Claim | None] = {}
    for candidate in candidates:
        key = (candidate.fact.category, normalise_fact(candidate.fact.content))
        if not key[1] or key in fresh:
            continue
        duplicate = find_duplicate(candidate, known, model, phrases)
        if duplicate is not None:
            importance = next(one.fact.importance for one in known if one.fact.id == duplicate)
            filed.append(Merged(duplicate, max(importance, candidate.fact.importance)))
        else:
            filed.append(Added(candidate, _ended_by(candidate.fact, known, claims, phrases)))
            fresh.add(key)
    return tuple(filed)


def merged(fact: Fact, importance: int, now: datetime) -> Fact:
    """Return a known fact after it was said again; its text never changes."""
    return replace(
        fact,
        reference_count=fact.reference_count + 1,
        importance=max(fact.importance, min(importance, 100)),
        last_accessed=now,
    )


def _ended_by(
    new: NewFact, known: Sequence[Known], claims: dict[int, Claim | None], phrases: FactPhrases
) -> tuple[int, ...]:
    claim = claim_of(new.content, phrases)
    if claim is None:
        return ()
    near = [one.fact for one in known if may_end(claim, one.fact.content, phrases)]
    for fact in near:
        if fact.id not in claims:
            claims[fact.id] = claim_of(fact.content, phrases)
    pairs = ((fact.id, claims[fact.id]) for fact in near)
    return tuple(fact_id for fact_id, old in pairs if old is not None and excludes(claim, old))


def _names(text: str) -> set[str]:
    """Return words with a capital inside a sentence, in lower case."""
    return {word.lower() for word in _NAME.findall(text) if word[0].isupper() and len(word) > 1}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _opposed(one: str, two: str, language: Language) -> bool:
    if bool(language.negations.search(one)) != bool(language.negations.search(two)):
        return True
    return any(
        (first.search(one) and second.search(two)) or (second.search(one) and first.search(two))
        for first, second in language.opposites
    )
