"""The turn as a pure function: the order of the rules, what is kept, what must not happen."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from bot.event_files import load_events
from bot.lexicon import load_keywords
from engine.character import MoodChange, StateUpdates
from engine.conversation import Choose, Fact, HistoryTurn, Narrate, Say, Show
from engine.turn import Rules, Snapshot, arrive, prepare_turn, settle_choice, settle_turn
from engine.undo import put_back
from tests.people import NOON, a_character

CONFIG = Path(__file__).resolve().parents[2] / "config"
RULES = Rules(load_keywords(CONFIG / "keywords"))
STORY = replace(RULES, book=load_events(CONFIG / "events"))
LATER = NOON + timedelta(hours=1)
USUAL = ("first_conversation", "first_long_conversation", "one_week_anniversary")
DEEP = ("first_deep_conversation", "shared_vulnerability")
FACES = ("happy", "angry", "sad", "relaxed", "surprised")


def a_snapshot(text="hello", **more):
    character = more.pop("character", a_character())
    return Snapshot(
        **{
            "character": character,
            "incoming": (),
            "user_text": text,
            "expressions": FACES,
            "scene_token": "s1",
        }
        | more
    )


def talk(text="hello", suggestion=None, rules=RULES, dialogue="Hi.", now=LATER, **more):
    return settle_turn(a_snapshot(text, **more), rules, dialogue, suggestion, now, Random("dice"))


def test_a_turn_counts_once_and_starts_the_away_clock():
    after = talk().character
    assert (after.total_interactions, after.last_interaction, after.current_streak) == (1, LATER, 1)


def test_the_same_turn_settles_the_same_twice():
    assert talk("I love hiking, it was great!", rules=STORY) == talk(
        "I love hiking, it was great!", rules=STORY
    )


def test_the_model_is_bounded_by_the_baseline():
    after = talk("ok", StateUpdates(affection_delta=20, trust_delta=10, respect_delta=10)).character
    assert after.affection <= 5
    assert after.trust <= 3
    assert after.respect <= 5


def test_a_day_of_grinding_stays_under_the_caps():
    character = a_character()
    for minute in range(200):
        outcome = talk(
            "You are great! Why do you think so? I love that, honestly.",
            StateUpdates(affection_delta=20, trust_delta=10, intimacy_delta=10, comfort_delta=10),
            character=character,
            now=NOON + timedelta(minutes=minute),
        )
        character = outcome.character
    assert character.affection == RULES.caps.affection
    assert {character.trust, character.intimacy, character.comfort} == {RULES.caps.trust}


def test_every_mood_change_has_a_cause():
    after = talk("my cat ran away", StateUpdates(mood_change=MoodChange("sad", 10))).character
    assert after.mood.primary == "sad"
    assert after.mood.causes[-1] == "they said: my cat ran away"


def test_a_non_latin_message_lets_the_models_deltas_count():
    after = talk("今日はとても楽しかったよ、ありがとう", StateUpdates(affection_delta=18)).character
    assert after.affection == 18


def test_companion_mode_freezes_the_relationship():
    character = a_character(app_mode="companion", relationship_stage="companion", affection=300, trust=40)
    after = talk(
        "I love you!",
        StateUpdates(affection_delta=20, mood_change=MoodChange("happy", 5)),
        character=character,
    ).character
    assert (after.affection, after.trust, after.relationship_stage) == (300, 40, "companion")
    assert after.mood.primary == "happy"
    assert after.energy < 100


def test_the_models_memory_becomes_a_fact_once():
    known = Fact(7, "They love hiking", "user", 60, NOON)
    fresh = talk("I go hiking", StateUpdates(new_memory="They love hiking"))
    again = talk("I go hiking", StateUpdates(new_memory="they  LOVE hiking"), facts=(known,))
    assert fresh.facts[0].content == "They love hiking"
    assert not again.facts
    assert 7 in again.touched_facts


def test_her_own_words_are_no_evidence_about_the_user():
    outcome = talk("hm", dialogue="You mentioned that you are a pilot. I'll remember that you love planes.")
    assert outcome.facts == ()


def test_a_face_is_shown_when_it_changes_and_not_again():
    first = talk("I am so happy today, great!")
    assert any(isinstance(part, Show) for part in first.reply)
    second = talk("ok", character=first.character, last_face=first.face)
    assert second.face == first.face
    assert not any(isinstance(part, Show) for part in second.reply)


def test_a_flash_is_shown_every_time():
    suggestion = StateUpdates(expression="flustered")
    first = talk("hm", suggestion)
    again = talk("hm", suggestion, character=first.character, last_face=first.face)
    assert first.face.flash
    assert any(isinstance(part, Show) for part in again.reply)


def test_the_first_talk_opens_the_first_event_inside_the_reply():
    outcome = talk(rules=STORY)
    kinds = [type(part) for part in outcome.reply]
    assert kinds[:3] == [Say, Narrate, Say]
    assert outcome.character.affection >= 10
    assert "first_conversation" in outcome.character.completed_events
    assert [record.event_id for record in outcome.records] == ["first_conversation"]


def test_no_event_opens_where_others_read_along():
    assert talk(rules=STORY, private=False).records == ()


def test_missing_you_fires_on_the_first_turn_after_an_absence():
    away = a_character(
        relationship_stage="dating",
        affection=700,
        trust=95,
        intimacy=60,
        comfort=80,
        days_known=40,
        total_interactions=100,
        completed_events=(*USUAL, *DEEP, "one_month_anniversary", "confession_accepted", "first_i_love_you"),
        last_interaction=NOON - timedelta(days=4),
        first_met=NOON - timedelta(days=40),
    )
    outcome = talk("I'm back", rules=STORY, character=away, now=NOON, adult=True)
    assert [record.event_id for record in outcome.records] == ["romantic_missed_you"]


def close_to_a_talk():
    return a_character(
        affection=500,
        trust=80,
        intimacy=40,
        comfort=60,
        relationship_stage="romantic_interest",
        days_known=20,
        total_interactions=80,
        first_met=NOON - timedelta(days=20),
        last_interaction=NOON - timedelta(minutes=5),
        completed_events=(*USUAL, *DEEP),
    )


def test_a_scene_with_choices_waits_and_its_choice_counts():
    opened = talk("hello you", rules=STORY, character=close_to_a_talk(), adult=True)
    assert opened.opened is not None
    assert opened.opened.event_id == "confession_event"
    assert isinstance(
        opened.reply[-1] if not isinstance(opened.reply[-1], Show) else opened.reply[-2], Choose
    )
    assert opened.records == ()
    waiting = a_snapshot("", character=opened.character, open_scene=opened.opened, adult=True)
    chosen = settle_choice(waiting, STORY, 0, LATER)
    assert "confession_accepted" in chosen.character.completed_events
    assert chosen.character.relationship_stage == "dating"
    assert chosen.character.total_interactions == opened.character.total_interactions
    assert chosen.closed == opened.opened.token


def test_without_the_statement_nothing_romantic_comes():
    outcome = talk("hello you", rules=STORY, character=close_to_a_talk(), adult=None)
    assert outcome.opened is None


def test_nothing_rises_above_close_friend_without_the_statement():
    ready = replace(close_to_a_talk(), relationship_stage="close_friend", trust=75)
    assert talk("hi", character=ready, adult=None).character.relationship_stage == "close_friend"
    assert talk("hi", character=ready, adult=True).character.relationship_stage == "romantic_interest"


def test_a_demotion_opens_the_strain_event():
    fallen = replace(close_to_a_talk(), relationship_stage="romantic_interest", affection=200)
    outcome = talk("whatever", rules=STORY, character=fallen, adult=True)
    assert outcome.character.relationship_stage != "romantic_interest"
    assert outcome.opened.event_id == "relationship_strain"


def test_a_choice_without_a_scene_is_refused():
    with pytest.raises(ValueError, match="no scene"):
        settle_choice(a_snapshot(), STORY, 0, LATER)


def test_the_trail_takes_a_turn_back_whole():
    before = a_character(affection=40, trust=9, total_interactions=4, last_interaction=NOON)
    outcome = talk("I love this, thank you!", rules=STORY, character=before)
    assert outcome.character != before
    restored = put_back(outcome.character, outcome.applied["undo"])
    assert replace(restored, updated_at=before.updated_at) == before


def test_where_others_read_along_the_prompt_holds_nothing_private():
    snapshot = a_snapshot(
        "hello all",
        private=False,
        facts=(Fact(1, "They fear CANARY-FACT", "user", 90, NOON),),
        history=(HistoryTurn("user", "my CANARY-TALK", NOON),),
    )
    prompt = prepare_turn(snapshot, RULES, LATER)
    assert "CANARY" not in prompt.system + "".join(message.text for message in prompt.messages)
    private = prepare_turn(replace(snapshot, private=True), RULES, LATER)
    assert "CANARY-FACT" in private.system


def test_an_absence_is_settled_on_arrival_and_never_twice():
    away = a_character(
        affection=600, trust=50, last_interaction=NOON - timedelta(days=10), total_interactions=9, energy=10
    )
    once = arrive(away, RULES, NOON)
    assert once.affection < 600
    assert once.energy == 100
    assert arrive(once, RULES, NOON).affection == once.affection
