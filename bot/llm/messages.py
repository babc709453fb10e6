"""The talk as servers want it: the user first and last, and no role twice running."""

from __future__ import annotations

from collections.abc import Iterable

from engine.conversation import ChatMessage

EARLIER = "(Our talk goes on.)"
NO_MESSAGE = "(No new message from the user. Go on as the instructions above say.)"


def alternating(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with equal neighbours joined, beginning and ending with the user.

    Anthropic and the chat templates of several local models refuse anything else, and a trailing
    assistant message would be continued instead of answered.
    """
    talk: list[ChatMessage] = []
    for message in messages:
        if talk and talk[-1].role == message.role:
            talk[-1] = _joined(talk[-1], message)
        else:
            talk.append(message)
    if talk and talk[0].role == "assistant":
        talk.insert(0, ChatMessage("user", EARLIER))
    if not talk or talk[-1].role == "assistant":
        talk.append(ChatMessage("user", NO_MESSAGE))
    return talk


def _joined(first: ChatMessage, second: ChatMessage) -> ChatMessage:
    text = "\n".join(part for part in (first.text, second.text) if part)
    return ChatMessage(first.role, text, first.images + second.images)
