"""Rules of the house that no linter knows: they read the source, not the behaviour."""

import ast
import re
import string
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from bot.llm.presets import PRESETS
from bot.settings import Provider, Settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("bot", "engine", "render")
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
OUTERMOST_LOOPS = {"bot/lanes.py", "bot/jobs.py"}
"""The only two modules that may catch everything."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [p for p in SOURCES if name(p).startswith("engine/")], ids=name)
def test_engine_never_awaits(path):
    forbidden = (ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)
    assert not [node.lineno for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, forbidden)]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_broad_except_only_in_the_two_outermost_loops(path):
    broad = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
    ]
    assert not broad or name(path) in OUTERMOST_LOOPS


@pytest.mark.parametrize("path", [p for p in SOURCES if not name(p).startswith("render/")], ids=name)
def test_what_a_checker_is_told_to_overlook_says_why(path):
    silent = re.compile(r"#\s*(?:type: ignore|noqa)(?:\[[\w, -]+\]|: [A-Z]+\d+)?\s*$")
    lines = enumerate(path.read_text().splitlines(), 1)
    assert [number for number, line in lines if silent.search(line)] == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_private_names_stay_in_their_module(path):
    taken = [
        f"{node.module}.{one.name}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
        for one in node.names
        if one.name.startswith("_")
    ]
    assert taken == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_files_and_functions_stay_small(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 400
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno + 1 > 60
    ]
    assert not long


def default_keys():
    sections = tomllib.loads((ROOT / "config" / "default.toml").read_text())
    return {f"{section}.{key}" for section, table in sections.items() for key in table}


def test_every_setting_has_a_default_and_every_default_is_a_setting():
    fields = {
        f"{section}.{key}"
        for section, info in Settings.model_fields.items()
        for key in info.annotation.model_fields
    }
    assert fields == default_keys()


def test_every_setting_is_documented():
    documented = (ROOT / "docs" / "configuration.md").read_text()
    assert [key for key in sorted(default_keys()) if f"`{key}`" not in documented] == []


def test_every_provider_has_a_preset_and_every_preset_can_be_chosen():
    assert set(get_args(Provider)) == {*PRESETS, "auto"}


def test_every_language_has_every_sentence_with_the_same_blanks():
    def sentences(path):
        flat = {}
        for section, table in tomllib.loads(path.read_text()).items():
            for key, text in table.items():
                flat[f"{section}.{key}"] = {
                    field for _, field, _, _ in string.Formatter().parse(text) if field
                }
        return flat

    english = sentences(ROOT / "config" / "wording" / "en.toml")
    for path in (ROOT / "config" / "wording").glob("*.toml"):
        assert sentences(path) == english, path.name


def test_every_command_is_documented_and_described_in_every_language():
    from bot.commands import COMMANDS
    from bot.wording import load_wording

    wording = load_wording(ROOT / "config" / "wording")
    readme = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if f"`/{name}`" not in readme and f"`/{name} " not in readme] == []
    for language in wording.sentences:
        for name in COMMANDS:
            assert f"commands.{name}" in wording.sentences[language], (language, name)


def test_the_project_names_no_path_of_a_machine():
    texts = [*SOURCES, *(ROOT / "config").rglob("*.toml"), *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert [
        name(path) for path in texts if "/work/" in path.read_text() or "../shared" in path.read_text()
    ] == []
