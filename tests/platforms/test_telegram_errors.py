"""Every error of the library means something for a message."""

from __future__ import annotations

import inspect
import os

import httpx
import pytest
from telegram import error as library

from bot.errors import MaybeSent, NotSent, Rejected, SendError, SendLater, Unreachable
from bot.platforms.telegram_errors import outline, platform_error, send_error, wait_s

MEANINGS = {
    library.TelegramError("x"): MaybeSent,
    library.InvalidToken("secret-token"): NotSent,
    library.EndPointNotFound("x"): MaybeSent,
    library.Forbidden("blocked"): Unreachable,
    library.NetworkError("x"): MaybeSent,
    library.BadRequest("x"): Rejected,
    library.TimedOut(): MaybeSent,
    library.ChatMigrated(5): Rejected,
    library.Conflict("x"): MaybeSent,
    library.PassportDecryptionError("x"): MaybeSent,
}


@pytest.fixture(autouse=True)
def durations(monkeypatch):
    monkeypatch.setenv("PTB_TIMEDELTA", "true")


def test_no_error_of_the_library_is_forgotten():
    kinds = {kind for _, kind in inspect.getmembers(library, inspect.isclass)}
    kinds = {kind for kind in kinds if issubclass(kind, library.TelegramError)}
    assert kinds == {type(error) for error in MEANINGS} | {library.RetryAfter}


@pytest.mark.parametrize(("error", "kind"), MEANINGS.items(), ids=lambda value: type(value).__name__)
def test_what_it_means(error, kind):
    assert type(send_error(error)) is kind
    assert "secret-token" not in str(send_error(error)) + outline(error)


@pytest.mark.parametrize("value", ["true", "false"])
@pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
def test_a_wait_is_read_in_both_forms(value, monkeypatch):
    monkeypatch.setitem(os.environ, "PTB_TIMEDELTA", value)
    found = send_error(library.RetryAfter(12))
    assert isinstance(found, SendLater)
    assert found.after_s == 12.0
    assert wait_s(library.RetryAfter(3)) == 3.0
    assert wait_s(library.TimedOut()) is None


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx.ConnectError("x"), NotSent),
        (httpx.ConnectTimeout("x"), NotSent),
        (httpx.PoolTimeout("x"), NotSent),
        (httpx.ProxyError("x"), NotSent),
        (httpx.ReadTimeout("x"), MaybeSent),
        (httpx.WriteTimeout("x"), MaybeSent),
        (httpx.ReadError("x"), MaybeSent),
        (httpx.WriteError("x"), MaybeSent),
        (httpx.RemoteProtocolError("x"), MaybeSent),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_cause_tells_whether_it_was_sent(cause, kind):
    wrapper = library.TimedOut() if isinstance(cause, httpx.TimeoutException) else library.NetworkError("x")
    wrapper.__cause__ = cause
    found = send_error(wrapper)
    assert isinstance(found, SendError)
    assert type(found) is kind


def test_only_a_refused_token_ends_the_platform():
    ends = [type(error) for error in MEANINGS if platform_error(error)]
    assert ends == [library.InvalidToken]
