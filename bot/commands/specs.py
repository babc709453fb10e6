"""The commands as the platforms announce them: names, descriptions, and what each asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.backgrounds import Backgrounds
from bot.commands.booth import PLAIN
from bot.emotes import Emotes
from bot.ports import CommandOption, CommandSpec
from engine.character import EMOTIONS
from render.framing import FRAMINGS

Say = Callable[[str], str]


def command_specs(
    names: Iterable[str], say: Say, emotes: Emotes, backgrounds: Backgrounds
) -> tuple[CommandSpec, ...]:
    """Return the commands.

    Args:
        names: The commands' names.
        say: Gives a sentence of the app.
        emotes: What she can play.
        backgrounds: What she can stand before.
    """
    options = {"emote": _emote(say), "pose": _pose(say, emotes, backgrounds), "avatar": _avatar(say)}
    return tuple(CommandSpec(name, say(f"commands.{name}"), options.get(name, ())) for name in names)


def _emote(say: Say) -> tuple[CommandOption, ...]:
    return (CommandOption("name", say("commands.emote_name")),)


def _avatar(say: Say) -> tuple[CommandOption, ...]:
    return (CommandOption("name", say("commands.avatar_name")),)


def _pose(say: Say, emotes: Emotes, backgrounds: Backgrounds) -> tuple[CommandOption, ...]:
    poses = (PLAIN, *(one.id for one in (*emotes.built_in, *emotes.idles)))
    asked = {"pose": poses, "expression": EMOTIONS, "framing": FRAMINGS, "background": backgrounds.names()}
    return tuple(
        CommandOption(name, say(f"commands.pose_{name}"), choices=tuple(choices))
        for name, choices in asked.items()
    )
