"""What both SDKs share below their own names: loading them off the loop, HTTP errors, silence in the logs."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

import aiohttp

from bot.errors import ModelError, ModelSilent, ModelUnreachable


class Closable(Protocol):
    """An SDK client."""

    async def close(self) -> None:
        """Give back connections."""


C = TypeVar("C", bound=Closable)


class LazyClient(Generic[C]):
    """An SDK client that is imported and built in a thread, because either takes long (import 0.8 to 2 s)."""

    def __init__(self, build: Callable[[], C]) -> None:
        self._build = build
        self._building: asyncio.Task[C] | None = None

    def warm(self) -> None:
        """Begin to build, without waiting for it."""
        if self._building is None:
            self._building = asyncio.create_task(asyncio.to_thread(self._build))

    async def get(self) -> C:
        """Return the client, building it if nobody has asked before."""
        self.warm()
        assert self._building is not None
        return await asyncio.shield(self._building)

    async def close(self) -> None:
        """Close the client if there is one."""
        if self._building is not None:
            building, self._building = self._building, None
            await (await building).close()


FOREIGN: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError, TimeoutError, ValueError)
"""What may come up from below either SDK: a cut connection, a body that is no JSON."""


def broken(who: str, error: Exception) -> ModelError:
    """Return the error for a request that failed without an answer that could be read."""
    causes = tuple(_causes(error))
    if any(isinstance(cause, socket.gaierror | aiohttp.ClientConnectorDNSError) for cause in causes):
        return ModelUnreachable(f"{who}: the name of the server is not known")
    if any(isinstance(cause, aiohttp.ClientSSLError) for cause in causes):
        return ModelUnreachable(f"{who}: no secure connection")
    if any(isinstance(cause, aiohttp.ClientConnectorError) for cause in causes):
        return ModelUnreachable(f"{who} cannot be reached")
    if any(
        isinstance(cause, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError) for cause in causes
    ):
        return ModelUnreachable(f"{who} has cut the connection")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return ModelSilent(f"{who} did not answer in time")
    if any(isinstance(cause, ValueError) for cause in causes):
        return ModelUnreachable(f"{who} sent something that cannot be read")
    return ModelUnreachable(f"{who} cannot be reached")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


class _Hush(logging.Filter):
    """Lets warnings and errors pass; below them the SDKs may log addresses, headers and bodies."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING


_HUSH = _Hush()


def hush(*libraries: str) -> None:
    """Keep the debug and info lines of these libraries out of every log, whatever level somebody sets."""
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in libraries:
            logging.getLogger(name).addFilter(_HUSH)


def foreign_to(sdk_error: type[Exception]) -> tuple[type[Exception], ...]:
    """Return every class of error that may come out of an SDK and what lies below it.

    Args:
        sdk_error: The root of the SDK's own errors.
    """
    import httpx2  # both SDKs bring it along; imported as late as they are

    return (sdk_error, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, *FOREIGN)


@contextmanager
def errors_mapped(
    foreign: Callable[[], tuple[type[Exception], ...]], mapped: Callable[[Exception], ModelError]
) -> Iterator[None]:
    """Turn an SDK's errors into ModelError kinds; nothing of the request stays in them."""
    try:
        yield
    except ModelError:
        raise
    except foreign() as error:
        raise mapped(error) from None
