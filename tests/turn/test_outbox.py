"""Every test here runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from sqlalchemy import func, select, update

from bot.errors import MaybeSent, NotSent, PlatformDown, Rejected, SendLater, Unreachable
from bot.inbox import Inbox
from bot.outbox import Outbox, OutboxSettings, OutgoingRow
from bot.ports import Activity, Button, Limits, Picture, Receipt, Send
from bot.store import Store, outgoing, tables
from bot.store.instants import NEVER
from bot.store.leases import Pace
from bot.store.turns import answer, load
from engine.conversation import Address, Face
from tests.people import a_character, a_message, a_row, an_address

FAST = OutboxSettings(look_s=0.2, backoff_s=0.05)
AT_ONCE = Pace(0, 0)
WATCHDOG_S = 30
JOY = Face("happy", "joy", 0.5)
PNG = Picture(b"png of joy", "image/png", "joy.png")
LIMITS = Limits(
    text=2000,
    caption=1000,
    button_data_bytes=64,
    button_label=64,
    buttons_per_row=3,
    upload_bytes=1000,
    typing_every_s=4,
    nonce=False,
)


class Wire:
    """A platform that notes what it is given; `trouble` says what goes wrong with which text, once each."""

    def __init__(self, name: str = "telegram", **limits: object) -> None:
        self.name, self.limits = name, replace(LIMITS, **limits)
        self.sends: list[Send] = []
        self.trouble: dict[str, list[Exception]] = {}
        self.gate: dict[str, asyncio.Event] = {}
        self.activities: list[Activity] = []
        self.at_once = 0

    async def send(self, send: Send) -> Receipt:
        self.sends.append(send)
        if send.text in self.gate:
            await self.gate[send.text].wait()
        if self.trouble.get(send.text):
            raise self.trouble[send.text].pop(0)
        return Receipt(f"m{len(self.sends)}", "ref-1" if send.picture else None)

    async def activity(self, address: Address, kind: Activity) -> None:
        self.activities.append(kind)

    @property
    def texts(self) -> list[str]:
        return [send.text for send in self.sends]


class Album:
    """A portrait whose pictures take a while, unless they are cached."""

    def __init__(self, picture: Picture | None = PNG) -> None:
        self.have, self.made = picture, asyncio.Event()
        self.cache: dict[Face, Picture] = {}

    def expressions(self) -> tuple[str, ...]:
        return ("joy",)

    def cached(self, face: Face) -> Picture | None:
        return self.cache.get(face)

    async def picture(self, face: Face) -> Picture | None:
        await self.made.wait()
        return self.have


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def inbox(store: Store) -> Inbox:
    return Inbox(store, a_character)


async def queue(store: Store, *rows: OutgoingRow) -> None:
    """Let a turn of each address say its rows."""
    inbox = Inbox(store, a_character)
    for address in dict.fromkeys(row.address for row in rows):
        async with store.reading() as connection:
            known = (await connection.execute(select(func.count()).select_from(tables.incoming))).scalar_one()
        await inbox.accept(a_message(f"k{known}", address=address))
        async with store.reading() as connection:
            newest = select(tables.incoming.c.user_id).order_by(tables.incoming.c.id.desc()).limit(1)
            user_id = (await connection.execute(newest)).scalar_one()
        loaded = await load(store, user_id, AT_ONCE)
        assert loaded is not None
        await answer(store, loaded, [row for row in rows if row.address == address])


@asynccontextmanager
async def running(store: Store, *wires: Wire, album: Album | None = None) -> AsyncIterator[Outbox]:
    outbox = Outbox(store, {wire.name: wire for wire in wires}, album or Album(), FAST)
    task = asyncio.create_task(outbox.run())
    try:
        yield outbox
    finally:
        await outbox.drain(1)
        await task


async def rows(store: Store) -> list[tuple[str, str | None]]:
    """Return status and reason of every row of outgoing."""
    table = tables.outgoing
    async with store.reading() as connection:
        found = await connection.execute(select(table.c.status, table.c.reason).order_by(table.c.id))
        return [tuple(row) for row in found]


async def become(store: Store, *wanted: str) -> None:
    async with asyncio.timeout(WATCHDOG_S):
        while [status for status, _ in await rows(store)] != list(wanted):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(WATCHDOG_S):
        while not what():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_rows_go_out_in_order_and_chats_do_not_wait_for_each_other(store: Store, wire: Wire) -> None:
    slow, quick = an_address("1"), an_address("2")
    wire.gate["a0"] = asyncio.Event()
    await queue(
        store, *(a_row(n, f"a{n}", slow) for n in range(4)), *(a_row(n, f"b{n}", quick) for n in range(4))
    )
    async with running(store, wire):
        await until(lambda: "b3" in wire.texts)
        assert wire.texts == ["a0", "b0", "b1", "b2", "b3"]
        wire.gate["a0"].set()
        await become(store, *["sent"] * 8)
    assert wire.texts[5:] == ["a1", "a2", "a3"]
    assert len({send.nonce for send in wire.sends}) == 8
    assert all(0 < len(send.nonce) <= 25 for send in wire.sends)


async def test_a_new_row_goes_out_at_once(store: Store, wire: Wire) -> None:
    outbox = Outbox(store, {wire.name: wire}, Album(), OutboxSettings(look_s=600))
    task = asyncio.create_task(outbox.run())
    await asyncio.sleep(0.3)
    await queue(store, a_row(0, "hi", buttons=(Button("Yes", "y"),)))
    await become(store, "sent")
    await outbox.drain(1)
    await task
    assert wire.sends[0].buttons == (Button("Yes", "y"),)


async def test_a_rate_limit_is_waited_out_and_keeps_the_order(store: Store, wire: Wire) -> None:
    wire.trouble["a"] = [SendLater("slow down", 0.3)]
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    async with running(store, wire):
        await become(store, "sent", "sent")
    assert wire.texts == ["a", "a", "b"]


async def test_what_was_surely_not_sent_goes_again(store: Store, wire: Wire) -> None:
    wire.trouble["a"] = [NotSent("no connection"), PlatformDown("gone"), NotSent("no connection")]
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    async with running(store, wire):
        await become(store, "sent", "sent")
    assert wire.texts == ["a"] * 4 + ["b"]


async def test_what_was_perhaps_sent_is_left_alone_without_a_nonce(store: Store, wire: Wire) -> None:
    wire.trouble["a"] = [MaybeSent("timed out")]
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    async with running(store, wire):
        await become(store, "unsure", "sent")
    assert wire.texts == ["a", "b"]


async def test_what_was_perhaps_sent_goes_again_under_its_nonce(store: Store) -> None:
    wire = Wire("discord", nonce=True)
    wire.trouble["a"] = [MaybeSent("timed out")]
    await queue(store, a_row(0, "a", an_address(platform="discord")))
    async with running(store, wire):
        await become(store, "sent")
    assert [send.nonce for send in wire.sends] == [wire.sends[0].nonce] * 2


async def test_a_send_without_an_answer_counts_as_perhaps_sent(store: Store, wire: Wire) -> None:
    wire.gate["a"] = asyncio.Event()
    await queue(store, a_row(0, "a"))
    outbox = Outbox(store, {wire.name: wire}, Album(), replace(FAST, send_s=0.1))
    task = asyncio.create_task(outbox.run())
    await become(store, "unsure")
    await outbox.drain(1)
    await task


async def interrupted(store: Store, wire: Wire) -> None:
    """Leave the first row as a killed process leaves it: asked for, and no answer noted."""
    (row,) = await outgoing.claim_heads(store, "the dead", [wire.name], 60, 1)
    assert await outgoing.begin_send(store, row, "the dead")
    async with store.writing() as connection:
        await connection.execute(update(tables.outgoing).values(lease_until=NEVER))


@pytest.mark.parametrize(
    ("nonce", "kills", "end", "sends"),
    [(False, 1, "sent", 1), (False, 2, "unsure", 0), (True, 1, "sent", 1), (True, 5, "sent", 1)],
)
async def test_a_killed_send(store: Store, nonce: bool, kills: int, end: str, sends: int) -> None:
    wire = Wire(nonce=nonce)
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    for _ in range(kills):
        await interrupted(store, wire)
    async with running(store, wire):
        await become(store, end, "sent")
    assert wire.texts == ["a"] * sends + ["b"]


async def test_a_row_is_not_taken_from_a_living_process(store: Store, wire: Wire) -> None:
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    (row,) = await outgoing.claim_heads(store, "another", [wire.name], 60, 5)
    async with running(store, wire):
        await asyncio.sleep(0.5)
        assert wire.sends == []
        await outgoing.mark_sent(store, row, "m1")
        await become(store, "sent", "sent")
    assert wire.texts == ["b"]


async def test_a_refused_form_goes_once_as_bare_text(store: Store, wire: Wire) -> None:
    wire.trouble = {"a": [Rejected("bad markup")], "b": [Rejected("no"), Rejected("no")]}
    await queue(store, a_row(0, "a", face=JOY, buttons=(Button("Yes", "y"),)), a_row(1, "b"), a_row(2, "c"))
    album = Album()
    album.made.set()
    async with running(store, wire, album=album):
        await become(store, "sent", "failed", "sent")
    assert [(send.text, send.plain, send.picture is not None) for send in wire.sends[:2]] == [
        ("a", False, True),
        ("a", True, False),
    ]
    assert wire.sends[1].buttons == (Button("Yes", "y"),)
    assert (await rows(store))[1] == ("failed", "rejected")


async def test_who_has_blocked_her_is_left_in_peace_until_the_next_message(
    store: Store, wire: Wire, inbox: Inbox
) -> None:
    blocked, other = an_address("1"), an_address("2")
    wire.trouble["a0"] = [Unreachable("blocked")]
    await queue(store, *(a_row(n, f"a{n}", blocked) for n in range(3)), a_row(0, "b", other))
    async with running(store, wire):
        await become(store, "failed", "failed", "failed", "sent")
    assert sorted(wire.texts) == ["a0", "b"]
    assert (await rows(store))[2] == ("failed", "unreachable")
    assert await unreachable(store) == [True, False]
    await inbox.accept(a_message("again", address=blocked))
    assert await unreachable(store) == [False, False]


async def unreachable(store: Store) -> list[bool]:
    async with store.reading() as connection:
        return list(
            (
                await connection.execute(select(tables.accounts.c.unreachable).order_by(tables.accounts.c.id))
            ).scalars()
        )


async def test_a_picture_holds_up_only_its_own_chat(store: Store, wire: Wire) -> None:
    album = Album()
    await queue(
        store,
        a_row(0, "", an_address("1"), face=JOY),
        a_row(1, "after", an_address("1")),
        a_row(0, "b", an_address("2")),
    )
    async with running(store, wire, album=album):
        await until(lambda: wire.texts == ["b"])
        assert wire.activities == ["upload_photo"]
        album.made.set()
        await become(store, *["sent"] * 3)
    assert wire.texts == ["b", "", "after"]
    assert wire.sends[1].picture == PNG


async def test_a_picture_that_the_platform_holds_goes_by_its_id(store: Store, wire: Wire) -> None:
    album = Album()
    album.cache[JOY] = PNG
    await queue(store, a_row(0, "a", face=JOY), a_row(1, "b", face=JOY), a_row(2, "c", face=JOY))
    wire.trouble["c"] = [Rejected("wrong file id")]
    async with running(store, wire, album=album):
        await become(store, *["sent"] * 3)
    assert [(send.text, send.picture and send.picture.reference) for send in wire.sends] == [
        ("a", None),
        ("b", "ref-1"),
        ("c", "ref-1"),
        ("c", None),
    ]
    assert wire.activities == []


async def test_no_picture_is_no_error(store: Store, wire: Wire) -> None:
    large = Album(replace(PNG, data=bytes(1001)))
    large.made.set()
    await queue(store, a_row(0, "a", face=JOY), a_row(1, "", face=JOY), a_row(2, "b"))
    async with running(store, wire, album=large):
        await become(store, *["sent"] * 3)
    assert [(send.text, send.picture) for send in wire.sends] == [("a", None), ("b", None)]


async def test_a_sender_that_breaks_is_as_a_crash(
    store: Store, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.trouble["my secret"] = [ZeroDivisionError("my secret")]
    await queue(store, a_row(0, "my secret"), a_row(1, "b"))
    outbox = Outbox(store, {wire.name: wire}, Album(), replace(FAST, lease_s=0.3, renew_s=0.1))
    task = asyncio.create_task(outbox.run())
    await become(store, "sent", "sent")
    await outbox.drain(1)
    await task
    assert wire.texts == ["my secret", "my secret", "b"]
    assert "ZeroDivisionError" in caplog.text
    assert "my secret" not in caplog.text


async def test_rows_of_a_platform_that_is_down_wait_for_it(store: Store, wire: Wire) -> None:
    await queue(store, a_row(0, "a", an_address(platform="discord")), a_row(0, "b"))
    async with running(store, wire):
        await become(store, "pending", "sent")
    discord = Wire("discord", nonce=True)
    async with running(store, discord):
        await become(store, "sent", "sent")


async def test_messages_to_one_chat_keep_their_pause(store: Store) -> None:
    wire = Wire(per_chat_s=0.25)
    await queue(
        store, *(a_row(n, f"a{n}", an_address("1")) for n in range(3)), a_row(0, "b", an_address("2"))
    )
    started = asyncio.get_running_loop().time()
    async with running(store, wire):
        await become(store, *["sent"] * 4)
    assert asyncio.get_running_loop().time() - started >= 0.5
    assert set(wire.texts[:2]) == {"a0", "b"}


async def test_draining_sends_what_can_go_and_cuts_off_the_rest(store: Store, wire: Wire) -> None:
    wire.gate["a"] = asyncio.Event()
    await queue(
        store, a_row(0, "a", an_address("1")), a_row(0, "b", an_address("2")), a_row(1, "c", an_address("2"))
    )
    outbox = Outbox(store, {wire.name: wire}, Album(), FAST)
    task = asyncio.create_task(outbox.run())
    await outbox.drain(0.5)
    await task
    assert [status for status, _ in await rows(store)] == ["sending", "sent", "sent"]


async def test_nonces_are_the_rows_own(store: Store, wire: Wire) -> None:
    await queue(store, a_row(0, "a"), a_row(1, "b"))
    first = await outgoing.claim_heads(store, "me", [wire.name], 60, 5)
    await outgoing.send_again(store, first[0], 0)
    second = await outgoing.claim_heads(store, "me", [wire.name], 60, 5)
    assert first[0].nonce == second[0].nonce
    assert second[0].attempts == 1
    assert len(first) == 1


SECRET = "my secret"


class TornAlbum(Album):
    """A portrait with a fault of ours in it."""

    async def picture(self, face: Face) -> Picture | None:
        self.asked = getattr(self, "asked", 0) + 1
        raise KeyError(SECRET)


async def test_a_broken_portrait_costs_the_picture_and_not_the_words(
    store: Store, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    album = TornAlbum()
    await queue(store, a_row(0, "a", face=JOY), a_row(1, "", face=JOY), a_row(2, "b"))
    async with running(store, wire, album=album):
        await become(store, "sent", "failed", "sent")
    assert [(send.text, send.picture) for send in wire.sends] == [("a", None), ("b", None)]
    assert (await rows(store))[1] == ("failed", "broken")
    assert album.asked == 6
    assert "in picture" in caplog.text, "the operator is not shown where"
    assert "KeyError" in caplog.text
    assert "my secret" not in caplog.text


async def test_a_sender_that_always_breaks_is_given_up(store: Store) -> None:
    wire = Wire("discord", nonce=True)
    wire.trouble["a"] = [ZeroDivisionError() for _ in range(100)]
    discord = an_address(platform="discord")
    await queue(store, a_row(0, "a", discord), a_row(1, "b", discord))
    async with running(store, wire):
        await become(store, "failed", "sent")
    assert wire.texts == ["a"] * 6 + ["b"]
    assert [send.plain for send in wire.sends[:6]] == [False] * 3 + [True] * 3


async def holds(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WATCHDOG_S):
        while not condition():  # noqa: ASYNC110 - what was sent rings no bell
            await asyncio.sleep(0.02)


async def test_a_slow_picture_holds_up_no_newer_words(store: Store, wire: Wire) -> None:
    album = Album()  # it never comes to an end
    outbox = Outbox(store, {wire.name: wire}, album, replace(FAST, picture_s=0.1))
    task = asyncio.create_task(outbox.run())
    await queue(store, a_row(0, "first"), a_row(1, "", face=JOY))
    await asyncio.sleep(0.5)
    assert wire.texts == ["first"], "alone in its chat a picture may take its time"
    await queue(store, a_row(0, "second"), a_row(1, "", face=JOY))
    await holds(lambda: wire.texts == ["first", "second"])
    album.made.set()
    await holds(lambda: len(wire.sends) == 3)
    assert wire.sends[2].picture is not None, "the newest picture is waited for"
    await outbox.drain(1)
    await task
