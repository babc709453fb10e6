"""The relationship's stages and when they change (specification, "Relationship Stages")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.character import STAGES, CharacterState, Stage

DEMOTION_PERCENT: Final = 85
"""A stage holds until a stat falls below this share of the stage's own floor."""
FULL_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class Requirements:
    """What one stage asks for: floors of the stats, days known, interactions and markers."""

    affection: int = 0
    trust: int = 0
    intimacy: int = 0
    comfort: int = 0
    respect: int = 0
    days_known: int = 0
    interactions: int = 0
    markers: tuple[str, ...] = ()


REQUIREMENTS: Final[dict[Stage, Requirements]] = {
    "stranger": Requirements(),
    "acquaintance": Requirements(affection=50, trust=20, interactions=3),
    "friend": Requirements(affection=150, trust=50, days_known=3, interactions=10),
    "close_friend": Requirements(affection=300, trust=70, comfort=50, days_known=7, interactions=25),
    "romantic_interest": Requirements(
        affection=450,
        trust=75,
        intimacy=30,
        days_known=10,
        markers=("first_deep_conversation", "shared_vulnerability"),
    ),
    "dating": Requirements(
        affection=600, trust=85, intimacy=50, days_known=14, markers=("confession_accepted",)
    ),
    "committed": Requirements(
        affection=800, trust=95, intimacy=75, comfort=80, days_known=30, markers=("commitment_accepted",)
    ),
    "soulmate": Requirements(
        affection=950,
        trust=100,
        intimacy=90,
        comfort=95,
        respect=90,
        days_known=60,
        markers=("deep_bond_moment",),
    ),
}


@dataclass(frozen=True, slots=True)
class StageChange:
    """A step from one stage to another; `strained` marks a demotion."""

    before: Stage
    after: Stage
    strained: bool = False


def stage_rank(stage: Stage) -> int:
    """Return a stage's place: companion 0, stranger 1, up to soulmate 8."""
    return STAGES.index(stage)


def supported_stage(character: CharacterState) -> Stage:
    """Return the highest stage whose own row her numbers meet; rows are not cumulative."""
    for stage in reversed(tuple(REQUIREMENTS)):
        if _meets(character, REQUIREMENTS[stage], FULL_PERCENT):
            return stage
    return "stranger"


def check_stage(character: CharacterState) -> StageChange | None:
    """Tell whether the stage changes now.

    Promotion is immediate. Demotion waits until the present row fails with its stat floors at 85%;
    then she falls to whatever is supported. From the Companion Mode stage any result is a promotion.
    """
    before, after = character.relationship_stage, supported_stage(character)
    if stage_rank(after) > stage_rank(before):
        return StageChange(before, after)
    if after == before or _meets(character, REQUIREMENTS[before], DEMOTION_PERCENT):
        return None
    return StageChange(before, after, strained=True)


def promote(character: CharacterState, highest: Stage = "soulmate") -> CharacterState:
    """Raise the stage where the numbers allow it (to `highest` at most), never lower it.

    Companion Mode keeps its own stage.
    """
    change = check_stage(character)
    if character.app_mode == "companion" or change is None or change.strained:
        return character
    after = min(change.after, highest, key=stage_rank)
    return replace(character, relationship_stage=max(change.before, after, key=stage_rank))


def _meets(character: CharacterState, row: Requirements, percent: int) -> bool:
    floors = (
        (character.affection, row.affection),
        (character.trust, row.trust),
        (character.intimacy, row.intimacy),
        (character.comfort, row.comfort),
        (character.respect, row.respect),
    )
    return (
        all(stat * 100 >= floor * percent for stat, floor in floors)
        and character.days_known >= row.days_known
        and character.total_interactions >= row.interactions
        and set(row.markers) <= set(character.completed_events)
    )
