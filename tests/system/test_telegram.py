"""Telegram over real HTTP, the bot as a process of its own."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from bot.store import tables
from engine.conversation import Face
from tests.system.stage import NOTICE, Stage, hers, stage, until


async def test_hello_gets_words_a_face_and_changed_numbers(tmp_path: Path) -> None:
    async with stage(tmp_path, OTOMO_RENDER__ENABLED="true") as on:
        reply = hers(
            "Hello **you**, it is *good* to see you.",
            mood_change={"emotion": "happy", "intensity_delta": 20},
            affection_delta=4,
            trust_delta=2,
            new_memory="They greet politely",
            expression="excited",
        )
        on.model.program(reply)
        await on.bot.start()
        on.telegram.say("/start")
        await on.telegram.wait_for("sendPhoto", within_s=60)
        await on.settled(1)
        on.telegram.calls.clear()
        on.telegram.sent.clear()
        on.telegram.say("Hello")
        await on.telegram.wait_for("sendPhoto", within_s=60)
        await on.settled(2)
        await check_the_conversation(on)
        await check_the_picture(on)
        await check_the_book(on)
        await check_that_a_repetition_changes_nothing(on)
        assert await on.bot.stop() == 0


async def check_the_conversation(on: Stage) -> None:
    assert on.words() == ["Hello you, it is good to see you."]
    methods = [
        (call.method, call.params.get("action"))
        for call in on.telegram.calls
        if call.method.startswith("send")
    ]
    assert methods[0] == ("sendChatAction", "typing")
    sent = on.telegram.sent[0]
    kinds = {entity["type"] for entity in sent.get("entities", sent.get("caption_entities", []))}
    assert kinds >= {"bold", "italic"}
    assert "affection_delta" not in str(on.telegram.sent)


async def check_the_picture(on: Stage) -> None:
    call = on.telegram.made("sendPhoto")[0]
    (data,) = call.files.values()
    assert len(on.telegram.made("sendPhoto")) == 1
    picture = Image.open(io.BytesIO(data))
    picture.load()
    assert (picture.format, picture.size) == ("JPEG", (512, 512))
    assert len(picture.getcolors(1 << 24)) > 500, "a picture of nothing"
    async with on.book() as book:
        faces = await book.all(tables.outgoing)
        shown = [Face(**row.body["face"]) for row in faces if row.body["face"]]
    assert [(face.emotion, face.flash) for face in shown][1:] == [("excited", True)]
    assert shown[1].expression
    assert shown[1].weight > 0


async def check_the_book(on: Stage) -> None:
    async with on.book() as book:
        (said, answered) = await book.sides()
        assert said == ("user", "Hello")
        assert answered[0] == "assistant"
        assert answered[1].startswith("Hello **you**, it is *good* to see you.")
        character = await book.character()
        (_, turn) = await book.all(tables.turns)
        (fact,) = await book.all(tables.facts)
    before, after = turn.applied["before"], turn.applied["after"]
    assert (
        character.affection
        == after["affection"]
        == before["affection"] + turn.applied["applied"]["affectionDelta"]
    )
    assert 0 < after["affection"] - before["affection"] <= 10
    assert character.mood.primary == "happy"
    assert character.total_interactions == 1
    assert fact.content == "They greet politely"


async def check_that_a_repetition_changes_nothing(on: Stage) -> None:
    async with on.book() as book:
        before = await book.picture_of_everything()
    message = next(m for m in on.telegram.messages.values() if m.get("text") == "Hello")
    on.telegram.push("message", message)
    await on.telegram.wait_until(lambda: not on.telegram.updates)
    on.telegram.say("And again?")
    await on.settled(3)
    async with on.book() as book:
        after = await book.picture_of_everything()
        words = await book.words_by_turn()
    assert after["turns"][:2] == before["turns"]
    assert after["sides"][:2] == before["sides"]
    assert len(after["turns"]) == 3
    assert words == {1: ["/start"], 2: ["Hello"], 3: ["And again?"]}


async def test_thirty_messages_that_came_while_she_was_down_are_answered_in_order(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.model.program(lambda request: hers(f"I heard: {request.user_text}"))
        on.telegram.meet()
        for number in range(30):
            on.telegram.say(f"line {number}")
        await on.bot.start()
        await on.telegram.wait_until(lambda: "line 29" in " ".join(on.words()), 60)
        answers = on.words()[1:]
        heard = [line for answer in answers for line in answer.removeprefix("I heard: ").split("\n")]
        assert heard == [f"line {number}" for number in range(30)]
        assert len(answers) <= 3, "they were not merged"
        assert on.telegram.waiting == []
        assert await on.bot.stop() == 0


async def test_first_words_are_met_with_the_apps_notice_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.bot.start()
        on.telegram.say("hi")
        await on.heard(NOTICE, "Hello.")
        on.telegram.say("hi again")
        await on.heard(NOTICE, "Hello.", "Hello.")


async def test_commands(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.bot.start()
        (start,) = await answers(on, "/start", 1)
        assert "I'm Otomo. I'm an AI companion, not a person" in start
        assert "the model that writes my words runs on the operator's own machine" in start
        (greeting,) = await answers(on, "hi", 1)
        assert greeting.startswith("Hello."), "told twice that she is an AI"
        (help_text,) = await answers(on, "/help", 1)
        assert "/stop" in help_text
        (status,) = await answers(on, "/status", 1)
        assert status.startswith("Otomo, still a stranger")
        assert "Affection" in status
        (unknown,) = await answers(on, "/dance_now", 1)
        assert unknown == "I don't know the command /dance_now. /help shows those I know."
        (quiet,) = await answers(on, "/stop", 1)
        assert quiet.startswith("All right, I'll be quiet.")
        await check_that_she_is_quiet(on)
        (back,) = await answers(on, "/start", 1)
        assert back == "I'm back. Nothing was lost; we go on where we stopped."
        assert (await answers(on, "hello once more", 1))[0].startswith("Hello.")
        asked = on.model.requests[-1].messages
        assert any(message["content"] == "hi" for message in asked), "the talk before /stop is forgotten"


async def check_that_she_is_quiet(on: Stage) -> None:
    sent, asked = len(on.telegram.sent), len(on.model.requests)
    async with on.book() as book:
        before = await book.character()
    on.telegram.say("are you there?")
    on.telegram.say("/help")
    on.telegram.post({"voice": {"file_id": "v", "file_unique_id": "v", "duration": 1}})

    async def taken() -> bool:
        async with on.book() as book:
            bound = [row.turn_id is not None for row in await book.all(tables.incoming)]
            return len(bound) == 9 and all(bound) and set(await book.turn_states()) == {"settled"}

    await until(taken)
    async with on.book() as book:
        assert await book.character() == before
        assert len(await book.all(tables.incoming)) == 9
    assert len(on.telegram.sent) == sent
    assert len(on.model.requests) == asked


CANNOT = {
    "voice": {"voice": {"file_id": "v", "file_unique_id": "v", "duration": 3}},
    "location": {"location": {"latitude": 1.0, "longitude": 2.0}},
    "poll": {
        "poll": {
            "id": "1",
            "question": "Tea?",
            "options": [{"text": "yes", "voter_count": 0, "persistent_id": "1"}],
            "total_voter_count": 0,
            "is_closed": False,
            "is_anonymous": True,
            "type": "regular",
            "allows_multiple_answers": False,
            "allows_revoting": False,
            "members_only": False,
        }
    },
}


async def test_what_she_cannot_take_gets_one_kind_sentence(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.bot.start()
        said = [(await answers(on, content, 1))[0] for content in CANNOT.values()]
        assert said == [
            "I can't listen to voice messages yet. Would you write it to me?",
            "I can't read places on a map yet. Tell me where that is?",
            "I can't take part in polls yet. Tell me what you are deciding?",
        ]
        assert on.model.requests == []
        async with on.book() as book:
            assert await book.sides() == []
            assert (await book.character()).total_interactions == 0


async def answers(on: Stage, said: str | dict[str, Any], count: int) -> list[str]:
    """Say something and wait for so many messages of hers."""
    before = len(on.telegram.sent)
    on.telegram.say(said) if isinstance(said, str) else on.telegram.post(said)
    await on.telegram.wait_until(lambda: len(on.telegram.sent) >= before + count, 60)
    return [text for text in on.telegram.texts_to()[before:] if text]
