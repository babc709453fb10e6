"""Which facts come to mind: search by words, in every script (specification, "Semantic Search", fallback)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.conversation import Fact

ALWAYS: Final = 5
"""The most important facts that are always at hand."""
KEYWORD_HITS: Final = 10
MIN_WORD: Final = 3
"""Letters of a word that says something, in scripts that put blanks between words."""

_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff66-\uff9f\U00020000-\U0002fa1f]"
)


_IDEOGRAPH: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f]")


def keywords(text: str) -> frozenset[str]:
    """Return the words of a text.

    Where a script has no blanks these are every pair of neighbouring characters and every ideograph.
    """
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if _UNSPACED.search(word):
            found.update(word[i : i + 2] for i in range(len(word) - 1))
            found.update(_IDEOGRAPH.findall(word))
        elif len(word) >= MIN_WORD:
            found.add(word)
    return frozenset(found)


def by_importance(facts: Sequence[Fact]) -> list[Fact]:
    """Sort facts: importance, then how often they came up, then the newest."""
    return sorted(facts, key=lambda f: (f.importance, f.reference_count, f.created_at), reverse=True)


def keyword_hits(message: str, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that share a word with a message: the most words first, then by importance."""
    wanted = keywords(message)
    hits = {fact.id: len(wanted & keywords(fact.content)) for fact in facts} if wanted else {}
    ranked = [fact for fact in by_importance(facts) if hits.get(fact.id)]
    ranked.sort(key=lambda fact: -hits[fact.id])
    return ranked[:KEYWORD_HITS]


def recall(message: str, facts: Sequence[Fact], limit: int) -> tuple[Fact, ...]:
    """Choose the facts for a prompt: those the message speaks of first, then the most important ones.

    Args:
        message: The user's words.
        facts: All facts at hand, in any order.
        limit: How many fit the prompt.
    """
    chosen = {fact.id: fact for fact in keyword_hits(message, facts)}
    chosen.update((fact.id, fact) for fact in by_importance(facts)[:ALWAYS] if fact.id not in chosen)
    return tuple(chosen.values())[:limit]
