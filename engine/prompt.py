"""Building one request to a model: the system text of all layers, and the talk."""

from __future__ import annotations

from typing import Final

from engine.budget import IMAGE_TOKENS, estimate_tokens, history_start, memory_budget
from engine.conversation import ChatMessage, HistoryTurn, Prompt, Role, Subject
from engine.layers import defuse
from engine.prompt_character import character_layer, system_layer
from engine.prompt_inputs import NextReminder, PromptInputs
from engine.prompt_instructions import instructions_layer
from engine.prompt_memory import avatar_layer, being_shown_layer, event_layer, memory_layer
from engine.prompt_state import state_layer

__all__ = ["NextReminder", "PromptInputs", "build_prompt", "system_text"]

MAX_USER_CHARACTERS: Final = 8_000
_NO_WORDS: Final = "(shows a picture without words)"
_MACHINE_TURN: Final = "(No message from the user: see the event layer.)"
_EARLIER: Final = "(earlier messages are left out)"


def build_prompt(inputs: PromptInputs) -> Prompt:
    """Build the request of one turn (specification, "Prompt Architecture").

    What changes least stands first: rules and character, then the state with the clock, so that a
    provider can reuse the beginning. The talk is cut to the budget and the context window; the newest
    message always stays. Roles alternate and the user begins, as many chat templates demand.
    """
    system = system_text(inputs)
    return Prompt(system=system, messages=_messages(inputs, system), subject=_subject(inputs))


def system_text(inputs: PromptInputs) -> str:
    """Return all layers, in the specification's order."""
    layers = (
        system_layer(inputs),
        character_layer(inputs),
        state_layer(inputs),
        memory_layer(inputs),
        being_shown_layer(inputs),
        event_layer(inputs),
        avatar_layer(inputs),
        instructions_layer(inputs),
    )
    return "\n\n".join(text for text in layers if text)


def _messages(inputs: PromptInputs, system: str) -> tuple[ChatMessage, ...]:
    turns = inputs.history[-memory_budget(inputs.window_tokens).remembered_turns :]
    earlier = [ChatMessage(turn.role, _told(turn)) for turn in turns]
    newest = ChatMessage("user", _newest(inputs), inputs.images)
    tokens = [estimate_tokens(message.text) for message in earlier]
    tokens.append(estimate_tokens(newest.text) + IMAGE_TOKENS * len(inputs.images))
    start = history_start(tokens, inputs.window_tokens, estimate_tokens(system))
    return _alternating([*earlier[start:], newest])


def _told(turn: HistoryTurn) -> str:
    return defuse(turn.content, fences=turn.role == "user")


def _newest(inputs: PromptInputs) -> str:
    text = defuse(inputs.user_text.strip()[:MAX_USER_CHARACTERS])
    if text:
        return text
    return _NO_WORDS if inputs.images or inputs.shown_pictures else _MACHINE_TURN


def _alternating(messages: list[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Join neighbours of one role and let the user begin; empty messages vanish."""
    joined: list[ChatMessage] = []
    for message in messages:
        if not message.text:
            continue
        last_role: Role = joined[-1].role if joined else "user"
        if not joined and message.role == "assistant":
            joined.append(ChatMessage("user", _EARLIER))
        if joined and last_role == message.role:
            before = joined.pop()
            message = ChatMessage(
                message.role, f"{before.text}\n\n{message.text}", (*before.images, *message.images)
            )
        joined.append(message)
    return tuple(joined)


def _subject(inputs: PromptInputs) -> Subject:
    state = inputs.state
    return Subject(
        name=inputs.name,
        emotion=state.mood.primary,
        intensity=state.mood.intensity,
        energy=state.energy,
        stage=inputs.stage,
        app_mode=state.app_mode,
        language=inputs.language,
        total_interactions=state.total_interactions,
        facts=tuple(fact.content for fact in inputs.facts[: memory_budget(inputs.window_tokens).facts]),
        first_words=state.total_interactions == 0,
    )
