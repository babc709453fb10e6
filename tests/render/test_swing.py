from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from render import pose, posing, rotations
from render.errors import VrmError
from render.swing import Swing
from render.vrm import Model, load
from tests.render import doll

STRAND = 15


def with_strand(**joint: Any) -> tuple[dict[str, Any], doll.Writer]:
    """The doll with three hairs in a row, held out level from the head."""
    doc, writer = doll.vrm1()
    doc["nodes"][4]["children"].append(STRAND)
    for i in range(4):
        node: dict[str, Any] = {"translation": [0.2 if i == 0 else 0.1, 0.0, 0.0]}
        if i < 3:
            node["children"] = [STRAND + i + 1]
        doc["nodes"].append(node)
    joints = [
        {"node": STRAND + i, "stiffness": 0.0, "gravityPower": 1.0, "dragForce": 0.4, **joint}
        for i in range(4)
    ]
    doc["extensions"]["VRMC_springBone"] = {"springs": [{"joints": joints}]}
    return doc, writer


def strand(model: Model, local: np.ndarray) -> np.ndarray:
    return model.tree.world(local)[STRAND : STRAND + 4, :3, 3]


def settled(model: Model) -> np.ndarray:
    return strand(model, Swing(model).settle(model.tree.rotations))


def test_a_limp_strand_hangs_down_and_keeps_its_length() -> None:
    model = load(doll.glb(*with_strand()))
    places = settled(model)
    steps = np.diff(places, axis=0)
    assert np.linalg.norm(steps, axis=1) == pytest.approx([0.1] * 3)
    assert steps[-1] == pytest.approx([0, -0.1, 0], abs=0.02)


def test_a_stiff_strand_stays() -> None:
    model = load(doll.glb(*with_strand(stiffness=20.0, gravityPower=0.1)))
    assert settled(model) == pytest.approx(strand(model, model.tree.rotations), abs=0.004)


def test_gravity_may_pull_anywhere() -> None:
    model = load(doll.glb(*with_strand(gravityDir=[0.0, 0.0, 1.0])))
    assert np.diff(settled(model), axis=0)[-1] == pytest.approx([0, 0, 0.1], abs=0.02)


def test_a_collider_is_not_passed() -> None:
    doc, writer = with_strand()
    center, radius = np.array([0.2, 1.4, 0.02]), 0.12
    doc["extensions"]["VRMC_springBone"] |= {
        "colliders": [
            {"node": doll.BODY_NODE, "shape": {"sphere": {"offset": center.tolist(), "radius": radius}}}
        ],
        "colliderGroups": [{"colliders": [0]}],
    }
    free = settled(load(doll.glb(doc, writer)))
    doc["extensions"]["VRMC_springBone"]["springs"][0]["colliderGroups"] = [0]
    kept_off = settled(load(doll.glb(doc, writer)))
    assert np.linalg.norm(free[1:] - center, axis=1).min() < radius - 0.02
    assert np.linalg.norm(kept_off[1:] - center, axis=1).min() > radius - 0.01


def test_a_moving_strand_lags_and_comes_to_rest() -> None:
    model = load(doll.glb(*with_strand(stiffness=1.0)))
    swing = Swing(model)
    start = swing.settle(model.tree.rotations)
    nod = posing.turned(model, {"head": rotations.euler(z=40)})
    first = strand(model, swing.step(nod, 1 / 30))
    for _ in range(150):
        last = swing.step(nod, 1 / 30)
    still = strand(model, Swing(model).settle(nod))
    assert np.abs(strand(model, last) - still).max() < 0.01
    assert np.abs(first - still).max() > 0.02
    assert np.abs(strand(model, start) - first).max() < 0.15


def test_old_files_let_the_last_bone_swing_too() -> None:
    doc, writer = doll.vrm0()
    doc["nodes"][4]["children"].append(STRAND)
    doc["nodes"].append({"translation": [0.2, 0.0, 0.0]})
    group = {"bones": [STRAND, -1], "stiffiness": 0.5, "gravityPower": 1.0}
    doc["extensions"]["VRM"]["secondaryAnimation"] = {"boneGroups": [group]}
    joints = load(doll.glb(doc, writer)).springs.joints
    assert len(joints) == 1
    assert joints[0].stiffness == 0.5
    assert np.linalg.norm(joints[0].tail) == pytest.approx(0.07)


@pytest.mark.parametrize(
    "change",
    [
        {"springs": [{"joints": [{"node": 999}, {"node": 0}]}]},
        {"springs": [{"joints": [], "colliderGroups": [4]}]},
        {"colliders": [{"node": 77}]},
        {"colliders": [{"node": 0}] * 2000},
        {
            "springs": [{"joints": [{"node": 4}, {"node": 14}], "colliderGroups": [0]}],
            "colliderGroups": [{"colliders": [9]}],
        },
    ],
)
def test_broken_springs_are_refused(change: dict[str, Any]) -> None:
    doc, writer = doll.vrm1()
    doc["nodes"][14]["translation"] = [0.0, 0.1, 0.0]
    doc["extensions"]["VRMC_springBone"] = change
    with pytest.raises(VrmError):
        load(doll.glb(doc, writer))


def test_bones_without_length_do_not_swing() -> None:
    doc, writer = with_strand()
    doc["nodes"][STRAND + 1]["translation"] = [0.0, 0.0, 0.0]
    model = load(doll.glb(doc, writer))
    assert len(model.springs.joints) == 2
    assert np.isfinite(settled(model)).all()


def test_a_real_avatar_settles_near_its_rest(avatars: Path) -> None:
    model = load((avatars / "Godette_vrm_v4.vrm").read_bytes())
    assert len(model.springs.joints) > 5
    local = Swing(model).settle(posing.apply(model, pose.for_emotion("playful")).local)
    moved = np.linalg.norm(
        (model.tree.world(local) - model.tree.world(posing.apply(model, pose.for_emotion("playful")).local))[
            :, :3, 3
        ],
        axis=1,
    )
    assert 0 < moved.max() < 0.1
