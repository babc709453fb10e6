"""A lane is a lease in the user row: who may run a user's turns, and who must be looked at next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    exists,
    func,
    or_,
    select,
    true,
    union,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from bot.store.instants import EPOCH, from_now, now
from bot.store.store import Store
from bot.store.tables import incoming, is_open_turn, turns, users


@dataclass(frozen=True, slots=True)
class Pace:
    """When waiting messages become a turn, in seconds.

    A burst is answered once nothing came for `quiet_s`, or when its first message is `longest_s` old.
    Choices, reminders and commands wait for nothing.
    """

    quiet_s: float = 1.2
    longest_s: float = 6.0


PACE: Final = Pace()
Platforms = tuple[str, ...] | None
"""Whose rows are looked at, None for all: those of others wait for a process that has their platform."""


def is_ripe(pace: Pace, rows: FromClause = incoming) -> ColumnElement[bool]:
    """Whether a group of waiting rows of one user may become a turn (for HAVING)."""
    return or_(
        func.max(rows.c.at) <= from_now(-pace.quiet_s),
        func.min(rows.c.at) <= from_now(-pace.longest_s),
        func.sum(case((rows.c.kind != "message", 1), else_=0)) > 0,
    )


def is_from(platforms: Platforms, rows: FromClause = incoming) -> ColumnElement[bool]:
    """Whether a row of incoming came from one of these platforms."""
    return true() if platforms is None else rows.c.platform.in_(platforms)


def _with_work(pace: Pace, platforms: Platforms) -> Select[tuple[int]]:
    unbound = and_(incoming.c.turn_id.is_(None), is_from(platforms))
    waiting = select(incoming.c.user_id).where(unbound).group_by(incoming.c.user_id).having(is_ripe(pace))
    ours = exists().where(incoming.c.turn_id == turns.c.id, is_from(platforms))
    unfinished = select(turns.c.user_id).where(is_open_turn(), ours)
    return select(union(waiting, unfinished).subquery().c.user_id)


async def claim(
    store: Store, owner: str, lease_s: float, pace: Pace, limit: int = 1, platforms: Platforms = None
) -> list[int]:
    """Take the lanes of up to `limit` users with work that nobody else holds, the longest unserved first."""
    async with store.writing(durable=False) as connection:
        taken = await connection.execute(_claiming(owner, lease_s, pace, limit, platforms))
        return [row.id for row in taken]


@lru_cache(maxsize=64)
def _claiming(
    owner: str, lease_s: float, pace: Pace, limit: int, platforms: Platforms
) -> ReturningUpdate[tuple[int]]:
    free = and_(users.c.lease_until <= now(), users.c.resting_until <= now())
    candidates = (
        select(users.c.id)
        .where(users.c.id.in_(_with_work(pace, platforms)), free)
        .order_by(users.c.lease_until, users.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True, key_share=True)
    )
    return (
        update(users)
        .where(users.c.id.in_(candidates))
        .values(lease_owner=owner, lease_until=from_now(lease_s))
        .returning(users.c.id)
    )


async def next_in_s(store: Store, pace: Pace, platforms: Platforms = None) -> float | None:
    """Return in how many seconds the next burst of a free lane is over; None if none is waiting."""
    async with store.reading() as connection:
        rows = (await connection.execute(_bursts(platforms))).all()
    waits = [
        min(_age(row.last, row.now, pace.quiet_s), _age(row.first, row.now, pace.longest_s)) for row in rows
    ]
    return max(0.0, min(waits)) if waits else None


@lru_cache
def _bursts(platforms: Platforms) -> Select[Any, Any, int]:
    first, last = func.min(incoming.c.at), func.max(incoming.c.at)
    return (
        select(first.label("first"), last.label("last"), now().label("now"))
        .join(users, users.c.id == incoming.c.user_id)
        .where(incoming.c.turn_id.is_(None), is_from(platforms))
        .where(users.c.lease_until <= now(), users.c.resting_until <= now())
        .group_by(incoming.c.user_id)
    )


def _age(at: datetime, clock_us: int, wait_s: float) -> float:
    return (at - EPOCH).total_seconds() + wait_s - clock_us / 1_000_000


async def renew(store: Store, owner: str, user_ids: Collection[int], lease_s: float) -> None:
    """Keep the lanes that a process runs right now; a lease that has run out is not taken back."""
    mine = and_(users.c.id.in_(sorted(user_ids)), users.c.lease_owner == owner, users.c.lease_until > now())
    async with store.writing(durable=False) as connection:
        await connection.execute(update(users).where(mine).values(lease_until=from_now(lease_s)))


async def release(
    store: Store, user_id: int, owner: str, rest_s: float = 0.0, unfinished_rest_s: float = 0.0
) -> None:
    """Give a lane back. The user rests for `rest_s`; with a turn left open for `unfinished_rest_s` at least."""
    mine = and_(users.c.id == user_id, users.c.lease_owner == owner)
    unfinished = exists().where(turns.c.user_id == user_id, is_open_turn())
    wake, late = from_now(rest_s), from_now(max(rest_s, unfinished_rest_s))
    resting = case(
        (and_(unfinished, users.c.resting_until < late), late),
        (users.c.resting_until < wake, wake),
        else_=users.c.resting_until,
    )
    free = {"lease_owner": None, "lease_until": now(), "resting_until": resting}
    async with store.writing(durable=False) as connection:
        await connection.execute(update(users).where(mine).values(free))


async def rest(store: Store, user_id: int, seconds: float) -> None:
    """Look at a user's unfinished turn again after `seconds` (the model is away), without counting an attempt."""
    async with store.writing(durable=False) as connection:
        await connection.execute(
            update(users).where(users.c.id == user_id).values(resting_until=from_now(seconds))
        )


async def count_attempt(store: Store, user_id: int) -> tuple[int, int] | None:
    """Count a failed attempt of the user's unfinished turn. Returns (turn id, attempts), None without one."""
    unfinished = and_(turns.c.user_id == user_id, is_open_turn())
    counted = (
        update(turns)
        .where(unfinished)
        .values(attempts=turns.c.attempts + 1)
        .returning(turns.c.id, turns.c.attempts)
    )
    async with store.writing(durable=False) as connection:
        row = (await connection.execute(counted)).first()
    return None if row is None else (row.id, row.attempts)


async def is_work_left(store: Store, platforms: Platforms = None) -> bool:
    """Whether anybody's words wait for an answer now; turns that rest (the model is away) do not count."""
    left = select(users.c.id).where(
        users.c.id.in_(_with_work(Pace(0.0, 0.0), platforms)), users.c.resting_until <= now()
    )
    async with store.reading() as connection:
        return (await connection.execute(left.limit(1))).first() is not None
