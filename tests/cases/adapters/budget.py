"""The tables about tokens and truncation."""

from __future__ import annotations

from collections.abc import Callable

from engine.budget import IMAGE_TOKENS, estimate_tokens, history_start, memory_budget


def _budget(args: dict) -> object:
    budget = memory_budget(args.get("contextSize"))
    return {"workingMemoryTurns": budget.turns, "relevantFacts": budget.facts}


def _tokens(content: object) -> int:
    """Estimate a text, its short form (`["u", 400]`), or a picture."""
    if isinstance(content, dict):
        return IMAGE_TOKENS
    if isinstance(content, list):
        return estimate_tokens(content[0] * content[1])
    return estimate_tokens(str(content))


def _kept(messages: list[dict], window: int, fixed: int, question: int | None) -> list[int]:
    if question is None:
        users = [index for index, message in enumerate(messages) if message["role"] == "user"]
        question = users[-1] if users else None
    tokens = [_tokens(message["content"]) for message in messages]
    return list(range(history_start(tokens, window, fixed, question), len(messages)))


def _truncate_messages(args: dict) -> object:
    messages = args["messages"]
    leading = 0
    while leading < len(messages) and messages[leading]["role"] == "system":
        leading += 1
    fixed = _tokens(messages[0]["content"]) if leading else 0
    question = args.get("currentQuestionIndex")
    kept = _kept(
        messages[leading:], args["contextSize"], fixed, None if question is None else question - leading
    )
    return [*range(leading), *(index + leading for index in kept)]


def _truncate_history(args: dict) -> object:
    fixed = _tokens(args["system"]) + _tokens(args.get("extra", ""))
    return _kept(args["messages"], args["contextSize"], fixed, args.get("currentQuestionIndex"))


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "getMemoryBudget": _budget,
    "estimateTokens": lambda args: estimate_tokens(args["text"]),
    "truncateMessages": _truncate_messages,
    "truncateChatHistory": _truncate_history,
}
