"""The parser of a model's reply (specification, "Response Parsing and Robustness").

A reply is taken apart in one pass (`reply_scan`): reasoning goes first, then whatever stands in it is
recognised by its own module: template tokens, speaker labels, gestures, reminder tags, fences, objects.
"""

from __future__ import annotations

from dataclasses import fields

from engine.character import MoodChange, StateUpdates
from engine.reasoning import without_reasoning
from engine.reply_scan import ReplyScanner
from engine.reply_stream import ParsedReply, parsed_reply, storable

__all__ = ["ParsedReply", "as_table", "parse_reply"]


def parse_reply(text: str, name: str = "") -> ParsedReply:
    """Take a whole reply apart, in time linear in its length.

    Args:
        text: The raw reply of the model, anything at all.
        name: Her name, so that a label with it is recognised.
    """
    scanner = ReplyScanner(name)
    scanner.finish(without_reasoning(storable(text.replace("\r\n", "\n"))))
    return parsed_reply(scanner.words.take(), scanner)


def as_table(parsed: ParsedReply) -> dict[str, object]:
    """Return the result in the form of the case tables: camelCase, no entry for what was not said."""
    return {
        "dialogue": parsed.dialogue,
        "stateUpdates": None if parsed.updates is None else updates_as_table(parsed.updates),
        "parseError": parsed.parse_error,
    }


def updates_as_table(updates: StateUpdates) -> dict[str, object]:
    """Return suggestions in camelCase, leaving out what is None."""
    table: dict[str, object] = {}
    for one in fields(updates):
        value = getattr(updates, one.name)
        if isinstance(value, MoodChange):
            value = _mood_as_table(value)
        if value is not None:
            table[_camel(one.name)] = value
    return table


def _mood_as_table(change: MoodChange) -> dict[str, object]:
    table: dict[str, object] = {"emotion": change.emotion, "intensityDelta": change.intensity_delta}
    return table if change.cause is None else {**table, "cause": change.cause}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
