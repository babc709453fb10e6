"""Sealed columns: people's words are kept as AES-256-GCM and opened only inside the process.

A sealed value is `key id (4 bytes) | nonce (12 random bytes) | ciphertext and tag`. Table and column
are authenticated with it, so that a value moved to another column does not open.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bot.errors import Unreadable

KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_NONCE_BYTES: Final = 12


class KeyRing:
    """The keys of one database: the first one seals, all of them open."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        self._ciphers = {_key_id(key): AESGCM(key) for key in keys}
        self._sealing_id, self._sealing = next(iter(self._ciphers.items()))

    def seal(self, words: bytes, label: str) -> bytes:
        """Return `words` sealed under the newest key; `label` names its place ("table.column")."""
        nonce = os.urandom(_NONCE_BYTES)
        return self._sealing_id + nonce + self._sealing.encrypt(nonce, words, label.encode())

    def open(self, sealed: bytes, label: str) -> bytes:
        """Return what was sealed for the same place.

        Raises:
            Unreadable: No key of the ring opens it, it was changed, or it belongs elsewhere.
        """
        cipher = self._ciphers.get(sealed[:_ID_BYTES])
        if cipher is None:
            raise Unreadable(f"no key opens a value in {label}")
        try:
            return cipher.decrypt(
                sealed[_ID_BYTES : _ID_BYTES + _NONCE_BYTES],
                sealed[_ID_BYTES + _NONCE_BYTES :],
                label.encode(),
            )
        except InvalidTag as error:
            raise Unreadable(f"a value in {label} was changed or moved") from error


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"otomo key id" + key).digest()[:_ID_BYTES]


# A column type is shared by every database of the process; the dialect belongs to one engine.
_RINGS: WeakKeyDictionary[Dialect, KeyRing] = WeakKeyDictionary()


def use_ring(dialect: Dialect, ring: KeyRing) -> None:
    """Let the sealed columns of one engine seal and open with `ring`."""
    _RINGS[dialect] = ring


def _ring(dialect: Dialect) -> KeyRing:
    ring = _RINGS.get(dialect)
    if ring is None:
        raise Unreadable("the database is open without a key")
    return ring


class SealedText(TypeDecorator[str]):
    """Text that only the process can read; `label` is its "table.column"."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """Seal on the way in."""
        return None if value is None else _ring(dialect).seal(_utf8(value), self.label)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        """Open on the way out."""
        return None if value is None else _ring(dialect).open(value, self.label).decode()


class SealedJson(TypeDecorator[Any]):
    """A JSON value that only the process can read; `label` is its "table.column"."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """Seal on the way in; NaN and infinity are refused."""
        if value is None:
            return None
        return _ring(dialect).seal(_utf8(json.dumps(value, ensure_ascii=False, allow_nan=False)), self.label)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """Open on the way out."""
        return None if value is None else json.loads(_ring(dialect).open(value, self.label))


def _utf8(text: str) -> bytes:
    # Half of a surrogate pair can come in through JSON escapes; it must not stop a turn.
    return text.encode("utf-8", "replace")
