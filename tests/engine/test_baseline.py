import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.baseline import baseline_mood, message_impact

UNIT = st.floats(0, 1, exclude_max=True)


@given(
    sentiment=st.floats(-1, 1),
    depth=st.sampled_from(["shallow", "moderate", "deep"]),
    emotional=st.booleans(),
    question=st.booleans(),
    affection=st.integers(0, 1000),
    draws=st.lists(UNIT, min_size=2, max_size=2),
)
def test_every_message_stays_inside_the_clamps(sentiment, depth, emotional, question, affection, draws):
    impact = message_impact(sentiment, depth, emotional, question, affection, iter(draws).__next__)
    assert 0 <= impact.affection_delta <= 10
    assert 0 <= impact.trust_delta <= 5
    assert 0 <= impact.intimacy_delta <= 5
    assert -2 <= impact.comfort_delta <= 1
    assert 0 <= impact.respect_delta <= 1
    assert -4 <= impact.energy_delta <= -2


@pytest.mark.parametrize(
    ("sentiment", "emotion", "delta"),
    [(0.51, "happy", 10), (0.5, "content", 10), (0.31, "content", 6), (-0.5, "anxious", 10), (-1, "sad", 20)],
)
def test_a_clear_sentiment_sets_a_mood_with_its_cause(sentiment: float, emotion: str, delta: int):
    mood = baseline_mood(sentiment)
    assert mood is not None
    assert (mood.emotion, mood.intensity_delta) == (emotion, delta)
    assert mood.cause


@pytest.mark.parametrize("sentiment", [0.3, 0, -0.3])
def test_an_unclear_sentiment_sets_none(sentiment: float):
    assert baseline_mood(sentiment) is None
