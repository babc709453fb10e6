"""Builders for tests of the store and the queue: somebody writes, she answers."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.store.outgoing import OutgoingRow
from engine.character import CharacterState
from engine.conversation import Address, HistoryTurn, Incoming, Say
from engine.turn import Outcome

NOON = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)


def a_character(**more: object) -> CharacterState:
    return CharacterState(**({"first_met": NOON, "created_at": NOON, "updated_at": NOON} | more))


def an_address(
    account: str = "1", chat: str | None = None, platform: str = "telegram", **more: object
) -> Address:
    return Address(platform, account, chat or account, **more)


def a_message(key: str, text: str = "hello", address: Address | None = None, **more: object) -> Incoming:
    return Incoming(
        **(
            {"kind": "message", "key": key, "address": address or an_address(), "text": text, "sent_at": NOON}
            | more
        )
    )


def an_outcome(character: CharacterState, said: str, reply: str, **more: object) -> Outcome:
    sides = (HistoryTurn("user", said, NOON), HistoryTurn("assistant", reply, NOON))
    return Outcome(**({"character": character, "turns": sides, "reply": (Say(reply),), "face": None} | more))


def a_row(position: int = 0, text: str = "hi", address: Address | None = None, **more: object) -> OutgoingRow:
    return OutgoingRow(address or an_address(), position, text, **more)
