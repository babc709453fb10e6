"""What an absence does: energy recovers, the rest fades (specification, "Time-Based Recovery and Decay").

Everything is counted from the last talk, and what the present absence has already taken is kept in
`CharacterState.absence`: only the difference is applied, so any rhythm of checks equals one check.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from engine.character import MAX_CAUSES, STAT_MAX, AbsenceTaken, CharacterState, MoodState

SHORTEST_HOURS: Final = 0.5
FULL_RECOVERY_HOURS: Final = 6
AFFECTION_FROM_HOURS: Final = 48
AFFECTION_FREE_DAYS: Final = 2
AFFECTION_MAX_PERCENT: Final = 5
AFFECTION_MAX_LOSS: Final = 50
TRUST_FROM_HOURS: Final = 168
TRUST_PER_WEEK: Final = 2
TRUST_MAX_LOSS: Final = 10
MOOD_FROM_HOURS: Final = 72
INTENSITY_PER_DAY: Final = 5
INTENSITY_MAX_RISE: Final = 30
MISSING_CAUSE: Final = "missing you"


@dataclass(frozen=True, slots=True)
class _Absence:
    """How long she has been alone."""

    hours: float

    @property
    def days(self) -> int:
        return int(self.hours // 24)

    @property
    def weeks(self) -> int:
        return int(self.hours // TRUST_FROM_HOURS)


def settle_absence(character: CharacterState, now: datetime, *, decay: bool = True) -> CharacterState:
    """Return her state after the time since the last talk; the same object if nothing is due.

    Args:
        character: Her state.
        now: Aware UTC. A clock set back changes nothing.
        decay: False lets her only recover.
    """
    if character.last_interaction is None:
        return character
    absence = _Absence((now - character.last_interaction) / timedelta(hours=1))
    if absence.hours < SHORTEST_HOURS:
        return character
    recovered = _recover(character, absence)
    if not decay or _fully_taken(character):
        return recovered
    return _fade(recovered, absence, now)


def _fully_taken(character: CharacterState) -> bool:
    """Tell whether a record without an account (an import) says that this absence is paid for."""
    account = replace(character.absence, energy=0)
    return _decayed_in_this_absence(character) and account == AbsenceTaken()


def _decayed_in_this_absence(character: CharacterState) -> bool:
    last_decay, last_talk = character.last_decay_at, character.last_interaction
    return last_decay is not None and last_talk is not None and last_decay >= last_talk


def _recover(character: CharacterState, absence: _Absence) -> CharacterState:
    base = character.energy - character.absence.energy
    missing = STAT_MAX - base
    share = min(1.0, absence.hours / FULL_RECOVERY_HOURS)
    gain = max(1, ceil(missing * share)) if missing > 0 else 0
    energy = max(character.energy, min(STAT_MAX, base + gain))
    if energy == character.energy:
        return character
    taken = replace(character.absence, energy=energy - base)
    return replace(character, energy=energy, absence=taken)


def _fade(character: CharacterState, absence: _Absence, now: datetime) -> CharacterState:
    taken = character.absence
    if not _decayed_in_this_absence(character):
        taken = AbsenceTaken(energy=taken.energy)
    faded = _lose_affection_and_trust(replace(character, absence=taken), absence)
    faded = _miss_them(faded, absence)
    if faded.absence == taken:
        return character
    return replace(faded, last_decay_at=now)


def _lose_affection_and_trust(character: CharacterState, absence: _Absence) -> CharacterState:
    """Take what is owed beyond what was taken; in Companion Mode the five stats stay."""
    if character.app_mode == "companion":
        return character
    taken = character.absence
    affection = max(0, _affection_owed(character.affection + taken.affection, absence) - taken.affection)
    trust = max(0, _trust_owed(absence, character.trust + taken.trust) - taken.trust)
    return replace(
        character,
        affection=character.affection - affection,
        trust=character.trust - trust,
        absence=replace(taken, affection=taken.affection + affection, trust=taken.trust + trust),
    )


def _affection_owed(affection: int, absence: _Absence) -> int:
    """Return the loss of the whole absence: 1% a day beyond the second, at most 5% and 50 points."""
    if absence.hours <= AFFECTION_FROM_HOURS:
        return 0
    percent = min(AFFECTION_MAX_PERCENT, absence.days - AFFECTION_FREE_DAYS)
    return min(AFFECTION_MAX_LOSS, affection * percent // 100)


def _trust_owed(absence: _Absence, trust: int) -> int:
    if absence.hours <= TRUST_FROM_HOURS:
        return 0
    return min(TRUST_MAX_LOSS, TRUST_PER_WEEK * absence.weeks, trust)


def _miss_them(character: CharacterState, absence: _Absence) -> CharacterState:
    if absence.hours <= MOOD_FROM_HOURS:
        return character
    taken = character.absence
    rise = min(INTENSITY_MAX_RISE, INTENSITY_PER_DAY * absence.days) - taken.intensity
    if rise <= 0:
        return character
    mood = _missing(character.mood, rise, first=taken.intensity == 0)
    return replace(character, mood=mood, absence=replace(taken, intensity=taken.intensity + rise))


def _missing(mood: MoodState, rise: int, *, first: bool) -> MoodState:
    causes = (*mood.causes, MISSING_CAUSE)[-MAX_CAUSES:] if first else mood.causes
    intensity = min(STAT_MAX, mood.intensity + rise)
    return replace(mood, primary="melancholy", intensity=intensity, causes=causes)
