"""Users' files on Discord: only from its own file servers, piece by piece."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import aiohttp

from bot.errors import FileError, FileTooLarge

_HOSTS: Final = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
_PIECE_BYTES: Final = 1 << 16
_PLAIN: Final = {"Accept-Encoding": "identity"}
"""A packed answer could unpack into more than is taken."""


def is_discords(address: str, api_base: str = "") -> bool:
    """Tell whether an address lies on Discord's file servers, or on the server that speaks its API instead."""
    try:
        wanted, other = urlsplit(address), urlsplit(api_base)
        port = wanted.port
    except ValueError:
        return False
    if wanted.username is not None or wanted.password is not None or "\\" in address:
        return False
    if api_base and (wanted.scheme, wanted.netloc) == (other.scheme, other.netloc):
        return True
    return wanted.scheme == "https" and wanted.hostname in _HOSTS and port in (None, 443)


async def fetch_file(address: str, max_bytes: int, api_base: str, patience_s: float) -> bytes:
    """Read a file of at most `max_bytes`.

    Args:
        address: The attachment's own address.
        max_bytes: No more is read.
        api_base: The server that speaks Discord's API, where it is another one.
        patience_s: How long it may take in all, in seconds.

    Raises:
        FileTooLarge: There is more of it.
        FileError: It is not Discord's, or cannot be fetched.
    """
    if not is_discords(address, api_base):
        raise FileError("the file does not lie on Discord")
    data = bytearray()
    limit = aiohttp.ClientTimeout(total=patience_s)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, auto_decompress=False, trust_env=True) as session,
            session.get(address, headers=_PLAIN, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise FileError(f"Discord's file server answers {answer.status}")
            async for piece in answer.content.iter_chunked(_PIECE_BYTES):
                data += piece
                if len(data) > max_bytes:
                    raise FileTooLarge(f"a file of more than {max_bytes} bytes")
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise FileError(f"Discord's file server cannot be read ({type(error).__name__})") from None
    return bytes(data)
