"""Reads the words that are no topic (config/stopwords/) into one set."""

from __future__ import annotations

import tomllib
from pathlib import Path

from bot.errors import ConfigError


def load_stop_words(folder: Path) -> frozenset[str]:
    """Read `words` of every language's file in a folder, in lower case.

    Raises:
        ConfigError: There is no file, or one is wrong; the text names it and the reason.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise ConfigError(f"{folder}: no list of stop words")
    return frozenset(word for path in files for word in _words(path))


def _words(path: Path) -> list[str]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    words = table.get("words")
    if (
        table.keys() != {"words"}
        or not isinstance(words, list)
        or not all(isinstance(one, str) for one in words)
    ):
        raise ConfigError(f"{path}: `words` must be a list of words, and stand alone")
    return [word.lower() for word in words]
