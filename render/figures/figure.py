"""Putting a figure together and writing it as VRM 1.0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from render.figures.body import Body
from render.figures.bones import humanoid
from render.figures.expressions import MORPHS, all_expressions
from render.figures.eyes import Eye, build_brow, build_eye
from render.figures.hairstyles import build_hair, hairdo, world_chains
from render.figures.hands import build_hand
from render.figures.head import Head, build_head
from render.figures.materials import all_materials
from render.figures.mesh import Part, ellipsoid
from render.figures.mouth import build_blush, build_mouth
from render.figures.outfits import build_outfit, outfit_chains
from render.figures.shirts import build_neck
from render.figures.skeleton import Skeleton
from render.figures.springs import Chain, add_chains, all_springs
from render.figures.style import Style
from render.figures.tailor import Tailor
from render.figures.textures import paint_all
from render.figures.writer import GlbWriter, joined

Json = dict[str, Any]
_FACE = (
    "face",
    "eye_white",
    "iris",
    "lash",
    "crease",
    "brow",
    "mouth",
    "mouth_line",
    "blush",
    "blush_strokes",
)


def write_figure(style: Style) -> bytes:
    """Return a figure as the bytes of a .vrm file."""
    head = Head(style.frame)
    dress = hairdo(head, style)
    skeleton = humanoid(style.frame)
    humans = list(skeleton.positions)
    tailor = Tailor(Body(style.frame), skeleton)
    chains = [*world_chains(style, dress), *outfit_chains(tailor, style)]
    add_chains(skeleton, chains)
    parts = [
        *_face_parts(head, style, skeleton),
        *build_hair(head, style, dress, chains, skeleton),
        *build_hand(style.frame, skeleton, "left"),
        *build_hand(style.frame, skeleton, "right"),
        build_neck(tailor),
        *build_outfit(tailor, style, chains),
    ]
    return _File(style, skeleton, humans, chains, parts).write()


def _face_parts(head: Head, style: Style, skeleton: Skeleton) -> list[Part]:
    """Return head, ears and everything drawn on the face, in world coordinates."""
    parts = [
        skeleton.rigid(build_head(head), "face", "head"),
        *build_mouth(head, skeleton),
        *build_blush(head, skeleton),
    ]
    for side in (1, -1):
        eye = Eye(head, style, side)
        parts += [*build_eye(eye, skeleton), build_brow(eye, skeleton)]
        if style.hair == "short":
            parts.append(_ear(head, skeleton, side))
    lift = np.array([0.0, style.frame.chin, 0.0])
    return [replace(p, surface=replace(p.surface, points=p.surface.points + lift)) for p in parts]


def _ear(head: Head, skeleton: Skeleton, side: int) -> Part:
    """Return an ear."""
    s = head.scale
    c, d = np.cos(0.30), np.sin(0.30)
    turn = np.array([[c, 0, side * d], [0, 1, 0], [-side * d, 0, c]])
    centre = np.array([side * 0.0725, 0.098, -0.012]) * s
    surface = ellipsoid(centre, np.array([0.0065, 0.0285, 0.0180]) * s, turn)
    return skeleton.rigid(surface, "skin", "head")


class _File:
    """One figure on its way into a file."""

    def __init__(
        self, style: Style, skeleton: Skeleton, humans: list[str], chains: list[Chain], parts: list[Part]
    ) -> None:
        self.style, self.skeleton, self.humans, self.chains = style, skeleton, humans, chains
        self.glb = GlbWriter()
        used = {part.material for part in parts}
        self.parts = parts
        self.materials = [material for material in all_materials(style) if material.name in used]
        self.numbers = {material.name: i for i, material in enumerate(self.materials)}

    def write(self) -> bytes:
        """Return the file's bytes."""
        bones = len(self.skeleton.positions)
        shown = {material.picture for material in self.materials}
        pictures = {name: image for name, image in paint_all(self.style).items() if name in shown}
        face = self._mesh("Face", [p for p in self.parts if p.material in _FACE], list(MORPHS))
        body = self._mesh("Body", [p for p in self.parts if p.material not in _FACE], [])
        images = [self.glb.picture(name, image) for name, image in pictures.items()]
        meshes = [{"name": "Face", "mesh": 0, "skin": 0}, {"name": "Body", "mesh": 1, "skin": 0}]
        return self.glb.file(
            {
                "asset": {"version": "2.0", "generator": "Otomo render.figures"},
                "extensionsUsed": [
                    "VRMC_vrm",
                    "VRMC_materials_mtoon",
                    "VRMC_springBone",
                    "KHR_materials_unlit",
                ],
                "extensions": {
                    "VRMC_vrm": self._vrm(bones),
                    "VRMC_springBone": all_springs(self.skeleton, self.style.frame, self.chains),
                },
                "scene": 0,
                "scenes": [{"nodes": [0, bones, bones + 1]}],
                "nodes": [*self._nodes(), *meshes],
                "meshes": [face, body],
                "skins": [
                    {
                        "joints": list(range(bones)),
                        "skeleton": 0,
                        "inverseBindMatrices": self._bind_matrices(),
                    }
                ],
                "materials": [material.json(list(pictures)) for material in self.materials],
                "textures": [
                    {"source": i, "sampler": int(name == "ribs")} for i, name in enumerate(pictures)
                ],
                "samplers": [
                    {"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": wrap}
                    for wrap in (33071, 10497)
                ],
                "images": images,
            }
        )

    def _mesh(self, name: str, parts: list[Part], targets: list[str]) -> Json:
        """Return a mesh with one primitive per material, in the order of the materials."""
        primitives = []
        for material in self.materials:
            own = [part for part in parts if part.material == material.name]
            if own:
                primitives.append(
                    self.glb.primitive(joined(own, targets), self.numbers[material.name], targets)
                )
        return {"name": name, "primitives": primitives, "extras": {"targetNames": targets}}

    def _nodes(self) -> list[Json]:
        """Return the bones as nodes, every one with its offset from its parent."""
        nodes = []
        for name, position in self.skeleton.positions.items():
            parent = self.skeleton.parents[name]
            offset = position if parent is None else position - self.skeleton.positions[parent]
            node: Json = {"name": name, "translation": [round(float(v), 6) for v in offset]}
            children = [
                self.skeleton.number(other) for other, up in self.skeleton.parents.items() if up == name
            ]
            if children:
                node["children"] = children
            nodes.append(node)
        return nodes

    def _bind_matrices(self) -> int:
        """Append the inverse bind matrices."""
        matrices = np.tile(np.eye(4), (len(self.skeleton.positions), 1, 1))
        matrices[:, :3, 3] = -np.array(list(self.skeleton.positions.values()))
        return self.glb.matrices(matrices)

    def _vrm(self, face: int) -> Json:
        """Return the VRMC_vrm block; `face` is the node of the face's mesh."""
        scale = self.style.frame.head / 0.222
        return {
            "specVersion": "1.0",
            "meta": _meta(self.style),
            "humanoid": {"humanBones": {name: {"node": self.skeleton.number(name)} for name in self.humans}},
            "expressions": all_expressions(face, self.numbers),
            "lookAt": _look_at(scale),
            "firstPerson": {
                "meshAnnotations": [
                    {"node": face, "type": "thirdPersonOnly"},
                    {"node": face + 1, "type": "auto"},
                ]
            },
        }


def _look_at(scale: float) -> Json:
    """Return how the gaze is shown: by the movements look*."""
    reach = {"inputMaxValue": 45.0, "outputScale": 1.0}
    steep = {"inputMaxValue": 30.0, "outputScale": 1.0}
    return {
        "type": "expression",
        "offsetFromHeadBone": [0.0, round(0.093 * scale, 4), round(0.075 * scale, 4)],
        "rangeMapHorizontalInner": reach,
        "rangeMapHorizontalOuter": reach,
        "rangeMapVerticalDown": steep,
        "rangeMapVerticalUp": steep,
    }


def _meta(style: Style) -> Json:
    """Return the meta block: who may do what with the figure (VRMC_vrm-1.0, meta)."""
    return {
        "name": style.name,
        "version": "1",
        "authors": ["The Otomo authors"],
        "copyrightInformation": "Built by Otomo's own code and free like it: use, change and pass on, with this notice.",
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "otherLicenseUrl": "https://opensource.org/license/mit",
        "avatarPermission": "everyone",
        "allowExcessivelyViolentUsage": False,
        "allowExcessivelySexualUsage": False,
        "commercialUsage": "corporation",
        "allowPoliticalOrReligiousUsage": False,
        "allowAntisocialOrHateUsage": False,
        "creditNotation": "unnecessary",
        "allowRedistribution": True,
        "modification": "allowModificationRedistribution",
    }
