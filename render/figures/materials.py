"""Materials of a figure as MToon 1.0 (VRMC_materials_mtoon-1.0) JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from render.figures.paint import linear, mixed
from render.figures.style import Palette, Style

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Material:
    """One toon material.

    Attributes:
        name: Its name in the file.
        colour: Lit colour, `#rrggbb`; multiplies the picture where there is one.
        shade: Colour in shadow, likewise.
        picture: Name of a picture of `textures`, or None.
        shift: Where the shadow begins: -1 all shadow, 1 all light (shadingShiftFactor).
        toony: Sharpness of the shadow's border, 0 to 1.
        outline: Colour of the outline, or None.
        outline_width: Metres.
        alpha: None for an opaque material, else its opacity from 0 to 1.
        depth: A blended material writes depth.
        double_sided: Seen from behind as well.
    """

    name: str
    colour: str
    shade: str
    picture: str | None = None
    shift: float = -0.05
    toony: float = 0.93
    outline: str | None = None
    outline_width: float = 0.0012
    alpha: float | None = None
    depth: bool = True
    double_sided: bool = False

    def json(self, pictures: list[str]) -> Json:
        """Return the material as glTF JSON; `pictures` is the order of the file's textures."""
        pbr: Json = {
            "baseColorFactor": [*linear(self.colour), 1.0 if self.alpha is None else self.alpha],
            "metallicFactor": 0,
            "roughnessFactor": 0.9,
        }
        toon = self._toon()
        if self.picture is not None:
            pbr["baseColorTexture"] = {"index": pictures.index(self.picture)}
            toon["shadeMultiplyTexture"] = {"index": pictures.index(self.picture)}
        return {
            "name": self.name,
            "pbrMetallicRoughness": pbr,
            "alphaMode": "OPAQUE" if self.alpha is None else "BLEND",
            "doubleSided": self.double_sided,
            "extensions": {"VRMC_materials_mtoon": toon, "KHR_materials_unlit": {}},
        }

    def _toon(self) -> Json:
        """Return the MToon block without textures."""
        toon: Json = {
            "specVersion": "1.0",
            "transparentWithZWrite": self.alpha is not None and self.depth,
            "shadeColorFactor": linear(self.shade),
            "shadingShiftFactor": self.shift,
            "shadingToonyFactor": self.toony,
            "giEqualizationFactor": 0.9,
        }
        if self.outline is not None:
            toon |= {
                "outlineWidthMode": "worldCoordinates",
                "outlineWidthFactor": self.outline_width,
                "outlineColorFactor": linear(self.outline),
                "outlineLightingMixFactor": 0.0,
            }
        return toon


def _ratio(shade: str, colour: str) -> str:
    """Return the factor that turns `colour` into `shade`, as a colour (computed in linear light)."""
    factors = [min(1.0, a / max(b, 1e-4)) for a, b in zip(linear(shade), linear(colour), strict=True)]
    encoded = [12.92 * f if f <= 0.0031308 else 1.055 * f ** (1 / 2.4) - 0.055 for f in factors]
    red, green, blue = (round(255 * e) for e in encoded)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _skin(palette: Palette) -> list[Material]:
    """Return the materials of the face and the skin."""
    white, shade = "#ffffff", _ratio(palette.skin_shade, palette.skin)
    line = palette.skin_line
    flat = [("lash", palette.lash), ("brow", palette.brow), ("crease", mixed(line, palette.lash, 0.25))]
    return [
        Material("face", white, shade, "face", shift=-0.14, toony=0.95, outline=line, outline_width=0.0009),
        Material(
            "skin",
            palette.skin,
            palette.skin_shade,
            shift=-0.08,
            toony=0.94,
            outline=line,
            outline_width=0.0010,
        ),
        Material("neck", white, shade, "neck", shift=-0.02, toony=0.95, outline=line, outline_width=0.0009),
        Material("eye_white", white, white, "eye_white"),
        Material("mouth", white, white, "mouth"),
        Material("mouth_line", mixed(line, "#4a1520", 0.45), mixed(line, "#4a1520", 0.45)),
        *(Material(name, colour, colour) for name, colour in flat),
        Material("iris", white, white, "iris", alpha=1.0),
        Material("blush", white, white, "blush", alpha=0.0, depth=False),
        Material("blush_strokes", white, white, "blush_strokes", alpha=0.0, depth=False),
    ]


def _cloth(
    name: str, colour: str, shade: str, picture: str | None = None, *, double: bool = False
) -> Material:
    """Return a fabric; a picture multiplies its colours."""
    line = mixed(shade, "#1c1526", 0.62)
    return Material(
        name, colour, shade, picture, shift=-0.06, toony=0.92, outline=line, outline_width=0.0014,
        double_sided=double,
    )  # fmt: skip


def all_materials(style: Style) -> list[Material]:
    """Return the materials of a figure, roughly from front to back: a hidden surface is then not shaded."""
    palette = style.palette
    hair_shade = _ratio(mixed(palette.hair, palette.hair_dark, 0.75), palette.hair)
    hair = Material(
        "hair", "#ffffff", hair_shade, "hair", shift=-0.10, toony=0.93, outline=palette.hair_line,
        outline_width=0.0010,
    )  # fmt: skip
    trim = mixed(palette.outer, palette.outer_shade, 0.55)
    deep = mixed(palette.hair, palette.hair_dark, 0.85)
    return [
        hair,
        *_skin(palette),
        _cloth("outer_trim", trim, palette.outer_shade),
        _cloth("knit_trim", trim, palette.outer_shade, "ribs"),
        _cloth("accent", palette.accent, mixed(palette.accent, palette.outer_shade, 0.5)),
        _cloth("top", palette.top, palette.top_shade, double=True),
        _cloth("knit", palette.top, palette.top_shade, "ribs"),
        _cloth("outer", palette.outer, palette.outer_shade, double=True),
        _cloth("lower", palette.lower, palette.lower_shade, double=True),
        Material(
            "skirt",
            "#ffffff",
            _ratio(palette.lower_shade, palette.lower),
            "skirt",
            shift=-0.06,
            toony=0.92,
            outline=mixed(palette.lower_shade, "#1c1526", 0.62),
            outline_width=0.0014,
            double_sided=True,
        ),
        _cloth("shoe", palette.shoe, palette.shoe_shade),
        Material("hair_deep", deep, mixed(deep, palette.hair_line, 0.15), double_sided=True),
        replace(hair, name="hair_cap", outline=None),
        replace(hair, name="hair_back"),
    ]
