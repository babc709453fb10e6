"""A phrase said over and over until the token limit is cut; everything else stays as it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runaway import without_loop


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Hello you. " + "I'm happy. " * 30 + "I'm", "Hello you. I'm happy."),
        ("It was nice. " + "I am a kind soul, and a lovely soul, and " * 9 + "I am a ki", "It was nice."),
        ("and I'm happy to assist you with " * 8 + "and", "and I'm happy to assist you with…"),
        ("Hm. " + "I'm happy. " * 30 + "I'm happy.", "Hm. I'm happy."),
        ("💪" * 130, "💪…"),
        ("💪💪💪\n" * 40 + "💪", "💪💪💪…"),
        ("Wow. N" + "o" * 500, "Wow."),
    ],
)
def test_a_loop_is_cut(said, kept):
    assert without_loop(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Hello.",
        "I will be good. " * 10 + "Done.",
        "Hello! " * 9 + "Hello!",
        "ha" * 40,
        "no no no no no",
        "hahahahaha",
        "la la la la la la la\n" * 3,
        "```\n" + "print(1)\n" * 40 + "```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "One. Two. Three. Four. I was about to say",
    ],
)
def test_other_words_stay(said):
    assert without_loop(said) == said


@given(st.text(max_size=400))
def test_only_the_end_is_ever_cut(said):
    assert said.startswith(without_loop(said).removesuffix("…"))


@given(st.text(alphabet="ab. ", min_size=1, max_size=20), st.integers(8, 60))
def test_cutting_twice_cuts_no_more(phrase, times):
    once = without_loop(phrase * times + "a")
    assert without_loop(once) == once


def test_hostile_text_takes_linear_time():
    started = time.process_time()
    for text in ("a" * 16_000, "ab" * 8_000, "a " * 8_000, "a. b" * 4_000):
        without_loop(text)
    assert time.process_time() - started < 0.5
