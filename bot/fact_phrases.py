"""Reads the phrases under config/facts/ into the engine's FactPhrases."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import ValidationError

from bot.errors import ConfigError
from engine.fact_phrases import FactPhrases, Language, build_language, parse_phrase_list


def load_fact_phrases(folder: Path) -> FactPhrases:
    """Read every language of a folder (`en.toml`, `de.toml` ...).

    Raises:
        ConfigError: A file is missing or wrong; the text names the file and the reason.
    """
    found = {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}
    if "en" not in found:
        raise ConfigError(f"{folder}: en.toml is missing")
    return FactPhrases(found)


def _read(path: Path) -> Language:
    try:
        return build_language(parse_phrase_list(tomllib.loads(path.read_text(encoding="utf-8"))))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
