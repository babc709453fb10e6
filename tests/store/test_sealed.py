from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from bot.errors import ConfigError, Unreadable
from bot.store.keys import make_key_file, read_key_file, read_secret, ring_of
from bot.store.sealed import KeyRing, SealedJson

KEY, OTHER = bytes(range(32)), bytes(32)


def test_the_same_words_never_look_the_same() -> None:
    ring = KeyRing([KEY])
    sealed = [ring.seal(b"hello", "messages.content") for _ in range(50)]
    assert len(set(sealed)) == 50
    assert {ring.open(value, "messages.content") for value in sealed} == {b"hello"}
    assert all(b"hello" not in value for value in sealed)


def test_a_value_moved_to_another_column_does_not_open() -> None:
    ring = KeyRing([KEY])
    with pytest.raises(Unreadable, match="changed or moved"):
        ring.open(ring.seal(b"hello", "messages.content"), "facts.content")


def test_no_changed_byte_goes_unnoticed() -> None:
    ring = KeyRing([KEY])
    sealed = ring.seal(b"hello", "a.b")
    for place in range(len(sealed)):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(Unreadable):
            ring.open(changed, "a.b")
    with pytest.raises(Unreadable):
        ring.open(b"", "a.b")


def test_old_keys_open_and_the_new_one_seals() -> None:
    old, both, new = KeyRing([KEY]), KeyRing([OTHER, KEY]), KeyRing([OTHER])
    assert both.open(old.seal(b"x", "a.b"), "a.b") == b"x"
    assert new.open(both.seal(b"x", "a.b"), "a.b") == b"x"
    with pytest.raises(Unreadable, match="no key"):
        new.open(old.seal(b"x", "a.b"), "a.b")


@pytest.mark.parametrize(
    "text",
    [
        KEY.hex(),
        KEY.hex().upper(),
        base64.b64encode(KEY).decode(),
        base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        f"  {KEY.hex()}\n",
    ],
)
def test_ways_to_write_a_key(text: str) -> None:
    secret = read_secret(text)
    assert (secret.material, secret.passphrase) == (KEY, False)
    assert KEY.hex() not in repr(secret)


def test_url_safe_and_plain_base64_are_the_same_key() -> None:
    key = b"\xfb\xff" * 16
    assert read_secret(base64.b64encode(key).decode()) == read_secret(base64.urlsafe_b64encode(key).decode())


def test_a_passphrase_is_stretched_with_the_databases_salt() -> None:
    secret = read_secret("correct horse battery staple")
    assert secret.passphrase
    sealed = ring_of(secret, b"a" * 16).seal(b"x", "a.b")
    assert ring_of(secret, b"a" * 16).open(sealed, "a.b") == b"x"
    with pytest.raises(Unreadable):
        ring_of(secret, b"b" * 16).open(sealed, "a.b")


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 16 characters") as error:
        read_secret("opensesame")
    assert "opensesame" not in str(error.value)


def test_a_key_file_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "otomo.key"
    assert read_key_file(path) is None
    made = make_key_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert make_key_file(path) == read_key_file(path) == made
    assert [file.name for file in path.parent.iterdir()] == ["otomo.key"]


def test_a_key_file_for_all_eyes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "otomo.key"
    make_key_file(path)
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        read_key_file(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff\xfe", b"a" * 44])
def test_a_file_without_a_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "otomo.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ConfigError):
        read_key_file(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigError, match="cannot be written"):
        make_key_file(tmp_path / "keys" / "otomo.key")


def test_numbers_that_are_none_are_refused_before_they_are_sealed() -> None:
    from sqlalchemy.dialects import sqlite

    from bot.store.sealed import use_ring

    dialect = sqlite.dialect()
    with pytest.raises(Unreadable, match="without a key"):
        SealedJson("a.b").process_bind_param({"x": 1}, dialect)
    use_ring(dialect, KeyRing([KEY]))
    with pytest.raises(ValueError, match="JSON"):
        SealedJson("a.b").process_bind_param({"x": float("nan")}, dialect)
