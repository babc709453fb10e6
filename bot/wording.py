"""Sentences that are ours, not hers: notices, help, apologies, read from config/wording/."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.errors import ConfigError

FALLBACK: Final = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """Every sentence in every language, by `section.key`."""

    sentences: Mapping[str, Mapping[str, str]]

    def say(self, key: str, language: str, **values: object) -> str:
        """Return a sentence in a language, or in English where the language is not there."""
        template = self.sentences.get(language, {}).get(key) or self.sentences[FALLBACK][key]
        return template.format(**values)

    def language(self, wanted: str) -> str:
        """Return the two-letter language that is nearest to what a platform reports ("de-AT", "")."""
        short = wanted[:2].lower()
        return short if short in self.sentences else FALLBACK

    def has(self, key: str) -> bool:
        """Tell whether a sentence exists."""
        return key in self.sentences[FALLBACK]


def load_wording(folder: Path) -> Wording:
    """Read every language file of a folder.

    Raises:
        ConfigError: A file is missing or does not parse, named with the line; or a translation has a blank that
            the English sentence has not, so that nothing could fill it.
    """
    sentences = {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}
    if FALLBACK not in sentences:
        raise ConfigError(f"{folder}: {FALLBACK}.toml is missing")
    for language, translated in sentences.items():
        for key, text in translated.items():
            strange = sorted(_blanks(text) - _blanks(sentences[FALLBACK].get(key, text)))
            if strange:
                raise ConfigError(f"{folder / language}.toml: {key}: nothing fills {{{strange[0]}}}")
    return Wording(sentences)


def _blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def _read(path: Path) -> dict[str, str]:
    try:
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    flat = {f"{section}.{key}": text for section, table in sections.items() for key, text in table.items()}
    for key, text in flat.items():
        if not isinstance(text, str) or not text.strip():
            raise ConfigError(f"{path}: {key} is not a sentence")
        _check_braces(path, key, text)
    return flat


def _check_braces(path: Path, key: str, text: str) -> None:
    try:
        _blanks(text)
    except ValueError as error:
        raise ConfigError(f"{path}: {key}: {error}") from None
