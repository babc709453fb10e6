"""What the core asks of the world: a few small protocols and the values that cross them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Protocol

from engine.conversation import Address, Face, Incoming, Prompt

Phase = Literal["remembering", "seeing", "thinking"]
Activity = Literal["typing", "upload_photo"]
LoopFormat = Literal["webp", "mp4"]

PANELS: Final = ("pose:", "emote:", "avatar:")
"""What the data of buttons begins with that may be pressed again and again: a press is the command of that
name, and what follows are its arguments."""

Accept = Callable[[Incoming], Awaitable[bool]]
"""Writes an incoming down for good before it returns; False for a key that is known already."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a platform allows, as its documentation says (the source stands beside each value).

    `text` and `caption` are characters per message, counted both in UTF-16 units and in code points,
    whichever is larger; `button_data_bytes` UTF-8 bytes; `typing_every_s` how often the activity must
    be repeated to stay visible; `nonce` whether a repeated send is recognised by the platform;
    `prepare` makes a text safe for the platform before it is cut, `measure` is a piece's length after the
    platform's own conversion; `loops` is the kind of file that a chat there plays by itself;
    `download_bytes` how large a user's file may be to be fetched.
    """

    text: int
    caption: int
    button_data_bytes: int
    button_label: int
    buttons_per_row: int
    upload_bytes: int
    typing_every_s: float
    nonce: bool
    per_chat_s: float = 0.0
    prepare: Callable[[str], str] | None = None
    measure: Callable[[str], int] | None = None
    loops: LoopFormat = "mp4"
    download_bytes: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Button:
    """One thing to press: what it says and the short opaque id that comes back."""

    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture on its way out. `reference` is the platform's own id of the same picture, if known."""

    data: bytes
    mime: str
    name: str
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """One message to deliver. `text` is neutral Markdown unless `plain`; `nonce` is at most 25 characters.

    A send with a picture and a text puts the text into the caption (never longer than Limits.caption).
    """

    address: Address
    nonce: str
    text: str = ""
    plain: bool = False
    picture: Picture | None = None
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the platform said to a delivered message; `picture_reference` lets the picture be sent again by id."""

    message_id: str
    picture_reference: str | None = None


@dataclass(frozen=True, slots=True)
class CommandOption:
    """One thing that a command asks for. `name` is a lower-case identifier of at most 32 characters."""

    name: str
    description: str
    kind: Literal["text", "integer", "number", "switch"] = "text"
    required: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command as platforms announce it; "memory list" is the command `list` in the group `memory`.

    `name` is of [a-z0-9_], at most 32 characters a word; `description` 1 to 100 characters.
    """

    name: str
    description: str
    options: tuple[CommandOption, ...] = ()


class Platform(Protocol):
    """One messenger.

    `start` connects and begins to call `accept` for all that comes in; it raises PlatformDown with one
    clear line (without the token) when it cannot. `ended` completes when the platform has died for good.
    `quiesce` stops the intake, `close` everything. `send` raises one of the SendError kinds.
    """

    name: str
    limits: Limits

    async def start(self, accept: Accept) -> None:
        """Connect and begin to take messages."""

    async def ended(self) -> None:
        """Wait until the platform has ended for good; raises PlatformDown with the reason."""

    async def quiesce(self) -> None:
        """Take no more messages; sending still works."""

    async def close(self) -> None:
        """Give back everything."""

    async def send(self, send: Send) -> Receipt:
        """Deliver one message."""

    async def activity(self, address: Address, kind: Activity) -> None:
        """Show once that she is typing or sending a picture; failures are swallowed."""

    async def download(self, reference: str, max_bytes: int) -> bytes:
        """Fetch a user's file from the platform itself.

        Args:
            reference: The platform's own word for it, from `Attached`.
            max_bytes: No more than this is read, whatever size was announced.

        Raises:
            FileTooLarge: There is more of it.
            FileError: It is not there, not the platform's, or cannot be fetched now.
        """


@dataclass(frozen=True, slots=True)
class Usage:
    """What a request cost: tokens in and out (0 where the server does not say)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(slots=True)
class ChatRequest:
    """One request to a voice. `usage` is filled in by the model when the stream has ended."""

    prompt: Prompt
    max_tokens: int | None = None
    usage: Usage = field(default_factory=Usage)


LONGEST_REPLY: Final = 16_000
"""Characters of one reply that are read; a model that goes on is cut off there."""


class ChatModel(Protocol):
    """A voice. Errors are the ModelError kinds; `name` is what people call it."""

    name: str

    def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's pieces as they come."""

    async def complete_json(
        self, system: str, user: str, schema: Mapping[str, object] | None = None, max_tokens: int = 400
    ) -> str:
        """Answer one request for a JSON object; the text may need the tolerant parser.

        Args:
            system: What is asked for.
            user: The material.
            schema: The JSON schema of the answer, kept to where the server offers that.
            max_tokens: The limit of the answer.
        """

    async def close(self) -> None:
        """Give back connections."""


class Hooks(Protocol):
    """Who wants to know what a turn is doing."""

    def set_phase(self, phase: Phase) -> None:
        """Tell that the turn has entered a phase."""


class Portrait(Protocol):
    """Her face as a picture."""

    def cached(self, face: Face) -> Picture | None:
        """The picture, if it costs nothing."""

    async def picture(self, face: Face) -> Picture | None:
        """The picture; None when no rung of the failure ladder holds."""

    def cached_loop(self, face: Face, action: str, kind: LoopFormat) -> Picture | None:
        """The loop of an animation, if it costs nothing."""

    async def loop(self, face: Face, action: str, kind: LoopFormat) -> Picture | None:
        """The loop of an animation; None where a still must take its place."""


class Clock(Protocol):
    """The time: aware UTC."""

    def now(self) -> datetime:
        """Return the present instant."""
