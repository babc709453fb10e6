"""What one turn adds to memory: the model's memory and the user's own statements, in the specification's numbers."""

from __future__ import annotations

from typing import Final

from engine.conversation import NewFact
from engine.fact_patterns import MOST_A_TURN, MOST_BESIDE_A_MEMORY
from engine.fact_phrases import FactPhrases
from engine.fact_sources import MOST_CHARACTERS, WEIGHTS, Statement, is_among, statements
from engine.recall import keywords
from engine.said import clauses

MOST_ASKED: Final = 3
"""What the user wants remembered is stored beside the two facts of a turn, up to this many."""


def facts_of_message(
    text: str, memory: NewFact | None, phrases: FactPhrases, *, source: str, sentiment: float = 0.0
) -> tuple[NewFact, ...]:
    """Return the facts to write after a message of the user's, the most certain first.

    These are what they asked to be remembered, the model's memory if it is grounded, and at most two of
    their statements (one beside a memory) that the memory does not say already.

    Args:
        text: The user's words.
        memory: What the model suggests, if anything.
        phrases: The phrases of every language.
        source: Where statements come from, for the fact's record.
        sentiment: The message's, -1..1.
    """
    kept = memory if memory is not None and is_grounded(memory.content, text, phrases) else None
    found = sorted(statements(text, phrases), key=lambda one: -WEIGHTS.get(one.kind, 0))
    asked = [one for one in found if one.kind == "asked"][:MOST_ASKED]
    plain = [one for one in found if one.kind != "asked" and not _says(kept, one)]
    most = MOST_BESIDE_A_MEMORY if kept else MOST_A_TURN
    wanted = [one.as_fact(source, sentiment) for one in (*asked, *plain[:most])]
    return (*wanted[: len(asked)], *([kept] if kept else []), *wanted[len(asked) :])


def is_grounded(memory: str, text: str, phrases: FactPhrases) -> bool:
    """Tell whether a memory of the model's does not rest on what was only supposed, quoted, played or joked.

    A memory in another language than the message shares no word with it and is taken as it is.

    Args:
        memory: The model's memory.
        text: The user's words that it was made from.
        phrases: The phrases of every language.
    """
    unmeant = _unmeant(text[:MOST_CHARACTERS], phrases)
    meant = keywords(text) - unmeant
    words = keywords(memory)
    from_unmeant = sum(is_among(word, unmeant) for word in words)
    return from_unmeant == 0 or from_unmeant <= sum(is_among(word, meant) for word in words)


def _unmeant(text: str, phrases: FactPhrases) -> frozenset[str]:
    """Return the words of clauses that state nothing."""
    words: set[str] = set()
    for language in phrases.languages.values():
        for clause in clauses(text, language):
            supposed = clause.supposed or language.before.match(clause.text) is not None
            if supposed or clause.quoted or clause.in_jest or language.within.search(clause.text):
                words |= keywords(clause.text)
    return frozenset(words)


def _says(memory: NewFact | None, statement: Statement) -> bool:
    """Tell whether a memory holds what a statement says."""
    if memory is None:
        return False
    if statement.value.lower() in memory.content.lower():
        return True
    words, have = keywords(statement.value), keywords(memory.content)
    return bool(words) and all(is_among(word, have) for word in words)
