"""The terminal: one line, one answer; no escape sequence of a model reaches it."""

import io

from rich.console import Console

from bot.platforms.on_terminal import OnTerminal, TerminalSettings, printable, with_line_breaks
from bot.platforms.terminal_pictures import inline_picture
from bot.ports import Button, Picture, Send
from tests.platforms.test_discord_scene import square_png


class Answers:
    """Counts how often the terminal waited for an answer."""

    def __init__(self):
        self.count = 0

    async def __call__(self):
        self.count += 1


def a_terminal(tmp_path, lines, answered=None):
    out = io.StringIO()
    console = Console(file=out, force_terminal=False, width=80)
    settings = TerminalSettings(plain=True, pictures=tmp_path / "pictures")
    return OnTerminal(settings, answered or Answers(), source=io.StringIO(lines), console=console), out


async def read_all(terminal):
    taken = []

    async def accept(incoming):
        taken.append(incoming)
        return True

    await terminal.start(accept)
    await terminal.ended()
    return taken


async def test_lines_become_messages_and_commands_in_order(tmp_path):
    answered = Answers()
    terminal, _ = a_terminal(tmp_path, "hi\n\n  /status\n/ is a slash\nlast", answered)
    taken = await read_all(terminal)
    assert [(one.kind, one.text) for one in taken] == [
        ("message", "hi"),
        ("command", "/status"),
        ("message", "/ is a slash"),
        ("message", "last"),
    ]
    assert answered.count == 4
    assert len({one.key for one in taken}) == 4


async def test_quit_ends_the_reading(tmp_path):
    terminal, _ = a_terminal(tmp_path, "hi\n/quit\nnever\n")
    assert [one.text for one in await read_all(terminal)] == ["hi"]


async def test_a_line_of_any_length_is_cut_not_refused(tmp_path):
    terminal, _ = a_terminal(tmp_path, "x" * 100_000 + "\n")
    assert [len(one.text) for one in await read_all(terminal)] == [8000]


async def test_her_words_pictures_and_choices_are_printed(tmp_path):
    terminal, out = a_terminal(tmp_path, "")
    picture = Picture(square_png(), "image/png", "face.png")
    buttons = (Button("Yes", "s1:0"), Button("No", "s1:1"))
    await terminal.send(Send(terminal.address, "n", "Hello [red]you[/red]", picture=picture, buttons=buttons))
    text = out.getvalue()
    assert "Hello [red]you[/red]" in text
    assert "1. Yes" in text
    assert "2. No" in text
    assert (tmp_path / "pictures" / "face.png").read_bytes() == picture.data


def test_control_characters_never_reach_the_terminal():
    assert printable("a\x1b[2Jb\x07\x9bc\n\td\ud800") == "a[2Jbc\n\td"


def test_pictures_are_shown_where_the_terminal_can():
    png = square_png()
    kitty = inline_picture(png, {"TERM": "xterm-kitty"})
    assert kitty
    assert kitty.startswith("\x1b_Ga=T,f=100")
    assert kitty.rstrip().endswith("\x1b\\")
    assert inline_picture(png, {"TERM_PROGRAM": "WezTerm"}).startswith("\x1b]1337;File=inline=1")
    assert inline_picture(png, {"TERM": "xterm"}) is None


def test_lines_stay_lines_outside_code():
    assert with_line_breaks("a\nb\n```py\nx\ny\n```\nc") == "a  \nb  \n```py\nx\ny\n```  \nc"
