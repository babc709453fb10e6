"""The caps on what models may cost: calls never pass them, and she says so."""

from bot.store.spending import spent_on
from tests.talk import a_talk

BLOCK = '\n```json\n{"affection_delta": 1}\n```'


async def test_calls_stop_exactly_at_the_cap_and_the_user_is_told(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hi." + BLOCK], SPENDING__USER_REQUESTS=3) as talk:
        answers = [await talk.say(f"message {number}") for number in range(5)]
        assert len(talk.server.requests) == 3
        assert "used up" in answers[3][0]
        assert "used up" in answers[4][0]
        assert (await talk.say("hello", account="noa"))[-1].startswith("Hi.")
        talk.clock.on(days=1)
        assert (await talk.say("a new day"))[-1].startswith("Hi.")


async def test_the_extraction_call_counts_too(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["No block."], SPENDING__ALL_REQUESTS=3) as talk:
        await talk.say("one")
        await talk.say("two")
        await talk.say("three")
        assert len(talk.server.requests) == 3


async def test_tokens_are_counted_per_user_and_day(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hi." + BLOCK]) as talk:
        await talk.say("hello")
        first = await spent_on(talk.app.store, talk.clock.now(), 1)
        await talk.say("hello", account="noa")
        everybody = await spent_on(talk.app.store, talk.clock.now())
        assert first.requests == 1
        assert first.prompt_tokens > 0
        assert everybody.requests == 2
        assert everybody.tokens > first.tokens
