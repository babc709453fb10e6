"""The whole program on PostgreSQL, alone and as two bots on one database."""

from __future__ import annotations

from pathlib import Path

from bot.store import tables
from tests.system.stage import NOTICE, hers, stage, until

SECRET = "0f" * 32


async def test_a_round_trip(tmp_path: Path, postgres_url: str) -> None:
    async with stage(tmp_path, OTOMO_STORAGE__URL=postgres_url) as on:
        on.model.program(lambda request: hers(f"I heard {request.user_text}.", affection_delta=3))
        await on.bot.start()
        on.telegram.say("one")
        await on.heard(NOTICE, "I heard one.")
        assert await on.bot.stop() == 0  # a killed one would hold its user for the rest of its lease
        on.telegram.say("two")
        await on.bot.start()
        await on.heard(NOTICE, "I heard one.", "I heard two.")
        await on.settled(2)
        assert await on.bot.stop() == 0
        async with on.book() as book:
            assert (await book.character()).total_interactions == 2
            assert [text for _, text in await book.sides()] == ["one", "I heard one.", "two", "I heard two."]


async def test_two_bots_on_one_database_answer_each_message_once(tmp_path: Path, postgres_url: str) -> None:
    """Each bot has a Telegram of its own that brings the same messages, as after a move to another host."""
    shared = {"OTOMO_STORAGE__URL": postgres_url, "OTOMO_SECRET_KEY": SECRET, "OTOMO_TURN__QUIET_S": "0.02"}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with stage(tmp_path / "a", **shared) as on, stage(tmp_path / "b", **shared) as other:
        on.model.program(lambda request: hers(f"re: {request.user_text}"))
        other.model.program(lambda request: hers(f"re: {request.user_text}"))
        await on.bot.start()
        await other.bot.start()
        for one in (on, other):
            one.telegram.meet()
        words = [f"m{number}" for number in range(20)]
        for word in words:
            message = on.telegram.say(word)
            other.telegram.push("message", message)
            await on.telegram.wait_until(lambda: not on.telegram.updates and not other.telegram.updates, 60)

        async def over() -> bool:
            async with on.book() as book:
                rows = await book.all(tables.outgoing)
                arrived = await book.all(tables.incoming)
                states = set(await book.turn_states())
            sent = all(row.status == "sent" for row in rows)
            return (
                len(arrived) == 20 and all(row.turn_id for row in arrived) and states == {"settled"} and sent
            )

        await until(over)
        assert [await bot.bot.stop() for bot in (on, other)] == [0, 0]
        shown = [text for text in on.words() + other.words() if text != NOTICE]
        async with on.book() as book:
            told = [text for role, text in await book.sides() if role == "user"]
            turns = await book.all(tables.turns)
            assert (await book.character()).total_interactions == len(turns)
        assert "\n".join(told).split("\n") == words
        assert sorted(shown) == sorted(f"re: {text}" for text in told)
        assert len(turns) == len(told)
