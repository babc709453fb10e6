"""Users' files from the messengers: only their own, and never more of them than is taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.errors import FileError, FileTooLarge
from bot.platforms import discord_files, telegram_files
from bot.platforms.discord_files import is_discords
from bot.platforms.on_telegram import OnTelegram, TelegramSettings
from bot.platforms.on_terminal import OnTerminal, TerminalSettings
from tests.telegram_server import TOKEN, TelegramServer

API = "http://127.0.0.1:8080/api/v10"


@pytest.mark.parametrize(
    ("address", "ours"),
    [
        ("https://cdn.discordapp.com/attachments/1/2/a.vrm?ex=1", True),
        ("https://media.discordapp.net/attachments/1/2/a.vrm", True),
        ("https://cdn.discordapp.com:443/attachments/1/2/a.vrm", True),
        ("http://cdn.discordapp.com/attachments/1/2/a.vrm", False),
        ("https://cdn.discordapp.com:8443/attachments/1/2/a.vrm", False),
        ("https://cdn.discordapp.com.example.org/a.vrm", False),
        ("https://cdn.discordapp.com@example.org/a.vrm", False),
        ("https://example.org\\@cdn.discordapp.com/a.vrm", False),
        ("https://example.org/cdn.discordapp.com/a.vrm", False),
        ("https://127.0.0.1/a.vrm", False),
        ("file:///etc/passwd", False),
        ("https://[::1/a.vrm", False),
        ("https://cdn.discordapp.com:x/a.vrm", False),
        ("", False),
    ],
)
def test_whose_file_it_is(address: str, ours: bool) -> None:
    assert is_discords(address) is ours
    assert is_discords(address, API) is ours


def test_a_server_that_speaks_discords_api_keeps_files_too() -> None:
    assert is_discords("http://127.0.0.1:8080/attachments/1/2/a.vrm", API)
    assert not is_discords("http://127.0.0.1:8081/attachments/1/2/a.vrm", API)
    assert not is_discords("http://127.0.0.1:8080/attachments/1/2/a.vrm")


@asynccontextmanager
async def a_file_server() -> AsyncIterator[str]:
    """Serve /endless, /packed (a bomb), /away (a redirect), /cut and /whole; yields the address."""

    async def endless(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        while request.transport is not None and not request.transport.is_closing():
            await answer.write(bytes(1 << 16))
        return answer

    async def cut(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "1000"})
        await answer.prepare(request)
        await answer.write(b"abc")
        assert request.transport is not None
        request.transport.close()
        return answer

    async def packed(request: web.Request) -> web.StreamResponse:
        assert request.headers["Accept-Encoding"] == "identity"
        return web.Response(body=b"\x1f\x8b not unpacked", headers={"Content-Encoding": "gzip"})

    async def away(request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound("/whole")

    async def whole(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x" * 1000)

    app = web.Application()
    for name, handler in {
        "endless": endless,
        "cut": cut,
        "packed": packed,
        "away": away,
        "whole": whole,
    }.items():
        app.router.add_get(f"/{name}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)


@pytest.mark.parametrize("kind", ["telegram", "discord"])
async def test_what_is_read_and_what_is_not(kind: str) -> None:
    async with a_file_server() as server:

        async def fetch(name: str, max_bytes: int = 1000) -> bytes:
            if kind == "telegram":
                return await telegram_files.fetch_file(f"{server}/{name}", max_bytes, 10)
            return await discord_files.fetch_file(f"{server}/{name}", max_bytes, f"{server}/api", 10)

        assert await fetch("whole") == b"x" * 1000
        assert await fetch("packed") == b"\x1f\x8b not unpacked"
        for name, max_bytes in (("whole", 999), ("endless", 1 << 20)):
            with pytest.raises(FileTooLarge):
                await fetch(name, max_bytes)
        for name in ("cut", "away", "missing"):
            with pytest.raises(FileError) as caught:
                await fetch(name)
            assert not isinstance(caught.value, FileTooLarge)
            assert server not in str(caught.value)


async def test_a_telegram_file_by_its_id() -> None:
    async def ignored(_: object) -> bool:
        return True

    async with TelegramServer() as server:
        platform = OnTelegram(TelegramSettings(SecretStr(TOKEN), server.url, server.file_url))
        with pytest.raises(FileError):
            await platform.download("any", 10)
        await platform.start(ignored)
        assert await platform.download(server.add_file(b"abc"), 3) == b"abc"
        for data, max_bytes in ((b"abcd", 3), (bytes(20_000_001), 64 << 20)):
            with pytest.raises(FileTooLarge):
                await platform.download(server.add_file(data), max_bytes)
        server.misbehave("getFile", "drop before")
        for _ in range(2):
            with pytest.raises(FileError) as caught:
                await platform.download("unknown", 10)
            assert TOKEN not in str(caught.value)
        await platform.close()


async def test_at_the_terminal_files_are_read_from_the_disk(tmp_path: Path) -> None:
    async def nothing() -> None: ...

    terminal = OnTerminal(TerminalSettings(True, tmp_path), nothing)
    (tmp_path / "a.vrm").write_bytes(b"abc")
    assert await terminal.download(str(tmp_path / "a.vrm"), 3) == b"abc"
    with pytest.raises(FileTooLarge):
        await terminal.download(str(tmp_path / "a.vrm"), 2)
    for missing in (str(tmp_path), str(tmp_path / "b.vrm"), "/dev/zero", "a\0b", "~nobody-at-all/a.vrm"):
        with pytest.raises(FileError):
            await terminal.download(missing, 10)
