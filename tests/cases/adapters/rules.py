"""Heuristics, updates, stages, modes, streaks, time away, faces and the action gate."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from itertools import cycle
from pathlib import Path

from bot.lexicon import load_keywords
from engine.action_gate import ActionGate, resolve_action
from engine.app_mode import set_app_mode
from engine.baseline import baseline_updates, message_impact
from engine.character import CharacterState, MoodChange, MoodState, StateUpdates
from engine.expression_mix import Blink, Flash, Frame, Mix, compose
from engine.fact_patterns import USER_PREFIX, find_facts
from engine.heuristics import analyse_message, is_non_latin_dominant
from engine.keywords import Keywords
from engine.mood_face import ExpressionTarget, flash_expression_target, mood_expression_target
from engine.stages import check_stage
from engine.streak import Streak, days_between, extend_streak, local_day
from engine.time_away import settle_absence
from engine.updates import apply_updates, merge_updates, validate_updates

CONFIG = Path(__file__).parents[3] / "config"
SOME_DAY = datetime(2026, 6, 1, tzinfo=UTC)
FIELDS = {
    "affection": "affection",
    "trust": "trust",
    "intimacy": "intimacy",
    "comfort": "comfort",
    "respect": "respect",
    "energy": "energy",
    "appMode": "app_mode",
    "relationshipStage": "relationship_stage",
    "savedDatingSimStage": "saved_dating_sim_stage",
    "daysKnown": "days_known",
    "totalInteractions": "total_interactions",
    "currentStreak": "current_streak",
}
DELTAS = {
    "energyDelta": "energy_delta",
    "affectionDelta": "affection_delta",
    "trustDelta": "trust_delta",
    "intimacyDelta": "intimacy_delta",
    "comfortDelta": "comfort_delta",
    "respectDelta": "respect_delta",
    "newMemory": "new_memory",
    "triggeredEvent": "triggered_event",
    "action": "action",
    "expression": "expression",
}


@cache
def keywords() -> Keywords:
    return load_keywords(CONFIG / "keywords")


def a_time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def iso(time: datetime | None) -> str | None:
    return (
        None
        if time is None
        else time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def a_mood(table: dict) -> MoodState:
    return MoodState(
        table["primary"], table["intensity"], table.get("secondary"), tuple(table.get("causes", ()))
    )


def a_character(state: dict, tz: str = "UTC") -> CharacterState:
    values = {ours: state[theirs] for theirs, ours in FIELDS.items() if theirs in state}
    if "mood" in state:
        values["mood"] = a_mood(state["mood"])
    return CharacterState(
        first_met=SOME_DAY,
        created_at=SOME_DAY,
        updated_at=SOME_DAY,
        last_interaction=a_time(state.get("lastInteraction")),
        last_decay_at=a_time(state.get("lastDecayAt")),
        completed_events=tuple(state.get("completedEvents", ())),
        timezone=tz,
        **values,
    )


def mood_table(mood: MoodState) -> dict:
    return {"primary": mood.primary, "intensity": mood.intensity, "causes": list(mood.causes)}


def state_table(character: CharacterState) -> dict:
    return {
        "mood": mood_table(character.mood),
        "energy": character.energy,
        "affection": character.affection,
        "trust": character.trust,
        "intimacy": character.intimacy,
        "comfort": character.comfort,
        "respect": character.respect,
        "appMode": character.app_mode,
        "relationshipStage": character.relationship_stage,
        "lastInteraction": iso(character.last_interaction),
        "totalInteractions": character.total_interactions,
        "completedEvents": list(character.completed_events),
    }


def some_updates(table: dict) -> StateUpdates:
    values = {ours: table[theirs] for theirs, ours in DELTAS.items() if theirs in table}
    mood = table.get("moodChange")
    if mood:
        values["mood_change"] = MoodChange(mood["emotion"], mood.get("intensityDelta", 0), mood.get("cause"))
    return StateUpdates(**values)


def updates_table(updates: StateUpdates) -> dict:
    values = {theirs: getattr(updates, ours) for theirs, ours in DELTAS.items()}
    table = {theirs: value for theirs, value in values.items() if value is not None}
    mood = updates.mood_change
    if mood is not None:
        change = {"emotion": mood.emotion, "intensityDelta": mood.intensity_delta, "cause": mood.cause}
        table["moodChange"] = {key: value for key, value in change.items() if value is not None}
    return table


def draws(given: object) -> Callable[[], float]:
    values = cycle(given if isinstance(given, list) else [given])
    return lambda: next(values)


def _analyse(args: dict) -> object:
    analysis = analyse_message(args["content"], keywords())
    table = {
        "sentiment": analysis.sentiment,
        "topicDepth": analysis.topic_depth,
        "extractedFacts": list(analysis.extracted_facts),
        "isQuestion": analysis.is_question,
        "hasEmotionalContent": analysis.has_emotional_content,
        "nonLatinDominant": analysis.non_latin_dominant,
    }
    return table | ({"detectedEmotion": analysis.detected_emotion} if analysis.detected_emotion else {})


def _baseline(args: dict) -> object:
    analysis = analyse_message(args["content"], keywords())
    affection = a_character(args["state"]).affection
    return updates_table(baseline_updates(analysis, affection, draws(args.get("random", 0.5))))


def _impact(args: dict) -> object:
    affection = a_character(args["state"]).affection
    return updates_table(
        message_impact(
            args["sentiment"],
            args["topicDepth"],
            args["isEmotional"],
            args["isQuestion"],
            affection,
            draws(args.get("random", 0.5)),
        )
    )


def _merge(args: dict) -> object:
    baseline, llm = some_updates(args["baseline"]), some_updates(args["llm"])
    return updates_table(merge_updates(baseline, llm, args.get("trustLLMDeltas", False)))


def _validate(args: dict) -> object:
    validation = validate_updates(some_updates(args["updates"]))
    return {
        "valid": validation.valid,
        "sanitized": updates_table(validation.updates),
        "warnings": list(validation.warnings),
    }


def _apply(args: dict) -> object:
    character = a_character(args["state"])
    counted = args.get("countInteraction", True)
    now = datetime.fromisoformat(args["now"])
    return state_table(
        apply_updates(character, some_updates(args["updates"]), now, count_interaction=counted)
    )


def _mood_face(args: dict) -> object:
    return _target_table(mood_expression_target(a_mood(args["mood"]), args["available"]))


def _flash_face(args: dict) -> object:
    return _target_table(flash_expression_target(args["emotion"], args["available"]))


def _target_table(target: ExpressionTarget | None) -> dict | None:
    return None if target is None else {"name": target.name, "weight": target.weight}


def _a_target(table: dict | None) -> ExpressionTarget | None:
    return None if table is None else ExpressionTarget(table["name"], table["weight"])


def _compose(args: dict) -> object:
    mix = _a_mix(args.get("state", {}))
    frame = Frame(
        args["delta"],
        _a_target(args.get("moodTarget")),
        speaking=args.get("speaking", False),
        emote_playing=args.get("emotePlaying", False),
        photo_mode=args.get("photoMode", False),
    )
    face: dict[str, float] = {}
    for _ in range(args["frames"]):
        face, mix = compose(mix, frame, draws(args.get("random", 0.5)))
    return {"face": face, "state": _mix_table(mix)}


def _a_mix(state: dict) -> Mix:
    flash, blink = state.get("flash"), state.get("blink", {})
    return Mix(
        _a_target(state.get("mood")),
        None if flash is None else Flash(_a_target(flash), flash["t"], flash["holdUntil"]),
        Blink(
            blink.get("timer", 0),
            blink.get("next", 1_000_000_000),
            blink.get("active", False),
            blink.get("progress", 0),
        ),
    )


def _mix_table(mix: Mix) -> dict:
    flash, blink = mix.flash, mix.blink
    return {
        "mood": _target_table(mix.mood),
        "flash": None
        if flash is None
        else {**_target_table(flash.target), "t": flash.age_s, "holdUntil": flash.hold_until_s},
        "blink": {
            "timer": blink.timer_s,
            "next": blink.next_s,
            "active": blink.active,
            "progress": blink.progress,
        },
    }


def _streak(args: dict) -> object:
    given = args["streak"]
    today = local_day(datetime.fromisoformat(args["now"]), args.get("tz", "UTC"))
    streak = extend_streak(
        Streak(given["currentStreak"], given["longestStreak"], given["streakLastDate"]), today
    )
    return {
        "currentStreak": streak.current,
        "longestStreak": streak.longest,
        "streakLastDate": streak.last_date,
    }


def _days_known(args: dict) -> object:
    return days_between(datetime.fromisoformat(args["firstMet"]), datetime.fromisoformat(args["now"]))


def _check_stage(args: dict) -> object:
    change = check_stage(a_character({**args["state"], "completedEvents": args["completedEvents"]}))
    if change is None:
        return {"transitioned": False, "strained": False}
    return {
        "transitioned": True,
        "strained": change.strained,
        "fromStage": change.before,
        "toStage": change.after,
    }


def _app_mode(args: dict) -> object:
    character = set_app_mode(a_character(args["state"]), args["mode"])
    table = {"appMode": character.app_mode, "relationshipStage": character.relationship_stage}
    saved = character.saved_dating_sim_stage
    return table | ({"savedDatingSimStage": saved} if saved else {})


def _decay(args: dict) -> object:
    before = a_character(args["state"])
    after = settle_absence(before, datetime.fromisoformat(args["now"]))
    changed = {name: getattr(after, name) for name in ("energy", "affection", "trust")}
    changed = {name: value for name, value in changed.items() if value != getattr(before, name)}
    if after.mood != before.mood:
        changed["mood"] = mood_table(after.mood)
    if after.last_decay_at != before.last_decay_at:
        changed["lastDecayAt"] = iso(after.last_decay_at)
    return {"next": changed, "changed": after is not before}


def _action(args: dict) -> object:
    urls = {one["id"]: one["url"] for one in args["enabled"]}
    last_any = args.get("lastAnyFired")
    gate = ActionGate(
        {name: at / 1000 for name, at in args["lastFired"].items()},
        None if last_any is None else last_any / 1000,
    )
    limits = {
        ours: args[theirs] / 1000
        for theirs, ours in (("perActionCooldownMs", "same_action_s"), ("globalCooldownMs", "any_action_s"))
        if theirs in args
    }
    action = resolve_action(args["id"], args["at"] / 1000, urls.keys(), gate, **limits)
    return None if action is None else {"url": urls[action]}


def _extract_facts(args: dict) -> object:
    found = find_facts(args["userMessage"], args["dialogue"])
    return [(USER_PREFIX if fact.from_user else "") + fact.rest for fact in found]


FUNCTIONS: dict[str, Callable[[dict], object]] = {
    "analyzeMessage": _analyse,
    "extractPotentialFacts": _extract_facts,
    "isNonLatinDominant": lambda args: is_non_latin_dominant(args["content"]),
    "calculateBaselineUpdates": _baseline,
    "calculateMessageImpact": _impact,
    "mergeUpdates": _merge,
    "validateStateUpdates": _validate,
    "applyStateUpdates": _apply,
    "moodExpressionTarget": _mood_face,
    "flashExpressionTarget": _flash_face,
    "composeExpression": _compose,
    "computeStreakUpdate": _streak,
    "daysKnown": _days_known,
    "checkStage": _check_stage,
    "setAppMode": _app_mode,
    "resolveTimeDecayOnLoad": _decay,
    "resolveAction": _action,
}
