from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from render.gl.mipmaps import halved


def board(height: int, width: int) -> np.ndarray:
    """Black and white squares of one pixel."""
    y, x = np.indices((height, width))
    level = (255 * ((x + y) % 2)).astype(np.uint8)
    return np.stack([level, level, level, np.full_like(level, 255)], axis=2)


@pytest.mark.parametrize(("srgb", "grey"), [(True, 188), (False, 128)])
def test_means_are_of_light(srgb: bool, grey: int) -> None:
    levels = halved(board(8, 8), srgb=srgb)
    assert [level.shape for level in levels] == [(8, 8, 4), (4, 4, 4), (2, 2, 4), (1, 1, 4)]
    for level in levels[1:]:
        assert np.abs(level[..., :3].astype(int) - grey).max() <= 1
        assert (level[..., 3] == 255).all()


@pytest.mark.parametrize(("height", "width"), [(1, 5), (7, 3), (6, 1)])
def test_any_size_ends_in_one_pixel(height: int, width: int) -> None:
    levels = halved(np.full((height, width, 4), 77, np.uint8), srgb=True)
    for before, after in pairwise(levels):
        assert after.shape[:2] == (max(1, before.shape[0] // 2), max(1, before.shape[1] // 2))
    assert levels[-1].shape == (1, 1, 4)
    assert (levels[-1] == 77).all()


def test_every_level_survives_the_way_to_light_and_back() -> None:
    levels = np.repeat(np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 2, axis=1), 4, axis=2)
    (_, half, *_) = halved(np.repeat(levels, 2, axis=0), srgb=True)
    assert np.abs(half[0, :, 0].astype(int) - np.arange(256)).max() <= 2
