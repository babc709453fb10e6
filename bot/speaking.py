"""Asks the model for one reply, and tells the user when it takes long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.errors import ModelEmpty, ModelSilent
from bot.ports import LONGEST_REPLY, ChatModel, ChatRequest


async def speak(
    model: ChatModel,
    request: ChatRequest,
    *,
    notice_s: float,
    turn_s: float,
    on_silence: Callable[[], Awaitable[None]],
) -> str:
    """Return the whole reply as the model wrote it.

    Args:
        model: Her voice.
        request: What it is asked.
        notice_s: `on_silence` is called once when no word has come for this long, in seconds.
        turn_s: The whole reply may take this long, in seconds; what has come by then counts if it is words.
        on_silence: Tells the user that she is still thinking.

    Raises:
        ModelError: No reply could be had.
    """
    pieces: list[str] = []
    reading = asyncio.create_task(_read(model, request, pieces), name="model")
    try:
        async with asyncio.timeout(turn_s):
            if not await _begun(reading, pieces, notice_s):
                await on_silence()
            await asyncio.shield(reading)
    except TimeoutError:
        if not "".join(pieces).strip():
            raise ModelSilent(f"no word within {turn_s:g} s") from None
    finally:
        if not reading.done():
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
    text = "".join(pieces)[:LONGEST_REPLY]
    if not text.strip():
        raise ModelEmpty("the model answered without a word")
    return text


async def _read(model: ChatModel, request: ChatRequest, pieces: list[str]) -> None:
    length = 0
    async for piece in model.stream(request):
        pieces.append(piece)
        length += len(piece)
        if length > LONGEST_REPLY:
            return


async def _begun(reading: asyncio.Task[None], pieces: list[str], notice_s: float) -> bool:
    """Wait until the model has begun to speak, has ended, or has been silent for too long."""
    loop = asyncio.get_running_loop()
    until = loop.time() + notice_s
    while not reading.done() and not pieces and loop.time() < until:
        await asyncio.wait((reading,), timeout=min(0.25, max(0.0, until - loop.time())))
    return bool(pieces) or reading.done()
