"""Expressions of a figure: which movements and which blush each of them shows (VRMC_vrm-1.0, expressions)."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

MORPHS = (
    "happy", "angry", "sad", "relaxed", "surprised", "flustered", "blinkLeft", "blinkRight",
    "aa", "ih", "ou", "ee", "oh", "lookUp", "lookDown", "lookLeft", "lookRight",
)  # fmt: skip
"""Movements of the face, in the order of the mesh's morph targets."""

_BLUSH = {"happy": (0.55, 0.0), "relaxed": (0.35, 0.0), "flustered": (1.0, 0.9)}
"""Opacity of blush and strokes at full weight."""
_EYES_CLOSED = frozenset({"happy"})
_MOODS = ("happy", "angry", "sad", "relaxed", "surprised", "flustered")


def _expression(
    morphs: tuple[str, ...], face: int, colours: list[Json], *, mood: bool, closed: bool = False
) -> Json:
    """Return one expression; a mood gives way to no lip-sync shape on top of its own mouth."""
    made: Json = {
        "isBinary": False,
        "morphTargetBinds": [{"node": face, "index": MORPHS.index(name), "weight": 1.0} for name in morphs],
        "overrideMouth": "blend" if mood else "none",
        "overrideBlink": "blend" if closed else "none",
        "overrideLookAt": "none",
    }
    if colours:
        made["materialColorBinds"] = colours
    return made


def _colours(name: str, materials: dict[str, int]) -> list[Json]:
    """Return the binds that let blush appear."""
    soft, strokes = _BLUSH.get(name, (0.0, 0.0))
    shown = (("blush", soft), ("blush_strokes", strokes))
    return [
        {"material": materials[material], "type": "color", "targetValue": [1.0, 1.0, 1.0, opacity]}
        for material, opacity in shown
        if opacity
    ]


def all_expressions(face: int, materials: dict[str, int]) -> Json:
    """Return presets and custom expressions.

    Args:
        face: Node of the mesh with the movements.
        materials: Index of each material by name.
    """
    named = {
        name: _expression(
            (name,), face, _colours(name, materials), mood=name in _MOODS, closed=name in _EYES_CLOSED
        )
        for name in MORPHS
    }
    named["neutral"] = _expression((), face, [], mood=False)
    named["blink"] = _expression(("blinkLeft", "blinkRight"), face, [], mood=False)
    custom = {"flustered": named.pop("flustered")}
    return {"preset": named, "custom": custom}
