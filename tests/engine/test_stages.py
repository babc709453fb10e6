from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.app_mode import set_app_mode
from engine.character import CharacterState
from engine.stages import REQUIREMENTS, check_stage, promote, stage_rank, supported_stage
from tests.people import a_character

MARKERS = tuple(marker for row in REQUIREMENTS.values() for marker in row.markers)
STAT = st.integers(0, 100)
CHARACTERS = st.builds(
    a_character,
    affection=st.integers(0, 1000),
    trust=STAT,
    intimacy=STAT,
    comfort=STAT,
    respect=STAT,
    days_known=st.integers(0, 100),
    total_interactions=st.integers(0, 60),
    completed_events=st.sets(st.sampled_from(MARKERS)).map(tuple),
    relationship_stage=st.sampled_from(tuple(REQUIREMENTS)),
)


@given(CHARACTERS)
def test_a_change_settles_at_once(character: CharacterState):
    change = check_stage(character)
    if change is None:
        return
    assert change.after == supported_stage(character)
    assert change.strained == (stage_rank(change.after) < stage_rank(change.before))
    assert check_stage(replace(character, relationship_stage=change.after)) is None


@given(CHARACTERS)
def test_promotion_alone_never_lowers(character: CharacterState):
    assert stage_rank(promote(character).relationship_stage) >= stage_rank(character.relationship_stage)


@given(CHARACTERS)
def test_a_visit_to_companion_mode_drops_nothing(character: CharacterState):
    aside = set_app_mode(set_app_mode(character, "companion"), "companion")
    assert (aside.app_mode, aside.relationship_stage) == ("companion", "companion")
    assert promote(aside) is aside
    back = set_app_mode(aside, "dating_sim")
    assert back.saved_dating_sim_stage is None
    assert stage_rank(back.relationship_stage) == max(
        stage_rank(character.relationship_stage), stage_rank(supported_stage(character))
    )


@pytest.mark.parametrize("stage", [stage for stage in REQUIREMENTS if stage != "stranger"])
def test_a_stage_holds_at_85_percent_of_its_own_floors_and_falls_below(stage: str):
    row = REQUIREMENTS[stage]
    held = {
        name: -(-getattr(row, name) * 85 // 100)
        for name in ("affection", "trust", "intimacy", "comfort", "respect")
    }
    character = a_character(
        relationship_stage=stage,
        days_known=row.days_known,
        total_interactions=row.interactions,
        completed_events=row.markers,
        **held,
    )
    assert check_stage(character) is None
    change = check_stage(replace(character, affection=held["affection"] - 1))
    assert change is not None
    assert change.strained
