"""The command line: run, chat, render, parse, doctor, admin."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence

from bot.admin import add_admin
from bot.errors import OtomoError

USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0, 1 for a failure, 2 for what the operator must mend."""
    parsed = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = parsed.command
    try:
        return command(parsed)
    except OtomoError as error:
        print(f"otomo: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="otomo", description="A companion who lives in your messengers.")
    commands = parser.add_subparsers(metavar="command", required=True)
    run = commands.add_parser("run", help="run the bots; without a token, chat in the terminal")
    run.set_defaults(command=_run)
    chat = commands.add_parser("chat", help="chat in the terminal; reads lines from a pipe too")
    chat.add_argument("--plain", action="store_true", help="words only, for pipes and screen readers")
    chat.set_defaults(command=_chat)
    render = commands.add_parser("render", help="draw her face into a file")
    _render_arguments(render)
    render.set_defaults(command=_render)
    parse = commands.add_parser("parse", help="read a model's reply on standard input, print it as JSON")
    parse.add_argument("--name", default="", help="her name, for labels in the reply")
    parse.set_defaults(command=_parse)
    doctor = commands.add_parser("doctor", help="check settings, database, model and face")
    doctor.set_defaults(command=_doctor)
    add_admin(commands)
    return parser


def _render_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "out", metavar="OUT", help="a .png, .webp or .jpg file; with --action a .webp or .mp4"
    )
    parser.add_argument("--action", default="", help="an emote's id or a .vrma file: draw a moving loop")
    parser.add_argument("--avatar", default="default", help="a shipped figure's name or a .vrm file")
    parser.add_argument("--emotion", default="neutral")
    parser.add_argument("--intensity", type=int, default=50, help="0 to 100")
    parser.add_argument("--flash", action="store_true", help="a reaction of the moment: stronger")
    parser.add_argument("--framing", choices=("portrait", "bust", "full"), default="portrait")
    parser.add_argument("--size", type=int, default=512, help="edge in pixels")
    parser.add_argument("--background", default="mood", help='"mood", "transparent" or a picture')


def _run(parsed: argparse.Namespace) -> int:
    from bot.cli import run_bots

    return asyncio.run(run_bots())


def _chat(parsed: argparse.Namespace) -> int:
    from bot.cli import run_chat

    return asyncio.run(run_chat(plain=parsed.plain or not sys.stdin.isatty()))


def _render(parsed: argparse.Namespace) -> int:
    from bot.drawing import draw_to_file

    return draw_to_file(parsed)


def _parse(parsed: argparse.Namespace) -> int:
    from engine.reply_block import as_table, parse_reply

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    print(json.dumps(as_table(parse_reply(text, parsed.name)), ensure_ascii=False, indent=2))
    return 0


def _doctor(parsed: argparse.Namespace) -> int:
    from bot.doctor import examine

    return asyncio.run(examine())


if __name__ == "__main__":
    raise SystemExit(main())
