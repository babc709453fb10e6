"""The prompt's tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from engine.character import CharacterState
from engine.conversation import Fact, HistoryTurn
from engine.layers import layer_names
from engine.prompt import NextReminder, PromptInputs, system_text
from engine.prompt_character import custom_rules, personality_text
from engine.prompt_state import describe, time_sense, time_since

START = datetime(2026, 6, 15, 12, tzinfo=UTC)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _facts(entries: list[dict]) -> tuple[Fact, ...]:
    return tuple(Fact(number, entry["content"], "user", 50, START) for number, entry in enumerate(entries))


def _reminder(context: dict) -> NextReminder | None:
    pending = sorted(context.get("pendingReminders", ()), key=lambda one: one["triggerAt"])
    return (
        NextReminder(pending[0]["content"], datetime.fromisoformat(pending[0]["triggerAt"]))
        if pending
        else None
    )


def _inputs(context: dict) -> PromptInputs:
    now = _moment(context.get("systemTime")) or START
    persona, state, memories = (
        context.get("persona", {}),
        context.get("state", {}),
        context.get("memories", {}),
    )
    record = CharacterState(
        first_met=now,
        created_at=now,
        updated_at=now,
        name=persona.get("name", "Otomo"),
        system_prompt=persona.get("systemPrompt", ""),
        app_mode=state.get("appMode", "dating_sim"),
        relationship_stage=state.get("relationshipStage", "stranger"),
    )
    turns = memories.get("recentTurns") or memories.get("workingMemory") or ()
    return PromptInputs(
        state=record,
        now=now,
        history=tuple(HistoryTurn(turn["role"], turn["content"], now) for turn in turns),
        facts=_facts(memories.get("relevantFacts", [])),
        session_started_at=_moment(context.get("sessionStartedAt")),
        next_reminder=_reminder(context),
        shown_pictures=int(context.get("hasImages", False)),
        event_text=context.get("systemEvent"),
        actions=tuple((action["id"], action["description"]) for action in context.get("avatarActions", ())),
        custom_system_prompt=persona.get("customSystemPrompt", ""),
        romance_allowed=True,
    )


def _head(args: dict) -> object:
    inputs = _inputs(args["ctx"])
    return {"personality": personality_text(inputs), "customRules": custom_rules(inputs)}


def _time_sense(args: dict) -> object:
    inputs = _inputs(args["ctx"])
    return time_sense(inputs.now, inputs.session_started_at, inputs.next_reminder)


def _time_since(args: dict) -> object:
    return time_since(_moment(args["lastInteraction"]), datetime.fromisoformat(args["now"]))


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "promptLayers": lambda args: layer_names(system_text(_inputs(args["ctx"]))),
    "promptHead": _head,
    "timeSense": _time_sense,
    "formatTimeSince": _time_since,
    "describe": lambda args: describe(args["what"], args["value"]),
}

DIFFERENT: dict[str, str] = {
    "prompt-027": "one week is '1 week ago', not '1 weeks ago'",
}
