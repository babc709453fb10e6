"""What an operator runs by hand: checks and measures that need no running bot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add_admin(commands: Commands) -> None:
    """Add `admin` and what belongs to it to the command line."""
    admin = commands.add_parser("admin", help="check events, simulate users")
    tasks = admin.add_subparsers(metavar="task", required=True)
    _add_events(tasks)
    _add_simulate(tasks)
    usage = tasks.add_parser("usage", help="what the models have cost on one day, by user")
    usage.add_argument("--day", metavar="YYYY-MM-DD", help="a UTC day (default: today)")
    usage.set_defaults(command=_usage)


def _add_events(tasks: Commands) -> None:
    events = tasks.add_parser("events", help="list the events, or check their files")
    events.add_argument("--check", action="store_true", help="only check and count")
    events.add_argument("--folder", type=Path, help="the event files (default: config/events)")
    events.set_defaults(command=_events)


def _add_simulate(tasks: Commands) -> None:
    simulate = tasks.add_parser(
        "simulate", help="play scripted users for many days and show how the relationship grows"
    )
    simulate.add_argument("--user", default="friendly", help="a name of config/simulation.toml, or all")
    simulate.add_argument("--days", type=_count, default=90)
    simulate.add_argument("--talks-per-day", type=_count, help="default: the user's own")
    simulate.add_argument("--seed", type=int, default=1, help="the same seed plays the same days")
    simulate.add_argument("--out", type=Path, metavar="CHART.png", help="draw a chart")
    choices = simulate.add_mutually_exclusive_group()
    choices.add_argument("--accept", dest="accepts", action="store_true", help="say yes in scenes (default)")
    choices.add_argument("--defer", dest="accepts", action="store_false", help="say not yet in scenes")
    simulate.add_argument(
        "--adult",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether the user has said to be of age (default: yes)",
    )
    simulate.set_defaults(command=_simulate, accepts=True)


def _usage(parsed: argparse.Namespace) -> int:
    import asyncio

    from bot.admin.usage import show_usage

    return asyncio.run(show_usage(parsed.day))


def _events(parsed: argparse.Namespace) -> int:
    from bot.admin.events import show_events

    return show_events(parsed.folder, only_check=parsed.check)


def _simulate(parsed: argparse.Namespace) -> int:
    from bot.admin.simulate import simulate_users

    return simulate_users(parsed)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
