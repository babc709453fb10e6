"""How much talk may add to each stat on one local day, so that nobody can grind (gains only)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from engine.character import AFFECTION_MAX, STAT_MAX, CharacterState, DailyGains, StateUpdates


@dataclass(frozen=True, slots=True)
class DailyCaps:
    """The most that talk may add on one of the user's calendar days. Event choices do not count."""

    affection: int = 60
    trust: int = 15
    intimacy: int = 15
    comfort: int = 15
    respect: int = 15


def cap_daily_gains(
    character: CharacterState, updates: StateUpdates, caps: DailyCaps, today: date
) -> tuple[StateUpdates, DailyGains]:
    """Limit a turn's gains to what the day still allows; losses pass.

    Args:
        character: Her state before the turn, with the gains of its last day.
        updates: The merged changes of the turn.
        caps: The most of each stat a day.
        today: The user's local date. A date before the recorded one (a clock or zone set back) opens
            no new day.

    Returns:
        The limited changes, and the day's gains after them. Only what really raises a stat counts;
        in Companion Mode nothing does.
    """
    gains = gains_of(character, today)
    if character.app_mode == "companion":
        return updates, gains
    affection = _allowed(
        updates.affection_delta, caps.affection - gains.affection, AFFECTION_MAX - character.affection
    )
    trust = _allowed(updates.trust_delta, caps.trust - gains.trust, STAT_MAX - character.trust)
    intimacy = _allowed(updates.intimacy_delta, caps.intimacy - gains.intimacy, STAT_MAX - character.intimacy)
    comfort = _allowed(updates.comfort_delta, caps.comfort - gains.comfort, STAT_MAX - character.comfort)
    respect = _allowed(updates.respect_delta, caps.respect - gains.respect, STAT_MAX - character.respect)
    limited = replace(
        updates,
        affection_delta=affection,
        trust_delta=trust,
        intimacy_delta=intimacy,
        comfort_delta=comfort,
        respect_delta=respect,
    )
    return limited, DailyGains(
        gains.day,
        gains.affection + max(0, affection or 0),
        gains.trust + max(0, trust or 0),
        gains.intimacy + max(0, intimacy or 0),
        gains.comfort + max(0, comfort or 0),
        gains.respect + max(0, respect or 0),
    )


def gains_of(character: CharacterState, today: date) -> DailyGains:
    """Return what talk has added on the present local day so far."""
    if character.gains.day >= today.isoformat():
        return character.gains
    return DailyGains(day=today.isoformat())


def _allowed(delta: int | None, left_today: int, room: int) -> int | None:
    if delta is None or delta <= 0:
        return delta
    return max(0, min(delta, left_today, room))
