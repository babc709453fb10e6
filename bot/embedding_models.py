"""Reads the records of embedding models (config/embedding_models.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from bot.errors import ConfigError
from engine.embedding import EmbeddingModel

Cosine = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The figures for a model without a record."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    relevant: Cosine
    triggered: Cosine
    same: Cosine
    linked: Cosine


@dataclass(frozen=True, slots=True)
class Record(Thresholds):
    """One model's figures; `package` is the module that brings it along."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    dimensions: Annotated[int, Field(ge=1, le=8192)]
    package: str = ""


@dataclass(frozen=True, slots=True)
class ModelRecords:
    """What is known about models, by name."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    other: Thresholds
    models: Mapping[str, Record]

    @property
    def packages(self) -> tuple[str, ...]:
        """The modules that bring a model along, in the file's order."""
        return tuple(record.package for record in self.models.values() if record.package)

    def name_of(self, name: str) -> str:
        """Return a model's own name where `name` is the package that brings it."""
        return next((own for own, record in self.models.items() if record.package == name), name)

    def model(self, name: str, dimensions: int) -> EmbeddingModel:
        """Return a model's record for the engine; `dimensions` is what it really gives."""
        known: Thresholds = self.models.get(name, self.other)
        return EmbeddingModel(name, dimensions, known.relevant, known.triggered, known.same, known.linked)


_FILE: Final = TypeAdapter(ModelRecords)


def load_model_records(path: Path) -> ModelRecords:
    """Read the file.

    Raises:
        ConfigError: It is missing or wrong; the text names it and the reason.
    """
    try:
        return _FILE.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
