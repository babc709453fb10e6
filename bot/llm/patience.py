"""How long a voice is waited for and how often it is asked again; the same for every provider."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, TypeVar

from bot.errors import ModelError, ModelSilent
from bot.llm.hearing import Hearing
from bot.llm.settings import LlmSettings
from bot.ports import Usage

log = logging.getLogger(__name__)
T = TypeVar("T")

LONGEST_ASKED_WAIT_S: Final = 20.0
"""A provider that asks for more gets no further try inside this turn; the turn itself is kept."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a streamed answer: words, or what it cost, or both."""

    text: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """The waits of one voice in seconds, and how many further tries it gets."""

    who: str
    silence_s: float
    turn_s: float
    retries: int
    first_wait_s: float

    @classmethod
    def of(cls, who: str, settings: LlmSettings) -> Pace:
        """Return the pace that the settings ask for."""
        return cls(who, settings.silence_s, settings.turn_s, settings.retries, settings.retry_first_s)


Pieces = AsyncGenerator[Piece, None]
Attempt = Callable[[], Pieces]
"""Begins one request; its errors are ModelError kinds only."""
Spent = Callable[[Usage], None]
"""Is told what a request cost, once per request where the server says so."""


async def patient_reply(attempt: Attempt, pace: Pace, spent: Spent) -> AsyncGenerator[str, None]:
    """Yield the words of a reply, asking again as long as nothing has been heard.

    Raises:
        ModelError: No try gave a reply. Once words have been passed on, a break ends the reply instead.
    """
    deadline = asyncio.get_running_loop().time() + pace.turn_s
    for tries_left in range(pace.retries, -1, -1):
        spoken = False
        try:
            async with aclosing(_one_reply(attempt(), pace, deadline, spent)) as words:
                async for text in words:
                    spoken = True
                    yield text
            return
        except ModelError as error:
            wait = _wait(error, pace, tries_left, deadline)
            if spoken or wait is None:
                raise
            log.info("%s: %s; asking again in %.1f s", pace.who, type(error).__name__, wait)
        await asyncio.sleep(wait)


async def _one_reply(pieces: Pieces, pace: Pace, deadline: float, spent: Spent) -> AsyncGenerator[str, None]:
    hearing = Hearing(pace.who)
    async with aclosing(pieces):
        while not hearing.full:
            try:
                piece = await next_within(pieces, pace, deadline)
            except ModelError as error:
                if not (error.again and hearing.usable()):
                    raise
                log.warning("%s: the reply broke off (%s); what came is kept", pace.who, type(error).__name__)
                break
            if piece is None:
                break
            if piece.usage is not None:
                spent(piece.usage)
            if text := hearing.take(piece.text):
                yield text
    if text := hearing.end():
        yield text


async def next_within(pieces: AsyncIterator[T], pace: Pace, deadline: float) -> T | None:
    """Return the next piece, or None at the end.

    Raises:
        ModelSilent: Nothing came within the pace's silence, or not before the deadline (loop time).
    """
    left = deadline - asyncio.get_running_loop().time()
    patience = min(pace.silence_s, left)
    try:
        async with asyncio.timeout(patience):
            return await anext(pieces, None)
    except TimeoutError:
        said = (
            "did not finish in time" if left <= pace.silence_s else f"was silent for {pace.silence_s:.0f} s"
        )
        raise ModelSilent(f"{pace.who} {said}") from None


def _wait(error: ModelError, pace: Pace, tries_left: int, deadline: float) -> float | None:
    """Return how long to wait before the next try, or None if there is none."""
    if not error.again or not tries_left:
        return None
    wait = error.after_s
    if wait is None:
        wait = pace.first_wait_s * 2 ** (pace.retries - tries_left)
    elif wait > LONGEST_ASKED_WAIT_S:
        return None
    return wait if asyncio.get_running_loop().time() + wait < deadline else None
