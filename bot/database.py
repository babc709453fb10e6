"""Opens the database that the settings name."""

from __future__ import annotations

import os
from pathlib import Path

from bot.settings import Settings
from bot.store.store import Store


async def open_store(settings: Settings, *, read_only: bool = False) -> Store:
    """Open it; the key is OTOMO_SECRET_KEY, else the key file.

    Args:
        settings: Where it is.
        read_only: For commands that look into it, beside a running bot too.

    Raises:
        ConfigError: The address, the key or the key file is wrong.
        StoreError: The database cannot be used.
    """
    return await Store.open(
        settings.database_url,
        secret=os.environ.get("OTOMO_SECRET_KEY") or None,
        key_file=Path(settings.storage.key_file).expanduser(),
        read_only=read_only,
    )
