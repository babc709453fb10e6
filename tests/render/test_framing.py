from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from render import framing
from render.vrm import load
from tests.render import doll


def on_picture(camera: framing.Camera, point: tuple[float, float, float]) -> np.ndarray:
    x, y, _, w = camera.projection @ camera.view @ np.array([*point, 1.0])
    return np.array([x / w, y / w])


def test_each_framing_shows_what_it_says() -> None:
    measures = framing.measure(load(doll.glb(*doll.vrm1())))
    assert measures.has_head
    top, feet, hips = (0.0, 1.77, 0.0), (0.0, 0.0, 0.0), (0.0, 0.9, 0.0)
    for name in framing.FRAMINGS:
        assert -1 < on_picture(framing.camera(measures, name), top)[1] < 1
    full = framing.camera(measures, "full")
    assert -1 < on_picture(full, feet)[1] < -0.8
    assert on_picture(framing.camera(measures, "bust"), hips)[1] == pytest.approx(-0.9, abs=0.15)
    assert on_picture(framing.camera(measures, "portrait"), hips)[1] < -1.2


def test_the_face_is_in_the_middle_of_a_portrait() -> None:
    measures = framing.measure(load(doll.glb(*doll.vrm1())))
    x, y = on_picture(framing.camera(measures, "portrait"), (0.0, 1.66, 0.1))
    assert abs(x) < 0.02
    assert 0.0 < y < 0.7


def test_a_thing_without_a_head_is_shown_whole() -> None:
    doc, writer = doll.vrm1(humanoid={})
    measures = framing.measure(load(doll.glb(doc, writer)))
    assert not measures.has_head
    camera = framing.camera(measures, "portrait")
    assert -1 < on_picture(camera, (0.0, 0.0, 0.0))[1] < on_picture(camera, (0.0, 1.77, 0.0))[1] < 1


def test_an_empty_file_still_has_a_camera() -> None:
    measures = framing.measure(load(doll.container(b'{"asset": {"version": "2.0"}}')))
    assert np.isfinite(framing.camera(measures, "portrait").view).all()


@pytest.mark.parametrize("name", ["EmissionMigration_v0.107.0.vrm"])
def test_avatars_that_are_no_persons_fit_the_picture(avatars: Path, name: str) -> None:
    measures = framing.measure(load((avatars / name).read_bytes()))
    camera = framing.camera(measures, "portrait")
    for corner in (measures.low, measures.high):
        assert (np.abs(on_picture(camera, tuple(corner))) < 1.02).all()
