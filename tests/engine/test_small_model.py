"""Forty real replies of a small model (SmolLM2, 135M), whole and letter by letter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.reply_block import parse_reply
from engine.reply_stream import ReplyStream
from engine.runaway import without_loop

RECORDED = json.loads(
    (Path(__file__).parents[1] / "data" / "small_model_replies.json").read_text(encoding="utf-8")
)
REPLIES = RECORDED["replies"]
NOTES = RECORDED["notes"]
NAME = "Otomo"

MACHINERY = re.compile(
    r"_delta|mood_change|moodChange|new_memory|intensity_"
    r"|\[/?reminder|</?think|<\|[a-z_]+\|>|\[/?INST\]|</s>"
    r"|^[ \t]*(?:Otomo|User|Human|Assistant|Companion|System)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)


def numbered(texts):
    return [pytest.param(text, id=str(number)) for number, text in enumerate(texts)]


def test_there_are_forty_and_they_hold_what_has_to_go():
    assert len(REPLIES) == 40
    assert sum(MACHINERY.search(reply["raw"]) is not None for reply in REPLIES) >= 8


@pytest.mark.parametrize("raw", numbered(reply["raw"] for reply in REPLIES))
def test_her_words_are_clean(raw):
    words = parse_reply(raw, NAME).dialogue or ""
    assert not MACHINERY.search(words)
    assert words == words.strip()
    assert "\n\n\n" not in words


@pytest.mark.parametrize("raw", numbered(reply["raw"] for reply in REPLIES))
@pytest.mark.parametrize("early", [True, False])
def test_the_stream_shows_nothing_more_and_ends_the_same(raw, early):
    whole = parse_reply(raw, NAME)
    stream = ReplyStream(NAME, early=early)
    for letter in raw:
        stream.feed(letter)
        assert (whole.dialogue or "").startswith(stream.visible)
    assert stream.finish() == whole
    assert stream.visible == (whole.dialogue or "")


@pytest.mark.parametrize("raw", numbered(reply["raw"] for reply in REPLIES))
def test_what_does_not_loop_is_kept(raw):
    words = parse_reply(raw, NAME).dialogue or ""
    kept = without_loop(words)
    assert words.startswith(kept.removesuffix("…"))
    assert kept == words or len(words) - len(kept) > 60


@pytest.mark.parametrize("raw", numbered(note["raw"] for note in NOTES))
def test_its_notes_are_read_where_they_are_whole(raw):
    parsed = parse_reply(raw, NAME)
    assert not MACHINERY.search(parsed.dialogue or "")
    try:
        note = json.loads(raw)
    except ValueError:
        return  # cut off at its token limit: the heuristics carry the turn
    assert parsed.updates is not None
    assert parsed.updates.comfort_delta in (
        None,
        (note.get("mood_change") or {}).get("comfort_delta"),
        note.get("comfort_delta"),
    )
