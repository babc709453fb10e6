"""Events in whole conversations."""

import itertools

from tests.talk import a_talk

BLOCK = '\n```json\n{"affection_delta": 1}\n```'


async def first_scene(folder, monkeypatch, *replies):
    """Return what she sends in the turn of the first meeting, as one text."""
    async with a_talk(folder, monkeypatch, replies) as talk:
        texts = await talk.say("Hi, I am new here!", account="mia")
        assert len(talk.platform.sent) <= 3
        return [text for text in texts if "AI" not in text]


async def test_a_scene_is_told_whether_the_model_writes_its_block_or_not(tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (together,) = await first_scene(tmp_path / "one", monkeypatch, "Hello." + BLOCK)
    words, scene = await first_scene(tmp_path / "two", monkeypatch, "Hello.", '{"affection_delta": 1}')
    assert words == "Hello."
    assert together.startswith("Hello.\n\n")
    assert scene.startswith("*")


async def with_open_scene(talk):
    """Go on to an event that offers choices; returns the first choice's data and its label."""
    await talk.say("hi")
    await talk.say("How was your day?")
    talk.clock.on(days=31)
    await talk.say("I am back")
    button = talk.platform.sent[-1].buttons[0]
    return button.data, button.label


async def test_only_the_open_scenes_own_choices_count_and_once(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello." + BLOCK]) as talk:
        data, _ = await with_open_scene(talk)
        token = data.partition(":")[0]
        for forged in (
            f"{token}:99",
            f"{token}:-1",
            f"{token}:" + "9" * 5000,
            f"{token}:00",
            "::",
            "s1:0",
            "\0",
        ):
            assert await talk.press(forged) == ["This was chosen already."]
        assert await talk.press(data, account="eve") == ["This was chosen already."]
        (answer,) = await talk.press(data)
        assert answer != "This was chosen already."
        assert await talk.press(data) == ["This was chosen already."]


async def test_a_choice_of_an_event_that_is_gone_is_only_talk(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello." + BLOCK]) as talk:
        data, label = await with_open_scene(talk)
    async with a_talk(tmp_path, monkeypatch, ["Just talk." + BLOCK], GAME__EVENTS="false") as talk:
        talk._numbers = itertools.count(1000)
        assert await talk.press(data) == ["This was chosen already."]
        assert (await talk.say(label))[-1] == "Just talk."
