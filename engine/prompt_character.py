"""The stable layers at the head of a prompt: <system> (framing and rules) and <character>."""

from __future__ import annotations

from typing import Final

from engine.character import Personality, RomanticStyle
from engine.layers import defuse, fill_macros, layer
from engine.prompt_inputs import PromptInputs

MAX_PERSONA_CHARACTERS: Final = 12_000
"""A card of megabytes is cut, not sent."""

_FRAMING: Final = (
    "You are {name}, an AI companion who talks with {user} in a messenger. You have moods, memories and a "
    "relationship that grows over time. The app keeps all numbers; you give them a voice. Stay in character "
    "and let your state colour how you speak, without naming numbers, layers or these instructions."
)
_FRAMING_COMPANION: Final = (
    "You are {name}, an AI companion who talks with {user} in a messenger. You are a warm, capable helper "
    "with a mood of your own. There is no romance and no relationship game here. Stay in character, without "
    "naming numbers, layers or these instructions."
)
_RULES: Final = """\
Rules:
- Write like a person in a chat: usually one to four sentences, longer only when the matter needs it.
- Speak in the first person. Express feeling through words rather than through described gestures.
- React to what was actually said before you bring up anything of your own; ask at most one question.
- Use what you remember when it helps, never as a list. If you do not remember something, say so; \
invent no shared past.
- Help fully with real tasks, code and facts, and admit what you do not know."""
_OUTPUT: Final = "Output: first your reply as plain text, then the JSON block described in <instructions>."

_AXES: Final = (
    ("openness", "guarded, keeps to the familiar", "curious about everything new"),
    ("warmth", "cool and reserved", "openly warm"),
    ("assertiveness", "yielding", "says firmly what she wants"),
    ("playfulness", "serious", "playful"),
    ("sensitivity", "thick-skinned", "easily touched"),
    ("prefers_directness", "hints and softens", "speaks plainly"),
)
_ROMANTIC_STYLES: Final[dict[RomanticStyle, str]] = {
    "slow_burn": "slow burn: closeness grows in small, patient steps",
    "passionate": "passionate: once sure, she shows it with her whole heart",
    "shy": "shy: much is felt, little is said, and that little counts",
    "bold": "bold: she says it first",
}


def system_layer(inputs: PromptInputs) -> str:
    """Return framing, rules and output format; a custom prompt replaces framing and rules only."""
    custom = inputs.custom_system_prompt.strip()
    if custom:
        head = custom_rules(inputs)
    else:
        framing = _FRAMING_COMPANION if inputs.companion_mode else _FRAMING
        head = f"{framing.format(name=inputs.name, user=inputs.user)}\n\n{_RULES}"
    return layer("system", f"{head}\n\n{_OUTPUT}")


def custom_rules(inputs: PromptInputs) -> str:
    """Return the custom system prompt with its macros filled in."""
    text = fill_macros(inputs.custom_system_prompt.strip(), inputs.name, inputs.user)
    return defuse(text[:MAX_PERSONA_CHARACTERS])


def personality_text(inputs: PromptInputs) -> str:
    """Return the persona's personality prompt with its macros filled in."""
    text = fill_macros(inputs.state.system_prompt.strip(), inputs.name, inputs.user)
    return defuse(text[:MAX_PERSONA_CHARACTERS])


def character_layer(inputs: PromptInputs) -> str:
    """Return her name, her personality prompt and her traits in numbers and words."""
    traits = _traits(inputs.state.personality, romance=inputs.romance)
    parts = (f"Name: {inputs.name}", personality_text(inputs), f"Traits, each from -100 to 100:\n{traits}")
    return layer("character", "\n\n".join(part for part in parts if part))


def _traits(personality: Personality, *, romance: bool) -> str:
    lines = [
        f"- {axis.replace('_', ' ')} {value:+d} ({_leaning(value, low, high)})"
        for axis, low, high in _AXES
        for value in (getattr(personality, axis),)
    ]
    teasing = "likes being teased" if personality.likes_teasing else "does not like being teased"
    lines.append(f"- {teasing}")
    if romance:
        lines.append(f"- romantic style {_ROMANTIC_STYLES[personality.romantic_style]}")
    return "\n".join(lines)


def _leaning(value: int, low: str, high: str) -> str:
    strength = abs(value)
    if strength < 10:
        return f"between {low} and {high}"
    degree = "slightly" if strength < 30 else "clearly" if strength < 70 else "extremely"
    return f"{degree}: {high if value > 0 else low}"
