from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from render.errors import NoGraphicsError
from render.snapshot import Studio
from tests.render import doll


@pytest.fixture(scope="session")
def avatars() -> Path:
    """The folder of other people's avatars, which is no part of the project."""
    beside = Path(__file__).parents[3] / "shared" / "models"
    folder = Path(os.environ.get("OTOMO_TEST_AVATARS", beside))
    if not folder.is_dir():
        pytest.skip("no folder of test avatars: set OTOMO_TEST_AVATARS")
    return folder


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all tests of a process, as in the worker."""
    made = Studio(tmp_path_factory.mktemp("cache"))
    try:
        made.backend()
    except NoGraphicsError as error:
        pytest.skip(str(error))
    yield made
    made.close()


@pytest.fixture(scope="session")
def doll_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("avatars") / "doll.vrm"
    path.write_bytes(doll.glb(*doll.vrm1()))
    return str(path)
