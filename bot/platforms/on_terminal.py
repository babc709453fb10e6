"""The terminal as a messenger: the shortest way to talk to her, and the proof that platforms are data."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import sys
import threading
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from bot.errors import FileError, FileTooLarge
from bot.platforms.terminal_pictures import inline_picture
from bot.ports import PANELS, Accept, Activity, Button, Limits, Phase, Picture, Receipt, Send
from engine.conversation import Address, Attached, Incoming, IncomingKind

LIMITS = Limits(
    text=100_000,
    caption=100_000,
    button_data_bytes=1000,
    button_label=80,
    buttons_per_row=1,
    upload_bytes=1 << 30,
    typing_every_s=5.0,
    nonce=True,
    loops="webp",
)
MAX_LINE = 8000
"""Characters of one line that are read; the rest of a longer line is dropped with a word about it."""


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """How the terminal looks: `plain` for pipes, where pictures are kept, her name."""

    plain: bool
    pictures: Path
    name: str = "Otomo"


@dataclass(slots=True)
class TerminalHooks:
    """Shows what a turn is doing, in the line where the answer will stand."""

    console: Console
    plain: bool
    words: Callable[[Phase], str] = str

    def set_phase(self, phase: Phase) -> None:
        """Write the phase over the last one."""
        if not self.plain and self.console.is_terminal:
            self.console.print(f"\r\x1b[2K[dim]{self.words(phase)} …[/]", end="")


@dataclass(slots=True)
class OnTerminal:
    """Reads lines, prints what she says; a line is read only after the last one is answered.

    Args:
        settings: How it looks.
        answered: Waits until everything accepted so far is answered and printed.
        source: Where the lines come from.
        console: Where the words go.
    """

    settings: TerminalSettings
    answered: Callable[[], Awaitable[None]]
    source: TextIO = field(default_factory=lambda: sys.stdin)
    console: Console = field(default_factory=Console)
    name: str = "terminal"
    limits: Limits = LIMITS
    _reader: asyncio.Task[None] | None = None
    _prompting: bool = False
    _buttons: tuple[Button, ...] = ()

    @property
    def address(self) -> Address:
        """The one user of this terminal."""
        user = _login_name()
        return Address("terminal", user, user)

    async def start(self, accept: Accept) -> None:
        """Begin to read lines."""
        self._reader = asyncio.create_task(self._read(accept), name="terminal reader")

    async def ended(self) -> None:
        """Wait for the end of the input."""
        if self._reader:
            await self._reader

    async def quiesce(self) -> None:
        """Read no more lines."""
        if self._reader:
            self._reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reader

    async def close(self) -> None:
        """Nothing to give back."""

    async def send(self, send: Send) -> Receipt:
        """Print one message of hers."""
        if self._prompting:  # something came by itself, a late answer perhaps: leave the prompt's line
            self.console.print()
        elif not self.settings.plain and self.console.is_terminal:
            self.console.file.write("\r\x1b[2K")  # the phase's line
        if send.text:
            self._print_text(send)
        if send.picture:
            self._print_picture(send.picture)
        first = len(self._buttons) + 1
        self._buttons += send.buttons
        for number, button in enumerate(send.buttons, first):
            self.console.print(f"  {number}. {button.label}", markup=False, highlight=False)
        return Receipt(send.nonce)

    async def activity(self, address: Address, kind: Activity) -> None:
        """The terminal shows no typing."""

    async def download(self, reference: str, max_bytes: int) -> bytes:
        """Read a file of this machine; see bot.ports.Platform for the errors."""
        try:
            return await asyncio.to_thread(_read_file, Path(reference).expanduser(), max_bytes)
        except (OSError, RuntimeError, ValueError) as error:
            raise FileError(f"the file cannot be read ({type(error).__name__})") from None

    async def _read(self, accept: Accept) -> None:
        while (line := await self._next_line()) is not None:
            text = line.strip()[:MAX_LINE]
            if text in ("/quit", "/exit"):
                return
            if text:
                await accept(self._incoming(text))
                await self.answered()

    async def _next_line(self) -> str | None:
        if not self.settings.plain:
            self.console.print("[bold cyan]you ›[/] ", end="")
        self._prompting = not self.settings.plain
        line = await _in_daemon_thread(self.source.readline)
        self._prompting = False
        return line or None

    def _pressed(self, text: str) -> str | None:
        """Return the data of the panel's button whose number was typed; a scene reads its numbers itself."""
        number = int(text) if text.isdecimal() and len(text) < 4 else 0
        data = self._buttons[number - 1].data if 1 <= number <= len(self._buttons) else ""
        return data if data.startswith(PANELS) else None

    def _incoming(self, text: str) -> Incoming:
        kind: IncomingKind = "message"
        if (data := self._pressed(text)) is not None:
            kind, text = "choice", data
        elif text.startswith("/") and len(text) > 1 and text[1].isalpha():
            kind = "command"
        self._buttons = ()
        key, now, name = f"terminal:{uuid4().hex}", datetime.now(UTC), _login_name()
        if (file := _file_meant(text)) is not None:
            return Incoming("message", key, self.address, "", now, name, "", "document", file)
        return Incoming(kind, key, self.address, text, now, display_name=name)

    def _print_text(self, send: Send) -> None:
        if self.settings.plain:
            self.console.out(printable(send.text), highlight=False)
            return
        text = printable(send.text)
        body = Text(text) if send.plain else Markdown(with_line_breaks(text))
        self.console.print(Panel(body, title=self.settings.name, title_align="left", border_style="magenta"))

    def _print_picture(self, picture: Picture) -> None:
        self.settings.pictures.mkdir(parents=True, exist_ok=True)
        path = self.settings.pictures / picture.name
        path.write_bytes(picture.data)
        shown = None if self.settings.plain or not self.console.is_terminal else inline_picture(picture.data)
        if shown:
            self.console.file.write(shown)
        else:
            self.console.out(f"({self.settings.name}'s face: {path})", highlight=False)


def _file_meant(text: str) -> Attached | None:
    """Return the avatar file of "/avatar folder/her.vrm", the terminal's way to send one."""
    command, _, path = text.partition(" ")
    path = path.strip()
    if command != "/avatar" or "/" not in path or not path.lower().endswith(".vrm"):
        return None
    return Attached(Path(path).name, 0, path)


def _read_file(path: Path, max_bytes: int) -> bytes:
    """Read a file of at most `max_bytes`.

    Raises:
        FileTooLarge: There is more of it.
        OSError: It cannot be read, or is no file.
    """
    if not path.is_file():
        raise FileNotFoundError(path.name)
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise FileTooLarge(f"a file of more than {max_bytes} bytes")
    return data


def printable(text: str) -> str:
    """Drop control characters: a model must not move the cursor or rename the window."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))


def with_line_breaks(text: str) -> str:
    """Keep line breaks as messengers do: standard Markdown would join the lines of a paragraph."""
    pieces = text.split("```")
    pieces[::2] = [piece.replace("\n", "  \n") for piece in pieces[::2]]
    return "```".join(pieces)


async def _in_daemon_thread(read: Callable[[], str]) -> str:
    """Read in a thread that does not hold up the end of the process, as an executor's would."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    result: list[str] = []

    def work() -> None:
        with contextlib.suppress(ValueError, OSError):
            result.append(read())
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=work, name="terminal input", daemon=True).start()
    await done.wait()
    return result[0] if result else ""


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "you"
