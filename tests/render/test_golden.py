from __future__ import annotations

from dataclasses import replace

import pytest

from engine.character import EMOTIONS
from render import figures
from render.snapshot import Studio
from tests.render.goldens import SHEETS, Sheet, distance, drawn, same


def named(sheet: Sheet) -> str:
    return sheet.path.stem


@pytest.mark.parametrize("sheet", SHEETS, ids=named)
def test_every_emotion_looks_as_it_was_approved(studio: Studio, sheet: Sheet) -> None:
    for emotion, kept, request in zip(EMOTIONS, sheet.kept(), sheet.requests(studio), strict=True):
        assert same(kept, drawn(studio, request)), (emotion, distance(kept, drawn(studio, request)))


@pytest.mark.parametrize("figure", figures.NAMES)
def test_a_wrong_expression_is_noticed(studio: Studio, figure: str) -> None:
    sheet = Sheet(figure, "portrait", 100)
    for emotion, kept, request in zip(EMOTIONS, sheet.kept(), sheet.requests(studio), strict=True):
        wrong = "sad" if request.expression in ("happy", None) else "happy"
        changed = replace(request, expression=wrong, weight=max(request.weight, 0.25))
        assert not same(kept, drawn(studio, changed)), emotion


def test_a_missing_expression_is_noticed_in_full_length(studio: Studio) -> None:
    sheet = Sheet(figures.NAMES[0], "full", 100)
    for emotion, kept, request in zip(EMOTIONS, sheet.kept(), sheet.requests(studio), strict=True):
        if emotion in ("happy", "excited"):
            assert not same(kept, drawn(studio, replace(request, expression=None))), emotion
