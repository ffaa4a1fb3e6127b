"""State and descendants of processes, read from /proc."""

from __future__ import annotations

from pathlib import Path

ENDED = ("gone", "Z", "X")


def state_of(process: int) -> tuple[str, int]:
    """Return the state of a process as a letter, and its parent; ("gone", 0) if there is no such process."""
    try:
        state, parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return "gone", 0
    return state, int(parent)


def children(parent: int) -> list[int]:
    """Return the children of a process in ascending order of their ids."""
    processes = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return sorted(process for process in processes if state_of(process)[1] == parent)


def descendants(ancestor: int) -> list[int]:
    """Return all descendants of a process, breadth first."""
    found = children(ancestor)
    for process in found:
        found += children(process)
    return found
