"""The tolerant reader agrees with strict JSON and with Python's own spelling of the same values."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lenient_json import MAX_DEPTH, Unreadable, _read_leniently, read_value

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(TEXTS, VALUES, max_size=4)


@given(CONTAINERS, st.text(max_size=5))
def test_strict_json_is_read_as_it_is(value: object, rest: str):
    text = json.dumps(value, indent=1)
    assert read_value(text + rest) == (value, len(text))
    assert _read_leniently(text + rest, 0) == (value, len(text))


@given(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(["it's", 'so "so"', "", "x\ny", 3, True, None]))
)
def test_the_way_python_writes_a_dict_is_read(value: dict):
    assert read_value(repr(value))[0] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2,]", [1, 2]),
        ("{a: b, 'c': +5, “d”: .5,}", {"a": "b", "c": 5, "d": 0.5}),
        ('{"a": 1 // one\n "b": /* two */ 2}', {"a": 1, "b": 2}),
        ('{"url": "https://x/y", "re": "/* no */"}', {"url": "https://x/y", "re": "/* no */"}),
        ("{'a': undefined, 'b': -Infinity, 'c': True}", {"a": None, "b": -math.inf, "c": True}),
        ('{"a": "line\nbreak", "b": "\\u00e9\\q\\ud83d\\ude00"}', {"a": "line\nbreak", "b": "éq😀"}),
        ('{"a": "x", "a": "y"}', {"a": "y"}),
    ],
)
def test_loose_spellings(text: str, value: object):
    assert read_value(text)[0] == value


@pytest.mark.parametrize(
    "text", ["", "{", '{"a"', '{"a": ', '{"a": "x', "{'a': 'x", "[1, 2", '{"a": 1,', "{/* x"]
)
def test_a_text_cut_short_says_so(text: str):
    with pytest.raises(Unreadable) as caught:
        read_value(text)
    assert caught.value.at == len(text)


@pytest.mark.parametrize(
    "text", ['{"a" 1}', "[1 2]", '{"a": 1]', "{1: 2}", "{:}", "[,]", "}", '{"a": {"b" "c"}}']
)
def test_nonsense_is_refused(text: str):
    with pytest.raises(Unreadable):
        read_value(text)


def test_depth_is_limited_without_recursion():
    with pytest.raises(Unreadable) as caught:
        read_value("[" * 50_000)
    assert caught.value.at == MAX_DEPTH
