from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from render import framing, pose, posing, rotations
from render.vrm import Model, load
from tests.render import doll

EMOTIONS = (
    "happy sad excited anxious content frustrated curious affectionate playful melancholy flustered neutral"
).split()
SMILING = ("happy", "excited", "playful", "affectionate")


def world_of(model: Model, emotion: str) -> np.ndarray:
    return model.tree.world(posing.apply(model, pose.for_emotion(emotion)).local)


def place(model: Model, world: np.ndarray, bone: str) -> np.ndarray:
    return world[model.bones[bone]][:3, 3]


@pytest.fixture(params=["1.0", "0.x"])
def model(request: pytest.FixtureRequest) -> Model:
    return load(doll.glb(*(doll.vrm1() if request.param == "1.0" else doll.vrm0())))


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_arms_hang_down_at_her_sides(model: Model, emotion: str) -> None:
    world = world_of(model, emotion)
    for side, sign in (("left", 1), ("right", -1)):
        shoulder, hand = place(model, world, f"{side}UpperArm"), place(model, world, f"{side}Hand")
        assert hand[1] < shoulder[1] - 0.3
        assert sign * (hand[0] - shoulder[0]) > 0
        assert abs(hand[2] - shoulder[2]) < 0.35


def test_both_versions_stand_the_same() -> None:
    new, old = load(doll.glb(*doll.vrm1())), load(doll.glb(*doll.vrm0()))
    for emotion in EMOTIONS:
        a, b = world_of(new, emotion), world_of(old, emotion)
        for bone in ("head", "leftHand", "rightHand"):
            assert place(new, a, bone) == pytest.approx(place(old, b, bone), abs=1e-9)


def test_arms_that_rest_lowered_end_where_raised_ones_do() -> None:
    doc, writer = doll.vrm1()
    doc["nodes"][5]["rotation"] = rotations.euler(z=-40).tolist()
    doc["nodes"][8]["rotation"] = rotations.euler(z=40).tolist()
    lowered, level = load(doll.glb(doc, writer)), load(doll.glb(*doll.vrm1()))
    for side in ("left", "right"):
        bone = f"{side}LowerArm"
        a, b = world_of(lowered, "neutral"), world_of(level, "neutral")
        assert place(lowered, a, bone) == pytest.approx(place(level, b, bone), abs=0.01)


def test_faces_that_share_an_expression_hold_their_heads_differently(model: Model) -> None:
    heads = [world_of(model, emotion)[model.bones["head"]][:3, :3] for emotion in SMILING]
    for i, one in enumerate(heads):
        for other in heads[:i]:
            turn = np.degrees(np.arccos(np.clip((np.trace(one.T @ other) - 1) / 2, -1, 1)))
            assert turn > 4


def test_eyes_hold_contact_unless_the_mood_looks_away(model: Model) -> None:
    def sideways(emotion: str) -> float:
        world = world_of(model, emotion)
        eye = world[model.bones["leftEye"]][:3, 2] * (1 if model.version == "1.0" else -1)
        head = world[model.bones["head"]][:3, 2] * (1 if model.version == "1.0" else -1)
        return float(eye[0] - head[0])

    assert (
        sideways("playful") * world_of(model, "playful")[model.bones["head"]][0, 2] < 0
        or model.version == "0.x"
    )
    assert sideways("melancholy") > 0.02


def test_an_unknown_emotion_stands_as_neutral() -> None:
    assert pose.for_emotion("hangry") == pose.for_emotion("neutral")


def test_a_model_without_bones_is_left_alone() -> None:
    doc, writer = doll.vrm1(humanoid={})
    model = load(doll.glb(doc, writer))
    assert posing.apply(model, pose.for_emotion("happy")).local == pytest.approx(model.tree.rotations)


@pytest.mark.parametrize("name", ["Godette_vrm_v4.vrm", "cryptovoxels.vrm"])
def test_real_avatars_lower_their_arms(avatars: Path, name: str) -> None:
    model = load((avatars / name).read_bytes())
    world = world_of(model, "neutral")
    for side in ("left", "right"):
        assert place(model, world, f"{side}Hand")[1] < place(model, world, f"{side}UpperArm")[1] - 0.15


def test_the_camera_follows_the_head() -> None:
    model = load(doll.glb(*doll.vrm1()))
    measures = framing.measure(model)
    shift = framing.head_shift(model, measures, world_of(model, "playful"))
    assert 0.005 < np.linalg.norm(shift) < 0.2
