"""Reads TOML files under config/; whatever is wrong with one becomes a ConfigError of one line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from bot.errors import ConfigError

Value = TypeVar("Value")


def read_checked(path: Path, parse: Callable[[dict[str, Any]], Value]) -> Value:
    """Return what `parse` makes of a file.

    Args:
        path: The file.
        parse: Checks the file's tables; may raise ValidationError or ValueError.

    Raises:
        ConfigError: The file is missing, is no TOML or is refused; the text names it, the place and the reason.
    """
    try:
        return parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_fault(error)}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None


def first_fault(error: ValidationError) -> str:
    """Name the first thing that is wrong: its place, by keys and numbers, and the reason."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
