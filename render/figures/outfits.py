"""The three outfits: what is worn with what."""

from __future__ import annotations

from render.figures.details import build_necklace
from render.figures.jackets import CARDIGAN, COAT, JACKET, build_coat_tails, build_jacket, coat_chains
from render.figures.lower import build_shoes, build_skirt, build_trousers, skirt_chains
from render.figures.mesh import Part
from render.figures.shirts import build_shirt, build_turtleneck
from render.figures.springs import Chain
from render.figures.style import Style
from render.figures.tailor import Tailor


def outfit_chains(tailor: Tailor, style: Style) -> list[Chain]:
    """Return the swinging bones of an outfit."""
    if style.outfit == "cardigan":
        return skirt_chains()
    return coat_chains(tailor) if style.outfit == "coat" else []


def build_outfit(tailor: Tailor, style: Style, chains: list[Chain]) -> list[Part]:
    """Return all clothes of a figure; `chains` are all chains of the figure."""
    own = [chain for chain in chains if chain.name.startswith(("skirt_", "coat_"))]
    if style.outfit == "cardigan":
        below = [*build_skirt(tailor, own), *build_shoes(tailor, shaft=0.36)]
        return [*build_turtleneck(tailor), *build_jacket(tailor, CARDIGAN), *below]
    below = [*build_trousers(tailor), *build_shoes(tailor, shaft=0.12)]
    if style.outfit == "coat":
        return [
            *build_shirt(tailor, 0.030),
            *build_necklace(tailor, 1.338),
            *build_jacket(tailor, COAT),
            *build_coat_tails(tailor, own),
            *below,
        ]
    return [*build_shirt(tailor, 0.055), *build_jacket(tailor, JACKET), *below]
