"""Settings that name something which must be there: a language, a figure, an animation.

They are checked once at the start: what vanishes later only costs its picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bot.emotes import Emotes
from bot.errors import ConfigError
from bot.settings import Settings
from bot.wording import Wording
from render.figures import NAMES


def check_choices(settings: Settings, wording: Wording, emotes: Emotes) -> None:
    """Refuse a name behind which there is nothing.

    Raises:
        ConfigError: The setting's key, the name, and what there is.
    """
    language = settings.companion.language
    if language not in ("auto", *wording.sentences):
        raise ConfigError(
            f"companion.language: no wording for '{language}'; there is {_listed(wording.sentences)}"
        )
    figure = settings.render.figure
    if figure.endswith(".vrm"):
        if not Path(figure).is_file():
            raise ConfigError(f"render.figure: there is no file {figure}")
    elif figure not in ("default", *NAMES):
        raise ConfigError(f"render.figure: no figure '{figure}'; there is {_listed(NAMES)}, or a .vrm file")
    _check_animations(settings, emotes)


def _check_animations(settings: Settings, emotes: Emotes) -> None:
    files = emotes.folder.glob("*.vrma") if emotes.folder else ()
    known = {
        "actions": [*(emote.id for emote in emotes.built_in), *(path.stem for path in files)],
        "idles": [idle.id for idle in emotes.idles],
    }
    for key, there in known.items():
        chosen = getattr(settings.render, key)
        for name in () if chosen == "all" else chosen:
            if name not in there:
                raise ConfigError(f"render.{key}: no animation '{name}'; there is {_listed(there)}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
