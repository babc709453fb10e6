"""Avatars that users send: fetched, read by the drawing child, kept apart for each user, put on."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from bot.commands.avatars import smile
from bot.errors import ChildDied, ChildRefused, FileError, FileTooLarge
from bot.figures import MAX_OWN, Figure, own_files
from bot.looks import AVATAR, OWN_NAMES
from bot.store import turns
from bot.store.store import Store
from bot.store.turns import Loaded
from bot.teller import Teller
from engine.conversation import Attached, Panel

log = logging.getLogger(__name__)

UPLOAD: Final = 3
"""The number of the app's line about a file while its turn is open (see `bot.turn.SLOW` and its like)."""
_DIGEST_CHARS: Final = 16
_LABEL_CHARS: Final = 40
_REASON_CHARS: Final = 160
_FAULTS_OF_FILES: Final = ("VrmError", "BadRequestError")


class _Refused(Exception):
    """A file that is not kept: a key of the wording, and what stands in its sentence."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@dataclass(slots=True)
class Uploads:
    """Takes the avatar files of turns, where the operator allows it."""

    store: Store
    teller: Teller
    _taken: dict[int, int] = field(default_factory=dict)

    def wanted(self, loaded: Loaded) -> tuple[Attached, ...]:
        """Return a turn's avatar files; none where they were taken already, or are not allowed."""
        allowed = self.teller.portrait.figures.uploads is not None and loaded.address.private
        fresh = loaded.status == "waiting" and self._taken.get(loaded.user_id) != loaded.turn_id
        if not (allowed and fresh):
            return ()
        files = (one.attached for one in loaded.incoming if one.attached is not None)
        # Of more than are kept, the first would make room for the last anyway.
        return tuple(file for file in files if file.name.lower().endswith(".vrm"))[-MAX_OWN:]

    async def take(self, loaded: Loaded, files: tuple[Attached, ...]) -> Loaded | None:
        """Take files, tell what came of them, and wear the last that fits.

        Returns:
            The turn with the words that are left to answer; None when there were none and it has ended.

        Raises:
            Fenced: Somebody else has loaded the turn since.
        """
        panels, worn = [], loaded
        for file in files:
            panel, changed = await self._told(worn, file)
            panels.append(panel)
            worn = replace(worn, settings={**worn.settings, **changed})
        settings = {key: worn.settings[key] for key in (AVATAR, OWN_NAMES) if key in worn.settings}
        if not any(one.text.strip() for one in loaded.incoming):
            await turns.answer(self.store, loaded, self.teller.rows(loaded, tuple(panels)), settings=settings)
            return None
        text = "\n".join(panel.text for panel in panels)
        await turns.say(self.store, loaded, [self.teller.line(loaded, text, UPLOAD)], settings)
        self._taken[loaded.user_id] = loaded.turn_id
        return worn

    async def _told(self, loaded: Loaded, file: Attached) -> tuple[Panel, Mapping[str, Any]]:
        """Take one file. Returns what the user is told, and the settings that change."""
        try:
            figure, names = await self._fitted(loaded, file)
        except _Refused as refused:
            return Panel(self.teller.say(loaded, refused.key, **refused.values)), {}
        text = self.teller.say(loaded, "avatar.chosen", name=figure.label)
        return Panel(text, face=smile(self.teller.portrait, figure)), {AVATAR: figure.id, OWN_NAMES: names}

    async def _fitted(self, loaded: Loaded, file: Attached) -> tuple[Figure, dict[str, str]]:
        root = self.teller.portrait.figures.uploads
        assert root is not None
        folder = root / str(loaded.user_id)
        path = await self._kept(folder, await self._fetched(loaded, file))
        figure_id = f"own/{loaded.user_id}/{path.name}"
        names = {**(loaded.settings.get(OWN_NAMES) or {}), figure_id: _label(file.name) or path.stem[:8]}
        figure = Figure(figure_id, names[figure_id], str(path))
        await self.teller.portrait.picture(smile(self.teller.portrait, figure))
        if not self.teller.portrait.can_wear(figure):
            await asyncio.to_thread(path.unlink, missing_ok=True)
            raise _Refused("upload.undrawable")
        left = {one.name for one in await asyncio.to_thread(_make_room, folder)}
        return figure, {key: name for key, name in names.items() if key.rpartition("/")[2] in left}

    async def _fetched(self, loaded: Loaded, file: Attached) -> bytes:
        """Fetch a file.

        Raises:
            _Refused: It is too large, or not to be had.
        """
        platform = self.teller.platforms[loaded.address.platform]
        limit = min(self.teller.portrait.settings.upload_bytes, platform.limits.download_bytes)
        too_large = _Refused("upload.too_large", limit=limit >> 20)
        if file.size > limit:
            raise too_large
        try:
            return await platform.download(file.reference, limit)
        except FileTooLarge:
            raise too_large from None
        except FileError as error:
            log.warning("turn %d: a file was not fetched: %s", loaded.turn_id, error)
            raise _Refused("upload.not_fetched") from None

    async def _kept(self, folder: Path, data: bytes) -> Path:
        """Let the child read a file, then keep it under its digest.

        Raises:
            _Refused: It is no avatar, or the disk is full.
        """
        try:
            draft = await asyncio.to_thread(_draft, folder, data)
            known = await self.teller.portrait.examine(str(draft))
            path = folder / f"{hashlib.sha256(data).hexdigest()[:_DIGEST_CHARS]}.vrm"
            await asyncio.to_thread(os.replace, draft, path)
        except ChildRefused as error:
            if error.kind not in _FAULTS_OF_FILES:
                log.error("an avatar could not be looked at: %s", error)
                raise _Refused("upload.not_checked") from None
            raise _Refused("upload.refused", reason=_reason(str(error))) from None
        except ChildDied as error:
            log.warning("an avatar could not be looked at: %s", error)
            raise _Refused("upload.not_checked") from None
        except OSError as error:
            log.error("an avatar could not be kept: %s", error.strerror)
            raise _Refused("upload.not_kept") from None
        finally:
            await asyncio.to_thread(_clear_drafts, folder)
        self.teller.portrait.learn(str(path), known)
        return path


def _draft(folder: Path, data: bytes) -> Path:
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as draft:
        draft.write(data)
    return Path(draft.name)


def _clear_drafts(folder: Path) -> None:
    """Remove what was not kept, a killed process's as well: only one turn of a user runs at a time."""
    for draft in folder.glob("*.part"):
        draft.unlink(missing_ok=True)


def _make_room(folder: Path) -> list[Path]:
    """Remove the oldest files that are too many; return those that stay."""
    files = own_files(folder)
    for path in files[MAX_OWN:]:
        path.unlink(missing_ok=True)
    return files[:MAX_OWN]


def _label(name: str) -> str:
    """Return a file's name as a figure is called: without its ending and without marks that chats interpret."""
    stem = Path(name).stem
    kept = "".join(c if c.isalnum() or c in "-." else " " for c in stem)
    return " ".join(kept.split())[:_LABEL_CHARS].strip(" -.")


def _reason(text: str) -> str:
    """Return the child's reason for a chat: it may quote the file."""
    kept = "".join(c if c.isalnum() or c in " .,;:-+=%()" else " " for c in text)
    return " ".join(kept.split())[:_REASON_CHARS].rstrip(" .")
