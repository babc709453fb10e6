"""Which waiting rows become one turn, and who has loaded it: the rules for opening and joining turns."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.instants import now
from bot.store.leases import Pace, Platforms, is_from, is_ripe
from bot.store.tables import incoming, is_open_turn, turns, users
from bot.store.values import AnyRow


async def bind(
    connection: AsyncConnection, user_id: int, pace: Pace, platforms: Platforms
) -> tuple[int, int] | None:
    """Return the turn's id and the fence of this load."""
    await lock_user(connection, user_id)
    if platforms is not None:
        await _put_back(connection, user_id, platforms)
    turn = (
        await connection.execute(
            select(turns.c.id, turns.c.status).where(turns.c.user_id == user_id, is_open_turn())
        )
    ).first()
    if turn is None:
        turn_id: int | None = await _open(connection, user_id, pace, platforms)
    else:
        turn_id = turn.id
        if turn.status == "waiting":
            await _join(connection, user_id, turn_id)
    if turn_id is None:
        return None
    raised = update(turns).where(turns.c.id == turn_id).values(fence=turns.c.fence + 1)
    return turn_id, (await connection.execute(raised.returning(turns.c.fence))).scalar_one()


async def lock_user(connection: AsyncConnection, user_id: int) -> None:
    """Start a transaction that writes a turn: one at a time for each user (SQLite has one writer anyway)."""
    if connection.dialect.name == "postgresql":
        await connection.execute(
            select(users.c.id).where(users.c.id == user_id).with_for_update(key_share=True)
        )


async def _put_back(connection: AsyncConnection, user_id: int, platforms: Platforms) -> None:
    """Let the words of a turn that was opened for another platform wait again."""
    ours = exists().where(incoming.c.turn_id == turns.c.id, is_from(platforms))
    foreign = and_(turns.c.user_id == user_id, turns.c.status == "waiting", ~ours)
    given_up = update(turns).where(foreign).values(status="failed", settled_at=now())
    turn_id = (await connection.execute(given_up.returning(turns.c.id))).scalar()
    if turn_id is not None:
        await connection.execute(update(incoming).where(incoming.c.turn_id == turn_id).values(turn_id=None))


async def _open(connection: AsyncConnection, user_id: int, pace: Pace, platforms: Platforms) -> int | None:
    waiting = and_(incoming.c.user_id == user_id, incoming.c.turn_id.is_(None), is_from(platforms))
    ripe = select(incoming.c.user_id).where(waiting).group_by(incoming.c.user_id).having(is_ripe(pace))
    if (await connection.execute(ripe)).first() is None:
        return None
    opened = await connection.execute(
        insert(turns).values(user_id=user_id, status="waiting", created_at=now()).returning(turns.c.id)
    )
    turn_id: int = opened.scalar_one()
    rows = await _waiting(connection, user_id, platforms)
    await _bind_rows(connection, turn_id, _run(rows, rows[0]))
    return turn_id


async def _join(connection: AsyncConnection, user_id: int, turn_id: int) -> None:
    last = (
        await connection.execute(
            select(incoming).where(incoming.c.turn_id == turn_id).order_by(incoming.c.id.desc()).limit(1)
        )
    ).one()
    if last.kind == "message":
        await _bind_rows(connection, turn_id, _run(await _waiting(connection, user_id), last))


async def _waiting(
    connection: AsyncConnection, user_id: int, platforms: Platforms = None
) -> Sequence[AnyRow]:
    columns = (incoming.c.id, incoming.c.kind, incoming.c.platform, incoming.c.chat, incoming.c.thread)
    waiting = select(*columns).where(
        incoming.c.user_id == user_id, incoming.c.turn_id.is_(None), is_from(platforms)
    )
    return (await connection.execute(waiting.order_by(incoming.c.id))).all()


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
