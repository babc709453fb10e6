"""Which waiting rows become one turn, and who has loaded it: the rules for opening and joining turns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlalchemy import BigInteger, Select, and_, bindparam, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.instants import now
from bot.store.leases import Pace, Platforms, is_from, is_ripe
from bot.store.tables import incoming, is_open_turn, turns, users
from bot.store.values import OWNER, AnyRow


async def bind(
    connection: AsyncConnection, user_id: int, pace: Pace, platforms: Platforms
) -> tuple[int, int] | None:
    """Return the turn's id and the fence of this load."""
    await lock_user(connection, user_id)
    turn = (await connection.execute(_UNFINISHED, {"owner": user_id})).first()
    if turn is not None and turn.status == "waiting" and await _put_back(connection, turn.id, platforms):
        turn = None
    if turn is None:
        turn_id = await _open(connection, user_id, pace, platforms)
    else:
        turn_id = turn.id
        if turn.status == "waiting":
            await _join(connection, user_id, turn.id)
    if turn_id is None:
        return None
    return turn_id, (await connection.execute(_LOADED, {"turn": turn_id})).scalar_one()


async def lock_user(connection: AsyncConnection, user_id: int) -> None:
    """Start a transaction that writes a turn: one at a time for each user (SQLite has one writer anyway)."""
    if connection.dialect.name == "postgresql":
        await connection.execute(
            select(users.c.id).where(users.c.id == user_id).with_for_update(key_share=True)
        )


async def _put_back(connection: AsyncConnection, turn_id: int, platforms: Platforms) -> bool:
    """Let the words of a turn that was opened for another platform wait again, if it was."""
    if platforms is None:
        return False
    ours = exists().where(incoming.c.turn_id == turns.c.id, is_from(platforms))
    given_up = update(turns).where(turns.c.id == turn_id, ~ours).values(status="failed", settled_at=now())
    if (await connection.execute(given_up.returning(turns.c.id))).first() is None:
        return False
    await connection.execute(update(incoming).where(incoming.c.turn_id == turn_id).values(turn_id=None))
    return True


async def _open(connection: AsyncConnection, user_id: int, pace: Pace, platforms: Platforms) -> int | None:
    rows = (await connection.execute(_ripe(pace, platforms), {"owner": user_id})).all()
    if not rows:
        return None
    turn_id: int = (await connection.execute(_OPENED, {"user_id": user_id})).scalar_one()
    await _bind_rows(connection, turn_id, _run(rows, rows[0]))
    return turn_id


async def _join(connection: AsyncConnection, user_id: int, turn_id: int) -> None:
    last = (
        await connection.execute(
            select(incoming).where(incoming.c.turn_id == turn_id).order_by(incoming.c.id.desc()).limit(1)
        )
    ).one()
    if last.kind == "message":
        waiting = (await connection.execute(_waiting(None), {"owner": user_id})).all()
        await _bind_rows(connection, turn_id, _run(waiting, last))


# Statements are made once: making one costs as much as running it.
_UNFINISHED: Final = select(turns.c.id, turns.c.status).where(turns.c.user_id == OWNER, is_open_turn())
_OPENED: Final = insert(turns).values(status="waiting", created_at=now()).returning(turns.c.id)
_LOADED: Final = (
    update(turns)
    .where(turns.c.id == bindparam("turn", type_=BigInteger))
    .values(fence=turns.c.fence + 1)
    .returning(turns.c.fence)
)


@lru_cache
def _waiting(platforms: Platforms) -> Select[tuple[int, str, str, str, str]]:
    columns = (incoming.c.id, incoming.c.kind, incoming.c.platform, incoming.c.chat, incoming.c.thread)
    mine = and_(incoming.c.user_id == OWNER, incoming.c.turn_id.is_(None), is_from(platforms))
    return select(*columns).where(mine).order_by(incoming.c.id)


@lru_cache
def _ripe(pace: Pace, platforms: Platforms) -> Select[tuple[int, str, str, str, str]]:
    """All that waits of a user, or nothing as long as a burst goes on."""
    burst = incoming.alias("burst")
    mine = and_(burst.c.user_id == OWNER, burst.c.turn_id.is_(None), is_from(platforms, burst))
    over = select(burst.c.user_id).where(mine).group_by(burst.c.user_id).having(is_ripe(pace, burst))
    return _waiting(platforms).where(over.exists())


def _run(rows: Sequence[AnyRow], like: AnyRow) -> list[int]:
    """Return the ids at the head of `rows` that belong to one turn with `like`."""
    if like.kind != "message":
        return [rows[0].id]
    run = []
    for row in rows:
        if (row.kind, row.platform, row.chat, row.thread) != (
            "message",
            like.platform,
            like.chat,
            like.thread,
        ):
            break
        run.append(row.id)
    return run


async def _bind_rows(connection: AsyncConnection, turn_id: int, ids: list[int]) -> None:
    if ids:
        await connection.execute(update(incoming).where(incoming.c.id.in_(ids)).values(turn_id=turn_id))
