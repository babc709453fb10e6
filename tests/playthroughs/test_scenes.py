"""Events in whole conversations."""

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
