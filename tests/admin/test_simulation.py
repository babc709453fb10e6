"""Scripted users through the real rules: what the specification's numbers promise must come out."""

from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

import pytest

from bot.admin.people import load_people
from bot.event_files import load_events
from bot.settings import CONFIG_DIR
from engine.character import STAGES
from engine.daily_caps import DailyCaps
from engine.simulation import Course, Playthrough, simulate
from engine.stages import stage_rank
from engine.turn_values import Rules

BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
PEOPLE = load_people(CONFIG_DIR / "simulation.toml")
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def rules(keywords) -> Rules:
    return Rules(keywords, book=load_events(CONFIG_DIR / "events"))


def _play(rules: Rules, name: str, course: Course, seed: int = 1) -> Playthrough:
    return simulate(PEOPLE[name], course, rules, BEGIN, Random(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_friendly_adult_reaches_every_stage_and_none_too_early(rules, seed):
    play = _play(rules, "friendly", Course(66), seed)
    reached = play.reached()
    assert list(reached) == list(STAGES[1:])
    least = {"friend": 3, "close_friend": 7, "romantic_interest": 10, "dating": 14, "committed": 30}
    assert all(reached[stage] >= day for stage, day in (least | {"soulmate": 60}).items())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", PEOPLE)
def test_nobody_is_a_friend_within_a_day(rules, name, seed):
    play = simulate(replace(PEOPLE[name], talks_per_day=200), Course(1), rules, BEGIN, Random(seed))
    assert max(stage_rank(point.character.relationship_stage) for point in play.points) <= 2


def test_a_grinding_user_is_held_by_the_daily_caps(rules):
    without_events = replace(rules, book=None)
    play = _play(without_events, "grinding", Course(4))
    days = {int(point.day): point.character for point in play.points}
    caps = DailyCaps()
    for cap in fields(caps):
        ends = [0, *(getattr(days[day], cap.name) for day in range(4))]
        gains = [after - before for before, after in pairwise(ends)]
        assert max(gains) == getattr(caps, cap.name)


@pytest.mark.parametrize("seed", SEEDS)
def test_rude_talk_does_not_climb(rules, seed):
    play = _play(replace(rules, book=None), "rude", Course(60), seed)
    assert set(play.reached()) == {"stranger"}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_milestone_lifts_a_rude_user_for_three_days_at_most_and_by_one_stage(rules, seed):
    play = _play(rules, "rude", Course(60), seed)
    lifted = [point.day for point in play.points if point.character.relationship_stage != "stranger"]
    assert play.last.relationship_stage == "stranger"
    assert set(play.reached()) <= {"stranger", "acquaintance"}
    assert not lifted or lifted[-1] - lifted[0] < 3


def test_a_shy_user_needs_longer(rules):
    shy, friendly = (_play(rules, name, Course(40)).reached() for name in ("shy", "friendly"))
    assert friendly["friend"] < shy["friend"] < 40


def test_without_the_statement_of_age_nothing_becomes_romantic(rules):
    play = _play(rules, "friendly", Course(40, adult=False))
    assert play.last.relationship_stage == "close_friend"
    assert not any(rules.book.find(mark.event_id).romantic for mark in play.marks)


def test_who_says_not_yet_is_asked_again_and_stays_where_they_are(rules):
    play = _play(rules, "friendly", Course(40, accepts=False))
    assert play.last.relationship_stage == "romantic_interest"
    assert sum(mark.event_id == "confession_revisit" for mark in play.marks) >= 2


def test_time_away_costs_affection(rules):
    user = replace(PEOPLE["friendly"], away=((10, 20),), silent_days=0.0)
    play = simulate(user, Course(22), replace(rules, book=None), BEGIN, Random(1))
    before = max(point.character.affection for point in play.points if point.day < 10)
    after = next(point.character.affection for point in play.points if point.day > 20)
    assert before * 0.9 < after < before


def test_the_same_seed_plays_the_same_days(rules):
    one, same, other = (_play(rules, "shy", Course(20), seed) for seed in (5, 5, 6))
    assert one == same
    assert one != other
