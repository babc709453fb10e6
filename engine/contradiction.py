"""When a new fact ends an old one: "I moved to Rome" after "I live in Paris".

Only what can be told for sure: kinds of which one holds at a time, and liking against disliking the same
thing. Everything else stands beside what is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.fact_patterns import USER_PREFIX
from engine.fact_phrases import FactPhrases, Kind
from engine.fact_sources import statements

_THIRD_PERSON: Final = (
    (re.compile(r"^(?:they|the user|user|he|she)(?:'re| are| is)\b", re.IGNORECASE), "I am"),
    (
        re.compile(r"^(?:they|the user|user|he|she) (?:does not|doesn't|do not|don't)\b", re.IGNORECASE),
        "I don't",
    ),
    (re.compile(r"^(?:they|the user|user|he|she) (has|have)\b", re.IGNORECASE), "I have"),
    (re.compile(r"^(?:they|the user|user|he|she) ([a-z]+?)s?\b", re.IGNORECASE), r"I \1"),
    (re.compile(r"^(?:their|the user's|user's|his|her)\b", re.IGNORECASE), "My"),
)
"""A memory of the model's is in the third person: it is read as if the user had said it."""
_WORD: Final = re.compile(r"[^\W_]+")
_SEEN: Final = 4
"""Characters of a value's first word that a quick look compares: a plural's s lies behind them."""
_ENDING: Final = 3


SINGLE: Final[frozenset[Kind]] = frozenset({"name", "age", "birthday", "home", "origin", "favourite"})
"""Kinds of which one holds at a time: a new one makes the old one past."""
_ANY_WORDING: Final[frozenset[Kind]] = frozenset({"home", "age"})
"""Kinds where every wording speaks of the same thing; "call me" and "my name is" do not."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a fact claims, so far as it can end another.

    Attributes:
        kind: What it is about.
        value: What is said of it, in lower case.
        wording: The words that say it; facts of most kinds compare only where these are the same.
        negated: Whether it denies the value.
        firm: Whether the value is sharp enough to end another ("Rome", not "a small flat").
    """

    kind: Kind
    value: str
    wording: str
    negated: bool
    firm: bool


def claim_of(content: str, phrases: FactPhrases) -> Claim | None:
    """Return what a fact's text claims; None where nothing can be told for sure.

    Args:
        content: The fact as it is kept: the user's own words, or a sentence about "them".
        phrases: The phrases of every language.
    """
    found = statements(_first_person(content.removeprefix(USER_PREFIX)), phrases)
    if len(found) != 1:
        return None
    statement = found[0]
    language = phrases.languages[statement.language]
    opening = statement.clause.lower().replace(statement.value.lower(), "") or statement.clause
    value = language.trailing.sub("", language.negations.sub("", statement.value))
    return Claim(
        kind="name" if statement.kind == "introduced" else statement.kind,
        value=" ".join(_WORD.findall(value.lower())),
        wording=" ".join(_WORD.findall(opening.lower())),
        negated=language.negations.search(opening) is not None,
        firm=statement.kind != "home" or not statement.value[:1].islower(),
    )


def may_end(new: Claim, content: str, phrases: FactPhrases) -> bool:
    """Tell quickly whether a known fact's text may hold a claim that the new one ends.

    It spares the full reading of hundreds of facts that speak of something else.
    """
    if new.kind in ("like", "dislike"):
        return new.value.split(" ", 1)[0][:_SEEN] in content.lower()
    text = _first_person(content.removeprefix(USER_PREFIX))
    kinds: tuple[Kind, ...] = ("name", "introduced") if new.kind == "name" else (new.kind,)
    return any(phrases.hints[kind].search(text) is not None for kind in kinds)


def excludes(new: Claim, old: Claim) -> bool:
    """Tell whether a new claim ends an old one."""
    same = _plain(new.value) == _plain(old.value)
    if {new.kind, old.kind} == {"like", "dislike"}:
        return same
    if new.kind != old.kind:
        return False
    if new.negated != old.negated:
        return same
    if new.negated or new.kind not in SINGLE or not (new.firm and old.firm):
        return False
    return not same and (new.kind in _ANY_WORDING or new.wording == old.wording)


def _plain(value: str) -> tuple[str, ...]:
    """Return the words of a value without a plural's s."""
    return tuple(word[:-1] if len(word) > _ENDING and word.endswith("s") else word for word in value.split())


def _first_person(text: str) -> str:
    for pattern, said in _THIRD_PERSON:
        changed, count = pattern.subn(said, text, count=1)
        if count:
            return changed
    return text
