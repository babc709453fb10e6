"""The first lines of every child process: limits before any work, then the child's own program."""

from __future__ import annotations

import resource
import runpy
import sys


def main() -> None:
    """Run as `python -m bot.child_start MEMORY_BYTES MODULE`; 0 sets no memory limit."""
    memory_bytes, module = int(sys.argv[1]), sys.argv[2]
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
