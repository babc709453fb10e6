from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.character import DailyGains, StateUpdates
from engine.daily_caps import DailyCaps, cap_daily_gains
from engine.updates import add_updates
from tests.people import a_character

DAY = date(2026, 5, 1)
CAPS = DailyCaps()


def _after(character, updates, today=DAY):
    limited, gains = cap_daily_gains(character, updates, CAPS, today)
    return replace(add_updates(character, limited), gains=gains)


@given(st.lists(st.integers(-20, 20), max_size=60))
def test_talk_never_adds_more_than_the_cap_on_one_day(deltas: list[int]):
    character = a_character(affection=300, trust=30)
    gained = 0
    for delta in deltas:
        after = _after(character, StateUpdates(affection_delta=delta, trust_delta=delta))
        gained += max(0, after.affection - character.affection)
        character = after
    assert gained <= 60
    assert character.gains.trust <= 15


def test_a_new_day_opens_a_new_account():
    character = a_character(affection=10, gains=DailyGains(DAY.isoformat(), affection=60))
    assert _after(character, StateUpdates(affection_delta=9)).affection == 10
    tomorrow = _after(character, StateUpdates(affection_delta=9), DAY + timedelta(days=1))
    assert (tomorrow.affection, tomorrow.gains.affection) == (19, 9)


def test_a_clock_or_zone_set_back_opens_none():
    character = a_character(gains=DailyGains(DAY.isoformat(), trust=15))
    yesterday = _after(character, StateUpdates(trust_delta=3), DAY - timedelta(days=1))
    assert (yesterday.trust, yesterday.gains) == (0, character.gains)


def test_losses_and_silence_pass():
    character = a_character(affection=50, gains=DailyGains(DAY.isoformat(), affection=60))
    limited, gains = cap_daily_gains(character, StateUpdates(affection_delta=-9), CAPS, DAY)
    assert limited == StateUpdates(affection_delta=-9)
    assert gains == character.gains


def test_only_what_raises_a_stat_counts():
    full = a_character(affection=998)
    assert _after(full, StateUpdates(affection_delta=10)).gains.affection == 2


def test_companion_mode_gains_nothing():
    companion = a_character(app_mode="companion", relationship_stage="companion")
    assert _after(companion, StateUpdates(affection_delta=10)).gains == DailyGains(DAY.isoformat())
