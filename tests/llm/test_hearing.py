"""Listening and refusals as pure functions."""

import itertools
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ModelBusy, ModelEmpty, ModelError, ModelFiltered, ModelRefusedKey, ModelRefusedRequest
from bot.llm.hearing import Hearing
from bot.llm.refusals import asked_wait, refused, unwanted
from bot.ports import LONGEST_REPLY


def listen(pieces):
    hearing = Hearing("T")
    heard = "".join(hearing.take(piece) for piece in pieces)
    return heard + hearing.end()


def cut(text, places):
    marks = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[first:second] for first, second in itertools.pairwise(marks)]


@given(
    thought=st.text(max_size=60).filter(lambda text: "<" not in text),
    tag=st.sampled_from(["think", "thinking", "Thought", "reasoning"]),
    places=st.lists(st.integers(0, 200), max_size=20),
)
def test_leading_reasoning_is_dropped_at_any_cut(thought, tag, places):
    assert listen(cut(f" \n<{tag}>{thought}</{tag}>\n\nHello you.", places)) == "Hello you."


@given(text=st.text(min_size=1, max_size=300), places=st.lists(st.integers(0, 300), max_size=20))
def test_cuts_never_change_what_is_heard(text, places):
    try:
        whole = listen([text])
    except ModelError as error:
        with pytest.raises(type(error)):
            listen(cut(text, places))
        return
    assert listen(cut(text, places)) == whole


def test_tags_inside_a_reply_stay_for_the_parser():
    assert listen(["Look: <think> is a tag."]) == "Look: <think> is a tag."


@pytest.mark.parametrize("text", ["🙂", "❤️", "💪💪", "☕ …"])
def test_an_emoji_is_a_reply(text):
    assert listen(list(text)) == text


@pytest.mark.parametrize("text", ["", " \n ", "...", "<think>endless", "</", "\u2800", "\u3164 \u200b"])
def test_no_word_is_no_reply(text):
    with pytest.raises(ModelEmpty):
        listen(list(text))


@pytest.mark.parametrize(
    "text",
    [
        "Rate limit reached for gpt in organization. Please try again in 20s.",
        "Too many requests, please slow down.",
        '{"error": {"message": "Rate limit reached", "code": 429}}',
    ],
)
def test_a_notice_sent_as_a_reply_is_no_reply(text):
    with pytest.raises(ModelBusy):
        listen(list(text))


@pytest.mark.parametrize(
    "text",
    [
        "Rate my cake? Ten.",
        "Too many requests " + "and not enough tea. " * 40,
        '{"answer": 1}',
        "Error, my dear.",
    ],
)
def test_words_that_only_begin_like_one_are_a_reply(text):
    assert listen(list(text)) == text


def test_the_length_is_capped():
    hearing = Hearing("T")
    assert sum(len(hearing.take("x" * 999)) for _ in range(50)) == LONGEST_REPLY
    assert hearing.full


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (
            [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
            400,
            ModelRefusedKey,
        ),
        ({"error": "model 'x' not found, try pulling it first"}, None, ModelRefusedRequest),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, 200, ModelBusy),
        ({"error": {"code": "content_filter", "message": "…"}}, 400, ModelFiltered),
        ({"message": "requires moderation and your input was flagged"}, 403, ModelFiltered),
        (
            {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
            400,
            ModelRefusedKey,
        ),
        ("", 503, ModelError),
        (None, None, ModelError),
        (["odd", 3], 500, ModelError),
    ],
)
def test_error_bodies_of_all_shapes(body, status, kind):
    assert isinstance(refused("T", body, status), kind)


def test_only_safe_codes_are_shown():
    error = refused("T", {"error": {"code": "key sk-123 is wrong", "message": "sk-123"}}, 401)
    assert "sk-123" not in str(error)


def test_retry_after_in_all_its_forms():
    assert asked_wait({"retry-after": "7"}) == 7
    assert asked_wait({"retry-after": "0.5"}) == 0.5
    assert asked_wait({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < (asked_wait({"retry-after": later}) or 0) <= 30
    assert asked_wait({"retry-after": "Mon, 01 Jan 2024 00:00:00 GMT"}) == 0
    for odd in ("soon", "-5", "nan", "1e999", ""):
        assert asked_wait({"retry-after": odd}) is None
    assert asked_wait({}) is None


def test_an_unwanted_parameter_is_found_by_name_or_in_the_words():
    sent = {"temperature": 1, "presence_penalty": 1, "max_tokens": 5}
    assert unwanted({"error": {"param": "temperature"}}, sent) == "temperature"
    assert (
        unwanted({"error": "Argument not supported on this model: presencePenalty"}, sent)
        == "presence_penalty"
    )
    assert unwanted({"error": {"message": "messages: too long", "param": None}}, sent) is None
