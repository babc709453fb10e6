from __future__ import annotations

import numpy as np
import pytest

from render import emotes, pose, posing
from render.motion import Motion
from render.vrm import Model, load
from tests.render import doll


@pytest.fixture(scope="module", params=["1.0", "0.x"])
def model(request: pytest.FixtureRequest) -> Model:
    return load(doll.glb(*(doll.vrm1() if request.param == "1.0" else doll.vrm0())))


def places(model: Model, motion: Motion) -> np.ndarray:
    posed = posing.apply(model, pose.for_emotion("neutral"), motion)
    return model.tree.world(posed.local, posed.moved)[:, :3, 3]


def test_there_are_seven_emotes_five_idles_and_talking() -> None:
    assert len(emotes.EMOTES) >= 7
    assert len(emotes.IDLES) == 5
    assert set(emotes.CLIPS) == {*emotes.EMOTES, *emotes.IDLES, "talking"}


@pytest.mark.parametrize("name", list(emotes.CLIPS))
def test_every_clip_ends_where_it_begins(model: Model, name: str) -> None:
    clip = emotes.CLIPS[name]
    first, last = places(model, clip.sample(0.0)), places(model, clip.sample(clip.duration_s))
    assert first == pytest.approx(last, abs=0.004)


@pytest.mark.parametrize("name", list(emotes.EMOTES))
def test_emotes_begin_and_end_standing(model: Model, name: str) -> None:
    standing = places(model, Motion())
    assert places(model, emotes.EMOTES[name].sample(0.0)) == pytest.approx(standing, abs=0.02)


@pytest.mark.parametrize("name", list(emotes.CLIPS))
def test_clips_move_without_jumps(model: Model, name: str) -> None:
    clip = emotes.CLIPS[name]
    frames = np.stack([places(model, clip.sample(t)) for t in np.arange(0.0, clip.duration_s, 1 / 30)])
    steps = np.linalg.norm(np.diff(frames, axis=0), axis=2)
    # 4.5 m/s: a hand in a quick spin, no more.
    assert 0.0001 < steps.max() < 0.15


def test_the_greeting_lifts_the_right_hand_over_the_shoulder(model: Model) -> None:
    clip = emotes.EMOTES["greeting"]
    shown = places(model, clip.sample(clip.best_s))
    assert shown[model.bones["rightHand"]][1] > shown[model.bones["rightUpperArm"]][1]
    assert shown[model.bones["rightHand"]][0] < -0.2


def test_the_shot_points_at_the_viewer(model: Model) -> None:
    clip = emotes.EMOTES["shoot"]
    shown = places(model, clip.sample(clip.best_s))
    assert shown[model.bones["rightHand"]][2] - shown[model.bones["rightUpperArm"]][2] > 0.3


def test_hands_behind_are_behind(model: Model) -> None:
    clip = emotes.IDLES["hands_behind"]
    shown = places(model, clip.sample(clip.best_s))
    for side in ("left", "right"):
        assert shown[model.bones[f"{side}LowerArm"]][2] < -0.05
