"""Several voices in order: when one fails before its first word, the next one speaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from bot.errors import ModelError, ModelFiltered
from bot.llm.patience import Pace, next_within
from bot.ports import ChatModel, ChatRequest

log = logging.getLogger(__name__)

REST_S: Final = 60.0
"""For this long a voice that has failed is asked last, so that nobody waits for it again and again."""


class FallbackModel:
    """A ChatModel that asks its models in order.

    A filtered talk is not carried to the next provider: its refusal stands.

    Args:
        models: At least one; the first is the preferred voice and gives the name.
        turn_s: How long one reply may take in all, in seconds.
    """

    def __init__(self, models: Sequence[ChatModel], turn_s: float) -> None:
        self.name = models[0].name
        self._models = tuple(models)
        self._turn_s = turn_s
        self._rests_until: dict[int, float] = {}

    def warm(self) -> None:
        """Begin to load what the preferred voice needs."""
        warm = getattr(self._models[0], "warm", None)
        if warm is not None:
            warm()

    async def close(self) -> None:
        """Give back connections."""
        for model in self._models:
            await model.close()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's pieces as they come, from the first model that has any."""
        deadline = asyncio.get_running_loop().time() + self._turn_s
        order = self._order()
        for index in order:
            last, spoken = index == order[-1], False
            pace = Pace(self._models[index].name, self._turn_s, self._turn_s, 0, 0.0)
            try:
                async with aclosing(self._models[index].stream(request)) as pieces:
                    while (text := await next_within(pieces, pace, deadline)) is not None:
                        spoken = True
                        yield text
                return
            except ModelError as error:
                self._failed(index, error)
                if spoken or last or not self._worth(error, deadline):
                    raise

    async def complete_json(
        self, system: str, user: str, schema: Mapping[str, object] | None = None, max_tokens: int = 400
    ) -> str:
        """Answer one request for a JSON object, from the first model that can."""
        deadline = asyncio.get_running_loop().time() + self._turn_s
        order = self._order()
        for index in order[:-1]:
            try:
                return await self._models[index].complete_json(system, user, schema, max_tokens)
            except ModelError as error:
                self._failed(index, error)
                if not self._worth(error, deadline):
                    raise
        return await self._models[order[-1]].complete_json(system, user, schema, max_tokens)

    def _order(self) -> list[int]:
        now = asyncio.get_running_loop().time()
        return sorted(range(len(self._models)), key=lambda index: self._rests_until.get(index, 0.0) > now)

    def _failed(self, index: int, error: ModelError) -> None:
        log.warning("%s failed (%s)", self._models[index].name, type(error).__name__)
        if not isinstance(error, ModelFiltered):
            rest = max(REST_S, error.after_s or 0.0)
            self._rests_until[index] = asyncio.get_running_loop().time() + rest

    def _worth(self, error: ModelError, deadline: float) -> bool:
        in_time = asyncio.get_running_loop().time() < deadline
        return in_time and not isinstance(error, ModelFiltered)
