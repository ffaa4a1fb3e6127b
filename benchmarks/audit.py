"""Audits: whole commands, and exact distances compared with plain Python.

Run from the repository: ``python -m benchmarks.audit [--repeat 3]``. Commands run in processes of their own; every
figure is a median. The reference for exact distances is a breadth-first search with a dictionary, then Dijkstra's
algorithm with `heapq`, backwards over the recorded steps.
"""

from __future__ import annotations

import heapq
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import runner
from algorithms.spaces import INFINITY, StateSpace
from benchmarks.tables import Row, expect, parser_of, show
from benchmarks.timing import command, medians, timed
from worlds.interface import Problem

COMMANDS = {
    "1,000 random 10x10 caves, pivots": ("world=wumpus/random", "world.count=1000", "heuristic=pivots"),
    "1,000 random 10x10 caves, flood_fill": ("world=wumpus/random", "world.count=1000", "heuristic=flood_fill"),
    "the same, A* with it": ("world=wumpus/random", "world.count=1000", "heuristic=flood_fill", "algorithm=astar"),
    "all 11,780 caves up to 3x3, flood_fill": ("world=wumpus/all", "heuristic=flood_fill"),
    "the 8-puzzle, linear_conflict": ("world=npuzzle/random", "world.size=3", "heuristic=linear_conflict"),
    "all 181,440 8-puzzles, linear_conflict": ("world=npuzzle/all", "world.size=3", "heuristic=linear_conflict"),
    "the 2x5-puzzle (1,814,400 states), manhattan": ("world=npuzzle/random", "world.size=2x5", "heuristic=manhattan"),
}


def plain_distances(problem: Problem) -> dict[bytes, int]:
    """Return the exact distances to the goals of all reachable states that have a path to one."""
    predecessors: dict[bytes, list[tuple[bytes, int]]] = {problem.initial.tobytes(): []}
    found, queue = [problem.initial], []
    for state in found:
        if problem.recognises(state):
            queue.append((0, state.tobytes()))
            continue
        for successor, cost, _ in problem.successors(state):
            key = successor.tobytes()
            if key not in predecessors:
                predecessors[key] = []
                found.append(successor.copy())
            predecessors[key].append((state.tobytes(), cost))
    h_star: dict[bytes, int] = {}
    while queue:
        distance, key = heapq.heappop(queue)
        if key not in h_star:
            h_star[key] = distance
            for before, cost in predecessors[key]:
                heapq.heappush(queue, (distance + cost, before))
    return h_star


def audit(*arguments: str) -> tuple[float, float]:
    """Return the wall seconds and peak memory in MiB of one audit."""
    with tempfile.TemporaryDirectory() as name:
        return command(Path(name) / "run", "audit", *arguments)


def commands(repeat: int) -> list[Row]:
    """Whole commands."""
    rows: list[Row] = []
    for name, arguments in COMMANDS.items():
        audit(*arguments)  # compiles
        wall, memory = medians(partial(audit, *arguments), repeat)
        rows.append({"audit": name, "wall s": wall, "peak MiB": memory})
    return rows


def distances(repeat: int) -> list[Row]:
    """Exact distances alone."""
    rows: list[Row] = []
    for name, problem in {
        "a 10x10 cave": runner.load("wumpus/random", count=1)[0].problem(),
        "the 8-puzzle": runner.load("npuzzle/random", size=3, count=1)[0].problem(),
    }.items():
        space = StateSpace(problem)
        found = {space.state(n).tobytes(): d for n, d in enumerate(space.distance.tolist()) if d != INFINITY}
        expected, plain = timed(partial(plain_distances, problem))
        expect(found == expected, True, name)
        ours = median(timed(partial(StateSpace, problem))[1] for _ in range(repeat))
        rows.append(
            {
                "world": name,
                "states": space.count,
                "s": ours,
                "states/s": space.count / ours,
                "plain Python, s": plain,
                "ratio": plain / ours,
            }
        )
    return rows


def main() -> None:
    """Print the tables."""
    options = parser_of(__doc__, repeated="each case").parse_args()
    show("python -m runner audit", commands(options.repeat))
    show("exact distances", distances(options.repeat))


if __name__ == "__main__":
    main()
