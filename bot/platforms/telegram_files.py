"""Users' files on Telegram, read from its file server piece by piece."""

from __future__ import annotations

from typing import Final

import httpx

from bot.errors import FileError, FileTooLarge

_CONNECT_S: Final = 10.0
_PLAIN: Final = {"Accept-Encoding": "identity"}
"""A packed answer could unpack into more than is taken."""


async def fetch_file(address: str, max_bytes: int, silence_s: float) -> bytes:
    """Read a file of at most `max_bytes`; the address holds the token and stands in no error.

    Args:
        address: Where `getFile` says that it lies.
        max_bytes: No more is read.
        silence_s: How long the server may say nothing, in seconds.

    Raises:
        FileTooLarge: There is more of it.
        FileError: It cannot be fetched.
    """
    data = bytearray()
    try:
        async with (
            httpx.AsyncClient(timeout=httpx.Timeout(silence_s, connect=_CONNECT_S)) as client,
            client.stream("GET", address, headers=_PLAIN) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise FileError(f"Telegram's file server answers {answer.status_code}")
            async for piece in answer.aiter_raw():
                data += piece
                if len(data) > max_bytes:
                    raise FileTooLarge(f"a file of more than {max_bytes} bytes")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise FileError(f"Telegram's file server cannot be read ({type(error).__name__})") from None
    return bytes(data)
