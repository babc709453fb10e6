"""Memories that a small model copied from the examples in its instructions instead of the talk."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from engine.character import StateUpdates

EXAMPLE_MEMORIES: Final = (
    "They got a new job",
    "Their father is in hospital",
    "They work night shifts",
    "They grew up in Seattle and miss the rain",
)
"""The examples as the prompts have them."""
_EXAMPLES: Final = frozenset(example.casefold() for example in EXAMPLE_MEMORIES)
_WORD: Final = re.compile(r"\w{3,}")
_EMPTY_WORDS: Final = frozenset("they their got new and the".split())


def without_echo(updates: StateUpdates, said: str) -> StateUpdates:
    """Drop a memory that is an example of the prompt, unless the user spoke of that very thing.

    Args:
        updates: What the model suggests.
        said: The user's words in this turn.
    """
    memory = (updates.new_memory or "").strip().rstrip(".").casefold()
    if memory not in _EXAMPLES:
        return updates
    known = set(_WORD.findall(memory)) - _EMPTY_WORDS
    return updates if known & set(_WORD.findall(said.casefold())) else replace(updates, new_memory=None)
