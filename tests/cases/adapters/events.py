"""Events: conditions, the pool, and what finishing a scene does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path

from bot.event_files import load_events
from engine.completion import complete_event, completion_markers
from engine.events import (
    EventBook,
    EventCondition,
    EventContext,
    EventDefinition,
    EventRecord,
    check_event,
    due_events,
)
from tests.cases.adapters.rules import a_character, draws, state_table

CONFIG = Path(__file__).parents[3] / "config"


@cache
def book() -> EventBook:
    return load_events(CONFIG / "events")


def _an_event(args: dict) -> EventDefinition:
    if "event" not in args:
        found = book().find(args["eventId"])
        assert found is not None
        return found
    table = args["event"]
    return EventDefinition(
        id=table["id"],
        name=table["id"],
        type=table["type"],
        priority=table["priority"],
        conditions=tuple(EventCondition(one["type"], one["value"]) for one in table["conditions"]),
        one_time=table["oneTime"],
        cooldown_days=table.get("cooldownDays", 0),
    )


def _context(args: dict) -> EventContext:
    character = a_character(args["state"], args.get("tz", "UTC"))
    return EventContext(
        character=character,
        now=datetime.fromisoformat(args["now"]),
        draw=draws(args.get("random", 0.999)),
        previous_talk=character.last_interaction,
        message=args.get("message", ""),
        records=tuple(
            EventRecord(one["eventId"], datetime.fromisoformat(one["completedAt"]))
            for one in args.get("records", ())
        ),
    )


def _check(args: dict) -> object:
    check = check_event(_an_event(args), _context(args))
    return {"triggered": check.triggered, "failed": list(check.failed)}


def _check_all(args: dict) -> object:
    return [event.id for event in due_events(book().pool, _context(args))]


def _complete(args: dict) -> object:
    completion = complete_event(
        a_character(args["state"]),
        _an_event(args),
        args.get("choiceIndex"),
        datetime.fromisoformat(args["now"]),
    )
    return state_table(completion.character)


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "checkEvent": _check,
    "checkAllEvents": _check_all,
    "completeEvent": _complete,
    "completionMarkers": lambda args: list(completion_markers(_an_event(args), args.get("choiceIndex"))),
}
