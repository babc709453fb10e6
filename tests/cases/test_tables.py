"""Every case of every table, run through the adapter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cases.adapter import DIFFERENT, FUNCTIONS, run

HERE = Path(__file__).parent
PITFALLS = "pitfalls"
MUST_CONTAIN = "must contain "
"""How a pitfall names one element that a list must hold."""

NOT_BUILT: dict[str, str] = {
    "computeScaledDimensions": "pictures come with their own part",
    "toOpenAIContent": "pictures come with their own part",
    "toAnthropicContent": "pictures come with their own part",
    "parseMoment": "moments come with their own part",
    "selectMomentMemories": "moments come with their own part",
    "tryExtractReminder": "reminders come with their own part",
    "parseReminderTime": "reminders come with their own part",
    "extractReminderTags": "reminders come with their own part",
    "classifyReminder": "reminders come with their own part",
    "validateReminder": "reminders come with their own part",
    "isOldExecutedReminder": "reminders come with their own part",
    "validateSaveFile": "the save file comes with its own part",
    "factKey": "the save file comes with its own part",
    "sessionKey": "the save file comes with its own part",
    "turnKey": "the save file comes with its own part",
    "eventKey": "the save file comes with its own part",
    "reconcileLegacyMarkers": "the save file comes with its own part",
    "getSaveFilePreview": "the save file comes with its own part",
    "remapSessionIds": "the save file comes with its own part",
    "clampCharacterStats": "the save file comes with its own part",
    "canShowImages": "vision comes with its own part",
    "reportedVision": "vision comes with its own part",
}
"""Functions that no adapter maps yet, with the reason. Whoever adds an adapter removes its line here."""

PROVEN_ELSEWHERE: dict[str, str] = {
    "dis-061": "a whole turn: shown where turns are tested",
    "dis-062": "a whole turn: shown where turns are tested",
    "dis-100": "a sentence without arguments: shown where the save file is tested",
    "dis-101": "a sentence without arguments: shown where the save file is tested",
    "dis-103": "a sentence without arguments: tests/engine/test_prompt.py",
}
"""Pitfalls that name no function and arguments, with the place that proves them."""


def _cases() -> list[tuple[str, dict]]:
    return [
        (path.stem, case)
        for path in sorted(HERE.glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
    ]


CASES = _cases()
TABLES = [pytest.param(table, case, id=case["id"]) for table, case in CASES if table != PITFALLS]
PITFALL_CASES = [pytest.param(case, id=case["id"]) for table, case in CASES if table == PITFALLS]


def _plain(value: object) -> object:
    """Send a result through JSON, so that tuples and lists, 1 and 1.0 compare as the tables mean them."""
    return json.loads(json.dumps(value, ensure_ascii=False))


def _loose(value: object) -> object:
    """Drop what the tables call format details: runs of blanks and the prefix of a fact."""
    if isinstance(value, str):
        return re.sub(r"\s+", " ", re.sub(r"^User( said| preference)?: ", "", value)).strip()
    if isinstance(value, list):
        return [_loose(one) for one in value]
    if isinstance(value, dict):
        return {key: _loose(one) for key, one in value.items()}
    return value


def _named_only(actual: object, right: object) -> object:
    """Reduce a result to the fields that a pitfall names, at every depth."""
    if isinstance(actual, list) and isinstance(right, str) and right.startswith(MUST_CONTAIN):
        wanted = json.loads(right.removeprefix(MUST_CONTAIN))
        return right if wanted in actual else actual
    if not isinstance(actual, dict) or not isinstance(right, dict) or not right:
        return actual
    return {key: _named_only(actual.get(key), one) for key, one in right.items()}


def _result(case: dict) -> object:
    fn, args = case["input"]["fn"], case["input"]["args"]
    if fn in NOT_BUILT:
        pytest.skip(NOT_BUILT[fn])
    return _plain(run(fn, args))


@pytest.mark.parametrize(("table", "case"), TABLES)
def test_case(table: str, case: dict):
    if case["id"] in DIFFERENT:
        pytest.skip(DIFFERENT[case["id"]])
    actual, expected = _result(case), case["expect"]
    if case["basis"] == "detail" or table in ("reminders", "extract_facts"):
        actual, expected = _loose(actual), _loose(expected)
    assert actual == expected, case["rule"]


@pytest.mark.parametrize("case", PITFALL_CASES)
def test_pitfall(case: dict):
    if case["id"] in PROVEN_ELSEWHERE:
        pytest.skip(PROVEN_ELSEWHERE[case["id"]])
    actual, right = _named_only(_result(case), case["right"]), case["right"]
    if case["area"] in ("extract_facts", "heuristics"):
        actual, right = _loose(actual), _loose(right)
    assert actual == right


def test_every_function_is_built_or_named_as_missing():
    named = {case["input"]["fn"] for _, case in CASES if "fn" in case["input"]}
    assert named - FUNCTIONS.keys() == named & NOT_BUILT.keys()


def test_only_details_may_differ():
    bases = {case["id"]: case.get("basis") for _, case in CASES}
    assert {bases.get(case_id) for case_id in DIFFERENT} <= {"detail"}
