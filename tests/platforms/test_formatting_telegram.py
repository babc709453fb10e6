"""Neutral Markdown as Telegram entities: right offsets, nothing lost, never something Telegram refuses."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platforms.formatting import split, utf16_length
from bot.platforms.markdown_telegram import MOST_ENTITIES, telegram_length, to_entities
from tests.platforms.test_formatting import ANY_TEXT, MARKED, UNNAMED, limits, words_only


def shown(text: str) -> list[tuple[str, str]]:
    """The entities with the words they stand on."""
    formatted = to_entities(text)
    units = formatted.text.encode("utf-16-le")
    return [
        (entity.kind, units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le"))
        for entity in formatted.entities
    ]


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("**bold** it", "bold it", [("bold", "bold")]),
        ("*smiles* hi", "smiles hi", [("italic", "smiles")]),
        ("😀 **b😀** _i_", "😀 b😀 i", [("bold", "b😀"), ("italic", "i")]),
        ("***both***", "both", [("bold", "both"), ("italic", "both")]),
        ("~~old~~ ||secret||", "old secret", [("strikethrough", "old"), ("spoiler", "secret")]),
        ("`a*b*`", "a*b*", [("code", "a*b*")]),
        ("x\n```py\na = 1\n```\ny", "x\na = 1\ny", [("pre", "a = 1")]),
        ("# Title\ntext", "Title\ntext", [("bold", "Title")]),
        ("> one\n> two\nthree", "one\ntwo\nthree", [("blockquote", "one\ntwo")]),
        ("* tea\n* milk", "• tea\n• milk", []),
        ("2*3*4 = 24 and snake_case_name", "2*3*4 = 24 and snake_case_name", []),
        (">.< >:( <b>html</b> & co", ">.< >:( <b>html</b> & co", []),
        ("\\*not\\* 1\\. x", "*not* 1. x", []),
        ("**use `x` now**", "use x now", [("bold", "use"), ("code", "x"), ("bold", "now")]),
        ("[page](https://e.org/a)", "page (https://e.org/a)", []),
        ("[https://e.org](https://e.org)", "https://e.org", []),
        ("https://e.org/a_b_c*d", "https://e.org/a_b_c*d", []),
        ("hey @name, a@b.org", "hey @\u200bname, a@b.org", []),
        ("**open and *bo", "**open and *bo", []),
    ],
)
def test_what_comes_out(source, text, entities):
    assert to_entities(source).text == text
    assert shown(source) == entities


def test_the_language_of_a_block_is_kept():
    assert to_entities("```python\nx\n```").entities[0].language == "python"


def test_telegram_reads_only_a_hundred_entities():
    assert len(to_entities("*a* " * 300).entities) == MOST_ENTITIES


@settings(max_examples=400, deadline=None)
@given(st.one_of(MARKED, ANY_TEXT))
def test_entities_lie_inside_the_text_and_never_cross(source):
    formatted = to_entities(source)
    length = utf16_length(formatted.text)
    ends: list[int] = []
    for entity in formatted.entities:
        end = entity.offset + entity.length
        assert entity.offset >= 0
        assert entity.length > 0
        assert end <= length
        ends = [other for other in ends if other > entity.offset]
        assert all(end <= other for other in ends)
        ends.append(end)


@settings(max_examples=300, deadline=None)
@given(UNNAMED)
def test_every_word_is_still_there(source):
    def bare(text: str) -> str:
        return re.sub(r"[\[\]()\\#•+\u200b]", "", words_only(text))

    assert bare(to_entities(source).text) == bare(source)


@settings(max_examples=100, deadline=None)
@given(MARKED, st.integers(40, 120))
def test_pieces_keep_to_the_limit_after_conversion(source, limit):
    assert all(telegram_length(piece) <= limit for piece in split(source, limits(limit), telegram_length))


WORDS = st.lists(
    st.sampled_from(["one", "two,", "three.", "Vier!", "日本語", "é", "😀😀", "a-b", "don't"]),
    min_size=1,
    max_size=8,
).map(" ".join)


def wrapped(inner):
    marked = [inner.map(lambda text, mark=mark: f"{mark}{text}{mark}") for mark in ("**", "_", "~~", "||")]
    return st.one_of(*marked, st.lists(inner, min_size=2, max_size=4).map(" ".join))


SPANS = st.recursive(st.one_of(WORDS, WORDS.map(lambda text: f"`{text}`")), wrapped, max_leaves=8)
BLOCK = st.one_of(
    SPANS,
    SPANS.map(lambda text: f"> {text}"),
    WORDS.map(lambda text: f"# {text}"),
    WORDS.map(lambda text: f"```py\n{text}\n  {text}\n```"),
    st.lists(SPANS, min_size=2, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items)),
)
DOCUMENT = st.lists(BLOCK, min_size=1, max_size=8).map("\n\n".join)


def dressed(text: str) -> list[tuple[str, frozenset[str]]]:
    """Every visible character with the kinds of formatting that lie on it."""
    formatted = to_entities(text)
    found, offset = [], 0
    for character in formatted.text:
        on_it = (e.kind for e in formatted.entities if e.offset <= offset < e.offset + e.length)
        if not character.isspace():
            found.append((character, frozenset(on_it)))
        offset += utf16_length(character)
    return found


@settings(max_examples=200, deadline=None)
@given(DOCUMENT, st.integers(60, 150))
def test_cutting_takes_no_formatting_off_a_single_character(document, limit):
    pieces = split(document, limits(limit), telegram_length)
    assert [each for piece in pieces for each in dressed(piece)] == dressed(document)


@pytest.mark.parametrize(
    "unit", ["@a ", "*a* ", "`a` ", "**a `b`** ", "> a\n", "# a\n", "[a](http://b) ", "```\na\n```\n"]
)
def test_hostile_text_costs_little(unit):
    text = (unit * 20_000)[:20_000]
    started = time.perf_counter()
    for piece in split(text, limits(4096), telegram_length):
        assert telegram_length(piece) <= 4096
    assert time.perf_counter() - started < 5, "a watchdog, ten times the bar"
