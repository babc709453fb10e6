import pytest
from pydantic import ValidationError

from engine.keywords import build_keywords, entry_forms, parse_sign_list, parse_word_list

ENGLISH = ("s", "es", "ed", "ing", "ly", "er", "est", "ness")


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("love", {"love", "loves", "loved", "loving", "lover", "lovely"}),
        ("happy", {"happy", "happier", "happiest", "happily", "happiness"}),
        ("cry", {"cry", "cries", "cried", "crying"}),
        ("sad", {"sad", "sadder", "saddest", "sadly", "sadness"}),
        ("enjoy", {"enjoy", "enjoys", "enjoyed", "enjoying"}),
    ],
)
def test_an_entry_stands_for_its_common_forms(entry: str, forms: set[str]):
    assert forms <= set(entry_forms(entry, ENGLISH, ()))


def test_an_exact_entry_has_one_form_and_a_stem_only_its_endings():
    assert set(entry_forms("=fun", ENGLISH, ())) == {"fun"}
    assert set(entry_forms("bonit-", (), ("o", "a"))) == {"bonito", "bonita"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": {"positive": ["Good"]}},
        {"words": {"positive": ["two words"]}},
        {"words": {"happy": []}},
        {"words": {}, "colour": "red"},
        {"words": {"positive": [3]}},
        {},
    ],
)
def test_a_wrong_list_is_refused(wrong: dict):
    with pytest.raises(ValidationError):
        parse_word_list(wrong)


def test_an_emoji_is_one_character():
    with pytest.raises(ValidationError):
        parse_sign_list({"positive_emoji": ["😊😊"]})


def test_no_list_at_all_matches_nothing():
    empty = build_keywords({"en": parse_word_list({"words": {}})}, parse_sign_list({}))
    assert not empty.words
    assert empty.emoticons.search(":) :( x") is None
    assert empty.emoji.search("😊") is None
    assert empty.introduction.search("i am a ") is None


def test_a_word_of_two_languages_is_counted_once():
    lists = {
        code: parse_word_list({"words": {"positive": ["=super"]}, "marks": [mark]})
        for code, mark in (("de", "ich"), ("fr", "je"))
    }
    senses = build_keywords(lists, parse_sign_list({})).words["super"].senses
    assert [sense.entry for sense in senses] == ["super"]
