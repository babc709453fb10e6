"""Promise 13: no token, no key and nobody's words in the output, whatever goes wrong."""

from __future__ import annotations

from pathlib import Path

from tests.model_server import Answer
from tests.platforms.discord_server import discord_server
from tests.system.stage import hers, stage, until
from tests.system.test_discord import discord_environment, said

WORDS = "xylophone-canary"
HER_WORDS = "zeppelin-canary"
KEY = "sk-canary-0123456789abcdef"
NAME = "Quetzalcoatl"
USER = {"id": 4711, "is_bot": False, "first_name": NAME, "language_code": "en"}


async def test_nothing_secret_is_printed_at_debug(tmp_path: Path) -> None:
    async with discord_server() as server:
        settings = {
            **discord_environment(server),
            "OTOMO_LOG__LEVEL": "debug",
            "OTOMO_LLM__API_KEY": KEY,
            "OTOMO_TURN__RETRY_MODEL_S": "0.2",
            "OTOMO_RENDER__ENABLED": "true",
        }
        async with stage(tmp_path, **settings) as on:
            on.model.program(
                Answer(status=401, error=f"Incorrect API key provided: {KEY}"),
                Answer(status=500, error=f"cannot think about {WORDS}"),
                Answer(fault="truncated_json"),
                hers(HER_WORDS, new_memory=WORDS, affection_delta="NaN"),
                HER_WORDS,
            )
            on.telegram.fail("sendMessage", 400, description=f"Bad Request: can't parse entities {WORDS}")
            on.telegram.fail("sendMessage", 500)
            on.telegram.fail("sendMessage", 429, retry_after=1)
            on.telegram.misbehave("getUpdates", "garbage")
            server.fail("POST", "/messages", 500)
            await on.bot.start()
            on.telegram.say(WORDS, user=USER)
            on.telegram.push("message", {"message_id": "not a number", "text": WORDS})
            await on.telegram.wait_until(lambda: any(HER_WORDS in t for t in on.telegram.texts_to(4711)), 60)
            await server.dm(WORDS)

            async def answered() -> bool:
                return any(HER_WORDS in text for text in said(server))

            await until(answered)
            on.telegram.misbehave("*", "drop before", times=3)
            await on.settled(2)
            assert await on.bot.stop() == 0
            output = on.bot.output
            assert "DEBUG" in output
            found = [
                sentinel
                for sentinel in (on.telegram.token, server.token, KEY, WORDS, HER_WORDS, NAME, "AAtest-token")
                if sentinel in output
            ]
            assert found == []
            stored = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
            assert not any(text.encode() in stored for text in (WORDS, HER_WORDS, NAME, KEY))
