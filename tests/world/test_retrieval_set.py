"""How often the fact that a question asks for is among the first five: 60 facts, 60 questions, three languages.

Run with `-s` to read the figures. The default model is measured where its files are in the local cache.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from bot.children import Child
from bot.embedding_models import load_model_records
from bot.embeddings import LIMITS, Embedded, Embeddings
from engine.conversation import Fact
from engine.embedding import EmbeddingModel, stored
from engine.retrieval import for_prompt, make_pool, retrieve
from tests.world.test_embeddings import NAME, PACKAGE_DIR, ROOT, needs_model

CASES = json.loads((ROOT / "tests" / "data" / "retrieval_set.json").read_text(encoding="utf-8"))
FACTS = [Fact(n, case["fact"], "user", 50, datetime(2026, 6, 15, tzinfo=UTC)) for n, case in enumerate(CASES)]
RECORDS = load_model_records(ROOT / "config" / "embedding_models.toml")
FIRST = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    model: str


async def embedded(model: str, texts: list[str], **environment: str) -> Embedded | None:
    child = Child("bot.embed_child", LIMITS, {"HF_HUB_OFFLINE": "1", **environment})
    door = Embeddings(Wanted(model), RECORDS, child)
    try:
        return await door.embed(texts, wait=True)
    finally:
        await door.close()


def recall_at_five(got: Embedded | None) -> dict[str, float]:
    """Return the share of questions whose fact is among the first five, by language."""
    model = got.model if got else EmbeddingModel("none", 1)
    vectors = [stored(model, got.vectors[n]) if got else None for n in range(len(FACTS))]
    pool = make_pool(FACTS, vectors, model)
    hits: dict[str, list[bool]] = {}
    for n, case in enumerate(CASES):
        query: np.ndarray | None = got.vectors[len(FACTS) + n] if got else None
        found = retrieve(case["question"], pool, query)
        first = for_prompt(found, FIRST).relevant
        hits.setdefault(case["language"], []).append(n in [fact.id for fact in first])
    shares = {language: sum(found) / len(found) for language, found in hits.items()}
    print({language: round(share, 2) for language, share in shares.items()}, model.name)
    return shares


def test_the_set_is_whole():
    assert len(CASES) == 60
    assert len({case["language"] for case in CASES}) == 3


def test_words_alone_find_little_where_questions_share_no_word():
    shares = recall_at_five(None)
    assert 0 < sum(shares.values()) / len(shares) < 0.5


@needs_model
async def test_the_packaged_model_finds_most_in_english(tmp_path: Path):
    texts = [case["fact"] for case in CASES] + [case["question"] for case in CASES]
    shares = recall_at_five(await embedded(NAME, texts, PYTHONPATH=PACKAGE_DIR, HF_HOME=str(tmp_path)))
    assert shares["en"] >= 0.8


async def test_the_default_model_finds_most_in_every_language():
    texts = [case["fact"] for case in CASES] + [case["question"] for case in CASES]
    got = await embedded("paraphrase-multilingual-MiniLM-L12-v2", texts)
    if got is None or got.model.name == NAME:
        pytest.skip("paraphrase-multilingual-MiniLM-L12-v2 is not in the local cache")
    assert min(recall_at_five(got).values()) >= 0.75
