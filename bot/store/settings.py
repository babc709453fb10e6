"""Small values by name: of one user (sealed) and of the bot itself (never people's words)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.store import Store
from bot.store.tables import settings, user_settings
from bot.store.values import OWNER, insert_new


async def get_setting(store: Store, name: str, default: Any = None) -> Any:
    """Read what the bot has remembered under a name, such as the last seen id of a channel."""
    async with store.reading() as connection:
        value = (await connection.execute(select(settings.c.value).where(settings.c.name == name))).scalar()
    return default if value is None else json.loads(value)


async def put_setting(store: Store, name: str, value: Any) -> None:
    """Remember a JSON value under a name; None forgets it."""
    async with store.writing() as connection:
        if value is None:
            await connection.execute(delete(settings).where(settings.c.name == name))
            return
        row = insert_new(connection, settings).values(name=name, value=json.dumps(value))
        await connection.execute(
            row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value})
        )


async def get_settings(store: Store, prefix: str) -> dict[str, Any]:
    """Read all that the bot has remembered under names that begin with `prefix`."""
    async with store.reading() as connection:
        found = await connection.execute(
            select(settings).where(settings.c.name.startswith(prefix, autoescape=True))
        )
        return {row.name: json.loads(row.value) for row in found}


async def read_user_settings(connection: AsyncConnection, user_id: int) -> dict[str, Any]:
    """Read all settings of a user."""
    found = await connection.execute(_READ_OF_USER, {"owner": user_id})
    return {row.name: row.value for row in found}


_READ_OF_USER: Final = select(user_settings).where(user_settings.c.user_id == OWNER)


async def put_user_setting(store: Store, user_id: int, name: str, value: Any) -> None:
    """Set one setting of a user to a JSON value; None removes it."""
    async with store.writing() as connection:
        await write_user_settings(connection, user_id, {name: value})


async def write_user_settings(connection: AsyncConnection, user_id: int, changed: Mapping[str, Any]) -> None:
    """Set settings of a user to JSON values within the caller's transaction; None removes one."""
    for name, value in changed.items():
        if value is None:
            same = (user_settings.c.user_id == user_id) & (user_settings.c.name == name)
            await connection.execute(delete(user_settings).where(same))
            continue
        row = insert_new(connection, user_settings).values(user_id=user_id, name=name, value=value)
        await connection.execute(
            row.on_conflict_do_update(index_elements=["user_id", "name"], set_={"value": row.excluded.value})
        )
