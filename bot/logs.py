"""What the operator reads: ids and lengths, never anybody's words, never a secret."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable

from bot.redaction import RedactSecrets

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
QUIET = ("httpx", "httpcore", "httpx2", "httpcore2", "openai", "anthropic", "telegram", "discord", "apscheduler", "aiosqlite", "sqlalchemy", "asyncio", "PIL", "alembic")  # fmt: skip
"""Libraries whose chatter holds addresses with tokens, or people's words, below WARNING."""


def set_up_logs(level: str, secrets: Iterable[str]) -> None:
    """Send the log to standard error, with every known secret replaced.

    Args:
        level: One of debug, info, warning, error; it holds for our own loggers.
        secrets: Tokens and keys that must never be printed.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(FORMAT))
    handler.addFilter(RedactSecrets(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def trace_of(error: BaseException) -> str:
    """Tell what went wrong and where, without the message: it may hold somebody's words."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
