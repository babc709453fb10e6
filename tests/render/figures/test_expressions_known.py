"""What a figure can show is known before it is built."""

import pytest

from render.figures import EXPRESSIONS, NAMES, build
from render.vrm import load


@pytest.mark.parametrize("name", NAMES)
def test_the_list_is_what_the_built_figure_can_show(name):
    assert sorted(load(build(name)).available) == sorted(EXPRESSIONS)
