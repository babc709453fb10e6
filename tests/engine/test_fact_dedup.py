"""The same, the opposite and the end of a fact."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bot.fact_phrases import load_fact_phrases
from engine.conversation import Fact, NewFact
from engine.embedding import EmbeddingModel, stored
from engine.fact_dedup import Added, Candidate, Known, Merged, file_facts, find_duplicate, may_be_same, merged
from engine.fact_phrases import FactPhrases

NOW = datetime(2026, 6, 15, tzinfo=UTC)
MODEL = EmbeddingModel("tiny", 2)
NORTH, NEARLY_NORTH = np.array([0.0, 1.0]), np.array([0.1, 1.0])


@pytest.fixture(scope="session")
def phrases() -> FactPhrases:
    return load_fact_phrases(Path(__file__).parents[2] / "config" / "facts")


def known(fact_id: int, content: str, vector: np.ndarray | None = None, **changes: object) -> Known:
    fact = Fact(fact_id, content, "user", 50, NOW, **changes)
    return Known(fact, None if vector is None else stored(MODEL, vector))


def filed(content: str, facts: list[Known], phrases: FactPhrases, vector: np.ndarray | None = None):
    (one,) = file_facts([Candidate(NewFact(content, importance=70), vector)], facts, MODEL, phrases)
    return one


def test_near_facts_are_merged_and_keep_their_words(phrases: FactPhrases):
    old = known(1, "They love coffee", NORTH, reference_count=2)
    assert filed("They really love coffee", [old], phrases, NEARLY_NORTH) == Merged(1, 70)
    after = merged(old.fact, 70, NOW)
    assert (after.content, after.importance, after.reference_count, after.last_accessed) == (
        "They love coffee",
        70,
        3,
        NOW,
    )


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("They hate coffee", "They like coffee"),
        ("They have no dog", "They have a dog"),
        ("User: I don't eat meat", "User: I eat meat"),
        ("User: ich mag keinen Kaffee", "User: ich mag Kaffee"),
        ("User: ich hasse Kaffee", "User: ich mag Kaffee"),
        ("User: no me gusta el café", "User: me gusta el café"),
        ("User: je n'aime pas le café", "User: j'aime le café"),
        ("User: não gosto de café", "User: gosto de café"),
        ("User: コーヒーが嫌いです", "User: コーヒーが好きです"),
        ("They were born in 1991", "They were born in 1990"),
        ("Their sister is called Anna", "Their sister is called Emma"),
        ("They live in Rome", "They live in Paris"),
    ],
)
def test_opposite_facts_are_never_merged_however_near(phrases: FactPhrases, new: str, old: str):
    assert not may_be_same(new, old, phrases)
    found = find_duplicate(Candidate(NewFact(new), NORTH), [known(1, old, NORTH)], MODEL, phrases)
    assert found is None


def test_the_next_nearest_is_tried_where_the_nearest_is_the_opposite(phrases: FactPhrases):
    facts = [known(1, "They hate coffee", NORTH), known(2, "They love coffee", NEARLY_NORTH)]
    assert find_duplicate(Candidate(NewFact("They like coffee"), NORTH), facts, MODEL, phrases) == 2


def test_the_models_own_threshold_counts(phrases: FactPhrases):
    facts, new = [known(1, "They love coffee", NORTH)], Candidate(NewFact("They like coffee"), NEARLY_NORTH)
    strict = EmbeddingModel("tiny", 2, same=0.999)
    assert find_duplicate(new, facts, MODEL, phrases) == 1
    assert find_duplicate(new, facts, strict, phrases) is None


def test_the_same_words_twice_in_one_turn_are_one_fact(phrases: FactPhrases):
    twice = [Candidate(NewFact("They sail")), Candidate(NewFact("they  SAIL"))]
    assert file_facts(twice, [], MODEL, phrases) == (Added(twice[0]),)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("User: I moved to Rome", "User: I live in Paris"),
        ("User: I live in Rome", "They live in Paris"),
        ("User: I no longer live in Paris", "User: I live in Paris"),
        ("User: Ich bin nach Rom gezogen", "User: Ich wohne in Paris"),
        ("User: Me mudé a Roma", "User: Vivo en París"),
        ("User: J'ai déménagé à Rome", "User: J'habite à Paris"),
        ("User: Me mudei para Roma", "User: Moro em Paris"),
        ("User: ローマに引っ越しました", "User: パリに住んでいます"),
        ("User: I hate coffee", "They love coffee"),
        ("User: I don't like coffee any more", "User: I like coffee"),
        ("User: Ich mag keinen Kaffee mehr", "User: Ich mag Kaffee"),
        ("User: I'm 35 years old", "User: I'm 34 years old"),
        ("User: I'm not vegan", "User: I'm vegan"),
        ("User: My favorite color is blue", "User: My favorite color is red"),
    ],
)
def test_a_contradiction_makes_the_old_fact_past(phrases: FactPhrases, new: str, old: str):
    one = filed(new, [known(4, old), known(5, "They sail")], phrases)
    assert isinstance(one, Added)
    assert one.past == (4,)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("User: I live with my sister", "User: I live in Paris"),
        ("User: I live in a small flat", "User: I live in Paris"),
        ("User: I hate coffee breaks", "User: I love coffee"),
        ("User: people call me Bob", "User: My name is Robert"),
        ("User: My birthday is May 5", "User: I was born in 1988"),
        ("User: My favorite band is Muse", "User: My favorite color is red"),
        ("User: I like tea", "User: I like coffee"),
    ],
)
def test_what_stands_beside_each_other_ends_nothing(phrases: FactPhrases, new: str, old: str):
    one = filed(new, [known(4, old)], phrases)
    assert isinstance(one, Added)
    assert one.past == ()
