"""Runs the topics that are named, or all of them, and prints one table for each."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from tests.bench import engine, lag, memory, render, start, turn
from tests.bench.machine import describe
from tests.bench.place import forget_settings, own_folder
from tests.bench.table import Table

TOPICS: dict[str, Callable[[], list[Table]]] = {
    "engine": engine.measure,
    "turn": turn.measure,
    "start": start.measure,
    "memory": memory.measure,
    "lag": lag.measure,
    "render": render.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"any of {', '.join(TOPICS)}")
    wanted = parser.parse_args().topics or list(TOPICS)
    if unknown := [name for name in wanted if name not in TOPICS]:
        parser.error(f"there is no topic {unknown[0]}: any of {', '.join(TOPICS)}")
    forget_settings()
    with own_folder() as folder:
        os.chdir(folder)  # no otomo.toml of the operator's is read
        print(describe(folder), flush=True)
        for name in wanted:
            for table in TOPICS[name]():
                print(f"\n{table.as_markdown()}", flush=True)


if __name__ == "__main__":
    main()
