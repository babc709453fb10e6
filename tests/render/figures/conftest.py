from __future__ import annotations

from functools import cache

import pytest

from render import figures
from tests.render.figures.glb import Glb


@cache
def built(name: str) -> bytes:
    return figures.build(name)


@pytest.fixture(params=figures.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def data(name: str) -> bytes:
    return built(name)


@pytest.fixture
def glb(data: bytes) -> Glb:
    return Glb(data)
