"""How small values of the core are written into columns and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import BigInteger, Row, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.schema import Table

from engine.conversation import Address, Attached, Face, Incoming

_OPEN_FIELDS: Final = frozenset({"kind", "key", "address"})
"""Fields of an Incoming that have columns of their own; all others are sealed in the body."""


OWNER: Final = bindparam("owner", type_=BigInteger)
"""The user whose rows a ready-made statement reads; making a statement costs as much as running it."""

AnyRow: TypeAlias = Row[*tuple[Any, ...]]
"""A row of whatever columns."""


def insert_new(connection: AsyncConnection, table: Table) -> Any:
    """Return the dialect's INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)


def address_columns(address: Address) -> dict[str, Any]:
    """Return the columns of an address."""
    return asdict(address)


def address_of(row: AnyRow) -> Address:
    """Read the columns of an address."""
    return Address(row.platform, row.account, row.chat, row.private, row.thread)


def incoming_body(incoming: Incoming) -> dict[str, Any]:
    """Return the part of an incoming that is kept sealed, as JSON."""
    body = {f.name: getattr(incoming, f.name) for f in fields(incoming) if f.name not in _OPEN_FIELDS}
    body["sent_at"] = incoming.sent_at.isoformat()
    body["attached"] = asdict(incoming.attached) if incoming.attached else None
    return body


def incoming_of(row: AnyRow) -> Incoming:
    """Read an incoming back. Its words may have been dropped since (`body` NULL)."""
    body: Mapping[str, Any] = row.body or {"text": "", "sent_at": row.at.isoformat()}
    sent_at = datetime.fromisoformat(body["sent_at"])
    file = body.get("attached")  # rows from before there were files have none
    values = {**body, "sent_at": sent_at, "attached": Attached(**file) if file else None}
    return Incoming(kind=row.kind, key=row.key, address=address_of(row), **values)


def face_json(face: Face) -> str:
    """Write a face."""
    return json.dumps(asdict(face), separators=(",", ":"))


def face_of(text: str) -> Face:
    """Read a face."""
    return Face(**json.loads(text))
