"""What a user's message changes by itself, before the model has a say (specification, "Baseline Calculations")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor
from typing import Final

from engine.character import MoodChange, StateUpdates
from engine.heuristics import MessageAnalysis, TopicDepth

Draw = Callable[[], float]
"""A source of random numbers in [0, 1)."""

CLEAR_SENTIMENT: Final = 0.3
STRONG_SENTIMENT: Final = 0.5
INTENSITY_PER_SENTIMENT: Final = 20
LOWEST_FACTOR: Final = 0.8
FACTOR_SPAN: Final = 0.4
WARM_PHASE_FROM: Final = 300
SETTLED_PHASE_FROM: Final = 700
POSITIVE_CAUSE: Final = "positive conversation"
NEGATIVE_CAUSE: Final = "concerning conversation"


@dataclass(slots=True)
class _Impact:
    """The five stats and energy while the factors add up."""

    energy: int = -2
    affection: int = 1
    trust: int = 0
    intimacy: int = 0
    comfort: int = 0
    respect: int = 0


def message_impact(
    sentiment: float,
    topic_depth: TopicDepth,
    is_emotional: bool,
    is_question: bool,
    affection: int,
    draw: Draw,
) -> StateUpdates:
    """Add up what one message changes.

    Args:
        sentiment: -1 to 1.
        topic_depth: How deep the message goes.
        is_emotional: Whether it holds emotional words.
        is_question: Whether it asks.
        affection: Her present affection, which decides the phase.
        draw: Two draws are taken: for affection, then for trust.
    """
    impact = _Impact()
    _add_sentiment(impact, sentiment)
    _add_depth(impact, topic_depth)
    if is_emotional:
        impact.intimacy += 2
        impact.trust += 1
        impact.affection += 1
    if is_question:
        impact.respect += 1
        impact.trust += 1
    impact.affection = floor(floor(impact.affection * _phase_factor(affection)) * _chance_factor(draw))
    impact.trust = floor(impact.trust * _chance_factor(draw))
    return _clamped(impact)


def baseline_updates(analysis: MessageAnalysis, affection: int, draw: Draw) -> StateUpdates:
    """Return what a message changes, with the mood of a clear sentiment and the stand-in for a memory."""
    impact = message_impact(
        analysis.sentiment,
        analysis.topic_depth,
        analysis.has_emotional_content,
        analysis.is_question,
        affection,
        draw,
    )
    memory = analysis.extracted_facts[0] if analysis.extracted_facts else None
    return StateUpdates(
        mood_change=baseline_mood(analysis.sentiment),
        energy_delta=impact.energy_delta,
        affection_delta=impact.affection_delta,
        trust_delta=impact.trust_delta,
        intimacy_delta=impact.intimacy_delta,
        comfort_delta=impact.comfort_delta,
        respect_delta=impact.respect_delta,
        new_memory=memory,
    )


def baseline_mood(sentiment: float) -> MoodChange | None:
    """Return the mood of a clear sentiment (beyond 0.3 either way), else None."""
    strength = floor(abs(sentiment) * INTENSITY_PER_SENTIMENT)
    if sentiment > CLEAR_SENTIMENT:
        return MoodChange("happy" if sentiment > STRONG_SENTIMENT else "content", strength, POSITIVE_CAUSE)
    if sentiment < -CLEAR_SENTIMENT:
        return MoodChange("sad" if sentiment < -STRONG_SENTIMENT else "anxious", strength, NEGATIVE_CAUSE)
    return None


def _add_sentiment(impact: _Impact, sentiment: float) -> None:
    if sentiment > CLEAR_SENTIMENT:
        impact.affection += 2
        impact.comfort += 1
    elif sentiment < -CLEAR_SENTIMENT:
        impact.affection -= 1
        impact.comfort -= 1


def _add_depth(impact: _Impact, depth: TopicDepth) -> None:
    if depth == "deep":
        impact.affection += 2
        impact.intimacy += 2
        impact.trust += 1
        impact.energy -= 2
    elif depth == "moderate":
        impact.affection += 1
        impact.intimacy += 1
        impact.energy -= 1
    else:
        impact.comfort -= 1


def _phase_factor(affection: int) -> float:
    if affection < WARM_PHASE_FROM:
        return 1.5
    return 1.0 if affection < SETTLED_PHASE_FROM else 0.7


def _chance_factor(draw: Draw) -> float:
    return LOWEST_FACTOR + draw() * FACTOR_SPAN


def _clamped(impact: _Impact) -> StateUpdates:
    return StateUpdates(
        energy_delta=impact.energy,
        affection_delta=max(-5, min(10, impact.affection)),
        trust_delta=max(-3, min(5, impact.trust)),
        intimacy_delta=max(-2, min(5, impact.intimacy)),
        comfort_delta=max(-3, min(3, impact.comfort)),
        respect_delta=max(-2, min(3, impact.respect)),
    )
