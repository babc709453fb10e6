"""/emote: one of her animations, played now."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.commands.context import Answer, Context
from engine.conversation import Notice, Panel, Play

MOST_BUTTONS: Final = 24
"""Discord takes 25 buttons in a message."""
_NAME_CHARS: Final = 32


def emote(context: Context) -> Answer:
    """Play the animation of that name; without a name, offer them all."""
    looks = context.looks
    if not looks.portraits.settings.enabled:
        return Answer((Notice(context.say("face.off")),))
    if not context.argument:
        return Answer((_offer(context),))
    found = looks.portraits.emotes.find(context.argument)
    if found is None:
        word = context.argument[:_NAME_CHARS]
        return Answer((Notice(context.say("emote.unknown", name=word)), _offer(context)))
    face = replace(context.face, figure=looks.figure)
    return Answer((Play(found.id, face),), played=found.id)


def _offer(context: Context) -> Panel:
    emotes = context.looks.portraits.emotes.all()
    names = ", ".join(one.name(context.language) for one in emotes)
    buttons = tuple((one.name(context.language), f"emote:{one.id}") for one in emotes[:MOST_BUTTONS])
    return Panel(context.say("emote.choose", names=names), buttons)
