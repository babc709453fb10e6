"""Who she is: personas as the operator writes them, in config/personas/."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from bot.errors import ConfigError
from bot.toml_files import read_checked
from engine.character import Personality


@dataclass(frozen=True, slots=True)
class Persona:
    """One persona: name, personality text, greeting per language, figure and traits.

    `system_prompt` replaces the framing and the rules of the system layer where it is not empty.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: Annotated[str, Field(min_length=1, max_length=64)]
    personality: Annotated[str, Field(min_length=1, max_length=20_000)]
    greeting: dict[str, str]
    figure: str = "default"
    system_prompt: Annotated[str, Field(max_length=20_000)] = ""
    traits: Personality = field(default_factory=Personality)

    def greet(self, language: str) -> str:
        """Return her first words in a language, else in English."""
        return self.greeting.get(language) or self.greeting["en"]


def load_persona(folder: Path, name: str) -> Persona:
    """Read one persona file.

    Raises:
        ConfigError: The file is missing, does not parse or holds a wrong key.
    """
    path = folder / f"{name}.toml"
    if not path.is_file():
        raise ConfigError(f"companion.persona: there is no {path}")
    persona = read_checked(path, TypeAdapter(Persona).validate_python)
    if "en" not in persona.greeting:
        raise ConfigError(f"{path}: greeting.en is missing")
    return persona
