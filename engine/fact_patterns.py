"""Facts found by their wording, without a model (specification, "Memory Sources", pattern extraction).

English only, as the specification's; every pattern is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MOST_A_TURN: Final = 2
MOST_BESIDE_A_MEMORY: Final = 1
SHORTEST_CHARACTERS: Final = 6
LONGEST_CHARACTERS: Final = 199
USER_PREFIX: Final = "User: "

_STRAIGHT: Final = str.maketrans("’‘", "''")
_USER_REST: Final = r"([^.!?,\n]{3,})"
_REPLY_REST: Final = r"([^.!?\n]{3,})"


def _patterns(rest: str, *openings: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{opening}{rest}", re.IGNORECASE) for opening in openings)


_USER: Final = _patterns(
    _USER_REST,
    r"i(?:'m| am)\s++(?:an?\s++)?+",
    r"my\s++(?:name|job|hobby|favou?rite|family)\s++is\s++",
    r"i\s++(?:work|live|study)\s++(?:at|in|as)\s++",
    r"i\s++(?:like|love|enjoy|hate|prefer)\s++",
)
_REPLY: Final = _patterns(
    _REPLY_REST,
    r"you(?:'re|\s++(?:are|work\s++as|live\s++in|like|love|enjoy|hate|prefer|have))\s++",
    r"your\s++(?:name|job|favou?rite|hobby|family|home|work)\s++(?:is|are)\s++",
    r"you\s++(?:said|mentioned|told\s++me)\s++(?:that\s++)?+",
    r"i(?:'ll)?\s++remember\s++(?:that\s++)?+",
    r"i(?:'ll)?\s++keep\s++that\s++in\s++mind[\s.!?:,;-]*+",
    r"noted[\s.!?:,;-]*+",
)
_LAST_WORD: Final = re.compile(r"([^\W\d_]+)[^\w]*\Z")
_OPEN: Final = frozenset(
    "if when whenever whether unless what where who how why do did does would should could can are hope wish".split()
)
"""Words before "you ..." after which nothing is stated ("if you are hungry")."""
_THEIRS: Final = {"you": "they", "your": "their", "you're": "they're"}


@dataclass(frozen=True, slots=True)
class PatternFact:
    """One fact found in words: the whole clause it stood in, and what follows its opening."""

    clause: str
    rest: str
    from_user: bool

    @property
    def content(self) -> str:
        """The sentence to remember: the clause, with "they" for "you"."""
        first, _, others = self.clause.partition(" ")
        return f"{USER_PREFIX}{_THEIRS.get(first.lower(), first)} {others}".strip()


def find_facts(user_text: str, dialogue: str) -> tuple[PatternFact, ...]:
    """Return what the user says of themselves and what her reply takes note of, in the patterns' order."""
    said = _found(_USER, user_text, from_user=True)
    noted = _found(_REPLY, dialogue, from_user=False)
    return tuple(dict.fromkeys((*said, *noted)))


def facts_of_turn(user_text: str, dialogue: str, memory: str | None) -> tuple[PatternFact, ...]:
    """Return the facts to save beside a turn's memory: at most two, or one if there is a memory.

    What the memory says already is left out.
    """
    known = (memory or "").lower()
    fresh = [fact for fact in find_facts(user_text, dialogue) if not known or fact.rest.lower() not in known]
    return tuple(fresh[: MOST_BESIDE_A_MEMORY if memory else MOST_A_TURN])


def _found(patterns: tuple[re.Pattern[str], ...], text: str, *, from_user: bool) -> Iterator[PatternFact]:
    straight = text.translate(_STRAIGHT)
    for pattern in patterns:
        for match in pattern.finditer(straight):
            rest = " ".join(match[1].split())
            if _keeps(rest, from_user) and (from_user or _stated(straight, match)):
                yield PatternFact(" ".join(match[0].split()), rest, from_user)


def _keeps(rest: str, from_user: bool) -> bool:
    length = len(rest) + (len(USER_PREFIX) if from_user else 0)
    return len(rest) >= 3 and SHORTEST_CHARACTERS <= length <= LONGEST_CHARACTERS


def _stated(text: str, match: re.Match[str]) -> bool:
    before = _LAST_WORD.search(text[max(0, match.start() - 24) : match.start()])
    return before is None or before[1].lower() not in _OPEN
