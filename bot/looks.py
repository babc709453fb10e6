"""Her looks as the operator and the user have chosen them: which figure, which animations, what played last."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bot.backgrounds import Backgrounds
from bot.emotes import Allowed, Emotes, load_emotes
from bot.figures import OWN_PREFIX, Figures
from bot.personas import Persona
from bot.portraits import Portraits, PortraitSettings
from bot.settings import CONFIG_DIR, Settings
from engine.action_gate import SAME_ACTION_S, ActionGate
from engine.idle_pool import idle_pool
from engine.turn_values import NEVER_PLAYED

AVATAR: Final = "avatar"
OWN_NAMES: Final = "avatar_names"
GATE: Final = "played"
PHOTO_MODE: Final = "photo_mode_until"
"""Names of a user's settings."""
PHOTO_MODE_S: Final = 600.0
"""So long after the last press in the photo booth no animation plays by itself."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What a turn may know of her looks.

    `figures` are those that the user can choose; `gone` tells that the one the user has chosen has
    vanished, so that the usual one serves.
    """

    portraits: Portraits
    figures: Figures
    figure: str = ""
    gone: bool = False
    gate: ActionGate = NEVER_PLAYED
    photo_mode: bool = False

    @property
    def expressions(self) -> tuple[str, ...]:
        """What the figure can show."""
        return self.portraits.expressions(self.figure)

    @property
    def actions(self) -> tuple[tuple[str, str], ...]:
        """The animations she may use by herself: id and description."""
        return self.portraits.emotes.for_her() if self.portraits.settings.enabled else ()

    @property
    def idles(self) -> tuple[str, ...]:
        """What resting stills take their poses from."""
        built_in = [idle.id for idle in self.portraits.emotes.idles]
        chosen = self.portraits.settings.idles
        return idle_pool(built_in if chosen == "all" else chosen, built_in, built_in)


def looks_of(
    portraits: Portraits, settings: Mapping[str, Any], now: datetime, user_id: int, *, private: bool = True
) -> Looks:
    """Return her looks for one user; what the user has uploaded is worn in private chats only."""
    figures = portraits.figures.shown_to(user_id, settings.get(OWN_NAMES) or {})
    chosen = str(settings.get(AVATAR) or "")
    if chosen.startswith(OWN_PREFIX) and not private:
        chosen = ""
    gone = bool(chosen) and figures.find(chosen) is None
    kept = settings.get(GATE) or {}
    gate = ActionGate(kept.get("each", {}), kept.get("any"))
    photo_mode = float(settings.get(PHOTO_MODE) or 0.0) > now.timestamp()
    return Looks(portraits, figures, "" if gone else chosen, gone, gate, photo_mode)


def gate_setting(gate: ActionGate, now: datetime) -> dict[str, Any]:
    """Return the gate's memory as a user's setting, without what can hold nothing back any more."""
    recent = {name: at for name, at in gate.last_fired.items() if now.timestamp() - at < SAME_ACTION_S}
    return {"each": recent, "any": gate.last_any}


def settings_after(looks: Looks, gate: ActionGate | None, now: datetime) -> dict[str, Any]:
    """Return the user's settings that a turn of talk changes; None removes one.

    Args:
        looks: Her looks as the turn found them.
        gate: The gate where an animation plays now.
        now: The turn's instant.
    """
    changed: dict[str, Any] = {} if gate is None else {GATE: gate_setting(gate, now)}
    return changed | ({AVATAR: None} if looks.gone else {})


def emotes_of(settings: Settings) -> Emotes:
    """Return the animations as the operator has set them.

    Raises:
        ConfigError: A file of the configuration is wrong.
    """
    render = settings.render
    allowed: Allowed = render.actions
    return load_emotes(CONFIG_DIR / "emotes.toml", allowed, _folder(settings, render.emotes_dir, "emotes"))


def portraits_of(settings: Settings, persona: Persona) -> Portraits:
    """Return who draws her: the operator's figure, else the persona's.

    Raises:
        ConfigError: A file of the configuration is wrong.
    """
    render = settings.render
    figure = persona.figure if render.figure == "default" else render.figure
    cache = os.environ.get("OTOMO_CACHE_DIR")
    drawn = PortraitSettings(
        framing=render.framing,
        size_px=render.size_px,
        cache=Path(cache) if cache else Path(settings.data.dir).expanduser().resolve() / "cache",
        cache_bytes=render.cache_mb << 20,
        timeout_s=render.timeout_s,
        enabled=render.enabled,
        loop_size_px=render.loop_size_px,
        idles=render.idles,
        upload_bytes=render.upload_mb << 20,
    )
    uploads = _folder(settings, "", "avatars-of-users") if render.enabled and render.uploads else None
    figures = Figures(figure, _folder(settings, render.avatars_dir, "avatars"), uploads)
    backgrounds = Backgrounds(_folder(settings, render.backgrounds_dir, "backgrounds"))
    return Portraits(drawn, figures, emotes_of(settings), backgrounds)


def _folder(settings: Settings, chosen: str, usual: str) -> Path:
    folder = Path(chosen) if chosen else Path(settings.data.dir) / usual
    return folder.expanduser().resolve()
