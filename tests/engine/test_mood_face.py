import pytest

from engine.character import EMOTIONS, MoodState
from engine.conversation import Face
from engine.mood_face import face_for

VRM1 = ("happy", "angry", "sad", "relaxed", "surprised", "blink")


@pytest.mark.parametrize("emotion", EMOTIONS)
@pytest.mark.parametrize("intensity", [0, 1, 37, 100])
def test_weights_are_eighths(emotion: str, intensity: int):
    face = face_for(MoodState(emotion, intensity), None, VRM1)
    assert (face.weight * 8).is_integer()
    assert (face.expression is None) == (face.weight == 0)
    assert face.emotion == emotion
    assert not face.flash


def test_a_flash_wins_over_the_resting_face():
    mood = MoodState("sad", 100)
    assert face_for(mood, "excited", VRM1) == Face("excited", "happy", 0.875, flash=True)


@pytest.mark.parametrize("expression", ["neutral", "curious", None])
def test_without_a_flash_that_shows_the_mood_rests(expression: str | None):
    assert face_for(MoodState("happy", 100), expression, ("Joy",)) == Face("happy", "Joy", 0.625)


def test_a_figure_without_expressions_rests():
    assert face_for(MoodState("happy", 100), "happy", ()) == Face("happy")
