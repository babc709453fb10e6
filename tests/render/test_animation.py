from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from render import pose, posing, rotations
from render.errors import VrmError
from render.vrm import load
from render.vrm.animation import load_animation
from tests.render import doll


def vrma(**changes: Any) -> bytes:
    """Half a second: the left arm is lowered, the hips rise, a smile comes, the eyes turn."""
    writer = doll.Writer()
    times = writer.add(np.array([0.0, 0.5], "<f4"), "SCALAR")
    half = np.sqrt(0.5)
    arm = writer.add(np.array([[0, 0, 0, 1], [0, 0, -half, half]], "<f4"), "VEC4")
    hips = writer.add(np.array([[0, 2.0, 0], [0, 2.2, 0.4]], "<f4"), "VEC3")
    smile = writer.add(np.array([[0, 0, 0], [1.4, 0, 0]], "<f4"), "VEC3")
    turned = rotations.euler(y=20)
    look = writer.add(np.array([[0, 0, 0, 1], turned], "<f4"), "VEC4")
    samplers = [{"input": times, "output": output} for output in (arm, hips, smile, look)]
    targets = [(1, "rotation"), (0, "translation"), (2, "translation"), (3, "rotation")]
    doc: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "nodes": [{"translation": [0, 2, 0], "children": [1]}, {}, {}, {}],
        "animations": [
            {
                "samplers": samplers,
                "channels": [
                    {"sampler": i, "target": {"node": node, "path": path}}
                    for i, (node, path) in enumerate(targets)
                ],
            }
        ],
        "extensions": {
            "VRMC_vrm_animation": {
                "specVersion": "1.0",
                "humanoid": {"humanBones": {"hips": {"node": 0}, "leftUpperArm": {"node": 1}}},
                "expressions": {"preset": {"happy": {"node": 2}}},
                "lookAt": {"node": 3},
            }
        },
    }
    doc.update(changes)
    return doll.glb(doc, writer)


def test_a_clip_is_read() -> None:
    clip = load_animation(vrma())
    assert clip.duration_s == 0.5
    middle = clip.sample(0.25)
    assert middle.turns["leftUpperArm"] == pytest.approx(rotations.euler(z=-45), abs=1e-6)
    assert middle.hips == pytest.approx((0.0, 0.05, 0.1))
    assert middle.expressions == {"happy": pytest.approx(0.7)}
    assert clip.sample(0.5).expressions == {"happy": 1.0}
    assert clip.sample(0.5).gaze == pytest.approx((20.0, 0.0), abs=1e-4)


@pytest.mark.parametrize("build", [doll.vrm1, doll.vrm0])
def test_it_moves_any_body(build: Any) -> None:
    model = load(doll.glb(*build()))
    posed = posing.apply(model, pose.for_emotion("neutral"), load_animation(vrma()).sample(0.5))
    world = model.tree.world(posed.local, posed.moved)
    hips, shoulder, elbow = (world[model.bones[b]][:3, 3] for b in ("hips", "leftUpperArm", "leftLowerArm"))
    # The file's hips are 2 m high and the doll's 0.9 m: ways are scaled.
    assert hips == pytest.approx([0.0, 0.99, 0.18])
    direction = (elbow - shoulder) / np.linalg.norm(elbow - shoulder)
    assert direction[1] == pytest.approx(-1.0, abs=0.01)


def test_the_rest_pose_of_the_file_is_taken_out() -> None:
    bent = rotations.euler(z=-30).tolist()
    nodes = [{"translation": [0, 2, 0], "children": [1]}, {"rotation": bent}, {}, {}]
    clip = load_animation(vrma(nodes=nodes))
    assert clip.sample(0.0).turns["leftUpperArm"] == pytest.approx(rotations.euler(z=30), abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"extensions": {}}, "not a VRM animation"),
        ({"animations": []}, "no animation"),
        ({"animations": [{"samplers": [], "channels": []}]}, "0.0 s long"),
        ({"nodes": [{"translation": [0, 0, 0], "children": [1]}, {}, {}, {}]}, "not above its ground"),
        ({"nodes": [{}]}, "out of range"),
        (
            {
                "animations": [
                    {
                        "samplers": [{}],
                        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                    }
                ]
            },
            "missing",
        ),
        ({"animations": 5}, "not a list"),
    ],
)
def test_broken_clips_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(VrmError, match=why):
        load_animation(vrma(**changes))


def test_keys_out_of_order_and_long_clips_are_refused() -> None:
    for times, why in (([0.5, 0.0], "not in order"), ([0.0, 90.0], "90.0 s long")):
        writer = doll.Writer()
        sampler = {
            "input": writer.add(np.array(times, "<f4"), "SCALAR"),
            "output": writer.add(np.array([[0, 0, 0, 1.0]] * 2, "<f4"), "VEC4"),
        }
        channel = {"sampler": 0, "target": {"node": 0, "path": "rotation"}}
        doc = {
            "nodes": [{"translation": [0, 1, 0]}],
            "animations": [{"samplers": [sampler], "channels": [channel]}],
            "extensions": {"VRMC_vrm_animation": {"humanoid": {"humanBones": {"hips": {"node": 0}}}}},
        }
        with pytest.raises(VrmError, match=why):
            load_animation(doll.glb(doc, writer))


@pytest.mark.parametrize(("kind", "middle"), [("LINEAR", 0.5), ("STEP", 0.0), ("CUBICSPLINE", 0.5)])
def test_interpolations(kind: str, middle: float) -> None:
    writer = doll.Writer()
    keys = np.array([[0, 1, 0], [1, 1, 0]], "<f4")
    if kind == "CUBICSPLINE":
        still = np.zeros(3, "<f4")
        keys = np.array([still, keys[0], still, still, keys[1], still], "<f4")
    sampler = {
        "input": writer.add(np.array([0.0, 1.0], "<f4"), "SCALAR"),
        "output": writer.add(keys, "VEC3"),
        "interpolation": kind,
    }
    doc = {
        "nodes": [{"translation": [0, 1, 0]}],
        "animations": [
            {
                "samplers": [sampler],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            }
        ],
        "extensions": {"VRMC_vrm_animation": {"humanoid": {"humanBones": {"hips": {"node": 0}}}}},
    }
    clip = load_animation(doll.glb(doc, writer))
    assert clip.sample(0.5).hips[0] == pytest.approx(middle)
    if kind == "CUBICSPLINE":
        assert clip.sample(0.25).hips[0] == pytest.approx(0.15625)


def test_a_real_clip(avatars: Path) -> None:
    clip = load_animation((avatars / "test.vrma").read_bytes())
    assert clip.duration_s == pytest.approx(3.0)
    assert set(clip.rotations) == {"rightUpperArm"}
    assert set(clip.expressions) == {"happy"}
