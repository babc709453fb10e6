"""Which facts come to mind: by meaning where vectors are at hand, else by words (specification, "Semantic Search").

`recall.py` holds the search by words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.conversation import Fact
from engine.embedding import EmbeddingModel, Matrix, StoredVector, Vector, as_matrix, cosines, is_current
from engine.recall import ALWAYS, KEYWORD_HITS, by_importance, keyword_hits, keywords

POOL: Final = 500
"""The most important facts that are looked at."""
RELEVANT: Final = 10
TRIGGERED: Final = 5
TRIGGERED_IN_PROMPT: Final = 3
TRIGGERED_BY_IMPORTANCE: Final = 70
"""Least importance of a memory that a trigger calls up where nothing tells its meaning."""
IMPORTANCE_SCALE: Final = 100
RARE: Final = 3
"""A word that at most this many facts hold names them."""
MOST_NAMED: Final = 2
LOOKED_UP: Final = 24
"""Of a long message the longest words are looked up."""
PINNED: Final = 2
"""Facts about to repeat that still come along when they fit best: a talk may stay on its topic."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How similarity and importance weigh against each other (they sum to 1), and what is too far away."""

    similarity: float
    importance: float
    least: float


@dataclass(frozen=True, slots=True)
class Similar:
    """A fact with its nearness to a query and its score, both up to 1."""

    fact: Fact
    similarity: float
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The facts that are looked at, best first, and the vectors of those that have a current one.

    `rows` holds for each row of `matrix` (shape (rows, dimensions)) the place of its fact.
    """

    model: EmbeddingModel
    facts: tuple[Fact, ...]
    rows: tuple[int, ...]
    matrix: Matrix

    @property
    def unembedded(self) -> tuple[Fact, ...]:
        """The facts that only words can find."""
        embedded = set(self.rows)
        return tuple(fact for place, fact in enumerate(self.facts) if place not in embedded)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What came to mind for a message.

    `relevant` is in the specification's order; `spoken_of` are the facts that the message itself led to,
    the nearest first: where meaning was at hand these and the ones that it names by a rare word ("Ines"),
    which models are bad at; else those of `relevant` that share a word with it.
    """

    relevant: tuple[Fact, ...] = ()
    triggered: tuple[Fact, ...] = ()
    spoken_of: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptMemories:
    """What goes into the prompt. Only these facts count as used."""

    relevant: tuple[Fact, ...] = ()
    triggered: tuple[Fact, ...] = ()

    @property
    def used(self) -> tuple[int, ...]:
        """The ids of the facts whose reference count grows."""
        return tuple(fact.id for fact in (*self.relevant, *self.triggered))


def make_pool(facts: Sequence[Fact], vectors: Sequence[StoredVector | None], model: EmbeddingModel) -> Pool:
    """Take the most important facts and join their current vectors into one matrix.

    Args:
        facts: Facts of one user, in any order.
        vectors: The kept vector of each, None where there is none.
        model: The model that is in use; vectors of any other count as missing.
    """
    kept = {fact.id: vector for fact, vector in zip(facts, vectors, strict=True)}
    best = tuple(by_importance(facts)[:POOL])
    current = [(place, kept[fact.id]) for place, fact in enumerate(best)]
    usable = [(place, vector) for place, vector in current if vector and is_current(vector, model)]
    matrix = as_matrix([vector for _, vector in usable], model)
    return Pool(model, best, tuple(place for place, _ in usable), matrix)


def similar(pool: Pool, query: Vector, ranking: Ranking, limit: int) -> list[Similar]:
    """Return the facts near enough to a query, the best score first; one matrix product.

    Args:
        pool: The facts.
        query: Shape (dimensions,).
        ranking: The weights and the least similarity.
        limit: How many at most.
    """
    if not pool.rows:
        return []
    near = cosines(pool.matrix, query)
    weight = np.array([pool.facts[place].importance for place in pool.rows], near.dtype) / IMPORTANCE_SCALE
    scores = ranking.similarity * near + ranking.importance * weight
    order = [row for row in np.argsort(-scores, kind="stable") if near[row] >= ranking.least][:limit]
    return [Similar(pool.facts[pool.rows[row]], float(near[row]), float(scores[row])) for row in order]


def retrieve(
    message: str, pool: Pool, query: Vector | None = None, trigger_query: Vector | None = None
) -> Retrieved:
    """Find what a message brings to mind.

    Args:
        message: The user's words.
        pool: The user's facts.
        query: The message's vector; None where no model is at hand.
        trigger_query: The vector of its trigger words, joined by blanks; None without any.
    """
    found = _by_meaning(message, pool, query) if query is not None else ()
    if not found:
        return _by_words(message, pool)
    called: list[Similar] = []
    if trigger_query is not None:
        called = similar(pool, trigger_query, Ranking(0.6, 0.4, pool.model.triggered), TRIGGERED)
    chosen = {fact.id for fact in found}
    spoken = tuple(dict.fromkeys((*found[:1], *_named(message, pool), *found)))
    return Retrieved(found, tuple(one.fact for one in called if one.fact.id not in chosen), spoken)


def important_memories(pool: Pool, found: Retrieved) -> Retrieved:
    """Add what a trigger calls up where no model is at hand: the most important other facts."""
    taken = {fact.id for fact in found.relevant}
    weighty = [fact for fact in pool.facts if fact.importance >= TRIGGERED_BY_IMPORTANCE][:TRIGGERED]
    return replace(found, triggered=tuple(fact for fact in weighty if fact.id not in taken))


def for_prompt(found: Retrieved, limit: int, lately: Collection[int] = ()) -> PromptMemories:
    """Choose what fits the prompt: what the message speaks of first, and little that was there just now.

    Args:
        found: What came to mind.
        limit: How many relevant facts fit (`budget.memory_budget(...).facts`).
        lately: Ids of the facts that were in the prompts of the last turns. They fill only the places
            that nothing else takes, except the ones that the message speaks of most; a triggered memory
            among them comes back only where it is the only one.
    """
    wanted = dict.fromkeys((*found.spoken_of, *found.relevant))
    nearest = found.spoken_of[:PINNED]
    rest = [fact for fact in wanted if fact not in nearest]
    ordered = [*nearest, *sorted(rest, key=lambda fact: fact.id in lately)]
    called = [fact for fact in found.triggered if fact.id not in lately] or list(found.triggered[:1])
    return PromptMemories(tuple(ordered[:limit]), tuple(called[:TRIGGERED_IN_PROMPT]))


def _by_meaning(message: str, pool: Pool, query: Vector) -> tuple[Fact, ...]:
    """Rank by meaning; room that is left goes to facts without a vector that share a word."""
    found = [one.fact for one in similar(pool, query, Ranking(0.7, 0.3, pool.model.relevant), RELEVANT)]
    if found and len(found) < RELEVANT:
        found += keyword_hits(message, pool.unembedded)
    return tuple(found[:RELEVANT])


def _named(message: str, pool: Pool) -> list[Fact]:
    """Return the facts that hold a word of the message which few others hold, the most such words first."""
    contents = [fact.content.lower() for fact in pool.facts]
    named: Counter[int] = Counter()
    for word in sorted(keywords(message), key=lambda word: (-len(word), word))[:LOOKED_UP]:
        places = [place for place, content in enumerate(contents) if word in content]
        named.update(places if len(places) <= RARE else ())
    return [pool.facts[place] for place, _ in named.most_common(MOST_NAMED)]


def _by_words(message: str, pool: Pool) -> Retrieved:
    """Search by words: the most important facts, then those that share a word, in the order of importance.

    A message without a usable word says nothing about what is wanted, so every fact is a hit.
    """
    spoken = tuple(keyword_hits(message, pool.facts))
    hits = by_importance(spoken) if keywords(message) else pool.facts[:KEYWORD_HITS]
    joined = dict.fromkeys((*pool.facts[:ALWAYS], *hits))
    relevant = tuple(joined)[:RELEVANT]
    return Retrieved(relevant, (), tuple(fact for fact in spoken if fact in relevant))
