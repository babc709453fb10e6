import pytest

from engine.fact_patterns import facts_of_turn, find_facts


def _contents(user_text: str, dialogue: str = "") -> list[str]:
    return [fact.content for fact in find_facts(user_text, dialogue)]


def test_a_fact_keeps_the_clause_that_makes_it_one():
    assert _contents("Well, I live in Porto. And I’m a nurse, by the way") == [
        "User: I'm a nurse",
        "User: I live in Porto",
    ]


def test_what_she_takes_note_of_is_told_of_them():
    reply = "You mentioned that the boat leaks. So your hobby is sailing at night!"
    assert _contents("", reply) == [
        "User: their hobby is sailing at night",
        "User: they mentioned that the boat leaks",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "If you are hungry, we could cook.",
        "Tell me what you like about it!",
        "Do you have a brother at home?",
    ],
)
def test_what_is_only_asked_or_supposed_is_no_fact(reply: str):
    assert _contents("", reply) == []


def test_at_most_two_a_turn_and_one_beside_a_memory():
    said = "I like tea. I love hiking. I hate noise."
    assert len(facts_of_turn(said, "", None)) == 2
    assert [fact.rest for fact in facts_of_turn(said, "", "They like tea")] == ["hiking"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ["i am ", "you ", "noted ", "i ", " ", "i'm a a ", "you told me that ", "if you are"]
)
def test_hostile_texts_end(piece: str):
    text = (piece * 60_000)[:60_000]
    assert len(find_facts(text, text)) < 10_000
