from __future__ import annotations

import asyncio
import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from bot.errors import ConfigError, StoreBusy, StoreError, StoreLocked, Unreadable
from bot.inbox import Inbox
from bot.store import Store, instants, leases, tables
from bot.store.leases import Pace
from bot.store.turns import load
from tests.people import a_character, a_message

LATE = "late words of a user"


async def accept(store: Store, key: str = "k", words: str = LATE) -> None:
    await Inbox(store, a_character).accept(a_message(key, words))


async def words(store: Store) -> list[str]:
    async with store.reading() as connection:
        return [row.body["text"] for row in await connection.execute(select(tables.incoming.c.body))]


async def test_a_database_can_be_opened_again(database_url: str, key_file: Path) -> None:
    for number in range(3):
        store = await Store.open(database_url, key_file=key_file)
        await accept(store, str(number))
        await store.close()
    store = await Store.open(database_url, key_file=key_file)
    assert await words(store) == [LATE] * 3
    await store.close()


async def test_another_key_gives_one_clear_line(database_url: str) -> None:
    await (await Store.open(database_url, secret="the right words to say")).close()
    with pytest.raises(Unreadable, match="another key") as error:
        await Store.open(database_url, secret="the wrong words to say")
    assert "\n" not in str(error.value)
    await (await Store.open(database_url, secret="the right words to say")).close()


async def test_a_lost_key_file_is_not_replaced(database_url: str, key_file: Path) -> None:
    await (await Store.open(database_url, key_file=key_file)).close()
    key_file.unlink()
    with pytest.raises(Unreadable, match="neither in OTOMO_SECRET_KEY nor in"):
        await Store.open(database_url, key_file=key_file)
    assert not key_file.exists()


async def test_no_key_at_all_is_a_wrong_setting(sqlite_url: str) -> None:
    with pytest.raises(ConfigError, match="no key"):
        await Store.open(sqlite_url)


WRONG_URLS = ["", "otomo.db", "sqlite://", "sqlite:///:memory:", "mysql://a/b", "postgresql+psycopg://a/b"]


@pytest.mark.parametrize("url", [*WRONG_URLS, "postgresql://a:pw@b:port/c"])
async def test_a_wrong_url_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(ConfigError, match=r"storage\.url"):
        await Store.open(url, secret="a long enough passphrase")


@pytest.mark.parametrize("form", ["sqlite:///{}", "sqlite+aiosqlite:///{}"])
async def test_forms_of_a_file_url(tmp_path: Path, form: str) -> None:
    store = await Store.open(form.format(tmp_path / "a b.db"), secret="a long enough passphrase")
    await accept(store)
    await store.close()
    assert (tmp_path / "a b.db").stat().st_size > 0


async def test_a_server_that_is_not_there_gives_one_line() -> None:
    with pytest.raises(StoreBusy) as error:
        await Store.open("postgresql://nobody:hunter2@127.0.0.1:9/none", secret="a long enough passphrase")
    assert "hunter2" not in str(error.value)


async def test_two_bots_cannot_share_a_file(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    with pytest.raises(StoreLocked, match="another Otomo"):
        await Store.open(sqlite_url, key_file=key_file)
    await store.close()
    await (await Store.open(sqlite_url, key_file=key_file)).close()


async def test_a_dead_bot_gives_the_file_back(sqlite_url: str, key_file: Path) -> None:
    await (await Store.open(sqlite_url, key_file=key_file)).close()
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    code = f"import time; from bot.store.sqlite import FileLock; from pathlib import Path\nlock = FileLock(Path({str(path)!r}))\nprint('held', flush=True); time.sleep(60)"
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    with pytest.raises(StoreLocked):
        await Store.open(sqlite_url, key_file=key_file)
    holder.kill()
    await holder.wait()
    await (await Store.open(sqlite_url, key_file=key_file)).close()


async def test_a_running_bots_database_can_be_looked_at(database_url: str, key_file: Path) -> None:
    store = await Store.open(database_url, key_file=key_file)
    await accept(store)
    looking = await Store.open(database_url, key_file=key_file, read_only=True)
    assert await words(looking) == [LATE]
    with pytest.raises(StoreError, match="reading only"):
        await accept(looking, "k2")
    await looking.close()
    await accept(store, "k3")
    await store.close()
    looking = await Store.open(database_url, key_file=key_file, read_only=True)
    assert len(await words(looking)) == 2
    await looking.close()


async def test_there_must_be_something_to_look_at(tmp_path: Path, key_file: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        await Store.open(f"sqlite:///{tmp_path}/none.db", key_file=key_file, read_only=True)
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match="start the bot once"):
        await Store.open(f"sqlite:///{tmp_path}/empty.db", key_file=key_file, read_only=True)
    assert not key_file.exists()


async def test_a_reading_transaction_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError):
        async with store.reading() as connection:
            await connection.execute(text("DELETE FROM users"))


async def test_a_file_that_is_no_database_gives_one_line(tmp_path: Path, key_file: Path) -> None:
    path = tmp_path / "otomo.db"
    path.write_bytes(b"this is a letter, not a database. " * 100)
    with pytest.raises(StoreError, match="damaged, or no database"):
        await Store.open(f"sqlite:///{path}", key_file=key_file)


async def test_sqlite_keeps_its_word(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    wanted = {"journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 10_000}
    for door in (store.writing, store.reading):
        async with door() as connection:
            for name, value in wanted.items():
                assert (await connection.execute(text(f"PRAGMA {name}"))).scalar() == value
    for durable, level in ((True, 2), (False, 1), (True, 2), (True, 2)):
        async with store.writing(durable=durable) as connection:
            assert (await connection.execute(text("PRAGMA synchronous"))).scalar() == level
    await store.close()


async def test_the_file_is_for_its_owner_only(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await store.close()


async def test_deleted_words_do_not_stay_in_the_file(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    async with store.writing() as connection:
        for number in range(300):
            await connection.execute(
                text(f"INSERT INTO settings VALUES ('n{number}', 'plain-canary-{number}')")
            )
    async with store.writing() as connection:
        await connection.execute(text("DELETE FROM settings"))
    await store.close()
    folder = Path(sqlite_url.removeprefix("sqlite:///")).parent
    assert not any(b"plain-canary" in file.read_bytes() for file in folder.iterdir())


async def test_read_then_write_loses_nothing(store: Store) -> None:
    async with store.writing() as connection:
        await connection.execute(text("INSERT INTO settings VALUES ('sum', '0')"))

    async def add() -> None:
        async with store.writing() as connection:
            row = await connection.execute(
                text(
                    "SELECT value FROM settings WHERE name = 'sum' FOR UPDATE"
                    if store.on_postgres
                    else "SELECT value FROM settings"
                )
            )
            value = int(row.scalar_one())
            await asyncio.sleep(0.001)
            await connection.execute(text("UPDATE settings SET value = :value"), {"value": str(value + 1)})

    await asyncio.gather(*(add() for _ in range(100)))
    async with store.reading() as connection:
        assert (await connection.execute(text("SELECT value FROM settings"))).scalar() == "100"


async def test_a_broken_transaction_leaves_nothing_and_blocks_nobody(store: Store) -> None:
    async def break_off() -> None:
        async with store.writing() as connection:
            await connection.execute(text("INSERT INTO settings VALUES ('a', '1')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await break_off()
    inside = asyncio.Event()

    async def hang() -> None:
        async with store.writing() as connection:
            await connection.execute(text("INSERT INTO settings VALUES ('b', '1')"))
            inside.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(hang())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with store.writing() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM settings"))).scalar() == 0


async def test_whoever_is_cancelled_leaves_the_store_usable(store: Store) -> None:
    # A statement goes on in the driver's thread: abandoned, it would keep the write lock for good.
    for number in range(120):
        task = asyncio.create_task(accept(store, f"cut{number}"))
        await asyncio.sleep(number * 0.0001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await accept(store, f"whole{number}")
    async with store.reading() as connection:
        keys = set((await connection.execute(select(tables.incoming.c.key))).scalars())
        assert {f"whole{number}" for number in range(120)} <= keys
        assert (await connection.execute(select(tables.users.c.id))).scalars().all() == [1]


async def test_a_time_limit_around_the_store_still_ends_as_a_time_limit(store: Store) -> None:
    async def busy() -> None:
        for number in range(100_000):
            await accept(store, f"k{number}")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await busy()
    await accept(store, "after")


async def test_the_clock_is_the_databases_and_in_utc(store: Store) -> None:
    async with store.reading() as connection:
        clock_us = (await connection.execute(select(instants.now()))).scalar_one()
    assert abs(instants.EPOCH + timedelta(microseconds=clock_us) - datetime.now(UTC)) < timedelta(minutes=1)


async def test_an_instant_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        async with store.writing() as connection:
            await connection.execute(tables.users.update().values(noticed_at=datetime(2026, 1, 1)))


async def test_a_new_start_frees_what_the_dead_one_held(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    await accept(store)
    assert await leases.claim(store, "the dead", 3600, Pace(0, 0)) == [1]
    assert await load(store, 1, Pace(0, 0)) is not None
    await store.close()
    store = await Store.open(sqlite_url, key_file=key_file)
    assert await leases.claim(store, "me", 60, Pace(0, 0)) == [1]
    await store.close()


async def test_a_copy_can_be_opened_and_read(sqlite_url: str, key_file: Path, tmp_path: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    await accept(store)
    copy = tmp_path / "copy.db"
    await store.backup(copy)
    with pytest.raises(StoreError, match="exists"):
        await store.backup(copy)
    await accept(store, "later")
    await store.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    copied = await Store.open(f"sqlite:///{copy}", key_file=key_file)
    assert await words(copied) == [LATE]
    await copied.close()


async def test_a_file_locked_by_somebody_else_is_an_error_with_one_line(
    sqlite_url: str, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.sqlite._BUSY_MS", 50)
    monkeypatch.setitem(__import__("bot.store.sqlite", fromlist=["_WANTED"])._WANTED, "busy_timeout", 50)
    store = await Store.open(sqlite_url, key_file=key_file)
    intruder = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    intruder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="does not answer") as error:
        await accept(store)
    assert LATE not in str(error.value)
    intruder.execute("ROLLBACK")
    intruder.close()
    await accept(store)
    await store.close()


async def test_a_database_that_is_not_there_gives_one_line(postgres_url: str) -> None:
    with pytest.raises(StoreError) as error:
        await Store.open(postgres_url + "_none", secret="a long enough passphrase")
    assert "\n" not in str(error.value)


async def test_a_server_that_cuts_all_connections_is_survived(postgres_url: str, key_file: Path) -> None:
    store = await Store.open(postgres_url, key_file=key_file)
    other = await Store.open(postgres_url, key_file=key_file)
    await accept(store)
    async with other.writing() as connection:
        await connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    await accept(store, "k2")
    for number in range(100):
        store.lane_bell.clear()
        await accept(other, f"n{number}")
        await asyncio.sleep(0.1)
        if store.lane_bell.is_set():
            break
    assert store.lane_bell.is_set(), "the notices are not heard again"
    await store.close()
    await other.close()


async def fill_up(store: Store) -> None:
    """Write until the file may grow no more."""
    async with store.writing() as connection:
        pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
        await connection.execute(text(f"PRAGMA max_page_count = {pages}"))
        await connection.execute(text("CREATE TABLE filler (words)"))
        for _ in range(64):
            await connection.execute(text("INSERT INTO filler VALUES (zeroblob(8192))"))


async def test_a_full_disk_is_named(sqlite_url: str, key_file: Path) -> None:
    store = await Store.open(sqlite_url, key_file=key_file)
    with pytest.raises(StoreBusy, match="SQLITE_FULL"):
        await fill_up(store)
    await store.close()
