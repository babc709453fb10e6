"""The phrases and stop words under config/: the shipped ones load, a wrong file is named."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.fact_phrases import load_fact_phrases
from bot.stop_words import load_stop_words

CONFIG = Path(__file__).parents[2] / "config"
LANGUAGES = {"en", "de", "es", "fr", "pt", "ja"}


def test_every_language_has_phrases_and_stop_words():
    assert set(load_fact_phrases(CONFIG / "facts").languages) == LANGUAGES
    assert {path.stem for path in (CONFIG / "stopwords").glob("*.toml")} == LANGUAGES
    assert len(load_stop_words(CONFIG / "stopwords")) > 600


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_every_guard_but_those_its_grammar_lacks(language: str):
    table = tomllib.loads((CONFIG / "facts" / f"{language}.toml").read_text(encoding="utf-8"))
    needed = {"before", "within", "joke", "asking", "counter"} - ({"before"} if language == "ja" else set())
    assert [name for name in needed if not table["guards"][name]] == []
    assert {"asked", "name", "home", "job", "like", "dislike", "allergy", "birthday", "family"} <= table[
        "statements"
    ].keys()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CONFIG / "facts", tmp_path / "facts"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[guards]", "[gards]", "guards"),
        ("empty = [", "emptie = [", "emptie"),
        ("[statements]", "[statements]\nshoe_size = []", "shoe_size"),
        ("pet = [", 'pet = ["my {} cat {}", ', "one {} at most"),
        ("pet = [", 'pet = ["i (have a cat", ', "i (have a cat"),
        ("[guards]", "[guards", "Expected"),
    ],
)
def test_a_wrong_file_of_phrases_is_named(folder: Path, old: str, new: str, reason: str):
    path = folder / "en.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(reason)) as caught:
        load_fact_phrases(folder)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_english_must_be_there(folder: Path):
    (folder / "en.toml").unlink()
    with pytest.raises(ConfigError, match=r"en\.toml is missing"):
        load_fact_phrases(folder)


@pytest.mark.parametrize("text", ["words = 3\n", "words = [1]\n", 'words = ["a"]\nmore = 1\n', "words = [\n"])
def test_a_wrong_file_of_stop_words_is_named(tmp_path: Path, text: str):
    (tmp_path / "en.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"en\.toml"):
        load_stop_words(tmp_path)


def test_no_stop_words_at_all_are_an_error(tmp_path: Path):
    with pytest.raises(ConfigError, match="no list"):
        load_stop_words(tmp_path)
