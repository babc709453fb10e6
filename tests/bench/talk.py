"""What is said while it is measured: an ordinary talk, of ordinary length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.character import CharacterState
from engine.conversation import Address, Fact, HistoryTurn, Incoming
from engine.turn import Snapshot

NOW = datetime(2026, 6, 15, 18, 30, tzinfo=UTC)
SAID = (
    "I had such a good day today! We finally went hiking up to the lake, and I really love how quiet it is "
    "there. I was a bit worried about the weather, but it wasn't bad at all :) What do you think, should we "
    "tell my sister about the old boat, or keep it our secret? I feel like she'd want to come next time."
)
"""About 300 characters, as the figures beside ours were measured on."""
WORDS = (
    "Oh, that sounds wonderful, I can almost see it: the lake without a single wave, and the two of you out of "
    "breath and laughing. *smiles and leans closer* I'm glad the sky stayed kind to you. Tell me about the "
    "boat, is it the one with the peeling blue paint? "
)
BLOCK = """
```json
{"mood_change": {"emotion": "happy", "intensity_delta": 10, "cause": "the lake"}, "affection_delta": 3,
 "trust_delta": 2, "intimacy_delta": 1, "comfort_delta": 2, "respect_delta": 1,
 "new_memory": "They found an old boat at the lake", "expression": "happy"}
```"""
REPLY = (WORDS * 6)[: 1500 - len(BLOCK)] + BLOCK
"""A whole reply of 1,500 characters as a model writes it."""
FACTS = 60


def a_character(**more: object) -> CharacterState:
    known = {"first_met": NOW - timedelta(days=40), "created_at": NOW, "updated_at": NOW}
    grown = {"affection": 320, "trust": 40, "total_interactions": 210, "days_known": 40, "current_streak": 6}
    seen = {"last_interaction": NOW - timedelta(hours=3), "relationship_stage": "friend"}
    return CharacterState(**(known | grown | seen | more))


def a_message(address: Address, key: str, text: str = SAID) -> Incoming:
    return Incoming("message", key, address, text, datetime.now(UTC), display_name="Anna", language="en")


def a_history() -> tuple[HistoryTurn, ...]:
    return tuple(
        HistoryTurn("user" if number % 2 == 0 else "assistant", SAID if number % 2 == 0 else WORDS, NOW)
        for number in range(20)
    )


def the_facts() -> tuple[Fact, ...]:
    about = ("a sister called Mia", "long walks at the lake", "a cat that hates rain", "a job at the library")
    return tuple(
        Fact(number, f"They told about {about[number % 4]} ({number})", "user", 50, NOW)
        for number in range(FACTS)
    )


def a_snapshot() -> Snapshot:
    here = Address("telegram", "1", "1")
    return Snapshot(
        character=a_character(),
        incoming=(a_message(here, "1"),),
        history=a_history(),
        facts=the_facts(),
        expressions=("happy", "sad", "angry", "surprised", "relaxed"),
        session_started_at=NOW - timedelta(hours=3),
        user_text=SAID,
        user_name="Anna",
    )
