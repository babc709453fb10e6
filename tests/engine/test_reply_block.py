"""The reply parser beyond the case tables: whole kinds of trouble, and hostile text."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.character import EMOTIONS
from engine.reminder_tags import take_reminder_tags
from engine.reply_block import as_table, parse_reply

BLOCK = '```json\n{"trust_delta": 1}\n```'
WATCHDOG_S = 0.5
"""Ten times the bar for 16,000 hostile characters."""


def said(text: str, name: str = "Mika") -> str | None:
    return parse_reply(text, name).dialogue


def updates(text: str) -> object:
    return as_table(parse_reply(text))["stateUpdates"]


@pytest.mark.parametrize(
    "code",
    [
        '```json\n{"name": "x", "action": "buy"}\n```',
        "```json\n[2, 3, 5]\n```",
        '```json\n{"a": 1, ...}\n```',
        '```python\nd = {"a": 1}\nUser: "x"\n\n\n\nprint(d)  # *stars* (smiles)\n```',
        '```yaml\nUser: admin\nName: "Bob"\n```',
        '```\n{"retries": 3}\n```',
        '```js\n{"action": "wave"}\n```',
        'Use {"retries": 3} or {name}.',
        "Try `{}` or {{ mustache }}.",
    ],
)
def test_code_for_the_user_survives(code: str):
    text = f"Here you go:\n{code}\nEnjoy!"
    assert said(text) == text
    assert said(f"{text}\n{BLOCK}") == text
    assert updates(f"{text}\n{BLOCK}") == {"trustDelta": 1}


@pytest.mark.parametrize(
    "label",
    [
        "User:",
        "user :",
        "**User:**",
        "**User**:",
        "### Human:",
        "> They:",
        "USER：",
        "ｕｓｅｒ：",
        "Mika:",
        "mika：",
        "用户：",
        "[User]:",
    ],
)
def test_another_speaker_on_a_later_line_ends_her_words(label: str):
    assert said(f"Sure thing.\n{label} and now?\nMika: well") == "Sure thing."
    assert said(f"Sure thing.\n\n  {label} and now?\n{BLOCK}") == "Sure thing."


@pytest.mark.parametrize("label", ["Mika:", "mika :", "**Mika:**", "**Mika**:", "Mika：", "Assistant:"])
def test_her_own_label_at_the_start_goes(label: str):
    assert said(f"{label} Hello, you.") == "Hello, you."


@pytest.mark.parametrize(
    "text",
    [
        "I *really* like it, *so* much.",
        "*This* is it. *Really*? Yes.",
        "**Bold** and *italic* and __more__.",
        "My favourite film:\n*Dune*",
        "1. *Sencha* is mild\n2. *Assam* is not",
        "2 * 3 * 4 = 24 (I think) and a*b*c.",
        "The lamp (looks new) is nice (really).",
        "10:30 is fine.\nAt 11: lunch.",
        "例えば：\nこれ：「はい」ではない",
        "A smile :-{ and a set {1, 2} and x < 3 > y.",
    ],
)
def test_what_only_looks_like_machinery_survives(text: str):
    shown = said(text)
    assert shown == (text if "「" not in text else "例えば：")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("*smiles softly* Hello there. *waves*", "Hello there."),
        ("Hello *waves* how are you", "Hello how are you"),
        ("Hi.\n*She leans back.*\nBye.", "Hi.\nBye."),
        ("*微笑む* こんにちは", "こんにちは"),
        ("It (smiles) works. (looks away)", "It works."),
        ("*lächelt* Hallo", "Hallo"),
        ("*giggle* hi there", "hi there"),
    ],
)
def test_gestures_go_and_leave_no_hole(text: str, left: str):
    assert said(text) == left


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (
            "{trust_delta: +5, mood_change: {emotion: happy}}",
            {"trustDelta": 5, "moodChange": {"emotion": "happy", "intensityDelta": 0}},
        ),
        (
            "{'new_memory': 'They don't drink coffee', 'trust_delta': 1}",
            {"newMemory": "They don't drink coffee", "trustDelta": 1},
        ),
        ('{"state": {"trust_delta": 2}}', {"trustDelta": 2}),
        (
            '{"emotion": "sad", "intensity_delta": 2, "trust_delta": 0}',
            {"moodChange": {"emotion": "sad", "intensityDelta": 2}, "trustDelta": 0},
        ),
        (
            '{"moodChange": {"emotion": "sad", "intensityDelta": -3}}',
            {"moodChange": {"emotion": "sad", "intensityDelta": -3}},
        ),
        ('{"trust_delta": NaN, "comfort_delta": ' + "9" * 4301 + "}", {"comfortDelta": 10}),
        ('{"trust_delta": -Infinity, "comfort_delta": true, "respect_delta": null}', {"trustDelta": -10}),
        ('{"new_memory": "None", "action": "null", "triggered_event": " "}', {}),
        (
            '{"new_memory": "pair \\ud83d\\ude00 half \\ud83d", "trust_delta": 0}',
            {"newMemory": "pair 😀 half", "trustDelta": 0},
        ),
        (
            '{\n // note\n "trust_delta": 1 /* so */\n "comfort_delta": 2, # yes\n}',
            {"trustDelta": 1, "comfortDelta": 2},
        ),
        ('{"trust_delta": "5%", "comfort_delta": "high", "affection_delta": [3]}', {}),
    ],
)
def test_blocks_as_models_write_them(block: str, expected: dict):
    for text in (
        f"Hey.\n{block}",
        f"Hey.\n```json\n{block}\n```",
        f"Hey.\n```\n{block}\n```",
        f"Hey.\n``` json\n{block}",
    ):
        parsed = as_table(parse_reply(text))
        assert parsed == {"dialogue": "Hey.", "stateUpdates": expected, "parseError": False}


@pytest.mark.parametrize(
    "broken", ['{"trust_delta": 1', '{"trust_delta" 1}', '{ "mood_change": { "emotion": "sad"']
)
def test_a_broken_block_is_never_shown(broken: str):
    for text in (
        f"Hey. {broken}",
        f"Hey.\n```json\n{broken}\n```",
        f"Hey.\n```\n{broken}\n```",
        f"Hey.\n```json\n{broken}",
    ):
        assert said(text) == "Hey."
        assert updates(text) is None


@pytest.mark.parametrize(
    "lead",
    ["---", "***", "json", "JSON:", "**State update:**", "<json>", "~~~json", "`", "[state]", "Mood update:"],
)
def test_what_leads_over_to_the_block_goes_with_it(lead: str):
    assert said(f"Hey.\n\n{lead}\n{BLOCK}") == "Hey."
    assert said(f'Hey.\n{lead} {{"trust_delta": 1}}') == "Hey."
    text = f"Hey.\n\n{lead}\nStay."
    assert said(text) == text


def test_a_user_turn_made_up_by_the_model_sets_no_reminder():
    parsed = parse_reply(f"Ok.\nUser: [reminder:1min]tea[/reminder]\n{BLOCK}")
    assert parsed.dialogue == "Ok."
    assert parsed.reminder_tags == ()
    assert parsed.updates is not None


def test_tags_count_behind_the_block_but_not_inside_thinking():
    parsed = parse_reply(
        f"<think>[reminder:1h]a[/reminder]</think>Ok.\n{BLOCK}\n[reminder: 5 min ] tea [/REMINDER]"
    )
    assert [(tag.time, tag.content) for tag in parsed.reminder_tags] == [("5 min", "tea")]


def test_removing_a_tag_keeps_paragraphs():
    text = "One  two.\n\n[reminder:5min]a\nb[/reminder]\n\nThree [reminder:1h]c[/reminder] four."
    assert said(text) == "One  two.\n\nThree four."
    assert take_reminder_tags(text)[0] == "One  two.\n\n\nThree four."


def test_only_what_precedes_the_block_is_said():
    assert said(f"One.\n{BLOCK}\nTwo.") == "One."
    assert said(f"{BLOCK}\n{BLOCK}\nTwo.\n{BLOCK}\nThree.") == "Two."


def test_roles_of_chat_templates():
    assert said("<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nhi") == "Hello"
    assert said("<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>") == "Hello"
    assert said("Hello<｜end▁of▁sentence｜>there") == "Hello"
    assert said("I <3 you <b>so</b> much") == "I <3 you <b>so</b> much"


HOSTILE = [
    *(
        "{",
        '{"',
        "{'",
        '{"a":',
        '{"trust_delta":',
        "{/*",
        "{a:",
        "<think>",
        "</think>",
        "<think",
        "<",
        "<|",
        '"',
        "'",
        " ",
    ),
    *(
        "\n",
        "\t",
        "`",
        "```",
        "```json\n",
        "```json {",
        "[",
        "[reminder:",
        "[reminder:5min]",
        "[reminder:1m]a[/reminder]",
    ),
    *(
        "*",
        "*a* ",
        "(",
        "(smiles",
        "(smiles)",
        "User:",
        "\nUser",
        "\n**",
        "\\",
        "/*",
        "//",
        "}",
        "[[{",
        "\r\n",
        "：",
        "\n> ",
        '```json\n{"a":/*',
        '```json\n{"a":\'',
    ),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit: str):
    started = time.process_time()
    parse_reply((unit * 16_000)[:16_000], "Mika")
    parse_reply("Hey.\n```json\n" + (unit * 16_000)[:16_000], "Mika")
    assert time.process_time() - started < 2 * WATCHDOG_S


def test_depth_breaks_nothing():
    assert updates('{"trust_delta": ' + "[" * 100_000) is None
    assert updates('{"trust_delta": 1, "x": ' + "[" * 40 + "]" * 40 + "}") == {"trustDelta": 1}


def test_deltas_that_a_small_model_put_inside_the_mood_count_too():
    mood = {
        "emotion": "happy",
        "intensityDelta": 3,
        "affection_delta": 2,
        "comfort_delta": 1,
        "new_memory": "X",
    }
    assert updates(json.dumps({"mood_change": mood, "comfort_delta": 4})) == {
        "moodChange": {"emotion": "happy", "intensityDelta": 3},
        "affectionDelta": 2,
        "comfortDelta": 4,
        "newMemory": "X",
    }
    assert updates('{"mood_change": {"emotion": "I love you", "trust_delta": 3}}') == {"trustDelta": 3}


def test_a_block_in_a_list_of_its_own_is_the_block():
    parsed = as_table(parse_reply('Hey.\n```json\n[{"trust_delta": 2}]\n```'))
    assert parsed == {"dialogue": "Hey.", "stateUpdates": {"trustDelta": 2}, "parseError": False}
    asked = 'Two:\n```json\n[{"name": "Ann"}, {"name": "Bo"}]\n```'
    assert parse_reply(asked).dialogue == asked


@pytest.mark.parametrize("words", ["*I'll be glad to explain*", "*I’m so happy for you!*"])
def test_a_reply_all_in_stars_is_still_said(words: str):
    assert said(words) == words
    assert said("*I smile at you* Hey.") == "Hey."


@pytest.mark.parametrize("memory", ["391.11", "...", "7", "🙂"])
def test_a_memory_has_letters(memory: str):
    assert updates(json.dumps({"new_memory": memory, "trust_delta": 1})) == {"trustDelta": 1}
    assert updates(json.dumps({"new_memory": "彼は猫が好き", "trust_delta": 1})) != {"trustDelta": 1}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
KEYS = [
    "mood_change",
    "affection_delta",
    "trust_delta",
    "new_memory",
    "action",
    "expression",
    "triggered_event",
    "x",
]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JSON_VALUES, min_size=1), st.floats(), st.text(max_size=6))
def test_any_values_stay_in_range(block: dict, delta: float, emotion: str):
    block |= {"comfort_delta": delta, "mood_change": {"emotion": emotion, "intensity_delta": delta}}
    found = parse_reply("Hm.\n```json\n" + json.dumps(block) + "\n```").updates
    assert found is not None
    assert found.affection_delta is None or -20 <= found.affection_delta <= 20
    assert all(value is None or -10 <= value <= 10 for value in (found.trust_delta, found.comfort_delta))
    assert found.mood_change is None or found.mood_change.emotion in EMOTIONS
    assert found.new_memory is None or len(found.new_memory) <= 240
