"""The streaming twin must end where the whole parse ends, and show nothing on the way that has to go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.reply_block import parse_reply
from engine.reply_stream import ReplyStream

CASES = Path(__file__).parent.parent / "cases"


def _replies() -> list[tuple[str, str]]:
    found = []
    for table in ("parser", "pitfalls", "reminders"):
        for case in json.loads((CASES / f"{table}.json").read_text(encoding="utf-8")):
            args = case["input"].get("args", {})
            if case["input"].get("fn") in ("parseResponse", "turnParse", "extractReminderTags"):
                found.append((args["text"], args.get("name", "")))
    return found


REPLIES = _replies()
PIECES = [
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "*",
        "**",
        "`",
        "```",
        "```json",
        "```json\n",
        "<",
        ">",
        "'",
        '"',
        ",",
        ":",
    ),
    *(
        "：",
        " ",
        "\n",
        "\r\n",
        "\n\n\n",
        "\\",
        "//",
        "/*",
        "#",
        "-",
        "|",
        "</s>",
        "<|im_end|>",
        "<|im_start|>",
    ),
    *(
        "user",
        "assistant",
        "Mika",
        "Mika:",
        "User:",
        "\nUser: ",
        "\nMika: ",
        '\nJonas: "',
        "田中：「",
        "Hello",
        "you",
    ),
    *(
        "<think>",
        "</think>",
        "<thi",
        "nk>",
        "[reminder:5min]",
        "[/reminder]",
        "tea",
        "smiles",
        "*smiles*",
        "(laughs)",
    ),
    *(
        '{"trust_delta": 1}',
        '"trust_delta": 1',
        "{'mood_change': ",
        '{"emotion": "happy"}',
        '{"action": "wave"}',
    ),
    *(
        '{"name": "x"}',
        '{"a": [1, 2',
        "```python\nprint(1)\n```",
        "mood_change",
        "é",
        "😊",
        "\u200d",
        "3",
        "[INST]",
    ),
]
hostile_replies = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def streamed(text: str, name: str, cuts: list[int], *, early: bool) -> ReplyStream:
    """Feed a reply cut at the given places; on the way check that nothing shown has to vanish."""
    final = parse_reply(text, name)
    stream = ReplyStream(name, early=early)
    shown = ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        released = stream.feed(text[start:end])
        shown = stream.visible if "</th" in text.lower() or "[/TH" in text else shown + released
        assert stream.visible == shown
        assert "</th" in text.lower() or "/THINK" in text or (final.dialogue or "").startswith(shown)
    assert stream.finish() == final
    assert stream.visible == (final.dialogue or "")
    return stream


@pytest.mark.parametrize(("text", "name"), REPLIES)
def test_case_cut_at_every_point(text: str, name: str):
    for cut in range(len(text) + 1):
        streamed(text, name, [cut], early=True)
    streamed(text, name, list(range(1, len(text))), early=True)
    streamed(text, name, list(range(1, len(text))), early=False)


@settings(max_examples=400, deadline=None)
@given(hostile_replies, st.sampled_from(["", "Mika", "Mary Ann", "R2.D2"]), st.data())
def test_any_reply_in_any_pieces(text: str, name: str, data: st.DataObject):
    streamed(text, name, list(range(1, len(text))), early=True)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    streamed(text, name, cuts, early=True)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text_at_all(text: str):
    streamed(text, "Mika", list(range(1, len(text))), early=True)


def test_an_unknown_model_shows_nothing_before_the_end():
    stream = ReplyStream("Mika")
    assert [stream.feed(piece) for piece in ("They want comfort.", "</think>", "Hello.")] == ["", "", ""]
    assert stream.finish().dialogue == "Hello."
    assert stream.visible == "Hello."


def test_a_known_model_is_shown_as_it_writes():
    stream = ReplyStream("Mika", early=True)
    released = [stream.feed(piece) for piece in ("Hello the", "re, you", '.\n{"trust', '_delta": 1}')]
    assert "".join(released) == "Hello there, you."
    assert released[1]


def test_a_stray_closer_starts_the_visible_text_anew():
    stream = ReplyStream("", early=True)
    stream.feed("They want comfort, keep it short, and so on and on.\n")
    stream.feed("</think>I am right here, and I am staying for a while.\nGood")
    assert stream.visible.startswith("I am right here")


@pytest.mark.parametrize("secret", ["secretly", "hidden"])
def test_no_prefix_shows_machinery(secret: str):
    text = (
        f"<think>{secret}</think>Sure. [reminder:5min]{secret}[/reminder] Done.<|im_start|>user\n{secret}<|im_end|>"
        f'\n```json\n{{"new_memory": "{secret}", "trust_delta": 1}}\n```'
    )
    stream = ReplyStream("Mika", early=True)
    for character in text:
        stream.feed(character)
        assert not any(part in stream.visible for part in ("<", "[", "{", "`", "|", secret[:3], "user"))
    assert stream.finish().updates is not None
