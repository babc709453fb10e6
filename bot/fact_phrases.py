"""Reads the phrases under config/facts/ into the engine's FactPhrases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.toml_files import read_checked
from engine.fact_phrases import FactPhrases, Language, build_language, join_languages, parse_phrase_list


def load_fact_phrases(folder: Path) -> FactPhrases:
    """Read every language of a folder (`en.toml`, `de.toml` ...).

    Raises:
        ConfigError: A file is missing or wrong; the text names the file and the reason.
    """
    found = {path.stem: read_checked(path, _language) for path in sorted(folder.glob("*.toml"))}
    if "en" not in found:
        raise ConfigError(f"{folder}: en.toml is missing")
    return join_languages(found)


def _language(table: dict[str, Any]) -> Language:
    return build_language(parse_phrase_list(table))
