"""Turns text into meaning behind one async function; the model lives in a child process.

Nothing here ever waits for a model in a turn: while it loads, or where none can be had, `embed` answers
None and the search by words serves.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from bot.children import Child, ChildLimits
from bot.embedding_models import ModelRecords
from bot.errors import ChildDied, ChildRefused
from engine.embedding import STORED, EmbeddingModel, Matrix

log = logging.getLogger(__name__)

LIMITS: Final = ChildLimits(request_s=10.0, start_s=60.0, idle_s=1800.0, requests=50_000)
DOWNLOAD_PATIENCE: Final = 120.0
"""How many times the usual limit the first load may take: it may bring half a gigabyte."""
RETRY_S: Final = 3600.0
"""Where there is no model, the next load is tried no sooner."""
RETRY_DEAD_S: Final = 60.0
"""After the child has died, the next load is tried no sooner."""
BATCH: Final = 32
"""Texts of one request; so many of the longest fit the header even where each character takes 12 bytes."""
LONGEST_TEXT: Final = 2000
"""Characters of a text; models read no more than a few hundred of them."""
PASSED_ON: Final = (
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_ENDPOINT",
    "HF_HUB_OFFLINE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
)
"""Variables of the operator's that say where models are and how to reach them; no token is among them."""


class EmbeddingSettings(Protocol):
    """What is asked of the settings: a model's name or the path of its folder; "" turns meaning off."""

    @property
    def model(self) -> str:
        """The model."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Texts as vectors: the model that made them, and an array of shape (texts, dimensions), float32."""

    model: EmbeddingModel
    vectors: Matrix


@dataclass(slots=True)
class Embeddings:
    """The one door to the embedding model.

    Args:
        settings: Which model is wanted.
        records: What is known about models.
        child: The process that holds it.
    """

    settings: EmbeddingSettings
    records: ModelRecords
    child: Child = field(default_factory=lambda: Child("bot.embed_child", LIMITS, _environment()))
    model: EmbeddingModel | None = None
    _loading: asyncio.Task[None] | None = None
    _not_before: float = 0.0

    async def embed(self, texts: Sequence[str], *, wait: bool = False) -> Embedded | None:
        """Return the texts as vectors; None where no model is at hand (now).

        Args:
            texts: What is to be embedded.
            wait: Whether to wait for a model that is loading (jobs do, turns do not).
        """
        if not self.settings.model:
            return None
        if self.model is None or self.child.pid is None:
            self._load()
            if wait and self._loading is not None:
                await asyncio.shield(self._loading)
        if self.model is None or self.child.pid is None:
            return None
        try:
            return await self._embed(texts)
        except (ChildDied, ChildRefused) as error:
            self._give_up(error)
            return None

    async def close(self) -> None:
        """End the child."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)
        await self.child.close()

    def _load(self) -> None:
        """Begin to load, unless that goes on already or has failed a short while ago."""
        if self._loading is None and asyncio.get_running_loop().time() >= self._not_before:
            self._loading = asyncio.create_task(self._loaded())
            self._loading.add_done_callback(self._load_ended)

    def _load_ended(self, _: asyncio.Task[None]) -> None:
        self._loading = None

    async def _loaded(self) -> None:
        try:
            header, _ = await self._ask("load", (), patience=DOWNLOAD_PATIENCE, download=True)
        except (ChildDied, ChildRefused) as error:
            self._give_up(error)
            return
        before, self.model = self.model, self._record(header)
        if before != self.model:
            log.info("memory by meaning: %s (%s)", self.model.name, header["source"])
            if header["source"] == "package" and self.model.name != self.settings.model:
                log.warning("memory by meaning: %s stands in for %s", self.model.name, self.settings.model)

    async def _embed(self, texts: Sequence[str]) -> Embedded | None:
        parts = []
        for start in range(0, len(texts), BATCH):
            header, body = await self._ask("embed", texts[start : start + BATCH])
            self.model = self._record(header)
            parts.append(np.frombuffer(body, STORED).reshape(header["count"], header["dimensions"]))
        if self.model is None or not parts:
            return None
        return Embedded(self.model, np.concatenate(parts))

    async def _ask(
        self, do: str, texts: Sequence[str], *, patience: float = 1.0, **arguments: Any
    ) -> tuple[dict[str, Any], bytes]:
        short = [text[:LONGEST_TEXT] for text in texts]
        packages = list(self.records.packages)
        return await self.child.ask(
            do, patience=patience, model=self.settings.model, packages=packages, texts=short, **arguments
        )

    def _record(self, header: dict[str, Any]) -> EmbeddingModel:
        return self.records.model(self.records.name_of(str(header["name"])), int(header["dimensions"]))

    def _give_up(self, error: ChildDied | ChildRefused) -> None:
        pause_s = RETRY_S if isinstance(error, ChildRefused) else RETRY_DEAD_S
        self._not_before = asyncio.get_running_loop().time() + pause_s
        log.warning("memory by meaning is not at hand, words serve: %s", error)
        self.model = None


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}
