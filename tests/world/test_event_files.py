import json
import re
import shutil
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.event_files import load_events
from engine.character import StateUpdates
from engine.events import EventBook, EventDefinition
from engine.scenes import Scene

SHIPPED = Path(__file__).parents[2] / "config" / "events"
NUMBERS = Path(__file__).parents[1] / "data" / "event_numbers.json"
BUTTON_CHARACTERS = 80
"""The shortest button label of the messengers we speak (Discord)."""
STATS = ("affection", "trust", "intimacy", "comfort", "respect", "energy")


@pytest.fixture(scope="module")
def book() -> EventBook:
    return load_events(SHIPPED)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "events"))


def _changes(updates: StateUpdates) -> dict[str, int]:
    deltas = {stat: getattr(updates, f"{stat}_delta") for stat in STATS}
    return {stat: delta for stat, delta in deltas.items() if delta is not None}


def _numbers(event: EventDefinition) -> dict:
    first = event.scenes["en"][0]
    return {
        "type": event.type,
        "conditions": [[one.type, one.value] for one in event.conditions],
        "priority": event.priority,
        "repeat": "once" if event.one_time else event.cooldown_days,
        "changes": _changes(event.state_changes),
        "choices": [{**_changes(one.state_changes), "marker": one.marker} for one in first.choices],
        "scene": [first.intro is not None, first.outro is not None],
    }


def test_every_event_has_the_numbers_of_the_specification(book: EventBook):
    ours = {event.id: _numbers(event) for event in (*book.pool, book.strain)}
    right = json.loads(NUMBERS.read_text(encoding="utf-8"))
    assert list(ours) == list(right)
    for event_id, numbers in right.items():
        assert json.loads(json.dumps(ours[event_id])) == numbers, event_id


def _variants(book: EventBook) -> list[tuple[str, str, tuple[Scene, ...]]]:
    return [
        (event.id, language, variants)
        for event in (*book.pool, book.strain)
        for language, variants in event.scenes.items()
    ]


def test_each_event_has_three_different_variants_in_english_and_german(book: EventBook):
    assert {language for _, language, _ in _variants(book)} == {"en", "de"}
    for event_id, language, variants in _variants(book):
        texts = [text for scene in variants for text in (scene.intro, scene.dialogue) if text]
        assert len(variants) == 3, (event_id, language)
        assert len(set(texts)) == len(texts), (event_id, language)


def test_choices_fit_on_a_button_and_differ(book: EventBook):
    for event_id, language, variants in _variants(book):
        for scene in variants:
            labels = [choice.text for choice in scene.choices]
            assert len(set(labels)) == len(labels)
            assert all(len(label) <= BUTTON_CHARACTERS for label in labels), (event_id, language, labels)


def test_romance_is_marked(book: EventBook):
    romantic = {event.id for event in book.pool if event.romantic}
    stages = ("romantic_interest", "dating", "committed")
    for event in book.pool:
        if any(one.value in stages for one in event.conditions if one.type.startswith("relationship_stage")):
            assert event.id in romantic


def _broken(folder: Path, name: str, old: str, new: str) -> str:
    path = folder / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_events(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (
            "random",
            'mood_is = "happy"',
            'mood_is = "smug"',
            "random_compliment: no rule knows the condition mood_is",
        ),
        ("random", "min_affection = 200", "min_love = 200", "no rule knows the condition min_love = 200"),
        ("random", "priority = 20", 'priority = "high"', "events.1.priority"),
        ("random", "priority = 20", "prio = 20", "events.1.pri"),
        ("random", 'type = "random"', 'type = "chance"', "events.0.type"),
        ("strain", "trust = 2 }", "trusts = 2 }", "trusts"),
        ("strain", "{ changes = { comfort = -3 } },", "", "choices do not match"),
        ("milestones", "{{char}} tilts", "{{her}} tilts", "nothing is known of {{her}}"),
        ("milestones", 'id = "streak_30_days"', 'id = "streak_7_days"', "the id comes twice"),
        (
            "romantic",
            'marker = "confession_delayed"',
            'marker = "confession_late"',
            "nothing completes confession_delayed",
        ),
        (
            "strain",
            'id = "relationship_strain"',
            'id = "strain"',
            "relationship_strain: the event is missing",
        ),
        ("random", "[[events]]", "[[events", "line 3"),
    ],
)
def test_a_wrong_file_is_named(folder: Path, name: str, old: str, new: str, reason: str):
    assert reason in _broken(folder, name, old, new)


def test_the_line_of_the_fault_is_named(folder: Path):
    text = (folder / "random.toml").read_text(encoding="utf-8")
    line = next(n for n, each in enumerate(text.splitlines(), 1) if 'mood_is = "playful"' in each)
    message = _broken(folder, "random", 'mood_is = "playful"', 'mood_is = "smug"')
    assert re.search(rf"random\.toml:{line}: random_tease: ", message)


def test_the_line_of_a_wrong_value_is_named(folder: Path):
    text = (folder / "romantic.toml").read_text(encoding="utf-8")
    line = text.splitlines().index("cooldown_days = 5") + 1
    message = _broken(folder, "romantic", "cooldown_days = 5", 'cooldown_days = "five"')
    assert f"romantic.toml:{line}: events.4.cooldown_days" in message


def test_too_long_a_text_is_refused(folder: Path):
    assert "1200" in _broken(folder, "strain", "I think we've drifted", "x" * 1200)


def test_a_missing_file_is_named(folder: Path):
    (folder / "time_based.toml").unlink()
    with pytest.raises(ConfigError, match=r"time_based\.toml"):
        load_events(folder)
