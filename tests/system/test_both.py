"""Two platforms in one process."""

from __future__ import annotations

from pathlib import Path

from tests.bot_process import BotProcess
from tests.model_server import Answer, ModelServer
from tests.platforms.discord_server import discord_server
from tests.system.stage import NOTICE, hers, model_environment, stage, telegram_environment, until
from tests.system.test_discord import discord_environment, said
from tests.telegram_server import TelegramServer

GOOD_LOOKING = "987654321:AAnobody_has_ever_been_given_this_token"


async def test_both_platforms_in_one_process(tmp_path: Path) -> None:
    async with discord_server() as server, stage(tmp_path, **discord_environment(server)) as on:
        on.model.program(lambda request: hers(f"I heard {request.user_text}."))
        await on.bot.start()
        assert "ready: telegram, discord" in on.bot.output
        on.telegram.say("from Telegram")
        await server.dm("from Discord")
        await on.heard(NOTICE, "I heard from Telegram.")

        async def answered() -> bool:
            return said(server) == [NOTICE, "I heard from Discord."]

        await until(answered)
        async with on.book() as book:
            assert [(await book.character(user)).total_interactions for user in (1, 2)] == [1, 1]
        assert await on.bot.stop() == 0


async def test_a_bad_token_of_one_platform_leaves_the_other_running(tmp_path: Path) -> None:
    async with discord_server() as server:
        settings = {**discord_environment(server), "DISCORD_TOKEN": "wrong"}
        async with stage(tmp_path, **settings) as on:
            await on.bot.start()
            assert "ready: telegram," in on.bot.output
            assert "Discord refuses the bot token (DISCORD_TOKEN)" in on.bot.output
            on.telegram.say("hi")
            await on.heard(NOTICE, "Hello.")
            assert await on.bot.stop() == 0


async def test_two_bad_tokens_end_the_start(tmp_path: Path) -> None:
    async with discord_server() as server, TelegramServer() as telegram, ModelServer() as model:
        settings = {
            **discord_environment(server),
            **telegram_environment(telegram),
            **model_environment(model),
            "DISCORD_TOKEN": "wrong",
            "TELEGRAM_TOKEN": GOOD_LOOKING,
        }
        async with BotProcess(tmp_path, **settings) as bot:
            await bot.launch()
            assert await bot.ended() == 2
            (line,) = [line for line in bot.output.splitlines() if line.startswith("otomo:")]
            assert "TELEGRAM_TOKEN" in line
            assert "DISCORD_TOKEN" in line
            assert "Traceback" not in bot.output
            assert GOOD_LOOKING not in bot.output


async def test_words_wait_for_a_process_that_has_their_platform(tmp_path: Path) -> None:
    patience = {"OTOMO_TURN__RETRY_MODEL_S": "3600"}
    async with discord_server() as server, stage(tmp_path, **patience, **discord_environment(server)) as on:
        on.model.program(Answer(status=500))
        await on.bot.start()
        await server.dm("from Discord")

        async def told() -> bool:
            return len(said(server)) == 1

        await until(told)
        assert await on.bot.stop() == 0
        del on.bot.environment["DISCORD_TOKEN"]
        on.model.program(lambda request: hers(f"I heard {request.user_text}."))
        await on.bot.start()
        on.telegram.say("from Telegram")
        await on.heard(NOTICE, "I heard from Telegram.")
        async with on.book() as book:
            assert await book.turn_states() == ["waiting", "settled"]
        assert await on.bot.stop() == 0
        on.bot.environment["DISCORD_TOKEN"] = server.token
        await on.bot.start()
        await server.dm("still there?")

        async def answered() -> bool:
            return said(server)[1:] == [NOTICE, "I heard from Discord\nstill there?."]

        await until(answered)
