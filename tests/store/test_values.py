"""Small values as columns, and rows that older versions have written."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from bot.store.values import incoming_body, incoming_of
from engine.conversation import Attached, Incoming
from tests.people import a_message


def a_row_of(one: Incoming, body: Any) -> Any:
    where = one.address
    columns = {name: getattr(where, name) for name in ("platform", "account", "chat", "private", "thread")}
    return SimpleNamespace(kind=one.kind, key=one.key, at=one.sent_at, body=body, **columns)


def test_a_file_rides_along_and_rows_from_before_have_none() -> None:
    plain = a_message("hello")
    with_file = replace(plain, attached=Attached("Mine.vrm", 5, "file-id"))
    assert incoming_of(a_row_of(with_file, incoming_body(with_file))) == with_file
    assert incoming_of(a_row_of(plain, incoming_body(plain))) == plain
    older = {name: value for name, value in incoming_body(plain).items() if name != "attached"}
    assert incoming_of(a_row_of(plain, older)) == plain
