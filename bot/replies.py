"""From her reply to rows of `outgoing`: what becomes one message, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Final

from bot.platforms.formatting import clean, split, utf16_length
from bot.ports import Button, Limits
from bot.store.outgoing import OutgoingRow
from engine.conversation import Address, Choose, Narrate, Notice, Panel, Play, Reply, Say, Show

ASIDE_POSITION: Final = 1000
"""Positions from here on are lines of the app while a turn is still open; a turn says each once."""


def rows_of(
    reply: Reply,
    address: Address,
    limits: Limits,
    at_once: Callable[[Show | Play], bool],
    *,
    spoken: bool = False,
) -> tuple[OutgoingRow, ...]:
    """Lay a reply out as messages.

    Narration joins her words. Her picture goes with the words where it costs nothing and the words fit a
    caption, else it follows them. Buttons stand under the last words. Panels come last, each by itself.

    Args:
        reply: What is said and shown.
        address: Where.
        limits: What the platform allows.
        at_once: Whether a picture is ready.
        spoken: The first words have been sent already: what joined them since, and the picture, follow
            as messages of their own.
    """
    rows: list[OutgoingRow] = []
    positions = count()
    for notice in (part for part in reply if isinstance(part, Notice) and not part.joined):
        rows += _texts(notice.text, address, limits, positions, kind="notice")
    told = _told(reply, address, limits, positions, spoken=spoken)
    buttons = tuple(_buttons(reply, limits))
    if told and buttons:
        told[-1] = replace(told[-1], buttons=buttons)
    rows += told
    shown = next((part for part in reply if isinstance(part, Show | Play)), None)
    if shown is not None:
        action = shown.action if isinstance(shown, Play) else None
        if rows and not spoken and at_once(shown) and _fits_caption(rows[-1].text, limits):
            rows[-1] = replace(rows[-1], face=shown.face, action=action)
        else:
            rows.append(OutgoingRow(address, next(positions), face=shown.face, action=action, kind="picture"))
    rows += [_panel(part, address, limits, next(positions)) for part in reply if isinstance(part, Panel)]
    return tuple(rows)


def aside(text: str, address: Address, number: int) -> OutgoingRow:
    """A line of the app while the turn is still open; the same number is said once a turn."""
    return OutgoingRow(address, ASIDE_POSITION + number, text, plain=True, kind="notice")


def _told(
    reply: Reply, address: Address, limits: Limits, positions: Iterator[int], *, spoken: bool
) -> list[OutgoingRow]:
    """Lay out what is said. What was sent keeps its rows: a row that has changed would count as sent too."""
    words = list(_words(reply))
    sent = 1 if spoken else len(words)
    told = _texts("\n\n".join(words[:sent]), address, limits, positions, kind="reply")
    return told + _texts("\n\n".join(words[sent:]), address, limits, positions, kind="reply")


def _words(reply: Reply) -> Iterator[str]:
    for part in reply:
        if isinstance(part, Notice) and part.joined:
            yield "\n".join(f"> {line}" for line in part.text.strip().splitlines())
        elif isinstance(part, Say) and part.text.strip():
            yield part.text.strip()
        elif isinstance(part, Narrate) and part.text.strip():
            yield "\n".join(map(_slanted, part.text.strip().splitlines()))


def _slanted(line: str) -> str:
    """Set a line of narration in italics; marks of its own would end them early."""
    bare = line.replace("*", "").strip()
    return f"*{bare}*" if bare else ""


def _texts(
    text: str, address: Address, limits: Limits, positions: Iterator[int], kind: str
) -> list[OutgoingRow]:
    ready = limits.prepare(clean(text)) if limits.prepare else clean(text)
    pieces = split(ready, limits, limits.measure)
    return [OutgoingRow(address, next(positions), piece, kind=kind) for piece in pieces]


def _buttons(reply: Reply, limits: Limits) -> Iterator[Button]:
    for part in reply:
        if isinstance(part, Choose):
            for index, label in enumerate(part.labels):
                yield Button(label[: limits.button_label], f"{part.scene}:{index}")


def _panel(panel: Panel, address: Address, limits: Limits, position: int) -> OutgoingRow:
    buttons = tuple(Button(label[: limits.button_label], data) for label, data in panel.buttons)
    return OutgoingRow(address, position, panel.text, face=panel.face, buttons=buttons, kind="panel")


def _fits_caption(text: str, limits: Limits) -> bool:
    own = limits.measure(text) if limits.measure else 0
    return max(utf16_length(text), own) <= limits.caption
