"""Layers of the system prompt, and making foreign text unable to leave the layer it stands in."""

from __future__ import annotations

import re
from typing import Final

LAYER_NAMES: Final = (
    "system",
    "character",
    "current_state",
    "state",
    "memory",
    "being_shown",
    "event",
    "speech_output_control",
    "avatar",
    "instructions",
)
_CLOSABLE: Final = "|".join(
    (*LAYER_NAMES, "mcp_tool_security", "system-reminder", "think", "thinking", "thoughts?", "reasoning")
)
_CHAT_TOKENS: Final = "start_of_turn|end_of_turn|s|bos|eos|pad|unk"
_GAP: Final = "[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*+"
_TAG: Final = re.compile(
    rf"[<＜](?={_GAP}/?{_GAP}(?:{_CLOSABLE})\b|/?(?:{_CHAT_TOKENS})>|</?SYS>|[|｜])", re.IGNORECASE
)
_INSTRUCTION: Final = re.compile(r"\[(?=/?INST\])")
_REMINDER: Final = re.compile(r"\[(?=\s{0,2}/?\s{0,2}reminder\b)", re.IGNORECASE)
_MACRO: Final = re.compile(r"\{\{\s{0,8}(char|user)\s{0,8}\}\}", re.IGNORECASE)


def layer(name: str, body: str) -> str:
    """Wrap a body in the tags of its layer."""
    return f"<{name}>\n{body.strip()}\n</{name}>"


def layer_names(system: str) -> list[str]:
    """Return the names of a system text's layers, in order (for tests and for looking into a prompt)."""
    return re.findall(rf"^<({'|'.join(LAYER_NAMES)})>$", system, re.MULTILINE)


def defuse(text: str, *, fences: bool = True) -> str:
    """Make foreign text harmless: it can close no layer and no turn, open no fence and set no reminder.

    Her own earlier words keep their fences (`fences=False`), or she would unlearn to show code.

    Only the characters that would do so are replaced by look-alikes; the text stays readable.
    """
    if "<" in text or "＜" in text:
        text = _TAG.sub("‹", text)
    if fences and "```" in text:
        text = text.replace("```", "'''")
    return _INSTRUCTION.sub("(", _REMINDER.sub("(", text)) if "[" in text else text


def one_line(text: str, limit: int) -> str:
    """Defuse a text and put it on one line of at most `limit` characters."""
    line = " ".join(defuse(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def fill_macros(text: str, name: str, user_name: str) -> str:
    """Replace {{char}} by her name and {{user}} by the user's, in any case and with blanks inside."""
    if "{{" not in text:
        return text
    return _MACRO.sub(lambda macro: name if macro[1].lower() == "char" else user_name, text)
