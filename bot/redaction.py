"""Keeps known secrets out of every log line, whoever writes it: the last wall behind quiet libraries."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import quote

REDACTED = "[secret]"
_SHORTEST = 6
"""A shorter value would blot out ordinary words; no real token or key is that short."""


class RedactSecrets(logging.Filter):
    """Replaces secrets in the message, the traceback and the stack of every record it sees.

    Attach it to handlers, not to loggers: a logger's filter does not see what its children log.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        known = {secret.strip() for secret in secrets if len(secret.strip()) >= _SHORTEST}
        spellings = known | {quote(secret, safe="") for secret in known}
        # Longest first: a secret that contains another one must not leave its rest behind.
        self._spellings = tuple(sorted(spellings, key=len, reverse=True))

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean the record in place; every record passes."""
        if not self._spellings:
            return True
        message = record.getMessage()
        cleaned = self.redact(message)
        if cleaned != message:
            record.msg, record.args = cleaned, None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        for name in ("exc_text", "stack_info"):
            text = getattr(record, name)
            if text:
                setattr(record, name, self.redact(text))
        return True

    def redact(self, text: str) -> str:
        """Return `text` with every known secret replaced."""
        for secret in self._spellings:
            text = text.replace(secret, REDACTED)
        return text
