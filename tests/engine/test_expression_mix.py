from hypothesis import given
from hypothesis import strategies as st

from engine.expression_mix import Blink, Flash, Frame, Mix, compose
from engine.mood_face import ExpressionTarget

HAPPY, SAD = ExpressionTarget("happy", 0.6), ExpressionTarget("sad", 0.6)
TARGETS = st.none() | st.builds(ExpressionTarget, st.sampled_from(["happy", "sad"]), st.floats(0, 1))
FRAMES = st.lists(
    st.builds(Frame, st.floats(0.001, 0.5), TARGETS, st.booleans(), st.booleans(), st.booleans()), max_size=60
)


def _half() -> float:
    return 0.5


@given(FRAMES, TARGETS)
def test_weights_stay_between_0_and_1(frames: list[Frame], flash: ExpressionTarget | None):
    mix = Mix(flash=Flash(flash) if flash else None)
    for frame in frames:
        face, mix = compose(mix, frame, _half)
        assert all(0 <= weight <= 1 for weight in face.values())


def test_the_old_face_goes_before_the_new_one_comes():
    mix, seen = Mix(HAPPY), []
    for _ in range(100):
        face, mix = compose(mix, Frame(0.1, SAD), _half)
        seen.append({name for name, weight in face.items() if weight > 0})
    assert {"happy", "sad"} not in [seen_names & {"happy", "sad"} for seen_names in seen]
    assert "sad" in seen[-1]


def test_a_flash_ends_and_is_set_to_nothing_once():
    mix, faces = Mix(flash=Flash(HAPPY)), []
    for _ in range(40):
        face, mix = compose(mix, Frame(0.1), _half)
        faces.append(face.get("happy"))
    assert faces.count(0.0) == 1
    assert faces[-1] is None
    assert max(weight for weight in faces if weight) == 0.6


def test_photo_mode_ends_a_flash():
    face, mix = compose(Mix(flash=Flash(HAPPY, 1.0)), Frame(0.1, photo_mode=True), _half)
    assert (face, mix.flash) == ({"happy": 0.0}, None)


def test_eyes_close_and_open_and_wait_again():
    mix, closed = Mix(blink=Blink(next_s=2.0)), 0
    for _ in range(260):
        face, mix = compose(mix, Frame(0.01), _half)
        closed += face.get("blink", 0.0) > 0
    assert 10 <= closed <= 13
    assert mix.blink.next_s == 4.0


def test_an_emote_stops_the_blinking():
    blink = Blink(timer_s=1.9, next_s=2.0)
    _, mix = compose(Mix(blink=blink), Frame(0.5, emote_playing=True), _half)
    assert mix.blink == blink
