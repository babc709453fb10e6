"""Imports the bot once and hatches it again and again: killing a bot 60 times should not cost 60 imports.

python -m tests.system.nest, with a bot's environment. One word a line on standard input: "start" answers
with a process id; "wait" answers with the exit code of the last bot (minus the signal that killed it).
"""

from __future__ import annotations

import os
import sys

import bot.app
import bot.cli
import bot.platforms.on_telegram  # noqa: F401
from bot.__main__ import main


def hatch() -> int:
    """Fork a bot that runs like `otomo run`."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.close(0)
        os.open(os.devnull, os.O_RDONLY)
        os.dup2(2, 1)
        code = main(["run"])
    finally:
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Obey until the input ends."""
    pid = 0
    for line in sys.stdin:
        if line.strip() == "start":
            pid = hatch()
            print(pid, flush=True)
        else:
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
