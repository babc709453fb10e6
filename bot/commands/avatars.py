"""/avatar: which figure she wears for a user, with a picture of each."""

from __future__ import annotations

from typing import Final

from bot.commands.context import Answer, Context
from bot.figures import Figure
from bot.portraits import Portraits
from engine.character import MoodState
from engine.conversation import Face, Notice, Panel
from engine.mood_face import face_for

PER_PAGE: Final = 4
"""Each figure is a message with its picture; Discord allows five answers to an installed user's command."""
_NAME_CHARS: Final = 40
_SMILE: Final = MoodState("happy", 80)


def avatar(context: Context) -> Answer:
    """Show the figures there are, or take the one of that name."""
    looks = context.looks
    if not looks.portraits.settings.enabled:
        return Answer((Notice(context.say("face.off")),))
    if not context.private:
        return Answer((Notice(context.say("private.only")),))
    word = context.argument
    if not word or word.startswith("?"):
        return Answer(_page(context, int(word[1:]) if word[1:].isdecimal() else 1))
    found = looks.figures.meant(word)
    if found is None:
        return Answer((Notice(context.say("avatar.unknown", name=word[:_NAME_CHARS])), *_page(context, 1)))
    if not looks.portraits.can_wear(found):
        return Answer((Notice(context.say("avatar.broken", name=found.label)),))
    said = Panel(context.say("avatar.chosen", name=found.label), face=smile(context.looks.portraits, found))
    return Answer((said,), avatar=found.id)


def _page(context: Context, number: int) -> tuple[Panel, ...]:
    listed = [one for one in context.looks.figures.listed() if context.looks.portraits.can_wear(one)]
    first = max(0, number - 1) * PER_PAGE
    shown = listed[first : first + PER_PAGE]
    panels = [_offer(context, figure) for figure in shown]
    if first + PER_PAGE < len(listed) and panels:
        more = (context.say("avatar.more"), f"avatar:?{number + 1}")
        last = panels[-1]
        panels[-1] = Panel(last.text, (*last.buttons, more), last.face)
    return tuple(panels)


def _offer(context: Context, figure: Figure) -> Panel:
    worn = figure.model == context.looks.figures.ladder(context.looks.figure)[0]
    text = context.say("avatar.worn" if worn else "avatar.offer", name=figure.label)
    choose = (context.say("avatar.choose", name=figure.label), f"avatar:{figure.token}")
    return Panel(text, () if worn else (choose,), smile(context.looks.portraits, figure))


def smile(portraits: Portraits, figure: Figure) -> Face:
    """Return the face with which a figure is shown to be chosen."""
    face = face_for(_SMILE, None, portraits.expressions(figure.id))
    return Face(face.emotion, face.expression, face.weight, figure=figure.id, framing="bust")
