"""How a child process is spoken to: length-prefixed messages over its standard input and output.

A message is two little-endian uint32 (header length, body length), a JSON header in UTF-8 and a
body of bytes. A request's header holds `do` and its arguments; an answer's header holds `ok` and,
where `ok` is false, `error` (the class name) and `message`.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, Final

PREFIX: Final = struct.Struct("<II")
MAX_HEADER_BYTES: Final = 1 << 20
MAX_BODY_BYTES: Final = 128 << 20


class WireError(Exception):
    """A message that is too long or is cut off."""


def pack(header: dict[str, Any], body: bytes = b"") -> bytes:
    """Return one message ready to be written."""
    head = json.dumps(header, separators=(",", ":")).encode()
    return PREFIX.pack(len(head), len(body)) + head + body


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return header and body length of a message.

    Raises:
        WireError: A length is over its limit.
    """
    head, body = PREFIX.unpack(prefix)
    if head > MAX_HEADER_BYTES or body > MAX_BODY_BYTES:
        raise WireError(f"message of {head} + {body} bytes is too long")
    return head, body


def header(data: bytes) -> dict[str, Any]:
    """Return a message's header.

    Raises:
        WireError: It is not a JSON object.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise WireError("the header is not JSON") from error
    if not isinstance(found, dict):
        raise WireError("the header is not an object")
    return found


def read(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Read one message from a blocking stream; None when the other side has closed it.

    Raises:
        WireError: The stream ended inside a message, or the message is too long.
    """
    prefix = stream.read(PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < PREFIX.size:
        raise WireError("the stream ended inside a message")
    head, body = lengths(prefix)
    data = stream.read(head + body)
    if len(data) < head + body:
        raise WireError("the stream ended inside a message")
    return header(data[:head]), data[head:]
