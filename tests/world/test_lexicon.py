import re
import shutil
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.lexicon import load_keywords

SHIPPED = Path(__file__).parents[2] / "config" / "keywords"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "keywords"))


def test_the_shipped_lists_load():
    assert len(load_keywords(SHIPPED).words) > 1000


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (
            'endings = ["s"]\n\n[words]\npositive = [\n  "fine",\n  "So So",\n]\n',
            "en.toml:6: words.positive.1:",
        ),
        ("[words]\n[worlds]\n", "en.toml:2: worlds:"),
        ('[words]\npositive = "fine"\n', "en.toml:2: words.positive:"),
        ("[words\n", "line 1"),
        ("marks = []\n", "words: "),
    ],
)
def test_a_wrong_file_is_named_with_its_line(folder: Path, text: str, where: str):
    (folder / "en.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"en\.toml") as caught:
        load_keywords(folder)
    assert where in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["en.toml", "signs.toml"])
def test_a_missing_file_is_named(folder: Path, name: str):
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=re.escape(name)):
        load_keywords(folder)
