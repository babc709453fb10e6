"""What processes cost, read from /proc."""

from __future__ import annotations

import os
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_ms(pid: int) -> float:
    """CPU time of all threads of a process so far, 0 if it has gone."""
    try:
        numbers = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(numbers[11]) + int(numbers[12])) / TICKS_PER_S * 1000


def pss_mib(pid: int) -> float:
    """Memory of a process, pages it shares counted by its share; 0 if it has gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(text.split("\nPss:")[1].split()[0]) / 1024


def family(pid: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    found = [pid]
    for member in found:
        found += [child for child, parent in parents.items() if parent == member]
    return found
