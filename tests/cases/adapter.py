"""One door from the case tables to our functions.

A table names a function of the specification (`fn`) and its arguments in the save file's spelling
(camelCase, ISO dates). Each module of `adapters/` maps some of those names to the engine's own
functions in a dict `FUNCTIONS` and explains in `DIFFERENT` which cases of basis "detail" we do better.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType

from tests.cases import adapters


def _modules() -> list[ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(adapters.__path__))
    return [importlib.import_module(f"{adapters.__name__}.{name}") for name in names]


FUNCTIONS: dict[str, Callable[[dict], object]] = {}
DIFFERENT: dict[str, str] = {}
for _module in _modules():
    FUNCTIONS.update(getattr(_module, "FUNCTIONS", {}))
    DIFFERENT.update(getattr(_module, "DIFFERENT", {}))


def run(fn: str, args: dict) -> object:
    """Return our result of the specification's function `fn` in the tables' own form.

    Raises:
        KeyError: No adapter knows the function.
    """
    return FUNCTIONS[fn](args)
