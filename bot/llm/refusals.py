"""What a server says when it does not answer, turned into the ModelError kinds.

Providers agree neither on status codes nor on the shape of an error body: a wrong key is 400 at two of them,
an empty account is 429 at one and 402 at another, and proxies send a rate limit with status 200. Only codes
and our own words reach the error's text: a server may repeat the key or the user's words in its message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from bot.errors import (
    ModelBusy,
    ModelError,
    ModelFiltered,
    ModelRefusedKey,
    ModelRefusedRequest,
    ModelUnreachable,
)

LONGEST_COMPLAINT: Final = 2000
SAFE_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")

FILTER_SIGNS: Final = (
    "content_filter",
    "content filter",
    "content management policy",
    "content_policy",
    "responsibleaipolicy",
    "moderation",
    "flagged",
    "data_inspection_failed",
)
KEY_SIGNS: Final = ("api key", "api_key", "apikey", "authentication", "unauthorized")
MONEY_SIGNS: Final = ("insufficient_quota", "credit balance", "insufficient balance", "insufficient credits")
BUSY_SIGNS: Final = (
    "rate limit",
    "rate_limit",
    "rate-limit",
    "too many requests",
    "overloaded",
    "resource_exhausted",
    "at capacity",
)
REQUEST_SIGNS: Final = ("invalid_request", "not_found", "not found", "does not exist", "context length")


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error body reduced to what decides: a status inside the body, a code that is safe to show, the words."""

    status: int | None
    code: str
    words: str

    def has(self, signs: tuple[str, ...]) -> bool:
        """Tell whether one of the signs occurs."""
        return any(sign in self.words for sign in signs)


def read_complaint(body: object) -> Complaint:
    """Read an error body of any of the known shapes."""
    if isinstance(body, list) and body:
        body = body[0]
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return Complaint(None, "", str(inner or "")[:LONGEST_COMPLAINT].lower())
    names = [inner.get(key) for key in ("code", "type", "status")]
    text = inner.get("message") or inner.get("detail") or ""
    status = next((int(str(name)) for name in names if _is_status(name)), None)
    code = next((name for name in names if isinstance(name, str) and SAFE_CODE.fullmatch(name)), "")
    words = " ".join(str(part) for part in (*names, text) if part is not None)
    return Complaint(status, code, words[:LONGEST_COMPLAINT].lower())


def _is_status(name: object) -> bool:
    return str(name).isascii() and str(name).isdigit() and 400 <= int(str(name)[:9]) <= 599


def refused(who: str, body: object, status: int | None = None, after_s: float | None = None) -> ModelError:
    """Return the error that a refusal means.

    Args:
        who: The provider's name as people know it.
        body: The decoded error body, its inner error object, or plain text.
        status: The HTTP status; None or 200 for an error inside a good answer.
        after_s: How long the server asks to wait.
    """
    complaint = read_complaint(body)
    if status is None or status < 400:
        status = complaint.status
    kind, meaning = _kind(status, complaint)
    signs = ", ".join(str(sign) for sign in (status, complaint.code) if sign)
    return kind(f"{who} {meaning}" + (f" ({signs})" if signs else ""), after_s)


def _kind(status: int | None, complaint: Complaint) -> tuple[type[ModelError], str]:
    if complaint.has(FILTER_SIGNS) and status in (None, 400, 403, 422, 451):
        return ModelFiltered, "has filtered the talk"
    if status == 402 or complaint.has(MONEY_SIGNS):
        return ModelRefusedKey, "says that the account has no credit left"
    if status in (401, 403) or (complaint.has(KEY_SIGNS) and status in (None, 400)):
        return ModelRefusedKey, "refuses the key"
    if status in (429, 529) or complaint.has(BUSY_SIGNS):
        return ModelBusy, "is busy or has reached a rate limit"
    return _kind_by_status(status, complaint)


def _kind_by_status(status: int | None, complaint: Complaint) -> tuple[type[ModelError], str]:
    if status == 404:
        return ModelRefusedRequest, "does not know this model or address"
    if status in (408, 409, 425) or (status is not None and status >= 500):
        return ModelUnreachable, "has a fault of its own"
    if status is not None or complaint.has(REQUEST_SIGNS):
        return ModelRefusedRequest, "refuses the request"
    return ModelUnreachable, "has broken off the answer"


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the wait that Retry-After (seconds or a date) or retry-after-ms asks for, in seconds."""
    if (wait := _seconds(headers.get("retry-after-ms"), 1000)) is not None:
        return wait
    retry_after = headers.get("retry-after")
    if (wait := _seconds(retry_after, 1)) is not None or retry_after is None:
        return wait
    try:
        due = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    due = due if due.tzinfo else due.replace(tzinfo=UTC)
    return max(0.0, (due - datetime.now(UTC)).total_seconds())


def _seconds(text: str | None, divisor: int) -> float | None:
    if text is None or not re.fullmatch(r"\s*\d{1,9}(\.\d{1,6})?\s*", text):
        return None
    return float(text) / divisor


def unwanted(body: object, sent: Mapping[str, object]) -> str | None:
    """Return which of the sent parameters a 400 complains about, if it names one.

    Newer models refuse temperature or penalties outright; the request is worth repeating without.
    """
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    named = inner.get("param") if isinstance(inner, Mapping) else None
    if isinstance(named, str) and named.split(".")[0] in sent:
        return named.split(".")[0]
    words = re.sub(r"[^a-z]", "", read_complaint(body).words)
    return next(
        (name for name in sorted(sent, key=len, reverse=True) if name.replace("_", "") in words), None
    )
