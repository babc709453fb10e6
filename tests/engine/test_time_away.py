from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.character import AbsenceTaken, CharacterState, MoodState, StateUpdates
from engine.time_away import settle_absence
from engine.updates import apply_updates
from tests.people import NOON, a_character

STAT = st.integers(0, 100)
CHARACTERS = st.builds(
    a_character,
    affection=st.integers(0, 1000),
    trust=STAT,
    energy=STAT,
    mood=st.builds(MoodState, st.just("happy"), STAT),
    app_mode=st.sampled_from(["companion", "dating_sim"]),
    last_interaction=st.just(NOON),
)
MINUTES = st.integers(0, 60 * 24 * 60)


def _numbers(character: CharacterState) -> tuple:
    return (
        character.affection,
        character.trust,
        character.energy,
        character.mood,
        character.absence,
        character.intimacy,
        character.comfort,
        character.respect,
    )


@given(CHARACTERS, st.lists(MINUTES, max_size=25), MINUTES)
def test_any_rhythm_of_checks_equals_one(character: CharacterState, checks: list[int], end: int):
    swept = character
    for minutes in (*sorted(minute for minute in checks if minute <= end), end):
        swept = settle_absence(swept, NOON + timedelta(minutes=minutes))
    assert _numbers(swept) == _numbers(settle_absence(character, NOON + timedelta(minutes=end)))


def test_ten_days_of_hourly_sweeps_cost_600_affection_30():
    swept = a_character(affection=600, last_interaction=NOON)
    for hour in range(1, 241):
        swept = settle_absence(swept, NOON + timedelta(hours=hour))
    assert swept.affection == 570


@given(CHARACTERS, st.lists(st.timedeltas(timedelta(days=-2), timedelta(days=400)), max_size=12))
def test_a_wild_clock_takes_no_more_than_the_caps(character: CharacterState, moves: list[timedelta]):
    swept = character
    for move in moves:
        swept = settle_absence(swept, NOON + move)
    assert 0 <= character.affection - swept.affection <= 50
    assert 0 <= character.trust - swept.trust <= 10
    if character.app_mode == "companion":
        assert (swept.affection, swept.trust) == (character.affection, character.trust)


@given(CHARACTERS, MINUTES)
def test_the_switch_leaves_recovery_only(character: CharacterState, minutes: int):
    away = settle_absence(character, NOON + timedelta(minutes=minutes), decay=False)
    assert replace(away, energy=character.energy, absence=AbsenceTaken()) == character
    assert away.energy >= character.energy


def test_each_absence_decays_anew():
    character = a_character(affection=500, last_interaction=NOON)
    for _ in range(2):
        back = character.last_interaction + timedelta(days=5)
        character = apply_updates(settle_absence(character, back), StateUpdates(), back)
    assert character.affection == 500 - 15 - 14
    assert character.mood.causes == ("missing you", "missing you")


def test_an_import_without_an_account_is_paid_for_but_recovers():
    imported = a_character(
        affection=500, energy=20, last_interaction=NOON, last_decay_at=NOON + timedelta(days=3)
    )
    swept = settle_absence(imported, NOON + timedelta(days=4))
    swept = settle_absence(swept, NOON + timedelta(days=9))
    assert (swept.affection, swept.energy, swept.mood) == (500, 100, imported.mood)


@pytest.mark.parametrize("now", [NOON, NOON - timedelta(days=9), NOON + timedelta(minutes=29)])
def test_nothing_happens_within_half_an_hour_or_on_a_clock_set_back(now: datetime):
    character = a_character(affection=500, energy=5, last_interaction=NOON)
    assert settle_absence(character, now) is character
    assert settle_absence(a_character(), now) == a_character()
