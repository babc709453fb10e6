"""What is said, to whom and about what: value types that know neither messenger nor database."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from engine.character import AppMode, Emotion, Stage

Role = Literal["user", "assistant"]
FactCategory = Literal["user", "relationship", "shared_experience"]
IncomingKind = Literal["message", "choice", "reminder", "command"]


@dataclass(frozen=True, slots=True)
class Address:
    """Where somebody is reached: the platform's name, the account there and the chat.

    `private` is false in groups and server channels, where nothing personal may surface.
    `thread` is the platform's topic inside the chat, if it has any.
    """

    platform: str
    account: str
    chat: str
    private: bool = True
    thread: str | None = None


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that came with a message: its name, its size in bytes, and the platform's own word for it."""

    name: str
    size: int
    reference: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """One thing that makes her act. `key` is unique for ever: the same key twice counts once.

    `text` is the user's words (or the command line, the choice's label, the reminder's content),
    `sent_at` the platform's own time of it (aware UTC), `language` the platform's two-letter hint,
    `cannot_take` the name of a kind of thing she cannot take yet ("voice", "video", "location" ...),
    `attached` the file of a private message.
    """

    kind: IncomingKind
    key: str
    address: Address
    text: str
    sent_at: datetime
    display_name: str = ""
    language: str = ""
    cannot_take: str | None = None
    attached: Attached | None = None


@dataclass(frozen=True, slots=True)
class HistoryTurn:
    """One side of the talk as it is remembered: what the user said, or her cleaned dialogue."""

    role: Role
    content: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewFact:
    """Something worth remembering that has no row yet (defaults: specification, "Fact Structure")."""

    content: str
    category: FactCategory = "user"
    importance: int = 50
    confidence: float = 0.8
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A remembered fact with its use; `importance` 0..100, `confidence` 0..1."""

    id: int
    content: str
    category: FactCategory
    importance: int
    created_at: datetime
    confidence: float = 0.8
    source: str | None = None
    reference_count: int = 0
    last_accessed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Face:
    """All that the renderer gets besides the size.

    `emotion` picks stance and background, `expression` is the avatar's own spelling of the expression
    or None for the resting face, `weight` its strength 0..1, `flash` whether it is a reaction of the
    moment rather than the resting mood. `pose` is the id of an idle or emote of which she holds the best
    moment, None for the plain stance. `figure` is the avatar, `framing` ("portrait", "bust", "full") and
    `daytime` ("morning", "day", "evening", "night") the camera and the light, `background` "transparent" or
    the name of a picture behind her; empty is as the operator has set it.
    """

    emotion: Emotion = "neutral"
    expression: str | None = None
    weight: float = 0.0
    flash: bool = False
    pose: str | None = None
    figure: str = ""
    framing: str = ""
    daytime: str = ""
    background: str = ""

    def looks_like(self, other: Face | None) -> bool:
        """Tell whether two faces differ at most in how she stands."""
        return other is not None and replace(self, pose=other.pose) == other


@dataclass(frozen=True, slots=True)
class Say:
    """Her words, in neutral Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class Narrate:
    """The story's voice: an event's intro or outro. It joins her words in one message."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """The app's own words: never mistaken for hers.

    They stand in a message of their own or, with `joined`, as a quotation above her words.
    """

    text: str
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """Her picture."""

    face: Face


@dataclass(frozen=True, slots=True)
class Play:
    """An animation of hers as a short loop; where it cannot be had, a still of `face` takes its place."""

    action: str
    face: Face


@dataclass(frozen=True, slots=True)
class Choose:
    """A scene's choices, to be pressed or typed."""

    scene: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The app's words with things to press, in a message of their own.

    `buttons` are label and data; a press is the command that the data names with its arguments.
    `face` is the picture above the words.
    """

    text: str
    buttons: tuple[tuple[str, str], ...] = ()
    face: Face | None = None


Part = Say | Narrate | Notice | Show | Play | Choose | Panel
Reply = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """One picture of the user's, ready for a model: JPEG, PNG, GIF or WebP, longest edge <= 1568 px."""

    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a model request; `images` travel only with the user's newest message."""

    role: Role
    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is talking to whom, for a voice that runs inside the app and for error sentences.

    The offline stand-in reads it instead of the prompt's prose; a real model gets only the prose.
    """

    name: str
    emotion: Emotion
    intensity: int
    energy: int
    stage: Stage
    app_mode: AppMode
    language: str
    total_interactions: int
    facts: tuple[str, ...] = ()
    first_words: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one turn asks a model: the system text (all layers) and the talk, the newest message last."""

    system: str
    messages: tuple[ChatMessage, ...]
    subject: Subject
