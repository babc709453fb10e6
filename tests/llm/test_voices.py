"""Both SDK voices over real HTTP: what goes out, what comes in, and every fault told apart."""

import asyncio
import base64
import itertools
import logging
import time

import pytest

from bot.errors import (
    ModelBusy,
    ModelEmpty,
    ModelFiltered,
    ModelRefusedKey,
    ModelRefusedRequest,
    ModelSilent,
    ModelUnreachable,
)
from bot.llm.anthropic_style import AnthropicStyle
from bot.llm.openai_style import OpenAiStyle
from bot.llm.usage import metering
from bot.ports import LONGEST_REPLY
from engine.conversation import ChatMessage, Image, Prompt
from tests.llm.conversation_pieces import a_request, a_subject, quick, said
from tests.model_server import Answer, ModelServer


@pytest.fixture(params=["openai", "anthropic"])
def style(request):
    return request.param


@pytest.fixture
async def voice(style):
    """Return a maker of voices of one style for a server; all are closed at the end."""
    made = []

    def make(server, **changes):
        if style == "openai":
            made.append(OpenAiStyle(quick(server.url, **changes), "Testers"))
        else:
            made.append(AnthropicStyle(quick(server.root, **changes), "Testers"))
        return made[-1]

    yield make
    for model in made:
        await model.close()


async def test_words_usage_and_request(voice):
    async with ModelServer(replies=["Hello there, you."]) as server:
        request = a_request("hi", "Hello.", "and now?", system="You are Hana.")
        assert await said(voice(server, max_tokens=77), request) == "Hello there, you."
    asked = server.requests[0]
    assert (asked.system, asked.user_text) == ("You are Hana.", "and now?")
    assert [message["role"] for message in asked.messages if message["role"] != "system"] == [
        "user",
        "assistant",
        "user",
    ]
    assert asked.body["max_tokens"] == 77
    assert asked.body["temperature"] == 0.8
    assert (request.usage.prompt_tokens, request.usage.completion_tokens) == (11, 3)


async def test_pieces_arrive_as_they_come(voice):
    async with ModelServer(replies=[Answer("one two three four", piece=4, piece_pause_s=0.05)]) as server:
        pieces = [piece async for piece in voice(server).stream(a_request("hi"))]
    assert len(pieces) > 2


async def test_no_usage_is_no_fault(voice):
    async with ModelServer(replies=[Answer("Hello.", usage=False)]) as server:
        assert await said(voice(server), a_request("hi")) == "Hello."


async def test_reasoning_is_not_spoken(voice):
    async with ModelServer(replies=[Answer("Hello.", reasoning="The user says hi, so")]) as server:
        assert await said(voice(server), a_request("hi")) == "Hello."


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_reasoning_inside_the_text_is_dropped_at_any_cut(voice, size):
    text = "<think>\nHe says hi.\n</think>\n\nHello."
    async with ModelServer(replies=[Answer(text, piece=size)]) as server:
        assert await said(voice(server), a_request("hi")) == "Hello."


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=400), ModelRefusedRequest),
        (Answer(status=400, error="Incorrect API key provided: sk-secret-canary"), ModelRefusedKey),
        (Answer(status=400, error="flagged", error_code="content_filter"), ModelFiltered),
        (Answer(status=401), ModelRefusedKey),
        (Answer(status=402), ModelRefusedKey),
        (Answer(status=403), ModelRefusedKey),
        (Answer(status=404), ModelRefusedRequest),
        (Answer(status=408), ModelUnreachable),
        (Answer(status=413), ModelRefusedRequest),
        (Answer(status=429), ModelBusy),
        (Answer(status=429, error_code="insufficient_quota"), ModelRefusedKey),
        (Answer(status=500), ModelUnreachable),
        (Answer(status=503), ModelUnreachable),
        (Answer(status=529), ModelBusy),
        (Answer(fault="hang"), ModelSilent),
        (Answer(fault="comments"), ModelSilent),
        (Answer(fault="drop"), ModelUnreachable),
        (Answer(fault="truncated_json"), ModelUnreachable),
        (Answer(fault="error_chunk", error_code="server_error"), ModelUnreachable),
        (Answer(fault="error_chunk", error="Rate limit reached"), ModelBusy),
        (Answer(fault="rate_limit_body"), ModelBusy),
        (Answer(fault="rate_limit_text"), ModelBusy),
        (Answer(fault="html"), ModelUnreachable),
        (Answer(fault="empty"), ModelEmpty),
        (Answer(" \n ", fault="no_end"), ModelEmpty),
        (Answer("<think>never ends"), ModelEmpty),
        (Answer("Sure, here", fault="filtered"), ModelFiltered),
    ],
    ids=lambda value: f"{value.fault or value.status}" if isinstance(value, Answer) else value.__name__,
)
async def test_every_fault_has_its_kind_and_tells_no_secret(voice, answer, kind):
    async with ModelServer(replies=[answer]) as server:
        with pytest.raises(kind) as caught:
            await said(voice(server, silence_s=0.4), a_request("my secret words"))
    assert "Testers" in str(caught.value)
    assert "canary" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("fault", ["drop", "truncated_json", "error_chunk", "hang", "no_end"])
async def test_a_stream_that_breaks_off_keeps_its_words(voice, fault):
    text = "I was just thinking of you."
    async with ModelServer(replies=[Answer(text, fault=fault, after=14)]) as server:
        heard = await said(voice(server, silence_s=0.4, retries=2), a_request("hi"))
    assert heard == (text if fault == "no_end" else text[:14])
    assert len(server.requests) == 1


async def test_asks_again_only_before_the_first_word(voice):
    failing = [Answer(status=500), Answer(fault="empty"), "Third time lucky."]
    async with ModelServer(replies=failing) as server:
        with metering() as meter:
            assert await said(voice(server, retries=2), a_request("hi")) == "Third time lucky."
        assert len(server.requests) == meter.requests == 3
        server.program(Answer(status=500))
        with pytest.raises(ModelUnreachable):
            await said(voice(server, retries=1), a_request("hi"))
    assert len(server.requests) == 5


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_what_only_the_operator_can_mend_is_not_asked_again(voice, status):
    async with ModelServer(replies=[Answer(status=status)]) as server:
        with pytest.raises((ModelRefusedKey, ModelRefusedRequest)):
            await said(voice(server, retries=3), a_request("hi"))
    assert len(server.requests) == 1


async def test_waits_as_long_as_it_is_asked_to(voice):
    async with ModelServer(replies=[Answer(status=429, retry_after="0.3"), "Now."]) as server:
        model = voice(server, retries=1)
        await model._client.get()
        begun = time.monotonic()
        assert await said(model, a_request("hi")) == "Now."
    assert time.monotonic() - begun >= 0.3


async def test_a_long_wait_is_handed_on_instead(voice):
    async with ModelServer(replies=[Answer(status=429, retry_after="600")]) as server:
        with pytest.raises(ModelBusy) as caught:
            await said(voice(server, retries=3), a_request("hi"))
    assert caught.value.after_s == 600
    assert len(server.requests) == 1


async def test_the_whole_reply_has_a_limit(voice):
    slow = Answer("la " * 200, piece=3, piece_pause_s=0.05)
    async with ModelServer(replies=[slow]) as server:
        heard = await said(voice(server, turn_s=0.5, retries=2), a_request("hi"))
    assert 0 < len(heard) < 300
    assert len(server.requests) == 1


async def test_a_huge_reply_is_cut_and_the_connection_closed(voice):
    huge = Answer("word " * 20_000, piece=400, piece_pause_s=0.001)
    async with ModelServer(replies=[huge]) as server:
        assert len(await said(voice(server), a_request("hi"))) == LONGEST_REPLY
        for _ in range(100):
            if server.cut_by_client:
                break
            await asyncio.sleep(0.02)
        assert server.cut_by_client == 1


async def test_leaving_early_closes_the_connection(voice):
    async with ModelServer(replies=[Answer("word " * 2000, piece=5, piece_pause_s=0.01)]) as server:
        stream = voice(server).stream(a_request("hi"))
        async for _ in stream:
            break
        await stream.aclose()
        for _ in range(100):
            if server.cut_by_client:
                break
            await asyncio.sleep(0.02)
        assert server.cut_by_client == 1


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
async def test_nobody_there(style, address):
    model = OpenAiStyle(quick(address), "T") if style == "openai" else AnthropicStyle(quick(address), "T")
    with pytest.raises(ModelUnreachable):
        await said(model, a_request("hi"))
    await model.close()


async def test_roles_begin_and_end_with_the_user_and_alternate(voice):
    talk = (
        ChatMessage("assistant", "Hello."),
        ChatMessage("user", "one"),
        ChatMessage("user", "two"),
        ChatMessage("assistant", "Yes?"),
    )
    for messages in (talk, ()):
        async with ModelServer(replies=["Fine."]) as server:
            from bot.ports import ChatRequest

            request = ChatRequest(Prompt("You are Hana.", messages, a_subject()))
            assert await said(voice(server), request) == "Fine."
        roles = [message["role"] for message in server.requests[0].messages if message["role"] != "system"]
        assert roles[0] == roles[-1] == "user"
        assert all(first != second for first, second in itertools.pairwise(roles))


async def test_pictures_travel_as_each_dialect_wants(voice, style):
    picture = Image("image/png", b"\x89PNG bytes")
    async with ModelServer(replies=["Nice."]) as server:
        await said(voice(server), a_request("look", images=(picture,)))
    parts = server.requests[0].messages[-1]["content"]
    data = base64.b64encode(picture.data).decode()
    if style == "openai":
        assert parts[1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    else:
        assert parts[0]["source"] == {"type": "base64", "media_type": "image/png", "data": data}
    assert server.requests[0].user_text == "look"


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


async def test_json_is_asked_for_by_schema_where_offered(voice, style):
    async with ModelServer(replies=['{"a": 1}']) as server:
        with metering() as meter:
            assert await voice(server).complete_json("system", "user", SCHEMA, 99) == '{"a": 1}'
    body = server.requests[0].body
    asked = body["response_format"]["json_schema"] if style == "openai" else body["output_config"]["format"]
    assert asked["schema"] == SCHEMA
    assert body["max_tokens"] == 99
    assert body.get("temperature", 0) < 0.5
    assert (meter.requests, meter.prompt_tokens, meter.completion_tokens) == (1, 11, 2)


async def test_json_falls_back_to_plain_text_and_remembers(voice):
    async with ModelServer(replies=['{"a": 1}'], json_schema=False) as server:
        model = voice(server)
        assert await model.complete_json("system", "user", SCHEMA) == '{"a": 1}'
        assert await model.complete_json("system", "user", SCHEMA) == '{"a": 1}'
    assert [request.wants_json for request in server.requests] == [True, False, False]


async def test_a_parameter_that_the_model_refuses_is_left_out(voice):
    async with ModelServer(
        replies=[Answer(status=400, error="Unsupported value: 'temperature'"), "Fine."]
    ) as server:
        model = voice(server)
        assert await said(model, a_request("hi")) == "Fine."
        assert await said(model, a_request("hi")) == "Fine."
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]


@pytest.fixture
def every_logger_at_debug():
    """Sets all loggers that there are to DEBUG, and back after the test."""
    before = {}

    def set_all():
        for name in list(logging.root.manager.loggerDict):
            logger = logging.getLogger(name)
            before.setdefault(logger, logger.level)
            logger.setLevel(logging.DEBUG)

    yield set_all
    for logger, level in before.items():
        logger.setLevel(level)


async def test_neither_words_nor_key_reach_a_log_at_debug(voice, caplog, every_logger_at_debug):
    caplog.set_level(logging.DEBUG)
    async with ModelServer(
        replies=["My private answer.", Answer(status=500), Answer(fault="drop")]
    ) as server:
        model = voice(server)
        await model._client.get()
        every_logger_at_debug()
        await said(model, a_request("my private words"))
        for _ in range(2):
            with pytest.raises(ModelUnreachable):
                await said(model, a_request("my private words"))
    for secret in ("private", "canary"):
        assert secret not in caplog.text


async def test_the_loop_stays_free_while_the_sdk_loads(voice):
    lags = []

    async def watch():
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0.005)
            lags.append(time.perf_counter() - begun - 0.005)

    watcher = asyncio.create_task(watch())
    async with ModelServer() as server:
        await said(voice(server, silence_s=30.0), a_request("hi"))
    watcher.cancel()
    assert max(lags) < 0.5  # the bar is 0.05 s; a watchdog of ten times that
