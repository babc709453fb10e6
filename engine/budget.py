"""How much fits into a model's context window (specification, "Context Window and Memory Budget")."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

REPLY_RESERVE: Final = 500
"""Tokens kept free for her answer."""
LEAST_HISTORY: Final = 50
"""Tokens that the history may always use, however long the system text is."""
IMAGE_TOKENS: Final = 4
"""What a picture counts in the history: only its placeholder stays there."""
CHARACTERS_PER_TOKEN: Final = 4

_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0002a6df]")


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """How many recent turns and relevant facts go into a prompt.

    `remembered_turns` is what working memory hands out, at most 20.
    """

    turns: int
    facts: int
    remembered_turns: int


_SMALL: Final = MemoryBudget(turns=6, facts=3, remembered_turns=6)
_DEFAULT: Final = MemoryBudget(turns=10, facts=5, remembered_turns=10)
_LARGE: Final = MemoryBudget(turns=20, facts=10, remembered_turns=20)
_UNSCALED: Final = MemoryBudget(turns=6, facts=5, remembered_turns=10)


def memory_budget(window_tokens: int | None) -> MemoryBudget:
    """Return the budget of a context window in tokens; None or 0 means that scaling is off."""
    if not window_tokens:
        return _UNSCALED
    if window_tokens <= 4096:
        return _SMALL
    return _DEFAULT if window_tokens <= 8192 else _LARGE


def estimate_tokens(text: str) -> int:
    """Estimate tokens: one per CJK character, one per four other characters, rounded up."""
    if text.isascii():
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    cjk = len(_CJK.findall(text))
    return math.ceil(cjk + (len(text) - cjk) / CHARACTERS_PER_TOKEN)


def history_start(
    tokens: Sequence[int], window_tokens: int | None, fixed_tokens: int, question: int | None = None
) -> int:
    """Return the index from which the history is sent; what is older is dropped.

    From the newest message back, the first one that no longer fits goes with everything older. The
    newest message and the current question always stay, also over budget.

    Args:
        tokens: The estimate of each message, oldest first.
        window_tokens: The model's context window, or None for no limit.
        fixed_tokens: What the system text and the tool schemas take.
        question: Index of the message that the model is to answer, if it is not the newest.
    """
    if not window_tokens or not tokens:
        return 0
    left = max(window_tokens - fixed_tokens - REPLY_RESERVE, LEAST_HISTORY)
    newest = len(tokens) - 1
    start = newest
    left -= tokens[newest]
    while start > 0 and tokens[start - 1] <= left:
        start -= 1
        left -= tokens[start]
    return start if question is None else min(start, question)
