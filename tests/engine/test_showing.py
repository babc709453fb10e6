"""How she is seen after a turn: the action gate, resting poses, and when a picture is due."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from bot.lexicon import load_keywords
from engine.action_gate import ActionGate
from engine.character import StateUpdates
from engine.conversation import Face, Play, Say, Show
from engine.idle_pool import idle_pool, next_idle
from engine.showing import show
from engine.turn import Rules, Snapshot, prepare_turn, settle_turn
from tests.people import NOON, a_character

RULES = Rules(load_keywords(Path(__file__).resolve().parents[2] / "config" / "keywords"))
ACTIONS = (("greeting", "wave hello"), ("spin", "turn around once"))
IDLES = ("breathe", "sway", "look_around")
REST = Face("content", "relaxed", 0.25)
JOY = Face("happy", "happy", 0.5)


def a_snapshot(**more):
    return Snapshot(
        **{
            "character": a_character(),
            "incoming": (),
            "user_text": "hello",
            "actions": ACTIONS,
            "idles": IDLES,
            "expressions": ("happy", "relaxed"),
        }
        | more
    )


def talk(action, snapshot, after_s=0.0):
    now = NOON + timedelta(seconds=after_s)
    return settle_turn(snapshot, RULES, "Hi.", StateUpdates(action=action), now, Random("dice"))


def played(outcome):
    return [part.action for part in outcome.reply if isinstance(part, Play)]


def test_the_prompt_lists_what_she_may_play_and_asks_for_it():
    system = prepare_turn(a_snapshot(), RULES, NOON).system
    assert "<avatar>" in system
    assert "- greeting: wave hello" in system
    assert '"action": null' in system
    assert "<avatar>" not in prepare_turn(a_snapshot(actions=()), RULES, NOON).system


def test_an_action_plays_in_place_of_the_still():
    outcome = talk("greeting", a_snapshot())
    assert [type(part) for part in outcome.reply] == [Say, Play]
    assert outcome.gate == ActionGate({"greeting": NOON.timestamp()}, NOON.timestamp())


def test_without_an_action_the_gate_is_left_alone():
    outcome = talk(None, a_snapshot())
    assert played(outcome) == []
    assert outcome.gate is None


@pytest.mark.parametrize("action", ["cartwheel", "", None])
def test_an_unknown_action_is_skipped_and_a_still_is_shown(action):
    outcome = talk(action, a_snapshot())
    assert [type(part) for part in outcome.reply] == [Say, Show]


def test_the_gate_holds_from_turn_to_turn():
    first = talk("greeting", a_snapshot())
    again = a_snapshot(gate=first.gate)
    assert played(talk("greeting", again, 19.9)) == []
    assert played(talk("greeting", again, 20)) == ["greeting"]
    assert played(talk("spin", again, 7.9)) == []
    assert played(talk("spin", again, 8)) == ["spin"]


def test_photo_mode_wins():
    assert played(talk("greeting", a_snapshot(busy=True))) == []


def test_the_pool_drops_what_vanished_and_falls_back_to_all():
    assert idle_pool(("sway", "mine"), ("sway", "breathe"), IDLES) == ("sway",)
    assert idle_pool(("mine",), ("sway",), IDLES) == IDLES
    assert idle_pool((), ("sway",), IDLES) == IDLES


def test_a_pool_of_one_repeats_and_an_empty_one_gives_none():
    assert next_idle(("sway",), "sway", Random(1).random) == "sway"
    assert next_idle((), "sway", Random(1).random) is None


def test_resting_poses_never_repeat_and_all_come_up():
    draw, last, seen = Random(7).random, None, []
    for _ in range(60):
        now = next_idle(IDLES, last, draw)
        assert now != last
        seen.append(now)
        last = now
    assert set(seen) == set(IDLES)


def test_a_new_resting_face_takes_a_pose_that_the_last_did_not_have():
    last = replace(REST, pose="sway")
    for seed in range(20):
        shown = show(a_snapshot(last_face=last), JOY, NOON, Random(seed).random)
        (part,) = shown.parts
        assert part.face.pose in ("breathe", "look_around")
        assert shown.face == part.face


def test_the_same_face_is_not_shown_again_only_because_of_its_pose():
    last = replace(REST, pose="sway")
    shown = show(a_snapshot(last_face=last), REST, NOON, Random(1).random)
    assert shown.parts == ()
    assert shown.face == last


def test_a_flash_is_always_shown_in_its_own_stance_and_keeps_the_pose_in_mind():
    flash = Face("happy", "happy", 0.75, flash=True)
    shown = show(a_snapshot(last_face=replace(flash, pose="sway")), flash, NOON, Random(1).random)
    assert shown.parts == (Show(flash),)
    assert shown.face.pose == "sway"


def test_another_figure_is_another_face():
    last = replace(REST, pose="sway")
    (part,) = show(a_snapshot(last_face=last, figure="ember"), REST, NOON, Random(1).random).parts
    assert part.face.figure == "ember"
