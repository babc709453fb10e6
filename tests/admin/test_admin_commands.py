"""`otomo admin` as an operator calls it."""

import shutil

import pytest
from PIL import Image

from bot.__main__ import main
from bot.admin.chart import STATS
from bot.admin.people import load_people
from bot.errors import ConfigError
from bot.settings import CONFIG_DIR

SIMULATE = ("admin", "simulate", "--days", "6", "--talks-per-day", "10")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def events(tmp_path):
    return shutil.copytree(CONFIG_DIR / "events", tmp_path / "events")


def test_shipped_events_are_sound(capsys):
    assert main(["admin", "events", "--check"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("31 events (")
    assert said.endswith("scenes in de, en: all sound.\n")


def test_the_list_names_every_event(capsys):
    assert main(["admin", "events"]) == 0
    said = capsys.readouterr().out
    assert "confession_revisit" in said
    assert "relationship_strain" in said
    assert len(said.splitlines()) == 33


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("min_trust = 50", "min_trust = 500"),
        ("min_trust = 50", "min_thrust = 50"),
        ("priority = 70", 'priority = "high"'),
        ("[[events]]", "[[events]"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(events, capsys, right, wrong):
    path = events / "milestones.toml"
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    assert main(["admin", "events", "--check", "--folder", str(events)]) == 2
    seen = capsys.readouterr()
    assert "all sound" not in seen.out
    assert f"{path}" in seen.err
    line = text[: text.index(right)].count("\n") + 1
    assert f":{line}:" in seen.err or f"line {line}," in seen.err


def test_simulate_prints_the_same_table_for_the_same_seed(capsys):
    seen = []
    for seed in ("7", "7", "8"):
        assert main([*SIMULATE, "--seed", seed]) == 0
        seen.append(capsys.readouterr().out)
    assert seen[0] == seen[1] != seen[2]
    head, row = seen[0].splitlines()
    assert head.split()[:3] == ["user", "talks", "acquaintance"]
    assert row.split()[0] == "friendly"


def test_all_users_and_a_chart_of_each(tmp_path, capsys):
    assert main([*SIMULATE, "--user", "all", "--out", "days.png"]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines()[-4:]]
    assert rows == ["friendly", "shy", "rude", "grinding"]
    for name in rows:
        path = tmp_path / f"days-{name}.png"
        with Image.open(path) as chart:
            colours = {colour for _, colour in chart.convert("RGB").getcolors(1 << 24)}
            assert chart.width >= 1200
        assert colours.issuperset(STATS.values())
        assert path.stat().st_size < 150_000


@pytest.mark.parametrize(
    "wrong",
    [("--user", "nobody"), ("--days", "0"), ("--accept", "--defer"), ("--out", "no/such/folder/chart.png")],
)
def test_wrong_arguments_end_with_code_2(wrong):
    try:
        code = main([*SIMULATE, *wrong])
    except SystemExit as end:
        code = end.code
    assert code == 2


@pytest.mark.parametrize(
    "text",
    [
        "[a]\ntalks_per_day = 0\nlines = [{ text = 'x', emotion = 'happy' }]",
        "[a]\ntalks_per_day = 1\nlines = []",
        "[a]\ntalks_per_day = 1\nlines = [{ text = 'x', emotion = 'hungry' }]",
        "[a]\ntalks_per_day = 1\nlines = [{ text = 'x', emotion = 'happy', trust = 50 }]",
        "[a",
    ],
)
def test_a_wrong_file_of_users_is_named(tmp_path, text):
    path = tmp_path / "people.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"people\.toml: "):
        load_people(path)
