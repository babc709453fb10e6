from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, text

from bot.errors import StoreError
from bot.inbox import Inbox
from bot.store import Store, migrations, tables
from bot.store.instants import Instant
from bot.store.leases import Pace
from bot.store.sealed import SealedJson, SealedText
from bot.store.settings import put_user_setting
from bot.store.turns import load, settle
from engine.conversation import Face, NewFact
from tests.people import a_character, a_message, a_row, an_address, an_outcome

SECRET = "a long enough passphrase"


def rebuild_users(op: Operations) -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("users", recreate="always" if on_sqlite else "never") as batch:
        batch.add_column(sa.Column("shoe_size", sa.Integer(), nullable=True))
    op.execute("UPDATE users SET shoe_size = 42")


def stumble(op: Operations) -> None:
    op.add_column("users", sa.Column("half", sa.Integer(), nullable=True))
    raise ZeroDivisionError


def differences(connection: Connection) -> list[object]:
    def same_type(
        context: object, in_database: object, in_code: object, found: object, wanted: object
    ) -> bool | None:
        return False if isinstance(wanted, Instant | SealedText | SealedJson) else None

    context = MigrationContext.configure(
        connection,
        opts={"compare_type": same_type, "include_name": lambda name, kind, _: name != "schema_version"},
    )
    return compare_metadata(context, tables.metadata)


async def test_the_steps_lead_to_the_tables_that_the_code_uses(store: Store) -> None:
    async with store.reading() as connection:
        assert await connection.run_sync(differences) == []
        assert await connection.run_sync(migrations.schema_of) == len(migrations.STEPS)


async def test_an_upgrade_keeps_every_row_and_makes_a_copy_first(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(database_url, secret=SECRET)
    await Inbox(store, a_character).accept(a_message("k"))
    await store.close()
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, rebuild_users))
    store = await Store.open(database_url, secret=SECRET)
    async with store.writing() as connection:
        assert (await connection.execute(text("SELECT shoe_size FROM users"))).scalars().all() == [42]
        for table in ("accounts", "characters", "incoming"):
            assert (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar() == 1
        if not store.on_postgres:
            assert (await connection.execute(text("PRAGMA foreign_keys"))).scalar() == 1
    await store.close()
    if not store.on_postgres:
        path = Path(database_url.removeprefix("sqlite:///"))
        copy = path.with_name(f"{path.name}.schema-{len(migrations.STEPS) - 1}.backup")
        with sqlite3.connect(copy) as old:
            assert old.execute("SELECT count(*) FROM incoming").fetchone() == (1,)
        old.close()


async def test_a_step_that_fails_leaves_the_old_schema(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await Store.open(database_url, secret=SECRET)).close()
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "STEPS", (*migrations.STEPS, stumble))
        with pytest.raises(ZeroDivisionError):
            await Store.open(database_url, secret=SECRET)
    store = await Store.open(database_url, secret=SECRET)
    async with store.reading() as connection:
        assert await connection.run_sync(differences) == []
    await store.close()


async def test_a_newer_database_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "STEPS", (*migrations.STEPS, rebuild_users))
        await (await Store.open(database_url, secret=SECRET)).close()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="newer Otomo"):
            await Store.open(database_url, secret=SECRET, read_only=read_only)


async def test_two_processes_upgrade_once(postgres_url: str) -> None:
    stores = await asyncio.gather(*(Store.open(postgres_url, secret=SECRET) for _ in range(4)))
    assert len({store.nonce_key for store in stores}) == 1
    for store in stores:
        await store.close()


KILLED = """
import asyncio, sys, time
import sqlalchemy as sa
from bot.store import Store, migrations

def slow(op):
    for number in range(20):
        op.add_column("users", sa.Column(f"extra_{number}", sa.Integer(), nullable=True))
        time.sleep(0.002)

migrations.STEPS = (*migrations.STEPS, slow)
print("ready", flush=True)
asyncio.run(Store.open(sys.argv[1], secret=sys.argv[2]))
"""


def open_and_kill(url: str, after_s: float) -> None:
    command = [sys.executable, "-c", KILLED, url, SECRET]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(after_s)
        child.kill()


async def test_a_kill_in_the_middle_leaves_old_or_new(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(sqlite_url, secret=SECRET)
    await Inbox(store, a_character).accept(a_message("k"))
    await store.close()
    dice, seen, old = random.Random(7), set(), len(migrations.STEPS)
    for _ in range(6):
        await asyncio.to_thread(open_and_kill, sqlite_url, dice.uniform(0, 0.3))
        with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as raw:
            schema = raw.execute("SELECT number FROM schema_version").fetchone()[0]
            extra = sum(row[1].startswith("extra_") for row in raw.execute("PRAGMA table_info(users)"))
            kept = raw.execute("SELECT count(*) FROM incoming").fetchone()[0]
        raw.close()
        assert (schema, extra) in {(old, 0), (old + 1, 20)}
        assert kept == 1
        seen.add(schema)
        if schema > old:
            break
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, lambda op: None)[: max(seen)])
    await (await Store.open(sqlite_url, secret=SECRET)).close()


async def test_the_steps_write_every_rule_of_the_tables(store: Store) -> None:
    def rules(connection: Connection) -> dict[str, set[str]]:
        found = sa.inspect(connection)
        return {
            table: {str(check["name"]) for check in found.get_check_constraints(table)}
            for table in tables.metadata.tables
        }

    async with store.reading() as connection:
        written = await connection.run_sync(rules)
    for table in tables.metadata.sorted_tables:
        wanted = {
            f"ck_{table.name}_{rule.name.removeprefix(f'ck_{table.name}_')}"
            for rule in table.constraints
            if isinstance(rule, sa.CheckConstraint)
        }
        assert written[table.name] == wanted


async def test_whoever_is_deleted_leaves_no_row(store: Store) -> None:
    inbox = Inbox(store, a_character)
    for account in ("1", "2"):
        await inbox.accept(a_message(f"k{account}", address=an_address(account)))
    for user_id in (1, 2):
        loaded = await load(store, user_id, Pace(0, 0))
        assert loaded is not None
        outcome = an_outcome(loaded.character, "a", "b", face=Face(), facts=(NewFact("x"),))
        await settle(store, loaded, outcome, "raw", [a_row(0, "b", loaded.address)])
        await put_user_setting(store, user_id, "note", 1)
    async with store.writing() as connection:
        await connection.execute(text("DELETE FROM users WHERE id = 1"))
    async with store.reading() as connection:
        for table in tables.metadata.sorted_tables:
            if "user_id" in table.c:
                owners = (await connection.execute(sa.select(table.c.user_id))).scalars().all()
                assert set(owners) <= {2}
