from __future__ import annotations

from pathlib import Path

from PIL import Image

from render import figures, shipped
from render.snapshot import Studio


def test_there_is_a_different_still_for_every_mood(studio: Studio, tmp_path: Path) -> None:
    made = shipped.make(tmp_path / "stills", figures.NAMES[0], size_px=64)
    assert len(made) == 12
    assert len({path.read_bytes() for path in made}) == 12
    with Image.open(tmp_path / "stills" / "happy.jpg") as still:
        assert (still.format, still.size) == ("JPEG", (64, 64))


def test_the_product_ships_one_for_every_mood() -> None:
    for emotion in shipped.FACES:
        with Image.open(shipped.STILLS / f"{emotion}.jpg") as still:
            assert (still.format, still.size) == ("JPEG", (512, 512))
