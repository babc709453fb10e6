"""One turn as pure functions: what is looked at, what comes out, and the order of the rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Final

from engine.audit import audit_choice, audit_turn
from engine.baseline import baseline_updates
from engine.budget import memory_budget
from engine.character import CharacterState, Emotion, StateUpdates
from engine.conversation import Face, Fact, HistoryTurn, Prompt, Say
from engine.daily_caps import cap_daily_gains
from engine.echo import without_echo
from engine.events import EventContext
from engine.fact_patterns import facts_of_turn
from engine.heuristics import MessageAnalysis, analyse_message
from engine.memory import Learned, learn, new_fact
from engine.mood_face import face_for
from engine.prompt import PromptInputs, build_prompt
from engine.recall import recall
from engine.showing import show
from engine.stages import check_stage, promote
from engine.story import Told, choose, highest_stage, tell_event
from engine.streak import count_day, local_day
from engine.time_away import settle_absence
from engine.turn_values import Outcome, Rules, Snapshot
from engine.updates import apply_updates, merge_updates, name_cause, validate_updates

__all__ = ["Outcome", "Rules", "Snapshot", "prepare_turn", "settle_choice", "settle_turn"]

FROM_MODEL: Final = "her note"
FROM_WORDS: Final = "their words"


def prepare_turn(snapshot: Snapshot, rules: Rules, now: datetime) -> Prompt:
    """Build what the model is asked.

    Where others read along, neither facts nor earlier talk go into the prompt: both may be private.
    """
    return build_prompt(
        PromptInputs(
            state=arrive(snapshot.character, rules, now),
            now=now,
            user_text=snapshot.user_text,
            history=snapshot.history if snapshot.private else (),
            facts=_in_mind(snapshot, rules) if snapshot.private else (),
            session_started_at=snapshot.session_started_at,
            actions=snapshot.actions,
            user_name=snapshot.user_name,
            language=snapshot.language,
            custom_system_prompt=rules.custom_system_prompt,
            romance_allowed=bool(snapshot.adult),
            group=not snapshot.private,
            window_tokens=rules.window_tokens,
        )
    )


def settle_turn(
    snapshot: Snapshot,
    rules: Rules,
    dialogue: str,
    suggestion: StateUpdates | None,
    now: datetime,
    rng: Random,
) -> Outcome:
    """Apply one turn of talk, in the specification's order.

    Args:
        snapshot: What the turn saw.
        rules: What the operator has set.
        dialogue: Her words, cleaned.
        suggestion: What the model would like to change; None leaves the heuristics alone.
        now: The turn's instant, the same as the prompt's.
        rng: The turn's dice; seeded by the turn, so that a repeated settle comes out the same.
    """
    before = arrive(snapshot.character, rules, now)
    analysis = analyse_message(snapshot.user_text, rules.keywords)
    baseline = baseline_updates(analysis, before.affection, rng.random)
    suggested = validate_updates(suggestion or StateUpdates()).updates
    suggested = without_echo(suggested, snapshot.user_text)
    merged = name_cause(
        merge_updates(baseline, suggested, trust_llm_deltas=analysis.non_latin_dominant), snapshot.user_text
    )
    capped, gains = cap_daily_gains(before, merged, rules.caps, local_day(now, before.timezone))
    talked = replace(apply_updates(before, capped, now), gains=gains)
    moved = move_stage(talked, adult=bool(snapshot.adult))
    told = _event(snapshot, rules, moved, now, rng, strained=_is_strained(talked))
    learned = _learned(snapshot, suggested, baseline, analysis)
    touched = tuple(dict.fromkeys((*_used(snapshot, rules), *learned.again)))
    after = told.character
    face = face_for(after.mood, capped.expression, snapshot.expressions)
    shown = show(snapshot, face, now, rng.random, suggested.action)
    words = "\n\n".join(text for text in (dialogue, told.words) if text)
    return Outcome(
        character=after,
        turns=_sides(snapshot.user_text, words, now),
        reply=(Say(dialogue), *told.parts, *shown.parts),
        face=shown.face,
        facts=learned.new,
        touched_facts=touched,
        applied=audit_turn(
            snapshot.character, before, moved, after, baseline, suggestion, capped, told, touched
        ),
        records=(told.record,) if told.record else (),
        opened=told.opened,
        gate=shown.gate,
    )


def settle_choice(
    snapshot: Snapshot, rules: Rules, index: int, now: datetime, rng: Random | None = None
) -> Outcome:
    """Apply a choice in the open scene. No model is asked, and it is no interaction.

    Args:
        snapshot: What the turn saw.
        rules: What the operator has set.
        index: Which choice.
        now: The turn's instant.
        rng: The dice that pick her pose; without any it is the first that differs from the last.

    Raises:
        ValueError: No scene is open, its event is unknown, or it has no such choice.
    """
    waiting, book = snapshot.open_scene, rules.book
    event = book.find(waiting.event_id) if waiting and book else None
    if waiting is None or event is None:
        raise ValueError("no scene waits for a choice")
    before = snapshot.character
    told = choose(before, event, waiting.scene, index, now, adult=bool(snapshot.adult))
    face = face_for(told.character.mood, None, snapshot.expressions)
    shown = show(snapshot, face, now, rng.random if rng else _always_first)
    return Outcome(
        character=told.character,
        turns=_sides(waiting.scene.choices[index].text, told.words, now),
        reply=(*told.parts, *shown.parts),
        face=shown.face,
        applied=audit_choice(before, told.character, waiting),
        records=(told.record,) if told.record else (),
        closed=waiting.token,
    )


def arrive(character: CharacterState, rules: Rules, now: datetime) -> CharacterState:
    """Return her as the user finds her: the absence settled, the day counted."""
    return count_day(settle_absence(character, now, decay=rules.decay), now)


def move_stage(character: CharacterState, *, adult: bool) -> CharacterState:
    """Move the stage where the numbers ask for it; Companion Mode keeps its own.

    Without the statement to be of age nothing rises above close_friend.
    """
    change = check_stage(character)
    if character.app_mode == "dating_sim" and change is not None and change.strained:
        return replace(character, relationship_stage=change.after)
    return promote(character, highest_stage(adult))


def face_of(mood_owner: CharacterState, expression: Emotion | None, available: tuple[str, ...]) -> Face:
    """Return the face she shows now."""
    return face_for(mood_owner.mood, expression, available)


def _always_first() -> float:
    return 0.0


def _in_mind(snapshot: Snapshot, rules: Rules) -> tuple[Fact, ...]:
    return recall(snapshot.user_text, snapshot.facts, memory_budget(rules.window_tokens).facts)


def _used(snapshot: Snapshot, rules: Rules) -> tuple[int, ...]:
    return tuple(fact.id for fact in _in_mind(snapshot, rules)) if snapshot.private else ()


def _learned(
    snapshot: Snapshot,
    suggested: StateUpdates,
    baseline: StateUpdates,
    analysis: MessageAnalysis,
) -> Learned:
    """Take the model's memory, else the stand-in from the user's words, and facts found by their wording.

    Her own reply is no evidence about the user, so only the user's words count for patterns.
    """
    memory = suggested.new_memory or baseline.new_memory
    found = []
    if memory:
        source = FROM_MODEL if suggested.new_memory else FROM_WORDS
        found.append(new_fact(memory, source, analysis.sentiment))
    for fact in facts_of_turn(snapshot.user_text, "", memory):
        found.append(new_fact(fact.content, FROM_WORDS, analysis.sentiment))
    return learn(found, snapshot.facts)


def _is_strained(character: CharacterState) -> bool:
    change = check_stage(character) if character.app_mode == "dating_sim" else None
    return change is not None and change.strained


def _event(
    snapshot: Snapshot, rules: Rules, character: CharacterState, now: datetime, rng: Random, *, strained: bool
) -> Told:
    """Open an event in a private chat, unless one is open already."""
    if rules.book is None or not snapshot.private or snapshot.open_scene is not None:
        return Told(character)
    context = EventContext(
        character=character,
        now=now,
        draw=rng.random,
        previous_talk=snapshot.character.last_interaction,
        message=snapshot.user_text,
        records=snapshot.records,
        romance=bool(snapshot.adult),
    )
    return tell_event(
        rules.book,
        context,
        strained=strained,
        language=snapshot.language,
        user_name=snapshot.user_name,
        token=snapshot.scene_token,
    )


def _sides(said: str, answered: str, now: datetime) -> tuple[HistoryTurn, ...]:
    return (HistoryTurn("user", said, now), HistoryTurn("assistant", answered, now))
