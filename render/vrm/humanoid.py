"""Which node is which human bone (VRMC_vrm 1.0 "humanoid"; names of 1.0 for both versions)."""

from __future__ import annotations

from typing import Final

from render.vrm import fields
from render.vrm.fields import Json

_SIDES: Final = ("left", "right")
_THUMBS: Final = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in _SIDES
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}
"""0.x counts the thumb's bones one place further out than 1.0."""
FINGERS: Final = ("Index", "Middle", "Ring", "Little")


def read_1(extension: Json, node_count: int) -> dict[str, int]:
    """Return bone -> node of a VRM 1.0 file; entries that name no node are skipped."""
    bones: dict[str, int] = {}
    declared = fields.table(fields.table(extension, "humanoid"), "humanBones")
    for bone in declared:
        _add(bones, bone, fields.table(declared, bone), node_count)
    return _consistent(bones)


def read_0(extension: Json, node_count: int) -> dict[str, int]:
    """Return bone -> node of a VRM 0.x file; the first entry of a bone wins."""
    bones: dict[str, int] = {}
    for declared in fields.tables(fields.table(extension, "humanoid"), "humanBones"):
        name = fields.text(declared, "bone")
        _add(bones, _THUMBS.get(name, name), declared, node_count)
    return _consistent(bones)


def _add(bones: dict[str, int], name: str, declared: Json, node_count: int) -> None:
    if declared.get("node") is None:
        return
    node = fields.as_index(declared["node"], "node")
    # Exporters leave entries of removed bones behind: -1, or numbers of nodes that are gone.
    if 0 <= node < node_count and name:
        bones.setdefault(name, node)


def _consistent(bones: dict[str, int]) -> dict[str, int]:
    if "chest" not in bones:
        bones.pop("upperChest", None)
    return bones
