from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.streak import Streak, count_day, days_between, extend_streak, local_day
from tests.people import NOON, a_character

DAYS = st.dates(date(2020, 1, 1), date(2035, 1, 1))


@given(DAYS, st.integers(1, 40))
def test_one_talk_a_day_counts_every_day(first: date, length: int):
    streak = Streak()
    for number in range(length):
        streak = extend_streak(streak, first + timedelta(days=number))
    assert (streak.current, streak.longest) == (length, length)


@given(st.lists(DAYS, max_size=30))
def test_any_order_of_days_keeps_the_longest_and_the_latest(days: list[date]):
    streak = Streak()
    for day in days:
        after = extend_streak(streak, day)
        assert after.longest >= max(streak.longest, after.current)
        assert (after.last_date or "") >= (streak.last_date or "")
        streak = after


def test_a_talk_updates_streak_and_days_known_by_the_users_day():
    character = a_character(
        timezone="Pacific/Kiritimati", current_streak=3, longest_streak=3, streak_last_date="2026-05-01"
    )
    after = count_day(character, NOON)
    assert (after.current_streak, after.streak_last_date) == (4, "2026-05-02")
    assert count_day(after, NOON + timedelta(days=9)).days_known == 9


def test_days_known_never_fall():
    assert count_day(a_character(days_known=5), NOON).days_known == 5
    assert days_between(NOON, NOON - timedelta(days=3)) == 0


def test_local_day():
    assert local_day(NOON, "UTC") == date(2026, 5, 1)


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", "../../etc/passwd", "\0", "\ud800", "Europe"])
def test_a_day_in_a_zone_that_nobody_knows_is_utcs(zone: str):
    assert local_day(NOON, zone) == NOON.date()
