"""Draws a conversation on Discord as a picture: simcord's virtual Discord, its preview page, a browser.

Needs what the tests do not: `linkify-it-py` in the environment and Chromium (any of `BROWSERS`). Give the app
an `InSimcord` in the place of its Discord platform, start it, then::

    scene = await open_scene(platform, her_picture=face_png)
    await scene.say("hi! I love hiking")
    await scene.slash("status")
    await scene.draw(Path("docs/pictures/discord.png"))
"""

from __future__ import annotations

import asyncio
import importlib.util
import io
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import simcord
from PIL import Image
from simcord.backend.cdn import CDN_BASE

from tests.platforms.discord_world import InSimcord

BROWSERS: Final = ("chromium-headless-shell", "chromium", "google-chrome")
EVENING_S: Final = 20 * 3600 + 14 * 60
"""When the conversation begins on the virtual day."""

QUIET_S: Final = 1.5
"""She has finished when she said nothing more for this long."""

SIDEBAR_PX, TOPBAR_PX, MARGIN_PX = 256, 52, 24
"""What the preview page shows around the conversation (simcord 3.2)."""


def missing_for_drawing() -> str:
    """Name what is not installed; empty if a conversation can be drawn."""
    if importlib.util.find_spec("linkify_it") is None:
        return "linkify-it-py is not installed"
    return "" if _browser() else "no Chromium"


def _browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass
class Scene:
    """One user's direct messages with her."""

    platform: InSimcord
    user: simcord.UserHandle
    assets: dict[str, tuple[str, bytes]]

    @property
    def env(self) -> simcord.Env:
        assert self.platform.env is not None
        return self.platform.env

    async def say(self, text: str) -> None:
        """Write to her and wait for all of her answer."""
        await self._answered(lambda: self.user.send_dm(text))

    async def slash(self, name: str, **options: Any) -> None:
        """Use a slash command and wait for all of her answer."""
        await self._answered(lambda: self.user.slash(name, **options))

    async def press(self, label: str) -> None:
        """Press a button of her last message and wait for all of her answer."""
        last = self.user.dm_channel.last_message
        assert last is not None
        await self._answered(lambda: self.user.click(last, label=label))

    async def draw(self, path: Path, width_px: int = 860, height_px: int = 1000) -> None:
        """Draw the end of the conversation, as much as fits, into a PNG."""
        self._hide_false_edits()
        preview = self.env.preview(
            self.user.dm_channel,
            viewers=[self.user],
            layout="channel",
            display="fixed",
            width=width_px,
            height=height_px,
            assets=self.assets,
        )
        window = (width_px + SIDEBAR_PX + 2 * MARGIN_PX, height_px + TOPBAR_PX + 2 * MARGIN_PX)
        async with preview:
            page = await _photograph(preview.url, window)
        left, top = SIDEBAR_PX + MARGIN_PX, TOPBAR_PX + MARGIN_PX
        picture = Image.open(io.BytesIO(page)).convert("RGB")
        picture.crop((left, top, left + width_px, top + height_px)).save(path, optimize=True)

    async def _answered(self, act: Callable[[], Awaitable[object]]) -> None:
        self.env.backend.clock.advance(47)
        before = self._her_state()
        await act()
        while self._her_state() == before:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        said = before
        while said != self._her_state():
            said = self._her_state()
            await asyncio.sleep(QUIET_S)

    def _her_state(self) -> list[tuple[str, int]]:
        me = self.env.backend.bot_user.id
        messages = self.env.backend.messages[self.user.dm_channel.id].values()
        loading = 1 << 7
        return [
            (m.content, len(m.attachments)) for m in messages if m.author_id == me and not m.flags & loading
        ]

    def _hide_false_edits(self) -> None:
        # Discord does not call it an edit when the answer takes the place of "thinking"; simcord does.
        for message in self.env.backend.messages[self.user.dm_channel.id].values():
            if message.interaction_metadata is not None:
                message.edited_timestamp = None


async def open_scene(
    platform: InSimcord, name: str = "Mia", her_name: str = "Otomo", her_picture: bytes | None = None
) -> Scene:
    """Begin a conversation with a started platform; `her_picture` is a PNG for her avatar."""
    await platform.attached.wait()
    assert platform.env is not None
    backend = platform.env.backend
    backend.clock.advance(EVENING_S)
    backend.bot_user.name = her_name
    assets = {}
    if her_picture is not None:
        backend.bot_user.avatar = "her"
        assets[f"{CDN_BASE}/avatars/{backend.bot_user.id}/her.png"] = ("her.png", her_picture)
    user = platform.env.create_user(name.lower(), global_name=name)
    return Scene(platform, user, assets)


async def _photograph(url: str, window: tuple[int, int]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "page.png"
        process = await asyncio.create_subprocess_exec(
            _browser() or "chromium",
            "--no-sandbox",
            "--headless",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/profile",
            f"--window-size={window[0]},{window[1]}",
            "--virtual-time-budget=8000",
            f"--screenshot={target}",
            url,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await process.wait()
        return target.read_bytes()
