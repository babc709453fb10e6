"""From a reply to messages: where her picture, her loop and panels go."""

import pytest

from bot.platforms.telegram_settings import TELEGRAM_LIMITS
from bot.replies import rows_of
from engine.conversation import Choose, Face, Narrate, Notice, Panel, Play, Say, Show
from tests.people import an_address

JOY = Face("happy", "happy", 0.5)
HOME = an_address()


def rows(*reply, at_once=False, spoken=False):
    return rows_of(reply, HOME, TELEGRAM_LIMITS, lambda part: at_once, spoken=spoken)


@pytest.mark.parametrize(("part", "action"), [(Show(JOY), None), (Play("spin", JOY), "spin")])
def test_words_go_first_unless_the_picture_is_ready(part, action):
    words, picture = rows(Say("Hi."), part)
    assert (words.text, words.face, words.action) == ("Hi.", None, None)
    assert (picture.text, picture.face, picture.action) == ("", JOY, action)
    (both,) = rows(Say("Hi."), part, at_once=True)
    assert (both.text, both.face, both.action) == ("Hi.", JOY, action)


def test_words_that_are_sent_already_are_not_sent_with_the_loop():
    words, picture = rows(Say("Hi."), Play("spin", JOY), at_once=True, spoken=True)
    assert (words.face, words.position) == (None, 0)
    assert (picture.action, picture.position) == ("spin", 1)


def test_long_words_do_not_become_a_caption():
    *_, picture = rows(Say("x" * 2000), Play("spin", JOY), at_once=True)
    assert (picture.text, picture.action) == ("", "spin")


def test_panels_come_last_each_by_itself_with_its_buttons():
    told, first, second = rows(
        Notice("Look:"),
        Panel("one", (("A" * 100, "pose:a"),), JOY),
        Panel("two"),
    )
    assert told.text == "Look:"
    assert (first.text, first.face, first.kind) == ("one", JOY, "panel")
    assert [(button.label, button.data) for button in first.buttons] == [("A" * 64, "pose:a")]
    assert (second.text, second.face, second.buttons) == ("two", None, ())
    assert [row.position for row in (told, first, second)] == [0, 1, 2]


def test_a_scene_follows_words_that_are_sent_already_as_a_message_of_its_own():
    scene = (Narrate("It rains."), Say("Stay?"), Choose("s1", ("Yes", "No")))
    (sent,) = rows(Say("Hi."))
    words, told = rows(Say("Hi."), *scene, spoken=True)
    assert (words, told.position) == (sent, 1)
    assert (told.text, [button.data for button in told.buttons]) == ("*It rains.*\n\nStay?", ["s1:0", "s1:1"])
    (together,) = rows(Say("Hi."), *scene)
    assert together.text == "Hi.\n\n*It rains.*\n\nStay?"
