"""What a user does besides talking, written once for every platform.

A command is a function from what it may look at to what is answered; the turn writes its effects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from bot.commands.avatars import avatar
from bot.commands.booth import pose
from bot.commands.context import Answer, Context
from bot.commands.emoting import emote
from bot.commands.explaining import explain
from bot.ports import PANELS
from engine.conversation import Incoming, Notice, Show
from engine.updates import SAID_CAUSE

__all__ = ["COMMANDS", "Answer", "Context", "answer_command", "command_line", "parse_command"]


def start(context: Context) -> Answer:
    """Welcome a new user, or come back after /stop."""
    if context.stopped and context.told_ai:
        return Answer((Notice(context.say("stop.resumed")),), stopped=False)
    text = f"{welcome(context)}\n\n{context.persona.greet(context.language)}"
    return Answer((Notice(text), Show(context.face)), stopped=False, told_ai=True)


def welcome(context: Context) -> str:
    """Return the words of first contact: who she is, that she is an AI, what is kept."""
    voice = context.say(f"contact.voice_{context.voice.place}", provider=context.voice.provider)
    return context.say("contact.welcome", name=context.state.name, voice=voice)


def help_(context: Context) -> Answer:
    """List what can be done."""
    described = {name: context.say(f"commands.{name}") for name in COMMANDS}
    return Answer((Notice(context.say("help.text", **described)),))


def stop(context: Context) -> Answer:
    """Be quiet until /start; the data stays."""
    return Answer((Notice(context.say("stop.already" if context.stopped else "stop.done")),), stopped=True)


def status(context: Context) -> Answer:
    """Tell how she feels and, in private and outside Companion Mode, how well they know each other."""
    state = context.state
    causes = state.mood.causes if context.private else ()  # they quote what was said
    cause = context.say("status.cause", cause=_quoted(causes[-1])) if causes else ""
    mood = context.say(f"mood.{state.mood.primary}")
    lines = [
        _title(context),
        context.say("status.mood", mood=mood, intensity=state.mood.intensity, cause=cause),
    ]
    lines.append(context.say("status.energy", energy=state.energy))
    if context.private and state.app_mode == "dating_sim":
        lines += _relationship(context)
    return Answer((Notice("\n".join(lines)), Show(context.face)))


def _quoted(cause: str) -> str:
    """Return a cause for the user's own eyes: their words in quotes, where it tells what they said."""
    words = cause.removeprefix(SAID_CAUSE)
    return cause if words == cause else f'"{words}"'


def _title(context: Context) -> str:
    state = context.state
    if state.app_mode == "companion" or not context.private:
        return context.say("status.title_companion", name=state.name)
    return context.say(
        "status.title", name=state.name, stage=context.say(f"stage.{state.relationship_stage}")
    )


def _relationship(context: Context) -> list[str]:
    state = context.state
    stats = {name: getattr(state, name) for name in ("affection", "trust", "intimacy", "comfort", "respect")}
    days = context.say(
        "status.days",
        days=state.days_known,
        talks=state.total_interactions,
        streak=state.current_streak,
        longest=state.longest_streak,
    )
    return [context.say("status.stats", **stats), days]


def why(context: Context) -> Answer:
    """Tell in one short message what the last turn changed, and why."""
    if not context.private:
        return Answer((Notice(context.say("private.only")),))
    if context.last is None:
        return Answer((Notice(context.say("why.nothing")),))
    return Answer((Notice(explain(context.last, context.say)),))


def undo(context: Context) -> Answer:
    """Take the last turn back."""
    if not context.private:
        return Answer((Notice(context.say("private.only")),))
    if context.last is None:
        return Answer((Notice(context.say("undo.nothing")),))
    return Answer((Notice(context.say("undo.done")),), takes_back=True)


def again(context: Context) -> Answer:
    """Take the last turn back and answer it anew."""
    if not context.private:
        return Answer((Notice(context.say("private.only")),))
    if context.last is None:
        return Answer((Notice(context.say("undo.nothing")),))
    return Answer((), takes_back=True, answers_anew=True)


COMMANDS: Final[Mapping[str, Callable[[Context], Answer]]] = {
    "start": start,
    "help": help_,
    "status": status,
    "stop": stop,
    "again": again,
    "undo": undo,
    "why": why,
    "emote": emote,
    "pose": pose,
    "avatar": avatar,
}


def parse_command(text: str) -> tuple[str, str]:
    """Split "/name@bot argument" into its name, in lower case, and its argument."""
    word, *argument = text.strip().removeprefix("/").split(maxsplit=1) or [""]
    return word.split("@", 1)[0].lower(), "".join(argument).strip()


def command_line(incoming: Incoming) -> str | None:
    """Return the command that an incoming is: a line with a slash, or a press in a panel; else None."""
    if incoming.kind == "command":
        return incoming.text
    if incoming.kind == "choice" and incoming.text.startswith(PANELS):
        name, _, argument = incoming.text.partition(":")
        return f"/{name} {argument}"
    return None


def answer_command(text: str, context: Context) -> Answer:
    """Answer one command line; an unknown one gets a hint in private and silence in a group."""
    name, argument = parse_command(text)
    if name in COMMANDS:
        return COMMANDS[name](replace(context, argument=argument))
    if not context.private:
        return Answer()
    return Answer((Notice(context.say("command.unknown", command=f"/{name[:32]}")),))
