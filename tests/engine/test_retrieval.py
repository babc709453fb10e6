"""What comes to mind, by meaning and by words, and what of it goes into the prompt."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.fact_phrases import load_fact_phrases
from engine.conversation import Fact
from engine.embedding import EmbeddingModel, StoredVector, as_matrix, cosine, links, stored
from engine.fact_phrases import FactPhrases
from engine.retrieval import POOL, Pool, Ranking, for_prompt, important_memories, make_pool, retrieve, similar
from engine.triggers import trigger_query, trigger_words

NOW = datetime(2026, 6, 15, tzinfo=UTC)
MODEL = EmbeddingModel("tiny", 2)


@pytest.fixture(scope="session")
def phrases() -> FactPhrases:
    return load_fact_phrases(Path(__file__).parents[2] / "config" / "facts")


def at(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def fact(fact_id: int, content: str, importance: int = 50) -> Fact:
    return Fact(fact_id, content, "user", importance, NOW - timedelta(hours=fact_id))


def pool(*entries: tuple[Fact, float | None], model: EmbeddingModel = MODEL) -> Pool:
    vectors = [None if degrees is None else stored(MODEL, at(degrees)) for _, degrees in entries]
    return make_pool([one for one, _ in entries], vectors, model)


def ids(facts: tuple[Fact, ...]) -> list[int]:
    return [one.id for one in facts]


def test_similarity_weighs_seven_tenths_and_far_facts_stay_away():
    found = similar(
        pool((fact(1, "near"), 0), (fact(2, "weighty", 100), 40), (fact(3, "far", 100), 80)),
        at(0),
        Ranking(0.7, 0.3, 0.3),
        10,
    )
    assert [one.fact.id for one in found] == [1, 2]
    assert found[0].score == pytest.approx(0.7 + 0.15)
    assert found[1].score == pytest.approx(0.7 * np.cos(np.radians(40)) + 0.3)


def test_only_the_most_important_facts_are_looked_at():
    many = make_pool([fact(n, f"fact {n}", n % 101) for n in range(POOL + 50)], [None] * (POOL + 50), MODEL)
    assert len(many.facts) == POOL
    assert many.facts[0].importance == 100


def test_vectors_of_another_model_or_cut_short_count_as_missing():
    whole, foreign = stored(MODEL, at(0)), StoredVector("other", stored(MODEL, at(0)).data)
    short = StoredVector("tiny", whole.data[:4])
    facts = [fact(1, "one"), fact(2, "two"), fact(3, "three")]
    made = make_pool(facts, [whole, foreign, short], MODEL)
    assert [made.facts[row].id for row in made.rows] == [1]
    assert ids(made.unembedded) == [2, 3]


def test_facts_without_a_vector_are_still_found_by_their_words():
    found = retrieve(
        "how is the boat", pool((fact(1, "They sail"), 0), (fact(2, "The boat leaks"), None)), at(0)
    )
    assert ids(found.relevant) == [1, 2]


def test_words_serve_where_meaning_finds_nothing():
    lost = pool((fact(1, "They sail"), 90), (fact(2, "The boat leaks"), 90))
    assert retrieve("a boat", lost, at(0)).spoken_of == (lost.facts[1],)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("猫は元気？", "彼らは猫を飼っている"),
        ("계획이 뭐였지?", "그들의 계획은 부산 여행이다"),
        ("Как там лодка?", "У них лодка"),
        ("what about the boat?!", "Their boat, the Nora, leaks."),
        ("แมวเป็นอย่างไรบ้าง", "พวกเขามีแมว"),
    ],
)
def test_words_are_found_in_every_script_and_beside_punctuation(message: str, content: str):
    others = [(fact(n, f"They counted {n} things", 90), None) for n in range(2, 12)]
    found = retrieve(message, pool((fact(1, content, 10), None), *others))
    assert ids(found.spoken_of) == [1]
    assert 1 in ids(for_prompt(found, 3).relevant)


def test_triggered_memories_are_nearer_and_not_told_twice():
    facts = pool(*((fact(n, f"fact {n}"), n * 10.0) for n in range(19)))
    found = retrieve("x", facts, at(0), at(180))
    assert ids(found.relevant) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert set(ids(found.triggered)) <= set(range(12, 19))
    assert len(found.triggered) == 5
    assert len(for_prompt(found, 5).triggered) == 3


def test_without_meaning_a_trigger_calls_up_what_is_important():
    facts = pool(*((fact(n, f"thing {n}", 95 - n), None) for n in range(20)))
    found = important_memories(facts, retrieve("nothing of it", facts))
    assert ids(found.relevant) == [0, 1, 2, 3, 4]
    assert found.triggered == ()
    spoken = important_memories(facts, retrieve("thing", facts))
    assert set(ids(spoken.triggered)).isdisjoint(ids(spoken.relevant))


def test_only_what_fits_counts_as_used():
    found = retrieve("x", pool(*((fact(n, f"fact {n}"), float(n)) for n in range(1, 9))), at(0))
    assert for_prompt(found, 3).used == (1, 2, 3)


def test_the_same_memories_do_not_come_turn_after_turn():
    facts = pool(*((fact(n, f"fact {n}"), float(n)) for n in range(1, 9)))
    found = retrieve("x", facts, at(0))
    first = for_prompt(found, 4).used
    second = for_prompt(found, 4, first).used
    assert first == (1, 2, 3, 4)
    assert second == (1, 2, 5, 6)


def test_few_memories_stay_at_hand_all_the_same():
    found = retrieve("x", pool((fact(1, "Their name is Bo"), 10), (fact(2, "They sail"), 20)), at(0))
    assert set(for_prompt(found, 5, (1, 2)).used) == {1, 2}


def test_nothing_compares_with_a_vector_of_no_length_or_other_length():
    assert cosine(np.zeros(2), at(0)) == 0
    assert cosine(np.ones(3), at(0)) == 0


def test_links_join_what_belongs_together():
    matrix = as_matrix([stored(MODEL, at(degrees)) for degrees in (0, 10, 90)], MODEL)
    assert [(first, second) for first, second, _ in links(matrix, 0.5)] == [(0, 1)]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Remember when we baked bread?", ("we baked bread",)),
        ("Weißt du noch, wie wir gezeltet haben?", ("wir gezeltet haben",)),
        ("¿Te acuerdas de la tormenta?", ("la tormenta",)),
        ("Tu te souviens de la tempête ?", ("la tempête",)),
        ("Você se lembra da tempestade?", ("tempestade",)),
        ("あの嵐のこと覚えてる？", ("あの嵐",)),
        ("I met Søren and Zoë, then Ян", ("Søren", "Zoë")),
        ("вчера видел Анну у озера", ("Анну",)),
        ("Nice day, isn't it", ()),
    ],
)
def test_trigger_words_of_every_language(phrases: FactPhrases, message: str, words: tuple[str, ...]):
    assert trigger_words(message, phrases) == words
    assert trigger_query(words) == " ".join(words)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["remember that ", "a Ab, ", "のこと", "Aa ", "recall "])
def test_hostile_messages_end(phrases: FactPhrases, piece: str):
    assert len(trigger_words((piece * 60_000)[:60_000], phrases)) <= 20
