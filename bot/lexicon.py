"""Reads the word lists under config/keywords/ into the engine's Keywords."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from bot.errors import ConfigError
from bot.toml_files import first_fault
from engine.keywords import Keywords, build_keywords, parse_sign_list, parse_word_list

SIGNS: Final = "signs"
"""The file of emoticons and emoji, beside one file for each two-letter language."""

Value = TypeVar("Value")


def load_keywords(folder: Path) -> Keywords:
    """Read every list of a folder (`en.toml`, `de.toml` ... and `signs.toml`).

    Raises:
        ConfigError: A file is missing or wrong; the text names file, line and reason.
    """
    lists = {
        path.stem: _read(path, parse_word_list)
        for path in sorted(folder.glob("*.toml"))
        if path.stem != SIGNS
    }
    if "en" not in lists:
        raise ConfigError(f"{folder}: en.toml is missing")
    return build_keywords(lists, _read(folder / f"{SIGNS}.toml", parse_sign_list))


def _read(path: Path, parse: Callable[[Mapping[str, object]], Value]) -> Value:
    try:
        text = path.read_text(encoding="utf-8")
        return parse(tomllib.loads(text))
    except ValidationError as error:
        raise ConfigError(_where(path, text, error)) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _where(path: Path, text: str, error: ValidationError) -> str:
    """Name the line of the first wrong entry: the one that holds its value, else its key."""
    first = error.errors(include_url=False)[0]
    key = str(next((part for part in reversed(first["loc"]) if isinstance(part, str)), ""))
    value = first["input"]
    wanted = f'"{value}"' if isinstance(value, str) else key
    lines = [number for number, line in enumerate(text.splitlines(), 1) if wanted in line]
    place = f"{path}:{lines[0]}" if lines else str(path)
    return f"{place}: {first_fault(error)}"
