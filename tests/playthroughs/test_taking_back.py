"""/why, /undo and /again in whole conversations."""

from bot.store.turns import load
from tests.talk import a_talk

BLOCK = '\n```json\n{"mood_change": {"emotion": "happy", "intensity_delta": 9}, "affection_delta": 3, "new_memory": "They keep bees"}\n```'


async def state(talk):
    """Her record, the history and the facts as the next turn would see them."""
    from bot.store import memories
    from bot.store.characters import read_character

    async with talk.app.store.reading() as connection:
        character = await read_character(connection, 1)
        history = await memories.read_history(connection, 1, 20)
        facts = await memories.read_facts(connection, 1, 20)
    return character, [side.content for side in history], [fact.content for fact in facts]


async def test_undo_takes_back_numbers_words_and_facts(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello.", "Bees!" + BLOCK]) as talk:
        await talk.say("hi")
        before, said, known = await state(talk)
        await talk.say("I keep bees, I love them")
        after, _, facts = await state(talk)
        assert after.affection > before.affection
        assert "They keep bees" in facts
        assert "Taken back" in (await talk.say("/undo"))[0]
        restored, words, left = await state(talk)
        assert (restored.affection, restored.mood, restored.total_interactions) == (
            before.affection,
            before.mood,
            before.total_interactions,
        )
        assert (words, left) == (said, known)


async def test_undo_goes_further_back_and_stops_at_the_beginning(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["One." + BLOCK, "Two." + BLOCK]) as talk:
        await talk.say("first words")
        await talk.say("second words")
        await talk.say("/undo")
        await talk.say("/undo")
        character, words, facts = await state(talk)
        assert (character.total_interactions, character.affection, words, facts) == (0, 0, [], [])
        assert "no turn" in (await talk.say("/undo"))[0]


async def test_again_answers_the_same_words_anew_and_counts_them_once(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello." + BLOCK, "A." + BLOCK, "B." + BLOCK]) as talk:
        await talk.say("hi")
        assert (await talk.say("tell me about rain"))[-1] == "A."
        first, _, _ = await state(talk)
        assert (await talk.say("/again"))[-1] == "B."
        second, words, _ = await state(talk)
        assert words[-2:] == ["tell me about rain", "B."]
        assert second.total_interactions == first.total_interactions
        assert talk.server.requests[-1].user_text.endswith("tell me about rain")
        assert await load(talk.app.store, 1) is None


async def test_why_tells_what_changed_from_what_to_what(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello.", "Bees!" + BLOCK]) as talk:
        assert "nothing to explain" in (await talk.say("/why"))[0]
        await talk.say("hi")
        before, _, _ = await state(talk)
        await talk.say("I keep bees, I love them")
        after, _, _ = await state(talk)
        told = (await talk.say("/why"))[0]
        assert f"affection {before.affection} → {after.affection}" in told
        assert "what my model suggested" in told


async def test_nothing_private_is_explained_where_others_read(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello." + BLOCK]) as talk:
        await talk.say("The safe opens with 4711, I think")
        for command in ("/why", "/undo", "/again"):
            assert "private" in (await talk.say(command, private=False))[0]
        assert len(talk.server.requests) == 1
        assert "4711" in (await talk.say("/status"))[0]
        assert "4711" not in (await talk.say("/status", private=False))[0]


async def test_one_user_cannot_take_back_anothers_turn(tmp_path, monkeypatch):
    async with a_talk(tmp_path, monkeypatch, ["Hello."]) as talk:
        await talk.say("hi")
        before = await state(talk)
        assert "no turn" in (await talk.say("/undo", account="eve"))[0]
        assert await state(talk) == before
