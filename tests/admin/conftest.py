import pytest

from bot.lexicon import load_keywords
from bot.settings import CONFIG_DIR
from engine.keywords import Keywords


@pytest.fixture(scope="package")
def keywords() -> Keywords:
    return load_keywords(CONFIG_DIR / "keywords")
