"""The way out: rows of outgoing go to their messengers, in order per chat, none twice if it can be helped.

pending -> sending -> sent | failed(reason) | unsure. A chat's row waits until the one before it is
done. What a crash does in the middle of a send depends on the platform: with a nonce the same send is
repeated and recognised; without one it is repeated once, then left as unsure.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.errors import (
    MaybeSent,
    NotSent,
    PlatformDown,
    Rejected,
    SendLater,
    StoreBusy,
    StoreError,
    Unreachable,
)
from bot.lanes import ring_or_timeout
from bot.logs import trace_of
from bot.ports import Picture, Platform, Portrait, Receipt, Send
from bot.store import outgoing
from bot.store.outgoing import Delivery, OutgoingRow
from bot.store.store import Store
from engine.conversation import Address, Face

__all__ = ["Outbox", "OutboxSettings", "OutgoingRow"]

_MAX_BACKOFF_S: Final = 60.0
_PAUSE_MAX_S: Final = 60.0
"""After this long no pause between two messages is left to keep."""
_PATIENCE: Final = 30
_MOST_BREAKS: Final = 3
"""How often a sender may break over one row in this process; then the row changes its form, or fails."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OutboxSettings:
    """How many chats at once, and how they keep time (seconds).

    `lease_s` is how long a row of a dead process waits on PostgreSQL; it is renewed every `renew_s`.
    `look_s` is the slow look at the table, `backoff_s` the first wait after a send that did not go out
    (doubled each time, at most a minute), `send_s` when a send without an answer is given up. `picture_s`
    is how long a picture may be waited for when something newer is to be said in its chat.
    """

    at_once: int = 20
    lease_s: float = 60.0
    renew_s: float = 20.0
    look_s: float = 1.0
    backoff_s: float = 1.0
    send_s: float = 120.0
    picture_s: float = 3.0


class Outbox:
    """Sends what waits for the given platforms; rows of other platforms stay for a process that has them."""

    def __init__(
        self,
        store: Store,
        platforms: Mapping[str, Platform],
        portrait: Portrait,
        settings: OutboxSettings = OutboxSettings(),
    ) -> None:
        self._store = store
        self._platforms = platforms
        self._portrait = portrait
        self._settings = settings
        self._owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._sending: dict[int, asyncio.Task[None]] = {}
        self._breaks: dict[int, int] = {}
        self._last_s: dict[tuple[str, str], float] = {}
        self._progress = asyncio.Event()
        self._closing = False

    def wake(self) -> None:
        """Look at the table now."""
        self._store.outgoing_bell.set()

    async def run(self) -> None:
        """Send until `drain` has been called."""
        async with asyncio.TaskGroup() as tasks:
            keeper = tasks.create_task(self._keep_leases())
            while not self._closing:
                self._store.outgoing_bell.clear()
                await ring_or_timeout(self._store.outgoing_bell, await self._start_sends())
            while self._sending:
                await asyncio.wait(self._sending.values())
            keeper.cancel()
        await outgoing.let_go(self._store, self._owner)

    async def drain(self, timeout_s: float) -> None:
        """Send what can be sent now, for at most `timeout_s`, then stop; the rest waits for the next start."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._sending or not await outgoing.is_idle(self._store, self._platforms):
                    self._progress.clear()
                    await ring_or_timeout(self._progress, 0.1)
        except TimeoutError:
            _log.info("%d sends were under way at the end of the time to stop", len(self._sending))
        self._closing = True
        self.wake()
        for task in self._sending.values():
            task.cancel()

    async def _start_sends(self) -> float:
        """Start what may be sent now. Returns how long there is nothing to do, in seconds."""
        settings = self._settings
        free = settings.at_once - len(self._sending)
        if free <= 0:
            return settings.look_s
        try:
            rows = await outgoing.claim_heads(
                self._store, self._owner, self._platforms, settings.lease_s, free
            )
            for row in rows:
                self._start(row)
            # While rows are under way the next look comes with the end of one of them.
            soonest_s = None if rows else await outgoing.next_send_in_s(self._store, self._platforms)
        except StoreError as error:
            _log.error("the outbox cannot look for rows: %s", error)
            return settings.look_s
        return settings.look_s if soonest_s is None else min(settings.look_s, soonest_s + 0.001)

    def _start(self, row: Delivery) -> None:
        self._look_after(row, asyncio.create_task(self._deliver(row)))

    def _look_after(self, row: Delivery, task: asyncio.Task[None]) -> None:
        self._sending[row.id] = task
        task.add_done_callback(lambda done: self._ended(row, done))

    def _ended(self, row: Delivery, task: asyncio.Task[None]) -> None:
        del self._sending[row.id]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StoreError):
            # As after a crash: when the row's lease has ended it is taken up again.
            _log.error("row %d: %s", row.id, error)
        elif error is not None:
            self._look_after(row, asyncio.create_task(self._broke(row, error)))
            return
        self._progress.set()
        self.wake()

    async def _broke(self, row: Delivery, error: BaseException) -> None:
        """Go on after a fault of ours: the same again soon, then the bare text, and in the end without the row."""
        breaks = self._breaks.pop(row.id, 0) + 1
        _log.error("row %d: its sender broke, time %d\n%s", row.id, breaks, trace_of(error))
        if breaks < _MOST_BREAKS:
            self._breaks[row.id] = breaks
            await outgoing.leave(self._store, row, self._backoff_s(row) * 2 ** (breaks - 1))
        elif row.text and not row.as_plain:
            await outgoing.send_plain(self._store, row)
        else:
            await outgoing.mark_failed(self._store, row, "broken")

    async def _deliver(self, row: Delivery) -> None:
        platform = self._platforms[row.address.platform]
        if row.resent > 1 and not platform.limits.nonce:
            _log.warning("row %d was interrupted twice on %s: left as unsure", row.id, platform.name)
            await outgoing.mark_unsure(self._store, row)
            return
        send, digest = await self._compose(platform, row)
        if send is None:
            await outgoing.mark_sent(self._store, row, None)
            return
        await self._keep_pace(platform, row.address)
        if await outgoing.begin_send(self._store, row, self._owner):
            await self._send(platform, row, send, digest)

    async def _send(self, platform: Platform, row: Delivery, send: Send, digest: str | None) -> None:
        try:
            async with asyncio.timeout(self._settings.send_s):
                receipt = await platform.send(send)
        except SendLater as error:
            await self._again(row, error.after_s)
        except (NotSent, PlatformDown):
            await self._again(row, self._backoff_s(row))
        except (MaybeSent, TimeoutError):
            await self._perhaps_sent(platform, row)
        except Unreachable:
            _log.info("user %d cannot be reached on %s", row.user_id, platform.name)
            await self._note(lambda: outgoing.close_account(self._store, row))
        except Rejected:
            await self._refused(platform, row, send, digest)
        else:
            await self._sent(platform, row, send, receipt, digest)

    async def _sent(
        self, platform: Platform, row: Delivery, send: Send, receipt: Receipt, digest: str | None
    ) -> None:
        await self._note(lambda: outgoing.mark_sent(self._store, row, receipt.message_id))
        known = send.picture.reference if send.picture else None
        reference = receipt.picture_reference
        if digest and reference and reference != known:
            await outgoing.keep_reference(self._store, platform.name, digest, reference)

    async def _perhaps_sent(self, platform: Platform, row: Delivery) -> None:
        if platform.limits.nonce:
            await self._again(row, self._backoff_s(row))
            return
        _log.warning("row %d may have been delivered on %s: left as unsure", row.id, platform.name)
        await self._note(lambda: outgoing.mark_unsure(self._store, row))

    async def _refused(self, platform: Platform, row: Delivery, send: Send, digest: str | None) -> None:
        if digest and send.picture and send.picture.reference:
            # The platform has dropped the picture it was given: the bytes next.
            await outgoing.forget_reference(self._store, platform.name, digest)
            await self._again(row, 0)
        elif row.text and not row.as_plain:
            await self._note(lambda: outgoing.send_plain(self._store, row))
        else:
            _log.warning("row %d of %d characters was refused by %s", row.id, len(row.text), platform.name)
            await self._note(lambda: outgoing.mark_failed(self._store, row, "rejected"))

    async def _compose(self, platform: Platform, row: Delivery) -> tuple[Send | None, str | None]:
        """Put a message together. Returns it (None when nothing is left of it) and its picture's digest."""
        picture, digest = None, None
        if row.face is not None and not row.as_plain:
            picture = await self._in_time(row, self._picture(platform, row, row.face))
        if picture is not None:
            digest = hashlib.sha256(picture.data).hexdigest()
            known = await outgoing.picture_reference(self._store, platform.name, digest)
            picture = replace(picture, reference=known or picture.reference)
        if picture is None and not row.text and not row.buttons:
            return None, None
        plain = row.plain or row.as_plain
        return Send(row.address, row.nonce, row.text, plain, picture, row.buttons), digest

    async def _in_time(self, row: Delivery, drawing: Coroutine[Any, Any, Picture | None]) -> Picture | None:
        """Wait for a picture, but leave it out once it holds up a newer turn of its chat.

        What was begun is drawn all the same, and kept for the next time.
        """
        task = asyncio.create_task(drawing, name="picture")
        try:
            while not task.done():
                done, _ = await asyncio.wait({task}, timeout=self._settings.picture_s)
                if not done and await outgoing.is_followed(self._store, row):
                    _log.info("row %d goes without its picture, which takes too long", row.id)
                    return None
            return task.result()
        finally:
            task.cancel()

    async def _picture(self, platform: Platform, row: Delivery, face: Face) -> Picture | None:
        picture = await self._loop(platform, row, face) or self._portrait.cached(face)
        if picture is None:
            await platform.activity(row.address, "upload_photo")
            picture = await self._portrait.picture(face)
        return _fitting(picture, platform)

    async def _loop(self, platform: Platform, row: Delivery, face: Face) -> Picture | None:
        """Return the loop of an animation; where there is none a still takes its place."""
        if row.action is None:
            return None
        kind = platform.limits.loops
        loop = self._portrait.cached_loop(face, row.action, kind)
        if loop is None:
            await platform.activity(row.address, "upload_photo")
            loop = await self._portrait.loop(face, row.action, kind)
        return _fitting(loop, platform)

    async def _keep_pace(self, platform: Platform, address: Address) -> None:
        """Leave the platform's pause between two messages to one chat."""
        pause_s = platform.limits.per_chat_s
        if not pause_s:
            return
        now_s = asyncio.get_running_loop().time()
        self._last_s = {
            chat: last_s for chat, last_s in self._last_s.items() if last_s > now_s - _PAUSE_MAX_S
        }
        chat = (platform.name, address.chat)
        start_s = max(now_s, self._last_s.get(chat, -_PAUSE_MAX_S) + pause_s)
        self._last_s[chat] = start_s
        await asyncio.sleep(start_s - now_s)

    async def _again(self, row: Delivery, after_s: float) -> None:
        await self._note(lambda: outgoing.send_again(self._store, row, after_s))

    def _backoff_s(self, row: Delivery) -> float:
        return min(_MAX_BACKOFF_S, self._settings.backoff_s * 2.0 ** min(row.attempts, 10))

    async def _note(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write down what became of a send, patiently: forgetting it could send it twice."""
        for _ in range(_PATIENCE):
            try:
                await write()
                return
            except StoreBusy as error:
                _log.error("a send cannot be noted: %s; trying again", error)
            await asyncio.sleep(1.0)
        await write()

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._settings.renew_s)
            if not self._sending:
                continue
            try:
                await outgoing.renew_sends(self._store, self._owner, self._sending, self._settings.lease_s)
            except StoreError as error:
                _log.error("leases could not be renewed: %s", error)


def _fitting(picture: Picture | None, platform: Platform) -> Picture | None:
    """Return a picture that the platform takes, None where it is too large."""
    if picture is None or len(picture.data) <= platform.limits.upload_bytes:
        return picture
    _log.warning("%s of %d bytes is too large for %s", picture.mime, len(picture.data), platform.name)
    return None
