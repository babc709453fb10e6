from datetime import timedelta

import pytest

from engine.character import MoodState
from engine.events import (
    EventBook,
    EventCondition,
    EventContext,
    EventDefinition,
    EventRecord,
    check_event,
    due_events,
    event_to_open,
    is_known_condition,
    time_of_day,
)
from tests.people import NOON, a_character


def an_event(event_id: str = "e", **more: object) -> EventDefinition:
    return EventDefinition(**({"id": event_id, "name": "E", "type": "conditional", "priority": 10} | more))


def a_context(**more: object) -> EventContext:
    return EventContext(
        **({"character": a_character(), "now": NOON, "draw": lambda: 0.5} | more),
    )


def _fires(kind: str, value: object, **more: object) -> bool:
    return check_event(an_event(conditions=(EventCondition(kind, value),)), a_context(**more)).triggered


@pytest.mark.parametrize(("hours", "due"), [(47.9, False), (48, True), (500, True)])
def test_an_absence_is_counted_from_the_talk_before_this_one(hours: float, due: bool):
    talked_now = a_character(last_interaction=NOON)
    before = NOON - timedelta(hours=hours)
    kind = "hours_since_last_interaction_min"
    assert _fires(kind, 48, character=talked_now, previous_talk=before) is due
    assert not _fires(kind, 48, character=talked_now, previous_talk=None)


@pytest.mark.parametrize(
    ("message", "due"),
    [("I play the Piano", True), ("pianos!", True), ("a fortepiano", False), ("", False)],
)
def test_a_keyword_is_a_word(message: str, due: bool):
    assert _fires("keyword_mentioned", "piano", message=message) is due


def test_time_and_day_are_the_users_own():
    tokyo = a_character(timezone="Asia/Tokyo")
    assert _fires("time_of_day", "night", character=tokyo)
    assert _fires("day_of_week", 5)
    assert [time_of_day(hour) for hour in (4, 5, 12, 17, 21)] == [
        "night",
        "morning",
        "afternoon",
        "evening",
        "night",
    ]


def test_mood_conditions():
    happy = a_character(mood=MoodState("happy", 60))
    assert _fires("mood_is", "happy", character=happy)
    assert _fires("mood_intensity_min", 60, character=happy)
    assert not _fires("mood_intensity_min", 61, character=happy)


def test_every_condition_is_looked_at_and_draws():
    draws = iter([0.9, 0.1]).__next__
    event = an_event(
        conditions=(
            EventCondition("random_chance", 0.5),
            EventCondition("min_trust", 5),
            EventCondition("random_chance", 0.5),
        )
    )
    assert check_event(event, a_context(draw=draws)).failed == ("random_chance", "min_trust")


def test_a_one_time_event_is_blocked_by_list_or_record():
    event = an_event(one_time=True)
    assert not check_event(event, a_context(character=a_character(completed_events=("e",)))).triggered
    assert not check_event(
        event, a_context(records=(EventRecord("e", NOON - timedelta(days=900)),))
    ).triggered
    assert check_event(event, a_context(records=(EventRecord("other", NOON),))).triggered


def test_a_repeatable_event_waits_after_its_newest_record():
    event = an_event(cooldown_days=2)
    old, new = EventRecord("e", NOON - timedelta(days=9)), EventRecord("e", NOON - timedelta(hours=47))
    assert not check_event(event, a_context(records=(new, old))).triggered
    assert check_event(event, a_context(records=(old,))).triggered
    assert check_event(event, a_context(records=(new,), now=NOON + timedelta(hours=1))).triggered


def test_the_highest_priority_comes_first_and_ties_keep_the_order():
    pool = (an_event("a"), an_event("b", priority=20), an_event("c", priority=20))
    assert [event.id for event in due_events(pool, a_context())] == ["b", "c", "a"]


def test_no_event_in_companion_mode_and_no_romance_without_the_statement():
    companion = a_character(app_mode="companion", relationship_stage="companion")
    assert due_events([an_event()], a_context(character=companion)) == ()
    assert due_events([an_event(romantic=True)], a_context(romance=False)) == ()
    assert due_events([an_event(romantic=True)], a_context(romance=True)) != ()


@pytest.mark.parametrize(
    ("kind", "value", "known"),
    [
        ("min_trust", 5, True),
        ("min_trust", "5", False),
        ("min_trust", 500, False),
        ("min_affection", 500, True),
        ("min_comfort", -1, False),
        ("random_chance", 1.5, False),
        ("day_of_week", 7, False),
        ("mood_is", "happy", True),
        ("mood_is", "smug", False),
        ("relationship_stage_min", "mate", False),
        ("event_completed", "anything", True),
        ("event_completed", 3, False),
        ("time_of_day", "noon", False),
        ("moon_phase", 1, False),
    ],
)
def test_known_conditions(kind: str, value: object, known: bool):
    assert is_known_condition(EventCondition(kind, value)) is known


def test_an_unknown_condition_fails():
    assert check_event(an_event(conditions=(EventCondition("moon_phase", 1),)), a_context()).failed == (
        "moon_phase",
    )


def test_a_demotion_opens_the_strain_event_unless_it_has_just_been():
    book = EventBook((an_event("a"), an_event("b", priority=99)), an_event("strain", cooldown_days=1))
    assert event_to_open(book, a_context(), strained=True) is book.strain
    again = a_context(records=(EventRecord("strain", NOON - timedelta(hours=3)),))
    assert event_to_open(book, again, strained=True) is book.pool[1]
    assert event_to_open(book, a_context(), strained=False) is book.pool[1]
    companion = a_character(app_mode="companion", relationship_stage="companion")
    assert event_to_open(book, a_context(character=companion), strained=True) is None
    assert event_to_open(EventBook((), book.strain), a_context(), strained=False) is None
