"""Audits: whole commands, and exact distances beside the same in plain Python.

Run from the repository: ``python -m benchmarks.audit [--repeat 3]``. Commands run as processes of their own; every
figure is a median. The reference for exact distances is a breadth-first search with a dictionary, and Dijkstra's
algorithm with `heapq` over the recorded steps, backwards.
"""

from __future__ import annotations

import argparse
import heapq
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table
from rich.text import Text

import runner
from algorithms.engine.distances import INFINITY
from algorithms.engine.state_space import StateSpace
from benchmarks.caves import process
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
    """Exact distances to the goals of all states that can be reached, the obvious way."""
    predecessors: dict[bytes, list[tuple[bytes, int]]] = {problem.initial.tobytes(): []}
    todo, goals = [problem.initial], []
    for state in todo:
        if problem.recognises(state):
            goals.append((0, state.tobytes()))
            continue
        for successor, cost, _ in problem.successors(state):
            key = successor.tobytes()
            if key not in predecessors:
                predecessors[key] = []
                todo.append(successor.copy())
            predecessors[key].append((state.tobytes(), cost))
    exact: dict[bytes, int] = {}
    while goals:
        distance, key = heapq.heappop(goals)
        if key not in exact:
            exact[key] = distance
            for before, cost in predecessors[key]:
                heapq.heappush(goals, (distance + cost, before))
    return exact


def seconds(action: Callable[[], object], repeat: int) -> float:
    """The median of some runs."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return median(taken)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case; the median is shown")
    options = parser.parse_args()
    out = Console(width=None if sys.stdout.isatty() else 120)
    table = Table("python -m runner audit", "wall s", "peak MiB")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, arguments) in enumerate(COMMANDS.items()):
            process("audit", *arguments, f"hydra.run.dir={Path(folder) / f'{number}-warm'}", "progress=false")
            runs = [
                process("audit", *arguments, f"hydra.run.dir={Path(folder) / f'{number}-{k}'}", "progress=false")
                for k in range(options.repeat)
            ]
            wall, memory = (median(values) for values in zip(*runs, strict=True))
            table.add_row(Text(name), f"{wall:.2f}", f"{memory:.0f}")
    out.print(table)
    table = Table("exact distances", "states", "here, s", "states/s", "plain Python, s", "ratio")
    for name, problem in {
        "a 10x10 cave": runner.load("wumpus/random", count=1)[0].problem(),
        "the 8-puzzle": runner.load("npuzzle/random", size=3, count=1)[0].problem(),
    }.items():
        space, exact = StateSpace(problem), plain_distances(problem)
        assert exact == {
            space.state(number).tobytes(): d for number, d in enumerate(space.distance.tolist()) if d != INFINITY
        }
        ours = seconds(lambda problem=problem: StateSpace(problem), options.repeat)  # type: ignore[misc]
        plain = seconds(lambda problem=problem: plain_distances(problem), 1)  # type: ignore[misc]
        cells = (f"{space.count:,}", f"{ours:.4f}", f"{space.count / ours:,.0f}", f"{plain:.3f}", f"{plain / ours:.0f}")
        table.add_row(Text(name), *cells)
    out.print(table)


if __name__ == "__main__":
    main()
