"""Meaning as numbers: what a model's vectors are worth, and how near two of them are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]
"""Shape (dimensions,)."""
Matrix = NDArray[np.floating[Any]]
"""Shape (count, dimensions), or (count, count) for similarities."""

STORED: Final = np.dtype("<f4")
"""How a vector is kept as bytes."""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model's record: similarities of different models do not compare, so thresholds belong to it.

    Attributes:
        name: What its vectors are marked with; vectors of another name count as missing.
        dimensions: Numbers of one vector.
        relevant: Least cosine of a fact that a message speaks of.
        triggered: Least cosine of a memory that a trigger word calls up.
        same: Least cosine of two facts that say the same.
        linked: Least cosine of two facts that belong together.
    """

    name: str
    dimensions: int
    relevant: float = 0.3
    triggered: float = 0.5
    same: float = 0.9
    linked: float = 0.5


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A vector as it is kept: the name of the model that made it, and little-endian float32."""

    model: str
    data: bytes


def stored(model: EmbeddingModel, vector: Vector) -> StoredVector:
    """Return a vector as it is kept."""
    return StoredVector(model.name, vector.astype(STORED).tobytes())


def is_current(vector: StoredVector | None, model: EmbeddingModel) -> bool:
    """Tell whether a kept vector is of this model, and whole."""
    return (
        vector is not None
        and vector.model == model.name
        and len(vector.data) == model.dimensions * STORED.itemsize
    )


def as_matrix(vectors: Sequence[StoredVector], model: EmbeddingModel) -> Matrix:
    """Return current vectors as one matrix, shape (count, dimensions)."""
    joined = b"".join(vector.data for vector in vectors)
    return np.frombuffer(joined, STORED).reshape(len(vectors), model.dimensions)


def cosines(matrix: Matrix, query: Vector) -> Vector:
    """Return the similarity of every row to a query, -1..1; 0 where one of them has no length.

    Args:
        matrix: Shape (count, dimensions).
        query: Shape (dimensions,).
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix)) * np.sqrt(query @ query)
    result: Vector = np.divide(matrix @ query, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return result


def cosine(first: Vector, second: Vector) -> float:
    """Return the similarity of two vectors, -1..1; 0 where they do not compare."""
    if first.shape != second.shape or not first.size:
        return 0.0
    return float(cosines(first[np.newaxis], second)[0])


def links(matrix: Matrix, least: float) -> list[tuple[int, int, float]]:
    """Return the pairs of rows at least this near to each other, for the memory graph.

    Args:
        matrix: Shape (count, dimensions).
        least: Least cosine of a pair.

    Returns:
        Row, later row and cosine, the nearest pairs first.
    """
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    near = np.triu(unit @ unit.T, 1)
    firsts, seconds = np.nonzero(near >= least)
    found = [(int(a), int(b), float(near[a, b])) for a, b in zip(firsts, seconds, strict=True)]
    return sorted(found, key=lambda pair: -pair[2])
