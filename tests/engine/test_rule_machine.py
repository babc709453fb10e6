"""Any order of talk, blocks, absences, mode switches and clock moves leaves her numbers in order."""

from dataclasses import replace
from datetime import timedelta
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.app_mode import set_app_mode
from engine.baseline import baseline_updates
from engine.character import EMOTIONS, CharacterState, MoodChange, StateUpdates
from engine.completion import complete_event
from engine.daily_caps import DailyCaps, cap_daily_gains
from engine.heuristics import analyse_message
from engine.keywords import Keywords
from engine.stages import check_stage, stage_rank
from engine.streak import count_day, local_day
from engine.time_away import settle_absence
from engine.updates import apply_updates, merge_updates, name_cause, validate_updates
from tests.cases.adapters.events import book
from tests.cases.adapters.rules import keywords
from tests.people import NOON, a_character

WORDS = [
    "I love this",
    "awful",
    "why?",
    "not",
    "happy",
    "my family",
    "これは本です",
    ":)",
    "x" * 90,
    "\n",
    "I am Bo",
]
DELTA = st.none() | st.integers(-99, 99)
BLOCKS = st.builds(
    StateUpdates,
    mood_change=st.none() | st.builds(MoodChange, st.sampled_from(EMOTIONS), st.integers(-99, 99)),
    affection_delta=DELTA,
    trust_delta=DELTA,
    intimacy_delta=DELTA,
    comfort_delta=DELTA,
    respect_delta=DELTA,
)
ZONES = ("UTC", "Asia/Tokyo", "Pacific/Kiritimati", "America/New_York")
CAPS = DailyCaps()


def _five(character: CharacterState) -> tuple[int, ...]:
    return (
        character.affection,
        character.trust,
        character.intimacy,
        character.comfort,
        character.respect,
    )


class Relationship(RuleBasedStateMachine):
    lists: Keywords

    def __init__(self) -> None:
        super().__init__()
        self.lists = keywords()
        self.now = NOON
        self.draw = Random(7).random
        self.character = a_character()
        self.frozen = _five(self.character)

    @rule(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), block=BLOCKS)
    def talk(self, words: list[str], block: StateUpdates) -> None:
        said = " ".join(words)
        before = count_day(settle_absence(self.character, self.now), self.now)
        analysis = analyse_message(said, self.lists)
        merged = merge_updates(
            baseline_updates(analysis, before.affection, self.draw),
            validate_updates(block).updates,
            analysis.non_latin_dominant,
        )
        today = local_day(self.now, before.timezone)
        limited, gains = cap_daily_gains(before, name_cause(merged, said), CAPS, today)
        after = replace(apply_updates(before, limited, self.now), gains=gains)
        if limited.mood_change is not None:
            assert after.mood.causes
        change = check_stage(after)
        if change is not None and after.app_mode == "dating_sim":
            after = replace(after, relationship_stage=change.after)
        assert after.affection - before.affection <= CAPS.affection
        self.character = after

    @rule(block=BLOCKS)
    def machine_turn(self, block: StateUpdates) -> None:
        after = apply_updates(self.character, block, self.now, count_interaction=False)
        assert after == self.character

    @rule(number=st.integers(0, 30), choice=st.integers(0, 1))
    def choose(self, number: int, choice: int) -> None:
        events = (*book().pool, book().strain)
        event = events[number]
        picked = choice if event.scenes["en"][0].choices else None
        before = self.character
        self.character = complete_event(before, event, picked, self.now).character
        assert stage_rank(self.character.relationship_stage) >= stage_rank(before.relationship_stage)
        assert self.character.total_interactions == max(1, before.total_interactions)

    @rule(hours=st.floats(0, 24 * 30), steps=st.integers(1, 4))
    def absence(self, hours: float, steps: int) -> None:
        for _ in range(steps):
            self.now += timedelta(hours=hours / steps)
            self.character = settle_absence(self.character, self.now)

    @rule(hours=st.integers(-30, 30))
    def clock_move(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule(zone=st.sampled_from(ZONES))
    def zone_move(self, zone: str) -> None:
        self.character = replace(self.character, timezone=zone)

    @precondition(lambda self: self.character.app_mode == "dating_sim")
    @rule()
    def become_a_companion(self) -> None:
        self.frozen = _five(self.character)
        self.character = set_app_mode(self.character, "companion")

    @precondition(lambda self: self.character.app_mode == "companion")
    @rule()
    def come_back(self) -> None:
        saved = self.character.saved_dating_sim_stage
        assert saved is not None
        self.character = set_app_mode(self.character, "dating_sim")
        assert stage_rank(self.character.relationship_stage) >= stage_rank(saved)

    @invariant()
    def numbers_in_range(self) -> None:
        her = self.character
        assert 0 <= her.affection <= 1000
        assert all(0 <= stat <= 100 for stat in (*_five(her)[1:], her.energy, her.mood.intensity))
        assert len(her.mood.causes) <= 5
        assert her.longest_streak >= her.current_streak >= 0

    @invariant()
    def companion_mode_is_frozen(self) -> None:
        if self.character.app_mode == "companion":
            assert _five(self.character) == self.frozen
            assert self.character.relationship_stage == "companion"
        else:
            assert self.character.relationship_stage != "companion"


TestRelationship = Relationship.TestCase
TestRelationship.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
