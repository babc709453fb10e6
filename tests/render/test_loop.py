from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from render.errors import BadRequestError, VrmError
from render.snapshot import LoopRequest, Studio, cache_key


def a_wave(model: str) -> LoopRequest:
    return LoopRequest(model, framing="full", size_px=96, action="greeting", fps=10)


def test_a_webp_loops_for_ever(studio: Studio, doll_file: str) -> None:
    with Image.open(io.BytesIO(studio.loop(a_wave(doll_file)))) as film:
        assert (film.format, film.size, film.n_frames) == ("WEBP", (96, 96), 26)
        assert film.info["loop"] == 0
        frames = []
        for number in range(film.n_frames):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB")).astype(int))
    assert np.abs(frames[0] - frames[13]).max() > 40
    assert np.abs(frames[0] - frames[-1]).mean() < np.abs(frames[0] - frames[13]).mean()


def test_an_mp4_can_be_played(studio: Studio, doll_file: str) -> None:
    data = studio.loop(replace(a_wave(doll_file), format="mp4"))
    with av.open(io.BytesIO(data)) as film:
        stream = film.streams.video[0]
        assert (stream.width, stream.height, stream.codec_context.name) == (96, 96, "h264")
        assert sum(1 for _ in film.decode(stream)) == 26


def test_a_transparent_loop_keeps_its_alpha(studio: Studio, doll_file: str) -> None:
    request = replace(a_wave(doll_file), background="transparent", max_seconds=0.5)
    with Image.open(io.BytesIO(studio.loop(request))) as film:
        assert film.convert("RGBA").getpixel((0, 0))[3] == 0


def test_the_operators_clips_are_played(studio: Studio, doll_file: str, avatars: Path) -> None:
    request = replace(a_wave(doll_file), action=str(avatars / "test.vrma"))
    with av.open(io.BytesIO(studio.loop(replace(request, format="mp4")))) as film:
        assert sum(1 for _ in film.decode(film.streams.video[0])) == 30


def test_unknown_and_broken_actions_are_told(studio: Studio, doll_file: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequestError, match="greeting"):
        studio.loop(replace(a_wave(doll_file), action="cartwheel"))
    broken = tmp_path / "broken.vrma"
    broken.write_bytes(b"glTF" + bytes(60))
    with pytest.raises(VrmError):
        studio.loop(replace(a_wave(doll_file), action=str(broken)))


@pytest.mark.parametrize(
    "changes",
    [
        {"action": ""},
        {"fps": 100},
        {"max_seconds": 0.1},
        {"size_px": 1024},
        {"format": "gif"},
        {"format": "mp4", "size_px": 97},
        {"format": "mp4", "background": "transparent"},
    ],
)
def test_values_out_of_range_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(BadRequestError):
        replace(a_wave("x"), **changes)  # type: ignore[arg-type]


def test_loops_have_keys_of_their_own() -> None:
    assert cache_key(a_wave("x"), "m") != cache_key(replace(a_wave("x"), action="spin"), "m")
    assert cache_key(a_wave("x"), "m") == cache_key(a_wave("y"), "m")
