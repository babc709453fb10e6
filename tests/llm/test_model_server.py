"""The test server itself: the faults are what they claim to be."""

import aiohttp
import pytest

from tests.model_server import Answer, ModelServer

BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


async def post(server: ModelServer, path: str = "/v1/chat/completions", body=BODY):
    async with aiohttp.ClientSession() as session, session.post(server.root + path, json=body) as response:
        return response.status, await response.text()


async def test_streams_words_and_records_the_request():
    async with ModelServer(replies=["Hello there, you."]) as server:
        status, text = await post(server)
    assert status == 200
    assert text.endswith("data: [DONE]\n\n")
    assert '"content": "Hello t"' in text
    assert server.requests[0].user_text == "hi"


async def test_replies_in_order_and_the_last_stays():
    async with ModelServer(replies=["one", lambda request: request.user_text.upper()]) as server:
        texts = [(await post(server, body=BODY | {"stream": False}))[1] for _ in range(3)]
    assert ["one" in texts[0], "HI" in texts[1], "HI" in texts[2]] == [True, True, True]


async def test_drop_cuts_the_connection():
    async with ModelServer(replies=[Answer("Hello there", fault="drop", after=7)]) as server:
        with pytest.raises(aiohttp.ClientError):
            await post(server)


async def test_no_end_has_no_end_mark():
    async with ModelServer(replies=[Answer(fault="no_end")]) as server:
        assert "[DONE]" not in (await post(server))[1]


async def test_refuses_key_model_and_a_bad_message_list():
    async with ModelServer(key="k", models=["other"]) as server:
        assert (await post(server))[0] == 401
        server.key = None
        assert (await post(server))[0] == 404
        server.models = ()
        twice = BODY | {"messages": [*BODY["messages"], *BODY["messages"]], "max_tokens": 5}
        assert (await post(server, "/v1/messages", twice))[0] == 400
