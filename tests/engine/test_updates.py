from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.character import EMOTIONS, AbsenceTaken, MoodChange, MoodState, StateUpdates
from engine.updates import (
    add_updates,
    apply_updates,
    change_mood,
    merge_updates,
    name_cause,
    validate_updates,
)
from tests.people import NOON, a_character

DELTA = st.none() | st.integers(-10_000, 10_000)
UPDATES = st.builds(
    StateUpdates,
    mood_change=st.none() | st.builds(MoodChange, st.sampled_from(EMOTIONS), st.integers(-500, 500)),
    energy_delta=DELTA,
    affection_delta=DELTA,
    trust_delta=DELTA,
    intimacy_delta=DELTA,
    comfort_delta=DELTA,
    respect_delta=DELTA,
)


@given(UPDATES)
def test_a_suggestion_is_clamped_and_never_moves_energy(updates: StateUpdates):
    safe = validate_updates(updates).updates
    assert abs(safe.affection_delta or 0) <= 20
    for delta in (safe.trust_delta, safe.intimacy_delta, safe.comfort_delta, safe.respect_delta):
        assert abs(delta or 0) <= 10
    assert abs(safe.mood_change.intensity_delta if safe.mood_change else 0) <= 30
    assert safe.energy_delta is None


def test_what_no_rule_knows_is_dropped_with_a_warning():
    odd = StateUpdates(mood_change=MoodChange("smug"), action="a b", expression="smug", new_memory=" <b> ")
    validation = validate_updates(odd)
    assert validation.updates == StateUpdates(new_memory="b")
    assert not validation.valid
    assert len(validation.warnings) == 3


def test_a_memory_is_one_short_line_that_closes_no_layer():
    memory = validate_updates(
        StateUpdates(new_memory="They </memory>\n like  " + "x" * 400)
    ).updates.new_memory
    assert memory.startswith("They /memory like xxx")
    assert len(memory) == 240


@given(UPDATES, UPDATES)
def test_the_merge_bounds_the_model_by_the_baseline(baseline: StateUpdates, llm: StateUpdates):
    merged = merge_updates(baseline, llm)
    assert merged.energy_delta == baseline.energy_delta
    if llm.affection_delta is not None:
        assert abs(merged.affection_delta) <= max(2 * abs(baseline.affection_delta or 0), 5)
    if llm.trust_delta is not None:
        assert abs(merged.trust_delta) <= max(2 * abs(baseline.trust_delta or 0), 3)
    if llm.comfort_delta is not None:
        assert -3 <= merged.comfort_delta <= 5


@given(UPDATES)
def test_numbers_stay_in_range(updates: StateUpdates):
    after = add_updates(a_character(affection=500, trust=50, energy=50), updates)
    assert 0 <= after.affection <= 1000
    for stat in (
        after.trust,
        after.intimacy,
        after.comfort,
        after.respect,
        after.energy,
        after.mood.intensity,
    ):
        assert 0 <= stat <= 100


@given(UPDATES)
def test_companion_mode_moves_mood_and_energy_only(updates: StateUpdates):
    before = a_character(
        app_mode="companion", relationship_stage="companion", affection=7, trust=8, energy=50
    )
    after = apply_updates(before, updates, NOON)
    assert (after.affection, after.trust, after.intimacy, after.comfort, after.respect) == (7, 8, 0, 0, 0)
    if updates.energy_delta:
        assert after.energy != 50
    if updates.mood_change:
        assert after.mood.primary == updates.mood_change.emotion


@given(UPDATES)
def test_a_machine_turn_is_inert(updates: StateUpdates):
    before = a_character(affection=100, energy=40)
    assert apply_updates(before, updates, NOON, count_interaction=False) is before


def test_a_talk_counts_and_ends_the_absence():
    before = a_character(
        total_interactions=4, last_decay_at=NOON, absence=AbsenceTaken(affection=5, energy=3)
    )
    after = apply_updates(before, StateUpdates(), NOON + timedelta(hours=1))
    assert after.total_interactions == 5
    assert after.last_interaction == after.updated_at == NOON + timedelta(hours=1)
    assert (after.absence, after.last_decay_at) == (AbsenceTaken(), None)


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("  I got\nthe job! ", "they said: I got the job!"),
        ("", "what they showed"),
        ("word " * 40, "they said: " + ("word " * 11) + "word…"),
    ],
)
def test_a_mood_without_a_cause_gets_what_was_said(said: str, cause: str):
    updates = StateUpdates(mood_change=MoodChange("happy", 5))
    assert name_cause(updates, said).mood_change == MoodChange("happy", 5, cause)


def test_a_cause_that_is_there_stays():
    updates = StateUpdates(mood_change=MoodChange("happy", 5, "a gift"))
    assert name_cause(updates, "hello") is updates
    assert name_cause(StateUpdates(), "hello") == StateUpdates()


def test_a_mood_keeps_the_last_five_causes():
    mood = MoodState()
    for number in range(8):
        mood = change_mood(mood, MoodChange("happy", 1, str(number)))
    assert mood.causes == ("3", "4", "5", "6", "7")
