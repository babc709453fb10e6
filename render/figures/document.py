"""A figure's file: scene, meshes, materials and the VRM 1.0 blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from render.figures.expressions import MORPHS, all_expressions
from render.figures.materials import all_materials
from render.figures.mesh import Part
from render.figures.skeleton import Skeleton
from render.figures.springs import Chain, all_springs
from render.figures.style import Style
from render.figures.textures import paint_all
from render.figures.writer import GlbWriter, joined

Json = dict[str, Any]

_FACE = frozenset(
    {"face", "eye_white", "iris", "lash", "crease", "brow", "mouth", "mouth_line", "blush", "blush_strokes"}
)
"""Materials of the mesh that carries the expressions."""
_EXTENSIONS = ["VRMC_vrm", "VRMC_materials_mtoon", "VRMC_springBone", "KHR_materials_unlit"]
_REPEAT, _CLAMP = 10497, 33071
_SAMPLERS = [
    {"magFilter": 9729, "minFilter": 9987, "wrapS": _REPEAT, "wrapT": wrap} for wrap in (_CLAMP, _REPEAT)
]


class FigureFile:
    """One figure on its way into a file."""

    def __init__(
        self, style: Style, skeleton: Skeleton, humans: list[str], chains: list[Chain], parts: list[Part]
    ) -> None:
        """Take a figure apart for writing.

        Args:
            style: Its style.
            skeleton: All bones.
            humans: Names of the humanoid bones.
            chains: Swinging bones.
            parts: All surfaces.
        """
        self.style, self.skeleton, self.humans, self.chains = style, skeleton, humans, chains
        self.glb = GlbWriter()
        used = {part.material for part in parts}
        self.parts = parts
        self.materials = [material for material in all_materials(style) if material.name in used]
        self.numbers = {material.name: i for i, material in enumerate(self.materials)}

    def write(self) -> bytes:
        """Return the file's bytes."""
        bones = len(self.skeleton.positions)
        face = self._mesh("Face", [p for p in self.parts if p.material in _FACE], list(MORPHS))
        body = self._mesh("Body", [p for p in self.parts if p.material not in _FACE], [])
        shown = [{"name": "Face", "mesh": 0, "skin": 0}, {"name": "Body", "mesh": 1, "skin": 0}]
        skin = {"joints": list(range(bones)), "skeleton": 0, "inverseBindMatrices": self._bind_matrices()}
        springs = all_springs(self.skeleton, self.style.frame, self.chains)
        document = {
            "asset": {"version": "2.0", "generator": "Otomo render.figures"},
            "extensionsUsed": _EXTENSIONS,
            "extensions": {"VRMC_vrm": self._vrm(bones), "VRMC_springBone": springs},
            "scene": 0,
            "scenes": [{"nodes": [0, bones, bones + 1]}],
            "nodes": [*self._nodes(), *shown],
            "meshes": [face, body],
            "skins": [skin],
        }
        return self.glb.file(document | self._surfaces())

    def _surfaces(self) -> Json:
        """Return materials with their textures, samplers and pictures."""
        wanted = {material.picture for material in self.materials}
        pictures = {name: image for name, image in paint_all(self.style).items() if name in wanted}
        return {
            "materials": [material.json(list(pictures)) for material in self.materials],
            "textures": [{"source": i, "sampler": int(name == "ribs")} for i, name in enumerate(pictures)],
            "samplers": _SAMPLERS,
            "images": [self.glb.picture(name, image) for name, image in pictures.items()],
        }

    def _mesh(self, name: str, parts: list[Part], targets: list[str]) -> Json:
        """Return a mesh with one primitive per material, in the order of the materials."""
        primitives = []
        for material in self.materials:
            own = [part for part in parts if part.material == material.name]
            if own:
                number, textured = self.numbers[material.name], material.picture is not None
                primitives.append(
                    self.glb.primitive(joined(own, targets), number, targets, textured=textured)
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
