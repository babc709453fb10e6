from __future__ import annotations

import pytest

from render.vrm import load
from tests.render import doll


@pytest.mark.parametrize("node", [-1, 10_000])
def test_bones_that_are_gone_are_skipped(node: int) -> None:
    doc, writer = doll.vrm1()
    bones = doc["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    bones["leftHand"] = {"node": node}
    read = load(doll.glb(doc, writer)).bones
    assert "leftHand" not in read
    assert "rightHand" in read


def test_an_upper_chest_needs_a_chest() -> None:
    doc, writer = doll.vrm1()
    bones = doc["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    bones["upperChest"] = bones.pop("chest")
    assert "upperChest" not in load(doll.glb(doc, writer)).bones
