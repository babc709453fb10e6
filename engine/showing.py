"""What of her is seen after a turn: an animation, a still in an idle's pose, or nothing new."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from engine.action_gate import ActionGate, resolve_action
from engine.conversation import Face, Play, Show
from engine.idle_pool import next_idle
from engine.turn_values import Snapshot


@dataclass(frozen=True, slots=True)
class Shown:
    """The parts of the reply that show her, the face to remember, and the gate where something played."""

    parts: tuple[Show | Play, ...]
    face: Face
    gate: ActionGate | None = None


def show(
    snapshot: Snapshot,
    face: Face,
    now: datetime,
    draw: Callable[[], float],
    action: str | None = None,
) -> Shown:
    """Choose how a face is shown.

    An animation takes the still's place. A resting face is shown when it is not the last one; its pose is
    another idle than the last time. A flash is always shown, in the stance of its emotion.

    Args:
        snapshot: What the turn saw.
        face: The mood's face, or the flash of this moment.
        now: The turn's instant.
        draw: The turn's dice.
        action: The animation that the model asks for.
    """
    last = snapshot.last_face
    face = replace(face, figure=snapshot.figure)
    # A face that holds no idle's pose keeps the last one in mind, for the next that does.
    kept = replace(face, pose=last.pose if last else None)
    enabled = [name for name, _ in snapshot.actions]
    played = resolve_action(action, now.timestamp(), enabled, snapshot.gate, busy=snapshot.busy)
    if played is not None:
        return Shown((Play(played, face),), kept, snapshot.gate.fired(played, now.timestamp()))
    if face.flash:
        return Shown((Show(face),), kept)
    if face.looks_like(last):
        return Shown((), kept)
    posed = replace(face, pose=next_idle(snapshot.idles, kept.pose, draw))
    return Shown((Show(posed),), posed)
