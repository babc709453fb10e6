"""The tables of memory and sessions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bot.fact_phrases import load_fact_phrases
from bot.stop_words import load_stop_words
from engine.conversation import Fact, HistoryTurn, NewFact
from engine.embedding import STORED, EmbeddingModel, StoredVector, Vector, cosine, is_current
from engine.fact_dedup import Added, Candidate, Known, file_facts, find_duplicate, merged
from engine.memory import determine_category, fact_importance, normalise_fact
from engine.recall import by_importance
from engine.retrieval import Pool, Ranking, make_pool, retrieve, similar
from engine.sessions import summarise
from engine.triggers import trigger_words

CONFIG = Path(__file__).parents[3] / "config"
PHRASES = load_fact_phrases(CONFIG / "facts")
STOP_WORDS = load_stop_words(CONFIG / "stopwords")
MODEL = EmbeddingModel("Xenova/paraphrase-multilingual-MiniLM-L12-v2", 3)
"""The model that the tables' vectors are of; they have three numbers each."""
SOME_TIME = datetime(2026, 6, 15, tzinfo=UTC)


def _time(args: dict, key: str) -> datetime:
    return datetime.fromisoformat(args[key]) if key in args else SOME_TIME


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def _fact(args: dict) -> Fact:
    return Fact(
        id=args["id"],
        content=args["content"],
        category=args.get("category", "user"),
        importance=args.get("importance", 50),
        created_at=_time(args, "createdAt"),
        reference_count=args.get("referenceCount", 0),
    )


def _vector(args: dict, model: str = "") -> StoredVector | None:
    if "embedding" not in args:
        return None
    return StoredVector(args.get("embeddingModel", model), np.array(args["embedding"], STORED).tobytes())


def _array(numbers: list[float] | None) -> Vector | None:
    return None if numbers is None else np.array(numbers)


def _pool(facts: list[dict]) -> Pool:
    """Make a pool whose matrix is in double precision, as the tables are."""
    pool = make_pool([_fact(one) for one in facts], [_vector(one) for one in facts], MODEL)
    exact = {one["id"]: one.get("embedding") for one in facts}
    matrix = np.array([exact[pool.facts[place].id] for place in pool.rows], np.float64).reshape(-1, 3)
    return Pool(pool.model, pool.facts, pool.rows, matrix)


def _find_duplicate(args: dict) -> object:
    known = [Known(_fact(one), _vector(one, MODEL.name)) for one in args["existing"]]
    new = args["candidate"]
    candidate = Candidate(NewFact(new["content"]), _array(new.get("embedding")))
    return find_duplicate(candidate, known, MODEL, PHRASES)


def _save(args: dict) -> object:
    now, given = _time(args, "now"), args["fact"]
    known = [Known(_fact(one), _vector(one)) for one in args["table"]]
    new = NewFact(given["content"], given["category"], given.get("importance", 50))
    filed = file_facts([Candidate(new, _array(args["embedding"]))], known, MODEL, PHRASES)[0]
    if isinstance(filed, Added):
        assert filed.past == ()
        return {
            "merged": False,
            "content": new.content,
            "category": new.category,
            "importance": new.importance,
            "confidence": new.confidence,
            "referenceCount": 0,
            "createdAt": _iso(now),
            "embeddingModel": MODEL.name,
        }
    fact = merged(next(one.fact for one in known if one.fact.id == filed.fact_id), filed.importance, now)
    return {
        "merged": True,
        "id": fact.id,
        "referenceCount": fact.reference_count,
        "importance": fact.importance,
        "lastAccessed": _iso(fact.last_accessed),
    }


def _similar(args: dict) -> object:
    options = args["options"]
    ranking = Ranking(options["similarityWeight"], options["importanceWeight"], options["minSimilarity"])
    found = similar(_pool(args["facts"]), np.array(args["query"]), ranking, args["limit"])
    return [{"id": one.fact.id, "similarity": one.similarity, "score": one.score} for one in found]


def _retrieve(args: dict) -> object:
    pool = _pool(args["facts"])
    found = retrieve(args["message"], pool, _array(args["queryEmbedding"]), _array(args["triggerEmbedding"]))
    return {
        "relevant": [fact.id for fact in found.relevant],
        "triggered": [fact.id for fact in found.triggered],
        "triggerWords": list(trigger_words(args["message"], PHRASES)),
    }


def _get_facts(args: dict) -> object:
    ranked = by_importance([_fact(one) for one in args["facts"]])
    return [fact.id for fact in ranked[: args["options"].get("limit")]]


def _has_current(args: dict) -> object:
    fact = args["fact"]
    one = EmbeddingModel(MODEL.name, len(fact.get("embedding", ())) or MODEL.dimensions)
    return is_current(_vector(fact), one)


def _summarise(args: dict) -> object:
    turns = [HistoryTurn(one["role"], one["content"], SOME_TIME) for one in args["turns"]]
    found = summarise(turns, STOP_WORDS)
    return {"summary": found.summary, "keyTopics": list(found.key_topics), "emotionalArc": ""}


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "normalizeFactContent": lambda args: normalise_fact(args["content"]),
    "calculateFactImportance": lambda args: fact_importance(args["content"], args.get("sentiment", 0.0)),
    "determineFactCategory": lambda args: determine_category(args["content"]),
    "cosineSimilarity": lambda args: cosine(np.array(args["a"], float), np.array(args["b"], float)),
    "hasCurrentEmbedding": _has_current,
    "extractTriggerWords": lambda args: list(trigger_words(args["message"], PHRASES)),
    "findDuplicateFact": _find_duplicate,
    "findSimilarFacts": _similar,
    "getFacts": _get_facts,
    "retrieve": _retrieve,
    "saveFact": _save,
    "summarizeTurns": _summarise,
}
