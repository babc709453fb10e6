"""The offline stand-in: a small scripted companion who keeps her company until a language model is set up."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping

from bot.errors import ModelRefusedRequest
from bot.llm.scripted_lines import Script, load_lines
from bot.llm.scripted_mouth import reply
from bot.ports import ChatRequest

__all__ = ["ScriptedModel", "load_lines"]

NAME = "offline stand-in"


class ScriptedModel:
    """A ChatModel without a model: it answers from its script, its subject and the talk so far.

    Args:
        script: The lines, read by `load_lines`.
    """

    name = NAME

    def __init__(self, script: Script) -> None:
        self._script = script

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply word by word."""
        for word in re.findall(r"\S*\s*", reply(self._script, request.prompt)):
            if word:
                await asyncio.sleep(0)
                yield word

    async def complete_json(
        self, system: str, user: str, schema: Mapping[str, object] | None = None, max_tokens: int = 400
    ) -> str:
        """Refuse: a script cannot write what nobody has scripted.

        Raises:
            ModelRefusedRequest: Always.
        """
        raise ModelRefusedRequest(f"the {self.name} writes no JSON but its own state block")

    async def close(self) -> None:
        """Hold nothing that must be given back."""
