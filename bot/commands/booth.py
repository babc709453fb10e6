"""/pose: the photo booth. Pose, expression, framing and background are chosen with buttons, or named in one line.

All of the state stands in the buttons, so an old panel still works after a restart: "pose:greeting happy full
day ?" shows the panel with these four choices, "?p" the poses to choose from, and without a question mark the
picture is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from bot.backgrounds import BUILT_IN, STUDIO
from bot.commands.context import Answer, Context
from bot.emotes import Emote
from engine.character import EMOTIONS, MoodState
from engine.conversation import Face, Notice, Panel
from engine.mood_face import face_for
from render.compose import DAYTIMES
from render.framing import FRAMINGS

PLAIN: Final = "plain"
PARTS: Final = {"p": "pose", "e": "emotion", "f": "framing", "b": "background"}
"""The four things to choose, by the letter behind the question mark."""
_WORD_CHARS: Final = 32


@dataclass(frozen=True, slots=True)
class Shot:
    """What stands before the camera, in the words of a button's data."""

    pose: str = PLAIN
    emotion: str = "happy"
    framing: str = "bust"
    background: str = STUDIO

    @property
    def words(self) -> str:
        """The shot as arguments of the command."""
        return f"{self.pose} {self.emotion} {self.framing} {self.background}"


def pose(context: Context) -> Answer:
    """Open the photo booth, change what is chosen there, or take the picture."""
    if not context.looks.portraits.settings.enabled:
        return Answer((Notice(context.say("face.off")),))
    words = context.argument.split()
    asked = words.pop() if words and words[-1].startswith("?") else None
    shot, strange = _read(context, words)
    if strange:
        told = context.say("pose.unknown", word=strange[:_WORD_CHARS], words=_vocabulary(context))
        return Answer((Notice(told), _panel(context, shot)), photo_mode=True)
    if asked is not None and (part := PARTS.get(asked[1:])):
        return Answer((_offer(context, shot, part),), photo_mode=True)
    if asked is not None or not words:
        return Answer((_panel(context, shot),), photo_mode=True)
    return Answer((_panel(context, shot, _face(context, shot)),), photo_mode=False)


def _read(context: Context, words: list[str]) -> tuple[Shot, str]:
    """Read a shot from words in any order. Returns it with the first word that means nothing here."""
    shot = Shot()
    for word in words:
        meant = _meant(context, word.casefold())
        if meant is None:
            return shot, word
        shot = replace(shot, **{meant[0]: meant[1]})
    return shot, ""


def _meant(context: Context, word: str) -> tuple[str, str] | None:
    named = ((part, value) for part, value, known in _choices(context) if word in map(str.casefold, known))
    return next(named, None)


def _choices(context: Context) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield all that can be chosen: the part, the value, and the words that mean it."""
    yield "pose", PLAIN, (PLAIN, context.say("pose.plain"))
    for one in _poses(context):
        yield "pose", one.id, (one.id, one.name(context.language))
    for emotion in EMOTIONS:
        yield "emotion", emotion, (emotion, context.say(f"mood.{emotion}"))
    for framing in FRAMINGS:
        yield "framing", framing, (framing, context.say(f"framing.{framing}"))
    for built_in in BUILT_IN:
        yield "background", built_in, (built_in, context.say(f"background.{built_in}"))
    for picture in context.looks.portraits.backgrounds.own():
        yield "background", picture, (picture,)


def _poses(context: Context) -> tuple[Emote, ...]:
    emotes = context.looks.portraits.emotes
    return (*emotes.built_in, *emotes.idles)


def _label(context: Context, part: str, value: str) -> str:
    return next(known[-1] for name, one, known in _choices(context) if (name, one) == (part, value))


def _panel(context: Context, shot: Shot, face: Face | None = None) -> Panel:
    """Return the booth with what is chosen; with a face, the picture stands above it."""
    buttons = [
        (
            context.say(f"pose.{part}", choice=_label(context, part, getattr(shot, part))),
            f"pose:{shot.words} ?{letter}",
        )
        for letter, part in PARTS.items()
    ]
    if face is None:
        buttons.append((context.say("pose.take"), f"pose:{shot.words}"))
    text = context.say("pose.taken" if face else "pose.booth", words=shot.words)
    return Panel(text, tuple(buttons), face)


def _offer(context: Context, shot: Shot, part: str) -> Panel:
    buttons = tuple(
        (known[-1], f"pose:{replace(shot, **{part: value}).words} ?")
        for name, value, known in _choices(context)
        if name == part
    )
    return Panel(context.say(f"pose.choose_{part}"), buttons)


def _vocabulary(context: Context) -> str:
    return ", ".join(value for _, value, _ in _choices(context))


def _face(context: Context, shot: Shot) -> Face:
    emotion = next(one for one in EMOTIONS if one == shot.emotion)
    looks = context.looks
    strongest = MoodState(emotion, 100)
    face = face_for(strongest, None if emotion == "neutral" else emotion, looks.expressions)
    return replace(
        face,
        flash=False,
        pose=None if shot.pose == PLAIN else shot.pose,
        figure=looks.figure,
        framing=shot.framing,
        daytime=shot.background if shot.background in DAYTIMES else "",
        background="" if shot.background in (STUDIO, *DAYTIMES) else shot.background,
    )
