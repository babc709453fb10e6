"""Putting a figure together from its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from render.figures.body import Body
from render.figures.bones import humanoid
from render.figures.document import FigureFile
from render.figures.eyes import Eye, build_brow, build_eye
from render.figures.hairstyles import build_hair, hairdo, world_chains
from render.figures.hands import build_hand
from render.figures.head import Head, build_head
from render.figures.mesh import Part, ellipsoid
from render.figures.mouth import build_blush, build_mouth
from render.figures.outfits import build_outfit, outfit_chains
from render.figures.shirts import build_neck
from render.figures.skeleton import Skeleton
from render.figures.springs import add_chains
from render.figures.style import Style
from render.figures.tailor import Tailor


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
    return FigureFile(style, skeleton, humans, chains, parts).write()


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
