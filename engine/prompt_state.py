"""The layer that changes with every turn: <current_state>, in Companion Mode <state>; the clock too."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Final, Literal

from engine.character import MoodState
from engine.layers import layer, one_line
from engine.prompt_inputs import NextReminder, PromptInputs
from engine.zones import zone_named

Described = Literal["energy", "affection", "trust", "intimacy", "comfort"]

_LEVELS: Final[dict[Described, tuple[tuple[int, str], ...]]] = {
    "energy": ((80, "Energetic"), (60, "Good"), (40, "Moderate"), (20, "Tired"), (0, "Exhausted")),
    "affection": (
        (900, "Deep love"),
        (700, "Strong affection"),
        (500, "Growing feelings"),
        (300, "Real fondness"),
        (100, "Warming up"),
        (0, "Just met"),
    ),
    "trust": (
        (90, "Complete trust"),
        (70, "High trust"),
        (50, "Solid trust"),
        (30, "Building trust"),
        (0, "Still cautious"),
    ),
    "intimacy": (
        (80, "Deep emotional connection"),
        (60, "Close and open"),
        (40, "Growing closer"),
        (20, "Opening up"),
        (0, "On the surface"),
    ),
    "comfort": (
        (80, "Completely at home"),
        (60, "At ease"),
        (40, "Comfortable"),
        (20, "Settling in"),
        (0, "A bit nervous"),
    ),
}
_FRIENDLY: Final = {
    "Deep love": "Devoted friendship",
    "Strong affection": "Great fondness",
    "Growing feelings": "Close friendship",
}
"""What affection is called where romance has no place."""
_SHOWN_CAUSES: Final = 3
_CAUSE_CHARACTERS: Final = 120
_REMINDER_CHARACTERS: Final = 200
_HOUR_S: Final = 3600
_DAY_H: Final = 24


def describe(what: Described, value: int) -> str:
    """Put a stat into words (affection 0..1000, the others 0..100)."""
    levels = _LEVELS[what]
    return next((words for floor, words in levels if value >= floor), levels[-1][1])


def time_since(last: datetime | None, now: datetime) -> str:
    """Say how long ago the last talk was; both moments are aware UTC."""
    if last is None:
        return "First conversation"
    hours = (now - last) / timedelta(hours=1)
    if hours < 1:
        return "Just now"
    if hours < 2:
        return "About an hour ago"
    if hours < _DAY_H:
        return f"{math.floor(hours)} hours ago"
    days = math.floor(hours / _DAY_H)
    if days < 2:
        return "Yesterday"
    if days < 7:
        return f"{days} days ago"
    return f"{_counted(days // 7, 'week')} ago"


def time_sense(now: datetime, session_started_at: datetime | None, reminder: NextReminder | None) -> str:
    """Say how long the session has been running and when the next reminder is due, in minutes rounded up."""
    sentences = []
    if session_started_at is not None:
        sentences.append(_session_length((now - session_started_at).total_seconds()))
    if reminder is not None:
        minutes = max(0, math.ceil((reminder.due - now).total_seconds() / 60))
        content = one_line(reminder.content, _REMINDER_CHARACTERS)
        sentences.append(f'Next scheduled reminder: "{content}" in {_counted(minutes, "minute")}.')
    return " ".join(sentences)


def state_layer(inputs: PromptInputs) -> str:
    """Return the clock, mood and energy and, in Dating Sim Mode, the relationship in words."""
    lines = [_clock(inputs), *_mood_lines(inputs)]
    if inputs.companion_mode:
        return layer("state", "\n".join(lines))
    state = inputs.state
    affection = describe("affection", state.affection)
    lines += [
        f"Last talk: {time_since(state.last_interaction, inputs.now)}",
        f"Stage: {inputs.stage}",
        f"Affection: {affection if inputs.romance else _FRIENDLY.get(affection, affection)}",
        f"Trust: {describe('trust', state.trust)}",
        f"Intimacy: {describe('intimacy', state.intimacy)}",
        f"Comfort: {describe('comfort', state.comfort)}",
        f"Known each other for {_counted(state.days_known, 'day')}, {_counted(state.total_interactions, 'conversation')}",
    ]
    if state.current_streak > 1:
        lines.append(f"Days in a row: {state.current_streak}")
    return layer("current_state", "\n".join(lines))


def _clock(inputs: PromptInputs) -> str:
    zone = zone_named(inputs.state.timezone)
    now = inputs.now.astimezone(zone)
    clock = f"Now: {now:%A}, {now.day} {now:%B %Y}, {now:%H:%M} ({zone.key})."
    reminder = None if inputs.group else inputs.next_reminder
    return f"{clock} {time_sense(inputs.now, inputs.session_started_at, reminder)}".rstrip()


def _mood_lines(inputs: PromptInputs) -> list[str]:
    mood, energy = inputs.state.mood, inputs.state.energy
    lines = [f"Mood: {_mood(mood)}"]
    if mood.causes and not inputs.group:
        causes = "; ".join(one_line(cause, _CAUSE_CHARACTERS) for cause in mood.causes[-_SHOWN_CAUSES:])
        lines.append(f"Because of: {causes}")
    lines.append(f"Energy: {describe('energy', energy)} ({energy}/100)")
    return lines


def _mood(mood: MoodState) -> str:
    beside = f", with some {mood.secondary}" if mood.secondary else ""
    return f"{mood.primary} ({mood.intensity}/100){beside}"


def _session_length(seconds: float) -> str:
    minutes = math.floor(seconds / 60)
    if minutes < 1:
        return "Session just started."
    if seconds < _HOUR_S:
        return f"Session has been running for {_counted(minutes, 'minute')}."
    return f"Session has been running for {minutes // 60}h {minutes % 60}min."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
