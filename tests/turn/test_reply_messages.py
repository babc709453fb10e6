"""How a reply becomes messages: notices apart, narration with her words, the picture where it fits."""

from dataclasses import replace

import pytest

from bot.platforms.on_terminal import LIMITS
from bot.replies import ASIDE_POSITION, aside, rows_of
from engine.conversation import Address, Choose, Face, Narrate, Notice, Say, Show

HERE = Address("terminal", "me", "me")
HAPPY = Face("happy", "happy", 0.5)
SMALL = replace(LIMITS, text=200, caption=100)


def never(face):
    return False


def always(face):
    return True


def test_a_notice_stands_alone_before_her_words():
    rows = rows_of((Notice("app"), Say("hello")), HERE, LIMITS, never)
    assert [(row.text, row.kind) for row in rows] == [("app", "notice"), ("hello", "reply")]


def test_a_scene_joins_her_reply_in_one_message():
    rows = rows_of((Say("Hi."), Narrate("It *rains*.\n\nStill."), Say("Look.")), HERE, LIMITS, never)
    assert [row.text for row in rows] == ["Hi.\n\n*It rains.*\n\n*Still.*\n\nLook."]


def test_a_ready_picture_goes_with_the_words_and_any_other_follows_them():
    with_words = rows_of((Say("Hi."), Show(HAPPY)), HERE, LIMITS, always)
    assert [(row.text, row.face) for row in with_words] == [("Hi.", HAPPY)]
    after = rows_of((Say("Hi."), Show(HAPPY)), HERE, LIMITS, never)
    assert [(row.text, row.face) for row in after] == [("Hi.", None), ("", HAPPY)]


def test_words_longer_than_a_caption_go_first():
    rows = rows_of((Say("word " * 30), Show(HAPPY)), HERE, SMALL, always)
    assert [row.face for row in rows] == [None, HAPPY]


def test_what_was_spoken_already_keeps_its_place():
    spoken = rows_of((Notice("app"), Say("Hi.")), HERE, LIMITS, always)
    settled = rows_of((Notice("app"), Say("Hi."), Show(HAPPY)), HERE, LIMITS, always, spoken=True)
    assert settled[:2] == spoken
    assert [row.position for row in settled] == [0, 1, 2]


def test_buttons_stand_under_the_last_words():
    rows = rows_of((Say("Well?"), Choose("s1f", ("Yes", "Later"))), HERE, LIMITS, never)
    assert [(b.label, b.data) for b in rows[-1].buttons] == [("Yes", "s1f:0"), ("Later", "s1f:1")]
    assert max(len(b.data.encode()) for b in rows[-1].buttons) <= 64


@pytest.mark.parametrize("length", [200, 201, 1999])
def test_nothing_is_lost_in_long_words(length):
    words = " ".join(f"w{number}" for number in range(length))
    rows = rows_of((Say(words),), HERE, SMALL, never)
    assert " ".join(row.text for row in rows).split() == words.split()
    assert all(len(row.text) <= SMALL.text for row in rows)


def test_a_reply_of_nothing_is_no_message():
    assert rows_of((Say("  \n "),), HERE, LIMITS, never) == ()


def test_an_aside_never_meets_a_reply():
    assert aside("wait", HERE, 1).position == ASIDE_POSITION + 1


def test_a_joined_notice_is_a_quotation_above_her_words():
    rows = rows_of(
        (Notice("She is an AI.\nTruly.", joined=True), Say("Hi."), Show(HAPPY)), HERE, LIMITS, never
    )
    assert [row.text for row in rows] == ["> She is an AI.\n> Truly.\n\nHi.", ""]
