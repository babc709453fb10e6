"""The store: two doors to the database, `reading()` and `writing()`, and what must hold before them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from pathlib import Path
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.errors import ConfigError, StoreBusy, StoreError, Unreadable
from bot.store import migrations, postgres, sqlite
from bot.store.instants import NEVER
from bot.store.keys import SALT_BYTES, Secret, make_key_file, read_key_file, read_secret, ring_of
from bot.store.sealed import KeyRing, use_ring
from bot.store.tables import outgoing, users, vault
from bot.store.values import AnyRow

_PROOF: Final = b"this key opens the database"
_PROOF_LABEL: Final = "vault.proof"


class Store:
    """An open database.

    `lane_bell` rings when something waits for a lane, `outgoing_bell` when something waits to be sent;
    both are only hints, the tables are the truth. `nonce_key` makes send nonces differ between databases.
    """

    def __init__(
        self, url: URL, writer: AsyncEngine, reader: AsyncEngine, lock: sqlite.FileLock | None
    ) -> None:
        """Do not call this: use `Store.open`."""
        self.url = url
        self.on_postgres = url.get_backend_name() == "postgresql"
        self.read_only = False
        self.nonce_key = b""
        self.ring: KeyRing | None = None
        self.lane_bell = asyncio.Event()
        self.outgoing_bell = asyncio.Event()
        self._writer = writer
        self._soft_writer = postgres.soft(writer) if self.on_postgres else sqlite.soft(writer)
        self._reader = reader
        self._lock = lock
        self._listener: asyncio.Task[None] | None = None
        self._turnstile: AbstractAsyncContextManager[object] = (
            nullcontext() if self.on_postgres else asyncio.Lock()
        )

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        secret: str | None = None,
        key_file: Path | None = None,
        read_only: bool = False,
    ) -> Store:
        """Open a database, bring its tables up to date and prove the key.

        Args:
            url: `sqlite:///path`, `sqlite+aiosqlite:///path`, `postgresql://...` or `postgresql+asyncpg://...`.
            secret: 32 bytes in hexadecimal or base64, or a passphrase of at least 16 characters.
            key_file: Read where `secret` is not given; made for a new database. Keep it outside the data.
            read_only: For commands that inspect while a bot runs: no lock, no upgrade, no writing.

        Raises:
            ConfigError: The URL, the secret or the key file is wrong.
            StoreLocked: Another process uses the file.
            Unreadable: The database was sealed with another key.
            StoreError: The database cannot be used, or is newer than this program.
        """
        store = await cls._connect(_understood(url), read_only)
        async with AsyncExitStack() as undo:
            undo.push_async_callback(store.close)
            store.read_only = read_only
            await (store._check_schema() if read_only else store._upgrade())
            await store._unlock(secret, key_file)
            if not read_only:
                await store._begin_work()
            undo.pop_all()
        return store

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads. Keep it short: no model, no network inside.

        Raises:
            StoreBusy: The database does not answer now.
            StoreError: It refuses.
        """
        with _mapped():
            async with self._reader.begin() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self, *, durable: bool = True) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes. Keep it short: no model, no network inside.

        Args:
            durable: Whether it must outlast a power failure once the block has ended. Leases need not;
                they become durable with the next transaction that is. A killed process loses neither.

        Raises:
            StoreBusy: The database does not answer now.
            StoreError: It refuses, or was opened for reading.
        """
        if self.read_only:
            raise StoreError("the database is open for reading only")
        async with self._turnstile:
            with _mapped():
                async with (self._writer if durable else self._soft_writer).begin() as connection:
                    yield connection

    async def backup(self, target: Path) -> None:
        """Write a consistent copy of an SQLite database to a new file; the words in it stay sealed.

        Raises:
            StoreError: The file exists, or the database is PostgreSQL (which has its own tools).
        """
        if self.on_postgres or self.read_only:
            raise StoreError("only the owner of an SQLite database can copy it; for PostgreSQL use pg_dump")
        async with self._turnstile:
            with _mapped():
                await sqlite.copy_to(self._writer, target)

    async def close(self) -> None:
        """Give back connections and the file."""
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener
        # The readers first: the last connection to close folds the log into the file.
        await self._reader.dispose()
        await self._writer.dispose()
        if self._lock is not None:
            self._lock.release()

    @classmethod
    async def _connect(cls, url: URL, read_only: bool) -> Store:
        if url.get_backend_name() == "postgresql":
            writer = postgres.writer_engine(url)
            return cls(url, writer, postgres.reader_engine(writer), None)
        path = Path(url.database or "").expanduser().absolute()
        if read_only:
            if not await asyncio.to_thread(path.is_file):
                raise StoreError(f"there is no database {path}")
            return cls(url, sqlite.reader_engine(path), sqlite.reader_engine(path), None)
        lock = await asyncio.to_thread(sqlite.claim_file, path)
        return cls(url.set(database=str(path)), sqlite.writer_engine(path), sqlite.reader_engine(path), lock)

    async def _check_schema(self) -> None:
        async with self.reading() as connection:
            schema = await connection.run_sync(migrations.schema_of)
        migrations.check_known(schema)
        if schema < len(migrations.STEPS):
            raise StoreError("the database is not up to date: start the bot once")

    async def _upgrade(self) -> None:
        async with self.writing() as connection:
            schema = await connection.run_sync(migrations.schema_of)
        migrations.check_known(schema)
        if schema == len(migrations.STEPS):
            return
        if schema and not self.on_postgres:
            await self._copy_before(schema)
        await self._foreign_keys(False)
        again = True
        while again:
            async with self.writing() as connection:
                again = await connection.run_sync(migrations.take_step)
        await self._foreign_keys(True)

    async def _copy_before(self, schema: int) -> None:
        path = Path(self.url.database or "")
        target = path.with_name(f"{path.name}.schema-{schema}.backup")
        await asyncio.to_thread(target.unlink, missing_ok=True)
        await self.backup(target)

    async def _foreign_keys(self, on: bool) -> None:
        # Alembic rebuilds tables on SQLite; with foreign keys on that deletes the children.
        if self.on_postgres:
            return
        async with sqlite.outside(self._writer) as connection:
            await connection.exec_driver_sql(f"PRAGMA foreign_keys = {'ON' if on else 'OFF'}")

    async def _unlock(self, secret: str | None, key_file: Path | None) -> None:
        async with self.reading() as connection:
            row = (await connection.execute(select(vault))).first()
        if row is None and self.read_only:
            raise StoreError("the database was never used")
        given = await asyncio.to_thread(_find_secret, secret, key_file, may_make=row is None)
        if row is None:
            row = await self._fill_vault(given)
        ring = await asyncio.to_thread(ring_of, given, row.salt)
        _prove(ring, row.proof)
        self.ring, self.nonce_key = ring, row.database_id
        for engine in (self._writer, self._reader):
            use_ring(engine.sync_engine.dialect, ring)

    async def _fill_vault(self, secret: Secret) -> AnyRow:
        salt = os.urandom(SALT_BYTES)
        ring = await asyncio.to_thread(ring_of, secret, salt)
        values = {
            "id": 1,
            "database_id": os.urandom(16),
            "salt": salt,
            "proof": ring.seal(_PROOF, _PROOF_LABEL),
        }
        with suppress(StoreError):  # another process may have been first: its row counts
            async with self.writing() as connection:
                await connection.execute(insert(vault).values(values))
        async with self.reading() as connection:
            return (await connection.execute(select(vault))).one()

    async def _begin_work(self) -> None:
        if self.on_postgres:
            self._listener = asyncio.create_task(postgres.listen(self.url, self._heard))
            return
        # The file is ours alone, so whoever held these leases is dead.
        async with self.writing() as connection:
            await connection.execute(update(users).where(users.c.lease_owner.is_not(None)).values(_FREE))
            await connection.execute(
                update(outgoing).where(outgoing.c.lease_owner.is_not(None)).values(_FREE)
            )

    def _heard(self, notice: str) -> None:
        (self.outgoing_bell if notice == "outgoing" else self.lane_bell).set()


_FREE: Final = {"lease_owner": None, "lease_until": NEVER}


def _understood(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the cause would show the password
        raise ConfigError("storage.url is no database URL: use sqlite:///path or postgresql://...") from None
    if url.drivername in ("sqlite", "sqlite+aiosqlite"):
        if url.database in (None, "", ":memory:"):
            raise ConfigError("storage.url needs a file: sqlite:///path/to/otomo.db")
        return url.set(drivername="sqlite+aiosqlite")
    if url.drivername in ("postgresql", "postgres", "postgresql+asyncpg"):
        return url.set(drivername="postgresql+asyncpg")
    raise ConfigError(f"storage.url cannot be {url.drivername}: use sqlite:///path or postgresql://...")


def _find_secret(secret: str | None, key_file: Path | None, *, may_make: bool) -> Secret:
    if secret:
        return read_secret(secret)
    if key_file is None:
        raise ConfigError("no key: set OTOMO_SECRET_KEY or name a key file")
    found = read_key_file(key_file)
    if found is not None:
        return found
    if not may_make:
        raise Unreadable(
            f"the database is sealed, and its key is neither in OTOMO_SECRET_KEY nor in {key_file}"
        )
    return make_key_file(key_file)


def _prove(ring: KeyRing, proof: bytes) -> None:
    try:
        ring.open(proof, _PROOF_LABEL)
    except Unreadable as error:
        raise Unreadable("the database was sealed with another key: give the key it was made with") from error


@contextmanager
def _mapped() -> Iterator[None]:
    """Turn the library's errors into ours; never with the statement's values."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        what = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)  # a full disk has a name
        raise StoreBusy(f"the database does not answer ({what})") from error
    except DBAPIError as error:
        if type(error.orig).__name__ == "DatabaseError":  # bare: SQLite cannot make sense of the file
            raise StoreError("the database file is damaged, or no database: put a copy of it back") from error
        lost = error.connection_invalidated
        raise (StoreBusy if lost else StoreError)(f"the database says {type(error.orig).__name__}") from error
    except SQLAlchemyError as error:
        raise StoreError(f"the database cannot be used ({type(error).__name__})") from error
    except ConnectionError as error:
        raise StoreBusy(f"the database cannot be reached ({type(error).__name__})") from error
