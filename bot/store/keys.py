"""Where the key comes from: `OTOMO_SECRET_KEY`, or a key file that is made at the first start.

The secret may be 32 bytes in hexadecimal or base64, or a passphrase of at least 16 characters.
A passphrase goes through scrypt with a salt kept in the database, 32 bytes through HKDF.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from bot.errors import ConfigError
from bot.store.sealed import KEY_BYTES, KeyRing

PASSPHRASE_MIN: Final = 16
"""The shortest passphrase, in characters."""
SALT_BYTES: Final = 16
_SCRYPT_COST: Final = 2**15  # 32 MiB and about 0.1 s, once at start
_PURPOSE: Final = b"otomo sealed columns 1"


@dataclass(frozen=True, slots=True)
class Secret:
    """What the operator gave: 32 random bytes, or a passphrase that must be stretched first."""

    material: bytes
    passphrase: bool

    def __repr__(self) -> str:
        return "Secret(...)"


def read_secret(text: str) -> Secret:
    """Understand a secret as it stands in the environment or in a key file.

    Raises:
        ConfigError: It is a passphrase of fewer than 16 characters.
    """
    text = text.strip()
    raw = _raw_key(text)
    if raw is not None:
        return Secret(raw, passphrase=False)
    if len(text) < PASSPHRASE_MIN:
        raise ConfigError(
            f"OTOMO_SECRET_KEY is too short: give 32 bytes in hexadecimal or base64,"
            f" or a passphrase of at least {PASSPHRASE_MIN} characters"
        )
    return Secret(text.encode(), passphrase=True)


def _raw_key(text: str) -> bytes | None:
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return bytes.fromhex(text)
    if not re.fullmatch(r"[A-Za-z0-9+/_-]{43}=?", text):
        return None
    try:
        raw = base64.b64decode(text.rstrip("=") + "=", altchars=b"-_" if set(text) & set("-_") else None)
    except binascii.Error:
        return None
    return raw if len(raw) == KEY_BYTES else None


def ring_of(secret: Secret, salt: bytes) -> KeyRing:
    """Derive the database's key ring. Slow (about 0.1 s) for a passphrase: run it in a thread."""
    material = secret.material
    if secret.passphrase:
        material = Scrypt(salt=salt, length=KEY_BYTES, n=_SCRYPT_COST, r=8, p=1).derive(material)
    key = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=_PURPOSE).derive(material)
    return KeyRing([key])


def read_key_file(path: Path) -> Secret | None:
    """Read a key file; None when there is none.

    Raises:
        ConfigError: Others than its owner may read it, or it holds no key.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    if status.st_mode & 0o077:
        raise ConfigError(f"the key file {path} can be read by others: chmod 600 {path}")
    try:
        text = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the key file {path} cannot be read") from error
    raw = _raw_key(text)
    if raw is None:
        raise ConfigError(f"the key file {path} holds no key of 32 bytes")
    return Secret(raw, passphrase=False)


def make_key_file(path: Path) -> Secret:
    """Write a new random key with mode 0600 and return it; a file that came first wins.

    The key is written under another name and linked into place, so that a kill leaves all or nothing.

    Raises:
        ConfigError: The folder cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_private(draft, base64.b64encode(os.urandom(KEY_BYTES)) + b"\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        raise ConfigError(f"the key file {path} cannot be written ({error.strerror})") from error
    made = read_key_file(path)
    if made is None:
        raise ConfigError(f"the key file {path} vanished while it was made")
    return made


def _write_private(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
