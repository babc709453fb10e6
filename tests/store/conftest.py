from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import Store
from tests.databases import database_url, postgres_server, postgres_url, sqlite_url

__all__ = ["database_url", "postgres_server", "postgres_url", "sqlite_url"]


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "otomo.key"


@pytest.fixture
async def store(database_url: str, key_file: Path) -> AsyncIterator[Store]:
    opened = await Store.open(database_url, key_file=key_file)
    yield opened
    await opened.close()
