from datetime import timedelta

import pytest

from engine.character import StateUpdates
from engine.completion import complete_event, completion_markers, scene_for
from engine.events import EventDefinition, EventRecord
from engine.scenes import Scene, SceneChoice, with_names
from tests.people import NOON, a_character

ACCEPT = SceneChoice("Yes", "Good.", StateUpdates(affection_delta=100), marker="confession_accepted")
DEFER = SceneChoice("Later", "Fine.", StateUpdates(affection_delta=-20))


def an_event(*choices: SceneChoice, variants: int = 3) -> EventDefinition:
    scenes = tuple(Scene("talk", dialogue=f"words {number}", choices=choices) for number in range(variants))
    return EventDefinition(
        "talk",
        "Talk",
        "conditional",
        10,
        scenes={"en": scenes},
        state_changes=StateUpdates(affection_delta=7),
    )


def test_a_choice_changes_what_it_says_and_no_choice_what_the_event_says():
    event = an_event(ACCEPT, DEFER)
    her = a_character(affection=500, total_interactions=3, last_interaction=NOON)
    assert complete_event(her, event, 0, NOON).character.affection == 600
    assert complete_event(her, event, 1, NOON).character.affection == 480
    assert complete_event(her, event, None, NOON).character.affection == 507


def test_only_the_accept_choice_grants_its_marker():
    event = an_event(ACCEPT, DEFER)
    assert completion_markers(event, 0) == ("talk", "confession_accepted")
    assert completion_markers(event, 1) == completion_markers(event) == ("talk",)


def test_finishing_is_no_interaction():
    her = a_character(total_interactions=7, last_interaction=NOON)
    done = complete_event(her, an_event(ACCEPT), 0, NOON + timedelta(hours=5))
    assert (done.character.total_interactions, done.character.last_interaction) == (7, NOON)
    assert done.record == EventRecord("talk", NOON + timedelta(hours=5), 0, "Choice 1")


def test_completing_twice_lists_it_once():
    her = complete_event(a_character(), an_event(ACCEPT), 0, NOON).character
    assert complete_event(her, an_event(ACCEPT), 0, NOON).character.completed_events == her.completed_events


@pytest.mark.parametrize("choice", [-1, 2])
def test_a_choice_that_is_not_there_is_refused(choice: int):
    with pytest.raises(ValueError, match="talk has no choice"):
        complete_event(a_character(), an_event(ACCEPT, DEFER), choice, NOON)


def test_a_marker_promotes_at_once_but_not_beyond_the_highest_allowed():
    her = a_character(
        affection=600,
        trust=85,
        intimacy=50,
        days_known=14,
        relationship_stage="romantic_interest",
        completed_events=("first_deep_conversation", "shared_vulnerability"),
    )
    assert complete_event(her, an_event(ACCEPT), 0, NOON).character.relationship_stage == "dating"
    held = complete_event(her, an_event(ACCEPT), 0, NOON, highest="close_friend").character
    assert held.relationship_stage == "romantic_interest"


def test_companion_mode_keeps_its_numbers():
    her = a_character(app_mode="companion", relationship_stage="companion", affection=600, trust=99)
    done = complete_event(her, an_event(ACCEPT), 0, NOON).character
    assert (done.affection, done.relationship_stage) == (600, "companion")


def test_variants_take_turns():
    event, her = an_event(variants=3), a_character()
    records = [EventRecord("talk", NOON)] * 3
    shown = [scene_for(event, "en", her, records[:times]).dialogue for times in range(3)]
    assert sorted(shown) == ["words 0", "words 1", "words 2"]
    assert scene_for(event, "en", her, records).dialogue == shown[0]
    assert scene_for(event, "xx", her, ()).dialogue == shown[0]


def test_an_event_without_a_scene_has_none_to_show():
    assert scene_for(EventDefinition("e", "E", "random", 1), "en", a_character(), ()) is None


def test_names_are_put_in():
    scene = Scene("s", "{{ CHAR }} smiles.", "Hi {{user}}.", (SceneChoice("{{char}}!", "Yes, {{user}}?"),))
    named = with_names(scene, "Mika", "Ann")
    assert (named.intro, named.dialogue, named.outro) == ("Mika smiles.", "Hi Ann.", None)
    assert (named.choices[0].text, named.choices[0].response) == ("Mika!", "Yes, Ann?")
