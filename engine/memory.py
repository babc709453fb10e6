"""What becomes a fact: category, importance, and what counts as the same (specification, "Memory System")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.character import STAT_MAX
from engine.conversation import Fact, FactCategory, NewFact

BASE_IMPORTANCE: Final = 50
LONG_FACT: Final = ((50, 10), (100, 5))
"""Characters beyond which a fact weighs more, and by how much."""
EMOTIONAL_WEIGHT: Final = 10
PERSONAL_WEIGHT: Final = 15
SENTIMENT_WEIGHT: Final = 10
STRONG_SENTIMENT: Final = 0.5
MAX_FACT_CHARACTERS: Final = 2000

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_TOGETHER: Final = frozenset({"together", "laughed", "cried", "discussed"})
_USER: Final = frozenset(
    "user they their them my i he she his her name job work works live lives family hobby favorite favourite".split()
)
_SHARED: Final = frozenset({"we", "together", "our", "us", "shared", "both"})
_EMOTIONAL: Final = frozenset(
    "love loves loved hate hates hated afraid fear fears scared worried worries dream dreams hope hopes "
    "happy sad lonely proud grief grieving miss misses missed".split()
)
_PERSONAL: Final = frozenset(
    "name named birthday born family mother father sister brother wife husband partner child children "
    "daughter son job works work lives live allergic allergy diagnosed".split()
)


@dataclass(frozen=True, slots=True)
class Learned:
    """What a turn adds to memory: facts without a row yet, and known facts that were said again."""

    new: tuple[NewFact, ...] = ()
    again: tuple[int, ...] = ()


def normalise_fact(content: str) -> str:
    """Return the text by which two facts are the same: trimmed, lower case, blanks collapsed."""
    return " ".join(content.lower().split())


def determine_category(content: str) -> FactCategory:
    """File a fact: something shared, something about the user, or something about the two of them."""
    words = set(_WORD.findall(content.lower()))
    if words & _TOGETHER or ("talked" in words and "about" in words):
        return "shared_experience"
    if words & _USER:
        return "user"
    return "shared_experience" if words & _SHARED else "relationship"


def fact_importance(content: str, sentiment: float = 0.0) -> int:
    """Return how much a fact matters, 50..100: longer, emotional and personal ones matter more."""
    words = set(_WORD.findall(content.lower()))
    points = BASE_IMPORTANCE + sum(weight for length, weight in LONG_FACT if len(content) > length)
    points += EMOTIONAL_WEIGHT if words & _EMOTIONAL else 0
    points += PERSONAL_WEIGHT if words & _PERSONAL else 0
    points += SENTIMENT_WEIGHT if abs(sentiment) > STRONG_SENTIMENT else 0
    return min(points, STAT_MAX)


def new_fact(content: str, source: str, sentiment: float = 0.0) -> NewFact:
    """Return a fact with category and importance by rule; `source` says who said it and how it was found."""
    text = content.strip()[:MAX_FACT_CHARACTERS]
    return NewFact(text, determine_category(text), fact_importance(text, sentiment), source=source)


def learn(candidates: Iterable[NewFact], known: Iterable[Fact]) -> Learned:
    """Split what was said into what is new and what is known already (same category, same text)."""
    seen = {(fact.category, normalise_fact(fact.content)): fact.id for fact in known}
    new: dict[tuple[FactCategory, str], NewFact] = {}
    again: list[int] = []
    for candidate in candidates:
        key = (candidate.category, normalise_fact(candidate.content))
        if key in seen:
            again.append(seen[key])
        elif key[1]:
            new.setdefault(key, candidate)
    return Learned(tuple(new.values()), tuple(dict.fromkeys(again)))
