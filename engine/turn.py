"""One turn as pure functions: what is looked at, what comes out, and the order of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Final

from engine.baseline import baseline_updates
from engine.budget import memory_budget
from engine.character import CharacterState, Emotion, Stage, StateUpdates
from engine.conversation import (
    Face,
    Fact,
    HistoryTurn,
    Incoming,
    NewFact,
    Part,
    Prompt,
    Reply,
    Say,
    Show,
)
from engine.daily_caps import DailyCaps, cap_daily_gains
from engine.heuristics import MessageAnalysis, analyse_message
from engine.keywords import Keywords
from engine.memory import Learned, learn, new_fact
from engine.mood_face import face_for
from engine.prompt import PromptInputs, build_prompt
from engine.recall import recall
from engine.reply_block import updates_as_table
from engine.stages import check_stage, stage_rank
from engine.streak import count_day, local_day
from engine.time_away import settle_absence
from engine.updates import apply_updates, merge_updates, name_cause, validate_updates

LAST_STAGE_WITHOUT_STATEMENT: Final[Stage] = "close_friend"
"""Romance waits for the user's statement to be of age (safety rules)."""
DEFAULT_CAPS: Final = DailyCaps()
FROM_MODEL: Final = "her note"
FROM_WORDS: Final = "their words"
_STATS: Final = ("affection", "trust", "intimacy", "comfort", "respect", "energy")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has set of the game: word lists, daily caps, the model's context window.

    `window_tokens` None turns context scaling off; `decay` false lets absences only heal;
    `custom_system_prompt` replaces framing and rules of the prompt's system layer.
    """

    keywords: Keywords
    caps: DailyCaps = DEFAULT_CAPS
    window_tokens: int | None = 8192
    decay: bool = True
    custom_system_prompt: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a turn may look at.

    `incoming` are the waiting rows of one user that this turn answers, oldest first, and `user_text`
    their words as one text; `history` the last 20 turns, oldest first; `facts` up to 500, the most
    important first; `expressions` what the figure can show; `last_face` the face last shown in this
    chat; `private` is false where others read along; `adult` None until the user has said.
    """

    character: CharacterState
    incoming: tuple[Incoming, ...]
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[Fact, ...] = ()
    expressions: tuple[str, ...] = ()
    last_face: Face | None = None
    language: str = "en"
    session_started_at: datetime | None = None
    user_text: str = ""
    user_name: str = ""
    private: bool = True
    adult: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settled turn leaves behind; the store writes it and nothing else changes a character.

    `applied` is the audit trail: for each number from what, to what and why.
    """

    character: CharacterState
    turns: tuple[HistoryTurn, ...]
    reply: Reply
    face: Face | None
    facts: tuple[NewFact, ...] = ()
    touched_facts: tuple[int, ...] = ()
    applied: Mapping[str, object] | None = None


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
    suggested = validate_updates(suggestion).updates if suggestion else StateUpdates()
    merged = name_cause(
        merge_updates(baseline, suggested, trust_llm_deltas=analysis.non_latin_dominant), snapshot.user_text
    )
    capped, gains = cap_daily_gains(before, merged, rules.caps, local_day(now, before.timezone))
    talked = replace(apply_updates(before, capped, now), gains=gains)
    after = move_stage(talked, adult=bool(snapshot.adult))
    learned = _learned(snapshot, suggested, baseline, analysis)
    face = face_for(after.mood, capped.expression, snapshot.expressions)
    return Outcome(
        character=after,
        turns=_sides(snapshot, dialogue, now),
        reply=_reply(dialogue, face, snapshot.last_face),
        face=face,
        facts=learned.new,
        touched_facts=tuple(dict.fromkeys((*_used(snapshot, rules), *learned.again))),
        applied=audit(snapshot.character, before, after, baseline, suggestion, capped),
    )


def arrive(character: CharacterState, rules: Rules, now: datetime) -> CharacterState:
    """Return her as the user finds her: the absence settled, the day counted."""
    return count_day(settle_absence(character, now, decay=rules.decay), now)


def move_stage(character: CharacterState, *, adult: bool) -> CharacterState:
    """Move the stage where the numbers ask for it; Companion Mode keeps its own.

    Without the statement to be of age nothing rises above close_friend.
    """
    change = check_stage(character) if character.app_mode == "dating_sim" else None
    if change is None:
        return character
    limit = stage_rank(LAST_STAGE_WITHOUT_STATEMENT)
    after = change.after
    if not change.strained and not adult and stage_rank(after) > limit:
        if stage_rank(change.before) >= limit:
            return character
        after = LAST_STAGE_WITHOUT_STATEMENT
    return replace(character, relationship_stage=after)


def audit(
    stored: CharacterState,
    before: CharacterState,
    after: CharacterState,
    baseline: StateUpdates,
    suggestion: StateUpdates | None,
    applied: StateUpdates,
) -> dict[str, object]:
    """Return what changed, from what to what and why, as plain JSON values."""
    return {
        "before": _numbers(stored),
        "arrived": _numbers(before),
        "after": _numbers(after),
        "heuristic": updates_as_table(baseline),
        "model": updates_as_table(suggestion) if suggestion else None,
        "applied": updates_as_table(applied),
    }


def face_of(mood_owner: CharacterState, expression: Emotion | None, available: tuple[str, ...]) -> Face:
    """Return the face she shows now."""
    return face_for(mood_owner.mood, expression, available)


def _in_mind(snapshot: Snapshot, rules: Rules) -> tuple[Fact, ...]:
    return recall(snapshot.user_text, snapshot.facts, memory_budget(rules.window_tokens).facts)


def _used(snapshot: Snapshot, rules: Rules) -> tuple[int, ...]:
    return tuple(fact.id for fact in _in_mind(snapshot, rules)) if snapshot.private else ()


def _learned(
    snapshot: Snapshot, suggested: StateUpdates, baseline: StateUpdates, analysis: MessageAnalysis
) -> Learned:
    """Take the model's memory, else the stand-in from the user's own words; never both for one thing."""
    memory = suggested.new_memory or baseline.new_memory
    if not memory:
        return Learned()
    source = FROM_MODEL if suggested.new_memory else FROM_WORDS
    return learn([new_fact(memory, source, analysis.sentiment)], snapshot.facts)


def _sides(snapshot: Snapshot, dialogue: str, now: datetime) -> tuple[HistoryTurn, ...]:
    return (HistoryTurn("user", snapshot.user_text, now), HistoryTurn("assistant", dialogue, now))


def _reply(dialogue: str, face: Face, last: Face | None) -> Reply:
    parts: list[Part] = [Say(dialogue)]
    if face != last or face.flash:
        parts.append(Show(face))
    return tuple(parts)


def _numbers(character: CharacterState) -> dict[str, object]:
    numbers: dict[str, object] = {name: getattr(character, name) for name in _STATS}
    return {
        **numbers,
        "mood": character.mood.primary,
        "intensity": character.mood.intensity,
        "stage": character.relationship_stage,
    }
