"""Small programs of users for tests, and the words that configure them."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

CLOSED_LIST = (
    f"    #!{sys.executable} -S\n"
    + """\
    # A* that never opens a node again: right for consistent heuristics only.
    import heapq
    import sys

    costs, h = {}, {}
    for line in open(sys.argv[1]):
        words = line.split()
        if words[0] == "start:":
            start = words[1]
        elif words[0] == "goal:":
            goal = words[1]
        elif words[0] == "h:":
            node, value = words[1].split("=")
            h[node] = float(value)
        else:
            costs[words[0], words[2]] = float(words[3])
    waiting, closed = [(h.get(start, 0), 0, [start])], set()
    while waiting:
        _, g, path = heapq.heappop(waiting)
        if path[-1] == goal:
            print(f"expanded {len(closed)}")
            print(f"cost {g:g}")
            print("path", *path)
            sys.exit()
        if path[-1] not in closed:
            closed.add(path[-1])
            for (tail, head), cost in costs.items():
                if tail == path[-1] and head not in closed:
                    heapq.heappush(waiting, (g + cost + h.get(head, 0), g + cost, [*path, head]))
    sys.exit(3)
"""
)
"""A search of graphs (`graph/file`) with a mistake."""

REOPENING = """\
    start: S
    goal: G
    h: S=8
    h: A=8
    S -> M 3
    S -> A 1
    A -> M 1
    M -> G 7
"""
"""Graph on which an A* that never opens a node again finds 10 instead of 9, as four libraries of PyPI do."""

READS_PATHS = (
    "algorithm.plan={pattern: 'path (.*)', format: nodes}",
    r"algorithm.output={cost: 'cost (\S+)', expanded: 'expanded (\d+)'}",
    "algorithm.exit_codes={3: unsolvable}",
)
"""Words for what `CLOSED_LIST` prints."""


def write_program(file: Path, text: str) -> Path:
    """Write a program that can be started by its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text), encoding="utf-8")
    file.chmod(0o755)
    return file
