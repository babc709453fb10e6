"""/why: the trail of a turn as one short message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

STATS: Final = ("affection", "trust", "intimacy", "comfort", "respect", "energy")
Say = Callable[..., str]


def explain(trail: Mapping[str, Any], say: Say) -> str:
    """Tell what changed, from what to what, and what it is owed to.

    Args:
        trail: What `engine.audit` has kept with the turn.
        say: Gives a sentence of the app in the user's language.
    """
    before, after = trail["before"], trail["after"]
    lines = list(_changes(before, after, say))
    if not lines:
        return say("why.unchanged")
    return "\n".join([say("why.title"), *lines, *_reasons(trail, say)])


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], say: Say) -> Iterator[str]:
    moved = [
        f"{say(f'stat.{name}')} {before[name]} → {after[name]}"
        for name in STATS
        if before[name] != after[name]
    ]
    if moved:
        yield ", ".join(moved)
    if (before["mood"], before["intensity"]) != (after["mood"], after["intensity"]):
        old, new = say(f"mood.{before['mood']}"), say(f"mood.{after['mood']}")
        yield f"{say('stat.mood')}: {old} {before['intensity']} → {new} {after['intensity']}"
    if before["stage"] != after["stage"]:
        old, new = say(f"stage.{before['stage']}"), say(f"stage.{after['stage']}")
        yield f"{old} → {new}"


def _reasons(trail: Mapping[str, Any], say: Say) -> Iterator[str]:
    if trail.get("arrived", trail["before"]) != trail["before"]:
        yield say("why.absence")
    if trail.get("heuristic"):
        yield say("why.model" if trail.get("model") else "why.heuristic")
    if trail.get("event") and trail["after"] != trail.get("talked", trail["before"]):
        yield say("why.event", event=str(trail["event"]).replace("_", " "))
