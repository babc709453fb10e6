from __future__ import annotations

import numpy as np
import pytest

from render import figures, sheet
from render.snapshot import Studio

SMILING = ("happy", "excited", "playful", "affectionate")


def test_every_figure_has_twelve_faces_and_every_clip_a_picture(studio: Studio) -> None:
    drawn = sheet.draw(studio, sheet.faces(32))
    assert drawn.size == (12 * 32, len(figures.NAMES) * 32)
    assert [len(row) for row in sheet.wrapped(sheet.faces(), 5)] == [5, 5, 2] * len(figures.NAMES)
    assert sheet.draw(studio, sheet.motions(32)).size == (7 * 32, 2 * 32)


@pytest.mark.parametrize("row", range(len(figures.NAMES)))
def test_moods_that_share_an_expression_look_different(studio: Studio, row: int) -> None:
    cells = dict(sheet.faces(96)[row])
    shown = {}
    for emotion, request in cells.items():
        figure = studio.figure(request).astype(int)
        assert 0.25 < (figure[..., 3] > 128).mean() < 0.8, emotion
        shown[emotion] = figure
    names = list(shown)
    for i, one in enumerate(names):
        for other in names[:i]:
            assert np.abs(shown[one] - shown[other]).mean() > 2.0, (one, other)
