from pathlib import Path

import pytest

from bot.lexicon import load_keywords
from engine.keywords import Keywords

CONFIG = Path(__file__).parents[2] / "config"


@pytest.fixture(scope="session")
def keywords() -> Keywords:
    return load_keywords(CONFIG / "keywords")
