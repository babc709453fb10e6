"""Who she knows: a user is a person, an account is one way to reach that person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.characters import add_character
from bot.store.instants import now
from bot.store.tables import accounts, users
from bot.store.values import OWNER, AnyRow
from engine.character import CharacterState
from engine.conversation import Address, Incoming

FirstCharacter = Callable[[], CharacterState]
"""Makes the character of somebody she has never met (persona, defaults, the present instant)."""
FALLBACK_LANGUAGE: Final = "en"


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a user beside her character; change it with `dataclasses.replace`.

    `stopped` is true between /stop and /start; `adult` is None until the age step is answered;
    `noticed_at` is when the app last said that she is an AI, `privacy_noticed_at` when it told where
    words go, `session_started_at` when the present talk began (aware UTC).
    """

    id: int
    language: str
    created_at: datetime
    stopped: bool = False
    adult: bool | None = None
    noticed_at: datetime | None = None
    privacy_noticed_at: datetime | None = None
    session_started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """One way to reach a user: `chat` is the private chat there, None before there was one."""

    platform: str
    account: str
    chat: str | None
    display_name: str
    unreachable: bool


_PERSON: Final = tuple(Person.__dataclass_fields__)
_READ: Final = select(users).where(users.c.id == OWNER)
_READ_ACCOUNTS: Final = select(accounts).where(accounts.c.user_id == OWNER).order_by(accounts.c.id)


async def read_person(connection: AsyncConnection, user_id: int) -> Person:
    """Read a user."""
    row = (await connection.execute(_READ, {"owner": user_id})).one()
    return Person(**{name: row._mapping[name] for name in _PERSON})


async def write_person(connection: AsyncConnection, person: Person) -> None:
    """Write a changed user."""
    values = asdict(person)
    await connection.execute(update(users).where(users.c.id == values.pop("id")).values(values))


async def read_accounts(connection: AsyncConnection, user_id: int) -> tuple[Account, ...]:
    """Read all ways to reach a user, the oldest first."""
    found = await connection.execute(_READ_ACCOUNTS, {"owner": user_id})
    return tuple(
        Account(row.platform, row.account, row.chat, row.display_name or "", row.unreachable) for row in found
    )


async def find_user(connection: AsyncConnection, platform: str, account: str) -> int | None:
    """Return the user behind an account; the same id on two platforms is two people."""
    row = await _account(connection, platform, account)
    return None if row is None else int(row.user_id)


async def meet(connection: AsyncConnection, incoming: Incoming, first_character: FirstCharacter) -> int:
    """Return the user who sent an incoming; a new one gets a user, an account and a character."""
    address = incoming.address
    row = await _account(connection, address.platform, address.account)
    if row is None and connection.dialect.name == "postgresql":
        # Two processes may meet the same person in the same moment.
        name = func.hashtext(f"{address.platform}:{address.account}")
        await connection.execute(select(func.pg_advisory_xact_lock(7236843, name)))
        row = await _account(connection, address.platform, address.account)
    if row is None:
        return await _add(connection, incoming, first_character())
    await _refresh(connection, row, incoming)
    return int(row.user_id)


async def mark_unreachable(connection: AsyncConnection, address: Address) -> None:
    """Remember that an account cannot be reached until its next message."""
    await connection.execute(
        update(accounts)
        .where(accounts.c.platform == address.platform, accounts.c.account == address.account)
        .values(unreachable=True)
    )


async def _account(connection: AsyncConnection, platform: str, account: str) -> AnyRow | None:
    same = (accounts.c.platform == platform) & (accounts.c.account == account)
    return (await connection.execute(select(accounts).where(same))).first()


async def _add(connection: AsyncConnection, incoming: Incoming, character: CharacterState) -> int:
    added = await connection.execute(
        insert(users)
        .values(language=incoming.language or FALLBACK_LANGUAGE, created_at=now())
        .returning(users.c.id)
    )
    user_id: int = added.scalar_one()
    address = incoming.address
    await connection.execute(
        insert(accounts).values(
            user_id=user_id,
            platform=address.platform,
            account=address.account,
            chat=address.chat if address.private else None,
            display_name=incoming.display_name,
        )
    )
    await add_character(connection, user_id, character)
    return user_id


async def _refresh(connection: AsyncConnection, row: AnyRow, incoming: Incoming) -> None:
    address = incoming.address
    new = {
        "chat": address.chat if address.private else row.chat,
        "display_name": incoming.display_name or row.display_name,
        "unreachable": False,
    }
    if any(row._mapping[name] != value for name, value in new.items()):
        await connection.execute(update(accounts).where(accounts.c.id == row.id).values(new))
