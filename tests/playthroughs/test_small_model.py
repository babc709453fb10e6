"""The recorded replies of a small model, spoken by the real bot: what users see and what is remembered."""

import re
from itertools import cycle

from engine.runaway import without_loop
from tests.engine.test_small_model import MACHINERY, NOTES, REPLIES
from tests.playthroughs.test_taking_back import state
from tests.talk import a_talk

APOLOGY = "I can't reach my words"


async def test_forty_replies_of_a_small_model(tmp_path, monkeypatch):
    raws, notes = iter(reply["raw"] for reply in REPLIES), cycle(note["raw"] for note in NOTES)

    def answer(request):
        return next(notes) if request.system.startswith("You read one exchange") else next(raws)

    async with a_talk(tmp_path, monkeypatch, [answer], LLM__PROVIDER="custom") as talk:
        seen = []
        for reply in REPLIES:
            seen += await talk.say(reply["user"])
        her, history, _ = await state(talk)
    assert her.total_interactions == len(REPLIES)
    assert not any(APOLOGY in text for text in seen)
    for text in (*seen, *history):
        assert not MACHINERY.search(text)
        assert without_loop(text) == text
        assert not re.search(r"\bnull\b", text)
