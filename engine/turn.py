"""One turn as pure functions: what is looked at, what comes out, and the order of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Final

from engine.baseline import baseline_updates
from engine.budget import memory_budget
from engine.character import CharacterState, Emotion, StateUpdates
from engine.conversation import (
    Face,
    Fact,
    HistoryTurn,
    Incoming,
    NewFact,
    Prompt,
    Reply,
    Say,
    Show,
)
from engine.daily_caps import DailyCaps, cap_daily_gains
from engine.events import EventBook, EventContext, EventRecord
from engine.heuristics import MessageAnalysis, analyse_message
from engine.keywords import Keywords
from engine.memory import Learned, learn, new_fact
from engine.mood_face import face_for
from engine.prompt import PromptInputs, build_prompt
from engine.recall import recall
from engine.reply_block import updates_as_table
from engine.stages import check_stage, promote
from engine.story import OpenScene, Told, choose, highest_stage, tell_event
from engine.streak import count_day, local_day
from engine.time_away import settle_absence
from engine.updates import apply_updates, merge_updates, name_cause, validate_updates

DEFAULT_CAPS: Final = DailyCaps()
FROM_MODEL: Final = "her note"
FROM_WORDS: Final = "their words"
_STATS: Final = ("affection", "trust", "intimacy", "comfort", "respect", "energy")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator has set of the game: word lists, daily caps, the model's context window.

    `window_tokens` None turns context scaling off; `decay` false lets absences only heal;
    `custom_system_prompt` replaces framing and rules of the prompt's system layer; without a `book` no
    event ever comes.
    """

    keywords: Keywords
    caps: DailyCaps = DEFAULT_CAPS
    window_tokens: int | None = 8192
    decay: bool = True
    custom_system_prompt: str = ""
    book: EventBook | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a turn may look at.

    `incoming` are the waiting rows of one user that this turn answers, oldest first, and `user_text`
    their words as one text; `history` the last 20 turns, oldest first; `facts` up to 500, the most
    important first; `expressions` what the figure can show; `last_face` the face last shown in this
    chat; `private` is false where others read along; `adult` None until the user has said; `records`
    the dated completions of events; `open_scene` the scene that waits for a choice; `scene_token` the
    name under which this turn may open one.
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
    records: tuple[EventRecord, ...] = ()
    open_scene: OpenScene | None = None
    scene_token: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settled turn leaves behind; the store writes it and nothing else changes a character.

    `applied` is the audit trail: for each number from what, to what and why. `records` are events that
    were completed, `opened` a scene that now waits for a choice, `closed` the token of one that is over.
    """

    character: CharacterState
    turns: tuple[HistoryTurn, ...]
    reply: Reply
    face: Face | None
    facts: tuple[NewFact, ...] = ()
    touched_facts: tuple[int, ...] = ()
    applied: Mapping[str, object] | None = None
    records: tuple[EventRecord, ...] = ()
    opened: OpenScene | None = None
    closed: str | None = None


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
    moved = move_stage(talked, adult=bool(snapshot.adult))
    told = _event(snapshot, rules, moved, now, rng, strained=_is_strained(talked))
    learned = _learned(snapshot, suggested, baseline, analysis)
    after = told.character
    face = face_for(after.mood, capped.expression, snapshot.expressions)
    words = "\n\n".join(text for text in (dialogue, told.words) if text)
    return Outcome(
        character=after,
        turns=_sides(snapshot.user_text, words, now),
        reply=(Say(dialogue), *told.parts, *_shown(face, snapshot.last_face)),
        face=face,
        facts=learned.new,
        touched_facts=tuple(dict.fromkeys((*_used(snapshot, rules), *learned.again))),
        applied=audit(snapshot.character, before, moved, after, baseline, suggestion, capped, told),
        records=(told.record,) if told.record else (),
        opened=told.opened,
    )


def settle_choice(snapshot: Snapshot, rules: Rules, index: int, now: datetime) -> Outcome:
    """Apply a choice in the open scene. No model is asked, and it is no interaction.

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
    return Outcome(
        character=told.character,
        turns=_sides(waiting.scene.choices[index].text, told.words, now),
        reply=(*told.parts, *_shown(face, snapshot.last_face)),
        face=face,
        applied={"before": _numbers(before), "after": _numbers(told.character), "event": event.id},
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


def audit(
    stored: CharacterState,
    arrived: CharacterState,
    talked: CharacterState,
    after: CharacterState,
    baseline: StateUpdates,
    suggestion: StateUpdates | None,
    applied: StateUpdates,
    told: Told,
) -> dict[str, object]:
    """Return what changed, from what to what and why, as plain JSON values.

    The four sets of numbers are those before the turn, after the absence, after the talk and at the end;
    what lies between two of them is owed to decay, to the talk (`heuristic`, `model`, `applied`) and to
    the event.
    """
    event = told.record.event_id if told.record else told.opened.event_id if told.opened else None
    return {
        "before": _numbers(stored),
        "arrived": _numbers(arrived),
        "talked": _numbers(talked),
        "after": _numbers(after),
        "heuristic": updates_as_table(baseline),
        "model": updates_as_table(suggestion) if suggestion else None,
        "applied": updates_as_table(applied),
        "event": event,
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


def _shown(face: Face, last: Face | None) -> tuple[Show, ...]:
    return (Show(face),) if face != last or face.flash else ()


def _numbers(character: CharacterState) -> dict[str, object]:
    numbers: dict[str, object] = {name: getattr(character, name) for name in _STATS}
    return {
        **numbers,
        "mood": character.mood.primary,
        "intensity": character.mood.intensity,
        "stage": character.relationship_stage,
    }
