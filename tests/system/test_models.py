"""The model fails in every way: the user hears of it once, kindly, and is answered when it is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model_server import Answer, ModelServer
from tests.system.stage import BUSY, NOTICE, OPERATOR, SLOW, UNREACHABLE, Stage, hers, stage

NEVER = "3600"
"""Seconds until a failed model is asked again by itself: longer than any test."""

FAULTS = {
    "500": (Answer(status=500), UNREACHABLE),
    "429": (Answer(status=429, retry_after="600"), BUSY),
    "rate limit in 200": (Answer(fault="rate_limit_body"), BUSY),
    "rate limit as text": (Answer(fault="rate_limit_text"), BUSY),
    "error chunk in 200": (Answer(fault="error_chunk"), UNREACHABLE),
    "web page": (Answer(fault="html"), UNREACHABLE),
    "garbage": (Answer(fault="truncated_json"), UNREACHABLE),
    "cut": (Answer(fault="drop"), UNREACHABLE),
    "empty": (Answer(fault="empty"), UNREACHABLE),
    "wrong key": (Answer(status=401), OPERATOR),
    "unknown model": (Answer(status=404), OPERATOR),
}


async def test_every_fault_is_told_once_and_the_message_answered_when_the_user_writes_again(
    tmp_path: Path,
) -> None:
    """One bot and one user for each fault; every one of them writes again once the model is back."""
    async with stage(tmp_path, OTOMO_TURN__RETRY_MODEL_S=NEVER) as on:
        by_name = {name: fault for name, (fault, _) in FAULTS.items()}
        on.model.program(lambda request: by_name[request.user_text])
        await on.bot.start()
        people = {name: person(number) for number, name in enumerate(FAULTS)}
        for name, user in people.items():
            on.telegram.say(name, user=user)
        for name, user in people.items():
            await on.heard(FAULTS[name][1], user=user)
        await check_that_nothing_is_remembered(on)
        on.model.program(lambda request: hers(f"You said: {request.user_text}"))
        on.model.requests.clear()
        for user in people.values():
            on.telegram.say("are you there?", user=user)
        for name, user in people.items():
            await on.heard(
                FAULTS[name][1], NOTICE, f"You said: {name}\nare you there?".split("\n\n")[0], user=user
            )
        assert len(on.model.requests) == len(FAULTS)
        for request in on.model.requests:
            assert [message["role"] for message in request.messages] == ["system", "user"]


async def test_a_model_that_hangs_is_told_of_and_given_up(tmp_path: Path) -> None:
    patience = {"OTOMO_TURN__NOTICE_S": "1", "OTOMO_LLM__SILENCE_S": "4", "OTOMO_LLM__TURN_S": "4"}
    async with stage(tmp_path, OTOMO_TURN__RETRY_MODEL_S=NEVER, **patience) as on:
        on.model.program(Answer(fault="hang"), hers("Here."))
        await on.bot.start()
        on.telegram.say("hi")
        await on.heard(SLOW, UNREACHABLE)
        on.telegram.say("are you there?")
        await on.heard(SLOW, UNREACHABLE, NOTICE, "Here.")
        assert on.model.requests[-1].user_text == "hi\nare you there?"


async def check_that_nothing_is_remembered(on: Stage) -> None:
    async with on.book() as book:
        assert await book.sides() == []
        assert await book.turn_states() == ["waiting"] * len(FAULTS)
        assert [(await book.character(user)).total_interactions for user in (1, 2)] == [0, 0]


def person(number: int) -> dict[str, object]:
    return {"id": 2000 + number, "is_bot": False, "first_name": f"P{number}", "language_code": "en"}


async def test_no_server_at_all_over_a_restart(tmp_path: Path) -> None:
    async with stage(tmp_path, OTOMO_TURN__RETRY_MODEL_S=NEVER) as on:
        dead = on.model.port
        await on.model.__aexit__(None, None, None)
        await on.bot.start()
        on.telegram.say("hi")
        await on.heard(UNREACHABLE)
        await on.settled(0)  # killed any earlier, it might say the same twice
        on.bot.kill()
        await on.bot.ended()
        async with ModelServer(replies=[hers("I am back.")], port=dead) as model:
            await on.bot.start()
            assert await on.bot.stop() == 0
            assert model.requests == [], "a turn that rests is left alone until its time or new words come"
            await on.bot.start()
            on.telegram.say("hello?")
            await on.heard(UNREACHABLE, NOTICE, "I am back.")
            assert model.requests[0].user_text == "hi\nhello?"
            assert await on.bot.stop() == 0
        await on.model.__aenter__()


async def test_a_model_that_comes_back_is_noticed_without_a_word_of_the_user(tmp_path: Path) -> None:
    async with stage(tmp_path, OTOMO_TURN__RETRY_MODEL_S="0.5") as on:
        on.model.program(Answer(status=500), Answer(status=500), hers("There I am."))
        await on.bot.start()
        on.telegram.say("hi")
        await on.heard(UNREACHABLE, NOTICE, "There I am.")
        await on.settled(1)
        async with on.book() as book:
            assert await book.sides() == [("user", "hi"), ("assistant", "There I am.")]


async def test_a_late_answer_still_comes_and_a_filtered_one_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path, OTOMO_TURN__NOTICE_S="0.3") as on:
        on.model.program(Answer(hers("At last."), first_pause_s=2.0), Answer(fault="filtered"), hers("Yes."))
        await on.bot.start()
        on.telegram.say("hi")
        await on.heard(SLOW, NOTICE, "At last.")
        on.telegram.say("something terrible")
        stopped = "My model's provider stopped that answer. Could you put it another way?"
        await on.heard(SLOW, NOTICE, "At last.", stopped)
        on.telegram.say("something kind")
        await on.heard(SLOW, NOTICE, "At last.", stopped, "Yes.")
        said = [message["content"] for message in on.model.requests[-1].messages]
        assert not any("something terrible" in text for text in said)


async def test_a_reply_of_100_kilobytes_is_cut_and_delivered_in_order(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        words = " ".join(f"w{number}" for number in range(15_000))
        assert len(words) > 90_000
        on.model.program(Answer(words, piece=4000), hers("Short."))
        await on.bot.start()
        on.telegram.say("hi")
        await on.settled(1)
        got = " ".join(on.telegram.texts_to()[1:]).split()
        assert got[:-1] == [f"w{number}" for number in range(len(got) - 1)], "the last one may be cut"
        assert 10_000 < len(" ".join(got)) <= 16_000
        assert all(len(text) <= 4096 for text in on.telegram.texts_to())


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"affection_delta": 1e999, "mood_change": {"emotion": [], "intensity_delta": NaN}}\n```',
        '{"affection_delta": true} <think>unclosed',
        "```json\n" + '{"affection_delta": 3, "new_memory":' + '{"a":' * 500 + "\n```",
    ],
    ids=["numbers", "open thought", "deep"],
)
async def test_a_block_of_nonsense_leaves_her_a_sentence_and_sound_numbers(
    tmp_path: Path, reply: str
) -> None:
    async with stage(tmp_path) as on:
        on.model.program(reply)
        await on.bot.start()
        on.telegram.say("hi")
        await on.settled(1)
        notice, *rest = on.telegram.texts_to()
        assert notice == NOTICE
        assert rest
        assert not any(sign in "".join(rest) for sign in "{}<`")
        async with on.book() as book:
            assert 0 <= (await book.character()).affection <= 1000
