"""Which of the animations that a model asks for may play (specification, "Animation Library")."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

SAME_ACTION_S: Final = 20.0
ANY_ACTION_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class ActionGate:
    """When each animation last played, and when any did; seconds on one clock, None for never."""

    last_fired: Mapping[str, float] = field(default_factory=dict)
    last_any: float | None = None

    def fired(self, action: str, at_s: float) -> ActionGate:
        """Return the gate after an animation has begun."""
        return replace(self, last_fired={**self.last_fired, action: at_s}, last_any=at_s)


def resolve_action(
    action: str | None,
    at_s: float,
    enabled: Collection[str],
    gate: ActionGate,
    *,
    same_action_s: float = SAME_ACTION_S,
    any_action_s: float = ANY_ACTION_S,
    busy: bool = False,
) -> str | None:
    """Return the animation to play now, or None: a refused one is skipped, never queued.

    Args:
        action: The id that the model asks for.
        at_s: The present, in seconds on the gate's clock.
        enabled: The ids that she may use.
        gate: What played before.
        same_action_s: How long the same animation waits.
        any_action_s: How long any other animation waits.
        busy: Whether an emote is playing or photo mode is on; they always win.
    """
    if action is None or busy or action not in enabled:
        return None
    if gate.last_any is not None and at_s - gate.last_any < any_action_s:
        return None
    last = gate.last_fired.get(action)
    if last is not None and at_s - last < same_action_s:
        return None
    return action
