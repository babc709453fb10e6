"""A turn in the database: loaded in one short transaction, settled in one.

    loaded = await load(store, user_id)          # None: nothing waits
    await mark_spoken(store, loaded, raw, rows)  # optional: she has spoken, the state block comes later
    await settle(store, loaded, outcome, raw, rows)

`load` opens a turn and binds the waiting rows to it; after a crash it gives the same turn again. Only
the latest loader may write a turn: everybody else gets `Fenced` and loads again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from sqlalchemy import and_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import Fenced
from bot.store import memories, stories
from bot.store.binding import bind, lock_user
from bot.store.characters import read_character, write_character
from bot.store.instants import now
from bot.store.leases import PACE, Pace, Platforms
from bot.store.outgoing import OutgoingRow, add_outgoing
from bot.store.people import Person, read_person, write_person
from bot.store.settings import read_user_settings, write_user_settings
from bot.store.spending import Spent, add_spent
from bot.store.store import Store
from bot.store.tables import incoming, is_open_turn, turns, users
from bot.store.values import address_of, incoming_of
from engine.character import CharacterState
from engine.conversation import Address, Face, Fact, HistoryTurn, Incoming
from engine.events import EventRecord
from engine.story import OpenScene
from engine.turn import Outcome

HISTORY: Final = 20
"""How many sides of the talk a turn sees (specification, "working memory")."""
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
FACTS: Final = 500
"""How many facts a turn may look at."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One turn with all it may look at.

    `incoming` is what it answers, oldest first: messages of one chat that came in a row, or exactly one
    choice, reminder or command. `address` is where to answer. `raw_reply` is her answer if she has
    spoken already (`status` "spoken"): it is never asked for again. `attempts` failed so far. `history`
    is oldest first, `facts` the most important first, `last_face` the face last shown in this chat,
    `records` the completed events, `open_scene` what waits for a choice.
    """

    user_id: int
    turn_id: int
    fence: int
    status: Literal["waiting", "spoken"]
    attempts: int
    raw_reply: str | None
    incoming: tuple[Incoming, ...]
    address: Address
    character: CharacterState
    person: Person
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[Fact, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    last_face: Face | None = None
    records: tuple[EventRecord, ...] = ()
    open_scene: OpenScene | None = None


async def load(store: Store, user_id: int, pace: Pace = PACE, platforms: Platforms = None) -> Loaded | None:
    """Open the user's next turn, or go on with the unfinished one; None when nothing is ripe.

    A turn that has not spoken yet takes in what arrived since, as long as it continues the same burst.

    Args:
        pace: When a burst is over; the same as the lanes use.
        platforms: Whose rows are answered; the same as the lanes use. An unfinished turn of another
            platform is put back, so that its words wait for a process that has the platform; where she
            has spoken already it is given all the same.

    Raises:
        Fenced: Somebody else loaded the turn in the same moment.
    """
    # Not durable by itself: the settling commit is, and until then nothing was said.
    async with store.writing(durable=False) as connection:
        bound = await bind(connection, user_id, pace, platforms)
    if bound is None:
        return None
    async with store.reading() as connection:
        return await _read(connection, user_id, *bound)


async def mark_spoken(store: Store, loaded: Loaded, raw_reply: str, rows: Sequence[OutgoingRow]) -> Loaded:
    """Keep her answer and send its text before the state is known. Returns the turn as it is now.

    Raises:
        Fenced: Somebody else has loaded the turn since.
    """
    async with store.writing() as connection:
        await _step(connection, loaded, status="spoken", raw_reply=raw_reply)
        await add_outgoing(connection, store, loaded.user_id, loaded.turn_id, rows)
    _ring(store, rows)
    return replace(loaded, status="spoken", raw_reply=raw_reply)


async def say(
    store: Store, loaded: Loaded, rows: Sequence[OutgoingRow], settings: Mapping[str, Any] = NOTHING
) -> None:
    """Send something while the turn is still open (the line at 30 s of silence). Once per position.

    Args:
        settings: Settings of the user that change at once; None removes one.

    Raises:
        Fenced: Somebody else has loaded the turn since.
    """
    async with store.writing() as connection:
        await _step(connection, loaded, status=loaded.status)
        await write_user_settings(connection, loaded.user_id, settings)
        await add_outgoing(connection, store, loaded.user_id, loaded.turn_id, rows)
    _ring(store, rows)


async def settle(
    store: Store,
    loaded: Loaded,
    outcome: Outcome,
    raw_reply: str,
    rows: Sequence[OutgoingRow],
    person: Person | None = None,
    spent: Spent | None = None,
    settings: Mapping[str, Any] = NOTHING,
) -> tuple[int, ...]:
    """Write all that a turn leaves behind, in one transaction. Returns the new facts' ids.

    Args:
        rows: What to send; rows that `mark_spoken` has written may be among them and count once.
        person: The user as changed by this turn (notices, language, session), if at all.
        spent: What the model has cost.
        settings: Settings of the user that change; None removes one.

    Raises:
        Fenced: Somebody else has loaded the turn, or changed the character, since.
    """
    at = outcome.character.updated_at
    async with store.writing() as connection:
        closing = {"raw_reply": raw_reply, "applied": _plain(outcome.applied)}
        await _step(connection, loaded, status="settled", settled_at=now(), **closing)
        await write_character(connection, loaded.user_id, outcome.character, loaded.character.version)
        await memories.add_messages(connection, loaded.user_id, loaded.turn_id, outcome.turns)
        new = await memories.add_facts(connection, loaded.user_id, loaded.turn_id, outcome.facts, at)
        await memories.touch_facts(connection, loaded.user_id, outcome.touched_facts, at)
        await _tell(connection, loaded, outcome)
        if spent is not None:
            await add_spent(connection, loaded.user_id, at, spent)
        if outcome.face is not None:
            await memories.keep_face(connection, loaded.user_id, loaded.address, outcome.face)
        await write_user_settings(connection, loaded.user_id, settings)
        await _leave(connection, store, loaded, rows, person)
    _ring(store, rows)
    return new


async def answer(
    store: Store,
    loaded: Loaded,
    rows: Sequence[OutgoingRow],
    *,
    character: CharacterState | None = None,
    person: Person | None = None,
    history: Sequence[HistoryTurn] = (),
    settings: Mapping[str, Any] = NOTHING,
    face: Face | None = None,
) -> None:
    """End a turn without a model: a command, a notice, a message of somebody who said /stop.

    Args:
        character: The character as changed by a command, if at all.
        person: The user as changed, if at all.
        history: What shall be remembered of it as talk.
        settings: Settings of the user that change; None removes one.
        face: The face that the user is shown, if any.

    Raises:
        Fenced: Somebody else has loaded the turn, or changed the character, since.
    """
    async with store.writing() as connection:
        await _step(connection, loaded, status="settled", settled_at=now())
        if character is not None:
            await write_character(connection, loaded.user_id, character, loaded.character.version)
        await memories.add_messages(connection, loaded.user_id, loaded.turn_id, history)
        await write_user_settings(connection, loaded.user_id, settings)
        if face is not None:
            await memories.keep_face(connection, loaded.user_id, loaded.address, face)
        await _leave(connection, store, loaded, rows, person)
    _ring(store, rows)


async def finish(
    connection: AsyncConnection, store: Store, loaded: Loaded, rows: Sequence[OutgoingRow]
) -> None:
    """End a turn without a model inside the caller's transaction; the caller rings `outgoing_bell`.

    Raises:
        Fenced: Somebody else has loaded the turn since.
    """
    await _step(connection, loaded, status="settled", settled_at=now())
    await _leave(connection, store, loaded, rows, None)


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """What can be said of an unfinished turn without opening anything sealed."""

    turn_id: int
    user_id: int
    status: Literal["waiting", "spoken"]
    address: Address
    language: str


async def open_turn(store: Store, user_id: int) -> OpenTurn | None:
    """Find the user's unfinished turn, to apologise for it."""
    columns = (
        incoming.c.platform,
        incoming.c.account,
        incoming.c.chat,
        incoming.c.private,
        incoming.c.thread,
    )
    found = (
        select(turns.c.id, turns.c.status, users.c.language, *columns)
        .join(incoming, incoming.c.turn_id == turns.c.id)
        .join(users, users.c.id == turns.c.user_id)
        .where(turns.c.user_id == user_id, is_open_turn())
        .order_by(incoming.c.id.desc())
        .limit(1)
    )
    async with store.reading() as connection:
        row = (await connection.execute(found)).first()
    return None if row is None else OpenTurn(row.id, user_id, row.status, address_of(row), row.language)


async def fail(store: Store, turn_id: int, rows: Sequence[OutgoingRow]) -> bool:
    """Give a turn up, with an apology as `rows`; False if it was finished already."""
    unfinished = and_(turns.c.id == turn_id, is_open_turn())
    async with store.writing() as connection:
        given_up = await connection.execute(
            update(turns)
            .where(unfinished)
            .values(status="failed", settled_at=now())
            .returning(turns.c.user_id)
        )
        user_id = given_up.scalar()
        if user_id is None:
            return False
        await add_outgoing(connection, store, user_id, turn_id, rows)
    _ring(store, rows)
    return True


async def _read(connection: AsyncConnection, user_id: int, turn_id: int, fence: int) -> Loaded:
    # Between binding and reading a process can stand still for longer than its lease.
    same = and_(turns.c.id == turn_id, turns.c.fence == fence, is_open_turn())
    turn = (await connection.execute(select(turns).where(same))).first()
    if turn is None:
        raise Fenced(f"turn {turn_id} was taken over")
    rows = (
        await connection.execute(
            select(incoming).where(incoming.c.turn_id == turn_id).order_by(incoming.c.id)
        )
    ).all()
    address = address_of(rows[-1])
    return Loaded(
        user_id=user_id,
        turn_id=turn_id,
        fence=fence,
        status=turn.status,
        attempts=turn.attempts,
        raw_reply=turn.raw_reply,
        incoming=tuple(incoming_of(row) for row in rows),
        address=address,
        character=await read_character(connection, user_id),
        person=await read_person(connection, user_id),
        history=await memories.read_history(connection, user_id, HISTORY),
        facts=await memories.read_facts(connection, user_id, FACTS),
        settings=await read_user_settings(connection, user_id),
        last_face=await memories.read_face(connection, user_id, address),
        records=await stories.read_records(connection, user_id),
        open_scene=await stories.read_open_scene(connection, user_id),
    )


async def _tell(connection: AsyncConnection, loaded: Loaded, outcome: Outcome) -> None:
    """Write what a turn did to events and scenes."""
    if outcome.closed and not await stories.close_scene(connection, loaded.user_id, outcome.closed):
        raise Fenced(f"the scene of turn {loaded.turn_id} was answered already")
    await stories.add_records(connection, loaded.user_id, loaded.turn_id, outcome.records)
    if outcome.opened is not None:
        await stories.open_scene(connection, loaded.user_id, loaded.turn_id, outcome.opened)


async def _step(connection: AsyncConnection, loaded: Loaded, **values: Any) -> None:
    await lock_user(connection, loaded.user_id)
    same = and_(turns.c.id == loaded.turn_id, turns.c.fence == loaded.fence, turns.c.status == loaded.status)
    written = await connection.execute(update(turns).where(same).values(values))
    if written.rowcount != 1:
        raise Fenced(f"turn {loaded.turn_id} was taken over")


async def _leave(
    connection: AsyncConnection,
    store: Store,
    loaded: Loaded,
    rows: Sequence[OutgoingRow],
    person: Person | None,
) -> None:
    if person is not None and person != loaded.person:
        await write_person(connection, person)
    await add_outgoing(connection, store, loaded.user_id, loaded.turn_id, rows)


def _plain(applied: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if applied is None else dict(applied)


def _ring(store: Store, rows: Sequence[OutgoingRow]) -> None:
    if rows:
        store.outgoing_bell.set()
