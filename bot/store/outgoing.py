"""Rows of `outgoing`: what she says on its way to a messenger, one row per message, in order per chat."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Select, and_, case, delete, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.ports import Button
from bot.store.instants import NEVER, from_now, now
from bot.store.people import mark_unreachable
from bot.store.store import Store
from bot.store.tables import is_open_send, picture_references
from bot.store.tables import outgoing as table
from bot.store.values import AnyRow, address_columns, address_of, insert_new
from engine.conversation import Address, Face

NONCE_CHARS: Final = 24
"""Discord takes at most 25."""


@dataclass(frozen=True, slots=True)
class OutgoingRow:
    """One message to send.

    `position` is its place in the turn and unique there: the same position twice is the same message
    and counts once. `text` is neutral Markdown unless `plain`; it fits the platform's limits already.
    With a `face` her picture goes along (the text becomes its caption), with an `action` as a loop of that
    animation. `kind` says what it is for.
    """

    address: Address
    position: int
    text: str = ""
    plain: bool = False
    face: Face | None = None
    buttons: tuple[Button, ...] = ()
    kind: str = "reply"
    action: str | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A row that this process is about to send.

    `attempts` counts the sends that came back with an error, `resent` how often a send was found
    interrupted by a crash; `as_plain` is set once the platform has refused the formatted form.
    """

    id: int
    user_id: int
    address: Address
    nonce: str
    text: str
    plain: bool
    face: Face | None
    buttons: tuple[Button, ...]
    attempts: int
    resent: int
    as_plain: bool
    action: str | None = None


async def add_outgoing(
    connection: AsyncConnection, store: Store, user_id: int, turn_id: int, rows: Sequence[OutgoingRow]
) -> None:
    """Write rows in their order within the caller's transaction; rows that are there already stay."""
    if not rows:
        return
    values = [
        {
            "user_id": user_id,
            "turn_id": turn_id,
            "position": row.position,
            "kind": row.kind,
            **address_columns(row.address),
            "body": _body(row),
            "status": "pending",
            "nonce": _nonce(store.nonce_key, turn_id, row.position),
        }
        for row in rows
    ]
    insert = insert_new(connection, table).values(created_at=now()).on_conflict_do_nothing()
    for value in values:  # one by one: ids must follow the order
        await connection.execute(insert.values(value))
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_notify('otomo', 'outgoing')"))


async def claim_heads(
    store: Store, owner: str, platforms: Collection[str], lease_s: float, limit: int
) -> list[Delivery]:
    """Take the first open row of up to `limit` chats, if it may be sent now; no chat gives two.

    A row whose sender died in the middle of a send counts as sent once more (`resent`).
    """
    claiming = _claiming(owner, tuple(sorted(platforms)), lease_s, limit)
    async with store.writing(durable=False) as connection:
        rows = (await connection.execute(claiming)).all()
    return [_delivery(row) for row in sorted(rows, key=lambda row: row.id)]


@lru_cache(maxsize=64)
def _claiming(owner: str, platforms: tuple[str, ...], lease_s: float, limit: int) -> Any:
    return (
        update(table)
        .where(table.c.id.in_(_heads(platforms).limit(limit).with_for_update(skip_locked=True)))
        .values(
            lease_owner=owner,
            lease_until=from_now(lease_s),
            resent=table.c.resent + case((table.c.status == "sending", 1), else_=0),
        )
        .returning(table)
    )


def _heads(platforms: Collection[str]) -> Select[tuple[int]]:
    """Select the rows that may be taken up now: the first of its chat, due, and nobody's."""
    head, earlier = table.alias("head"), table.alias("earlier")
    blocked = select(earlier.c.id).where(
        earlier.c.platform == head.c.platform,
        earlier.c.chat == head.c.chat,
        earlier.c.id < head.c.id,
        is_open_send(earlier),
    )
    due = or_(head.c.status == "sending", head.c.not_before <= now())
    return (
        select(head.c.id)
        .where(is_open_send(head), head.c.platform.in_(sorted(platforms)))
        .where(due, head.c.lease_until <= now(), ~blocked.exists())
        .order_by(head.c.id)
    )


async def begin_send(store: Store, delivery: Delivery, owner: str) -> bool:
    """Note that the platform is asked now; False if another process has taken the row over."""
    mine = and_(table.c.id == delivery.id, table.c.lease_owner == owner)
    async with store.writing(durable=False) as connection:
        begun = await connection.execute(update(table).where(mine, is_open_send()).values(status="sending"))
    return begun.rowcount == 1


async def renew_sends(store: Store, owner: str, held: Collection[int], lease_s: float) -> None:
    """Keep the rows that this process is sending right now."""
    mine = and_(table.c.id.in_(sorted(held)), table.c.lease_owner == owner, is_open_send())
    async with store.writing(durable=False) as connection:
        await connection.execute(update(table).where(mine).values(lease_until=from_now(lease_s)))


async def let_go(store: Store, owner: str) -> None:
    """Give back the rows of a process that stops, so that its successor need not wait for their leases."""
    mine = and_(table.c.lease_owner == owner, is_open_send())
    async with store.writing(durable=False) as connection:
        await connection.execute(update(table).where(mine).values(lease_owner=None, lease_until=NEVER))


async def mark_sent(store: Store, delivery: Delivery, message_id: str | None) -> None:
    """The platform has it."""
    await _close(store, delivery, status="sent", message_id=message_id, sent_at=now())


async def mark_unsure(store: Store, delivery: Delivery) -> None:
    """The platform may have it, and asking twice would show it twice: it is left at that."""
    await _close(store, delivery, status="unsure")


async def mark_failed(store: Store, delivery: Delivery, reason: str) -> None:
    """The platform will not take it; `reason` is a word of ours, never the message."""
    await _close(store, delivery, status="failed", reason=reason)


async def send_again(store: Store, delivery: Delivery, after_s: float) -> None:
    """It did not go out: the same again after `after_s` seconds; later rows of the chat wait behind it."""
    await _close(
        store,
        delivery,
        status="pending",
        attempts=table.c.attempts + 1,
        not_before=from_now(after_s) if after_s > 0 else NEVER,
    )


async def leave(store: Store, delivery: Delivery, after_s: float) -> None:
    """Its sender broke: take it up again after `after_s` seconds, as after a crash (a begun send counts as one)."""
    mine = and_(table.c.id == delivery.id, is_open_send(), table.c.resent == delivery.resent)
    async with store.writing(durable=False) as connection:
        await connection.execute(
            update(table).where(mine).values(lease_owner=None, lease_until=from_now(after_s))
        )


async def send_plain(store: Store, delivery: Delivery) -> None:
    """The formatted form was refused: the bare text next."""
    await _close(store, delivery, status="pending", as_plain=True)


async def close_account(store: Store, delivery: Delivery) -> None:
    """The account cannot be reached: mark it, and let go of everything that waits for it."""
    address = delivery.address
    same = and_(table.c.platform == address.platform, table.c.account == address.account)
    waiting = or_(table.c.status == "pending", table.c.id == delivery.id)
    gone = {"status": "failed", "reason": "unreachable", "lease_owner": None, "lease_until": NEVER}
    async with store.writing() as connection:
        await mark_unreachable(connection, address)
        await connection.execute(update(table).where(same, waiting).values(gone))


async def next_send_in_s(store: Store, platforms: Collection[str]) -> float | None:
    """Return in how many seconds a waiting row may go; None if no row waits for a time."""
    soonest = (
        select((table.c.not_before - now()).label("wait"))
        .where(
            table.c.status == "pending", table.c.not_before > now(), table.c.platform.in_(sorted(platforms))
        )
        .order_by(table.c.not_before)
        .limit(1)
    )
    async with store.reading() as connection:
        wait_us = (await connection.execute(soonest)).scalar()
    return None if wait_us is None else max(0.0, wait_us / 1_000_000)


async def is_followed(store: Store, delivery: Delivery) -> bool:
    """Whether a later turn has something to say in the chat of a row."""
    address = delivery.address
    mine = select(table.c.turn_id).where(table.c.id == delivery.id).scalar_subquery()
    newer = select(table.c.id).where(
        table.c.platform == address.platform,
        table.c.chat == address.chat,
        table.c.id > delivery.id,
        table.c.turn_id > mine,
        is_open_send(),
    )
    async with store.reading() as connection:
        return (await connection.execute(newer.limit(1))).first() is not None


async def is_idle(store: Store, platforms: Collection[str]) -> bool:
    """Whether nothing is left that could be sent now or is being sent."""
    held = select(table.c.id).where(is_open_send(), table.c.lease_until > now())
    async with store.reading() as connection:
        for busy in (_heads(platforms), held.where(table.c.platform.in_(sorted(platforms)))):
            if (await connection.execute(busy.limit(1))).first() is not None:
                return False
    return True


async def picture_reference(store: Store, platform: str, digest: str) -> str | None:
    """Return the platform's own id of a picture it was given before (`digest`: SHA-256 of its bytes)."""
    same = (picture_references.c.platform == platform) & (picture_references.c.digest == digest)
    async with store.reading() as connection:
        return (await connection.execute(select(picture_references.c.reference).where(same))).scalar()


async def keep_reference(store: Store, platform: str, digest: str, reference: str) -> None:
    """Remember the platform's own id of a picture."""
    async with store.writing(durable=False) as connection:
        row = {"platform": platform, "digest": digest, "reference": reference, "seen_at": now()}
        insert = insert_new(connection, picture_references).values(row)
        await connection.execute(
            insert.on_conflict_do_update(
                index_elements=["platform", "digest"],
                set_={"reference": insert.excluded.reference, "seen_at": insert.excluded.seen_at},
            )
        )


async def forget_reference(store: Store, platform: str, digest: str) -> None:
    """Forget an id that the platform no longer takes."""
    same = (picture_references.c.platform == platform) & (picture_references.c.digest == digest)
    async with store.writing() as connection:
        await connection.execute(delete(picture_references).where(same))


async def _close(store: Store, delivery: Delivery, **values: Any) -> None:
    # A row that another process has taken over is its business.
    mine = and_(table.c.id == delivery.id, is_open_send(), table.c.resent == delivery.resent)
    async with store.writing() as connection:
        await connection.execute(
            update(table).where(mine).values(lease_owner=None, lease_until=NEVER, **values)
        )


def _body(row: OutgoingRow) -> dict[str, Any]:
    return {
        "text": row.text,
        "plain": row.plain,
        "face": None if row.face is None else asdict(row.face),
        "buttons": [[button.label, button.data] for button in row.buttons],
        "action": row.action,
    }


def _delivery(row: AnyRow) -> Delivery:
    body = row.body or {"text": "", "plain": True, "face": None, "buttons": []}
    return Delivery(
        id=row.id,
        user_id=row.user_id,
        address=address_of(row),
        nonce=row.nonce,
        text=body["text"],
        plain=body["plain"],
        face=None if body["face"] is None else Face(**body["face"]),
        buttons=tuple(Button(label, data) for label, data in body["buttons"]),
        attempts=row.attempts,
        resent=row.resent,
        as_plain=row.as_plain,
        action=body.get("action"),
    )


def _nonce(key: bytes, turn_id: int, position: int) -> str:
    place = f"{turn_id}:{position}".encode()
    return hashlib.blake2s(place, key=key, digest_size=NONCE_CHARS // 2).hexdigest()
