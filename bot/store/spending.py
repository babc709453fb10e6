"""What the models cost, per user and UTC day, and the caps on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.store import Store
from bot.store.story_tables import usage
from bot.store.values import insert_new


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests made and tokens told of."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def cost(self, prompt_price: float, completion_price: float) -> float:
        """Return the money it cost, from prices per million tokens."""
        return (self.prompt_tokens * prompt_price + self.completion_tokens * completion_price) / 1_000_000

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class SpendingCaps:
    """The most that one user, and all together, may cost on one UTC day; 0 is no cap."""

    user_requests: int = 0
    user_tokens: int = 0
    all_requests: int = 0
    all_tokens: int = 0

    def any(self) -> bool:
        """Whether there is a cap at all."""
        return any((self.user_requests, self.user_tokens, self.all_requests, self.all_tokens))

    def allow(self, of_user: Spent, of_all: Spent) -> bool:
        """Whether one more request may be made."""
        used = (of_user.requests, of_user.tokens, of_all.requests, of_all.tokens)
        caps = (self.user_requests, self.user_tokens, self.all_requests, self.all_tokens)
        return all(not cap or spent < cap for spent, cap in zip(used, caps, strict=True))


async def add_spent(connection: AsyncConnection, user_id: int, at: datetime, spent: Spent) -> None:
    """Add to the account of a user's day."""
    row = insert_new(connection, usage).values(
        user_id=user_id,
        day=_day(at),
        requests=spent.requests,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
    )
    more = {
        name: usage.c[name] + row.excluded[name]
        for name in ("requests", "prompt_tokens", "completion_tokens")
    }
    await connection.execute(row.on_conflict_do_update(index_elements=["user_id", "day"], set_=more))


async def reserve_request(store: Store, user_id: int, at: datetime, caps: SpendingCaps) -> bool:
    """Count one request before it is made, if the caps allow it. Without caps nothing is counted here."""
    if not caps.any():
        return True
    async with store.writing() as connection:
        if connection.dialect.name == "postgresql":  # two processes must not both take the last one
            await connection.execute(select(func.pg_advisory_xact_lock(7236844)))
        if not caps.allow(await _spent(connection, at, user_id), await _spent(connection, at, None)):
            return False
        await add_spent(connection, user_id, at, Spent(requests=1))
    return True


async def spent_on(store: Store, at: datetime, user_id: int | None = None) -> Spent:
    """Return what a user, or all together, have cost on a day."""
    async with store.reading() as connection:
        return await _spent(connection, at, user_id)


async def spending_by_user(store: Store, day: str) -> list[tuple[int, Spent]]:
    """Return what each user has cost on a UTC day (ISO date), the most tokens first."""
    async with store.reading() as connection:
        found = await connection.execute(select(usage).where(usage.c.day == day))
        rows = [(row.user_id, Spent(row.requests, row.prompt_tokens, row.completion_tokens)) for row in found]
    return sorted(rows, key=lambda row: -row[1].tokens)


async def _spent(connection: AsyncConnection, at: datetime, user_id: int | None) -> Spent:
    columns: Any = [func.coalesce(func.sum(usage.c[name]), 0) for name in Spent.__dataclass_fields__]
    mine = usage.c.day == _day(at)
    if user_id is not None:
        mine = mine & (usage.c.user_id == user_id)
    row = (await connection.execute(select(*columns).where(mine))).one()
    return Spent(*(int(number) for number in row))


def _day(at: datetime) -> str:
    return at.date().isoformat()
