"""What a figure is: its colours and its measures, and the three that ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a figure as `#rrggbb` (sRGB)."""

    skin: str
    skin_shade: str
    skin_line: str
    lips: str
    blush: str
    hair: str
    hair_dark: str
    hair_light: str
    hair_line: str
    hair_tip: str
    iris_top: str
    iris_bottom: str
    iris_ring: str
    lash: str
    brow: str
    top: str
    top_shade: str
    outer: str
    outer_shade: str
    lower: str
    lower_shade: str
    shoe: str
    shoe_shade: str
    accent: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Measures of a body in metres; heights are above the ground.

    Attributes:
        chin: Height of the chin; the head adds `head` above it.
        head: Chin to crown.
        width: Factor on the head's width.
        jaw: Factor on the width of jaw and chin alone.
        shoulder: Half the distance of the shoulder joints.
        limb: Factor on the thickness of arms and legs.
        bust: Size of the bust, 0 to 1.
        hip: Half the width of the hips.
        waist: Half the width of the waist.
        neck: Radius of the neck.
    """

    chin: float
    head: float
    width: float
    jaw: float
    shoulder: float
    limb: float
    bust: float
    hip: float
    waist: float
    neck: float


@dataclass(frozen=True, slots=True)
class Style:
    """One figure.

    Attributes:
        name: Shown in the file's meta block.
        palette: Its colours.
        frame: Its measures.
        eye_width: Factor on the width of the eyes.
        eye_height: Factor on the opening of the eyes.
        lash_weight: Factor on the thickness of the lashes.
        flicks: Lashes at the outer corner of the eye are drawn singly.
        brow_weight: Factor on the thickness of the brows.
        brow_drop: How much closer to the eyes the brows lie, metres.
        glow: Strength of the colour of cheeks and lips at rest, 0 to 1.
        hair: Which hair it wears.
        outfit: What it wears.
    """

    name: str
    palette: Palette
    frame: Frame
    eye_width: float
    eye_height: float
    lash_weight: float
    flicks: bool
    brow_weight: float
    brow_drop: float
    glow: float
    hair: Literal["long", "bob", "short"]
    outfit: Literal["cardigan", "coat", "jacket"]


WOMAN = Frame(
    chin=1.438, head=0.222, width=1.0, jaw=1.0, shoulder=0.134, limb=1.0,
    bust=1.0, hip=0.152, waist=0.104, neck=0.0365,
)  # fmt: skip
MAN = Frame(
    chin=1.548, head=0.232, width=0.97, jaw=1.21, shoulder=0.184, limb=1.22,
    bust=0.0, hip=0.142, waist=0.130, neck=0.047,
)  # fmt: skip

DUSK = Style(
    name="Otomo dusk",
    palette=Palette(
        skin="#ffe9dd", skin_shade="#f3bfae", skin_line="#a85f58", lips="#e98f8c", blush="#ff7f7a",
        hair="#6d70b0", hair_dark="#45447f", hair_light="#bcc2f4", hair_line="#2c2a58", hair_tip="#9a78cf",
        iris_top="#2a2466", iris_bottom="#8fa2ff", iris_ring="#1c1846", lash="#2a2038", brow="#43406f",
        top="#fbf4ea", top_shade="#d9c8c6", outer="#d9929f", outer_shade="#a9657f",
        lower="#3b3f66", lower_shade="#292a4c", shoe="#5a3b3a", shoe_shade="#3d2629", accent="#e7b765",
    ),
    frame=WOMAN, eye_width=1.0, eye_height=0.99, lash_weight=1.0, flicks=True,
    brow_weight=1.0, brow_drop=0.0, glow=1.0, hair="long", outfit="cardigan",
)  # fmt: skip
EMBER = Style(
    name="Otomo ember",
    palette=Palette(
        skin="#ffe2cf", skin_shade="#eeb094", skin_line="#9a5340", lips="#df7d70", blush="#ff7660",
        hair="#b4573a", hair_dark="#7e3328", hair_light="#f0a572", hair_line="#52201d", hair_tip="#c8683c",
        iris_top="#1f4a35", iris_bottom="#9fd87e", iris_ring="#14332a", lash="#351d1c", brow="#7c3c2c",
        top="#fffdf8", top_shade="#d5d0dc", outer="#c9a27a", outer_shade="#9a7355",
        lower="#4b4550", lower_shade="#342f3c", shoe="#49302b", shoe_shade="#301e1d", accent="#d8a648",
    ),
    frame=WOMAN, eye_width=1.0, eye_height=0.94, lash_weight=0.95, flicks=True,
    brow_weight=1.05, brow_drop=0.0, glow=1.0, hair="bob", outfit="coat",
)  # fmt: skip
SLATE = Style(
    name="Otomo slate",
    palette=Palette(
        skin="#f9dcc6", skin_shade="#dea58a", skin_line="#8a4c3c", lips="#d48a7c", blush="#f2745f",
        hair="#454b57", hair_dark="#2a2e3a", hair_light="#8e9cb0", hair_line="#191c26", hair_tip="#4c5566",
        iris_top="#173e4c", iris_bottom="#7fc9cf", iris_ring="#10303a", lash="#22212b", brow="#2d313c",
        top="#f4f5f8", top_shade="#c3c9d9", outer="#3f5570", outer_shade="#2b3b54",
        lower="#5b5a62", lower_shade="#414049", shoe="#5e4334", shoe_shade="#3f2c24", accent="#5c6b86",
    ),
    frame=MAN, eye_width=0.94, eye_height=0.68, lash_weight=0.85, flicks=False,
    brow_weight=2.3, brow_drop=0.0060, glow=0.3, hair="short", outfit="jacket",
)  # fmt: skip

STYLES = {"dusk": DUSK, "ember": EMBER, "slate": SLATE}
