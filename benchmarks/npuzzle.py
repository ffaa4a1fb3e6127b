"""The n-puzzle: speed, memory, and Korf's table. ``python -m benchmarks.npuzzle [--only NAME ...] [--repeat 3]``.

- idastar: IDA* with Manhattan distance, and the same in C (`ida_star.c`, if there is a compiler cc)
- astar: A* with Manhattan distance
- ci2024: the configuration of CI 2024, lab 3, on twenty 5x5 boards
- databases: Korf's 100 instances with the pattern databases 6-6-3 and 7-8 (built first: 2 minutes, 0.8 GB)
- korf: IDA* with Manhattan distance on all 100 instances (5 minutes)
- eight: A* with every heuristic on all 181,440 boards of the 8-puzzle (15 minutes)
- twentyfour: ten instances of the 24-puzzle with 6-6-6-6 (half an hour)

Without --only, the first four. Costs are checked against published tables (or exact distances), and so are the node
counts of IDA* with Manhattan distance.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine import Limiter, Limits
from benchmarks.tables import Row, expect, print_tables
from benchmarks.timing import search_runs
from heuristics.interface import HEURISTICS
from runner.config import sections
from worlds.interface import Instance
from worlds.npuzzle.rules import Puzzle, blank_first
from worlds.npuzzle.search import pack
from worlds.npuzzle.sources import INSTANCES
from worlds.npuzzle.world import PuzzleWorld

IDASTAR = {"name": "idastar", "cycle_check": "parent"}
GEOMETRIC = {"name": "geometric", "initial": 1.5, "factor": 1.05, "every": 10**5, "maximum": 3.0}
TWENTYFOUR = [38, 40, 25, 32, 44, 1, 30, 36, 22, 29]


def table_of(name: str) -> dict[int, dict[str, str]]:
    """Read a published table: its rows by the numbers of the instances."""
    with open(INSTANCES / f"{name}.csv", encoding="utf-8", newline="") as lines:
        return {int(row["id"]): row for row in csv.DictReader(lines)}


KORF = table_of("korf100")


def idastar(repeat: int) -> list[Row]:
    """IDA* here and in C, run in turns."""
    numbers = [9, 13, 2, 18, 51]
    boards = [runner.load("npuzzle/korf100", instances=[number])[0] for number in numbers]
    ours: list[list[float]] = [[] for _ in numbers]
    theirs: list[list[float]] = [[] for _ in numbers]
    with tempfile.TemporaryDirectory() as folder:
        reference = compile_reference(Path(folder))
        for _ in range(repeat):
            for index, (number, board) in enumerate(zip(numbers, boards, strict=True)):
                result = runner.solve(board, IDASTAR, ["manhattan"])
                expect((result.generated or 0) + 1, int(KORF[number]["nodes"]), board.id)
                ours[index].append((result.generated or 0) / (result.search_seconds or 1))
            for index, (nodes, seconds) in enumerate(by_reference(reference, numbers)):
                expect(nodes + 1, int(KORF[numbers[index]]["nodes"]), "ida_star.c")
                theirs[index].append(nodes / seconds)
    rows: list[Row] = []
    for board, our_rates, their_rates in zip(boards, ours, theirs, strict=True):
        rate, other = median(our_rates), median(their_rates) if their_rates else None
        rows.append({"IDA*": board.id, "nodes/s": rate, "C: nodes/s": other, "ratio": rate / other if other else None})
    return rows


def compile_reference(folder: Path) -> Path | None:
    """Compile the program in C; None if there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("no compiler cc: the reference in C is left out", file=sys.stderr)
        return None
    program = folder / "ida_star"
    source = Path(__file__).with_name("ida_star.c")
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
    return program


def by_reference(program: Path | None, numbers: list[int]) -> Iterator[tuple[int, float]]:
    """Run the program in C, and yield the nodes and seconds of each instance."""
    if program is not None:
        boards = "\n".join(KORF[number]["board"] for number in numbers)
        done = subprocess.run([program], input=boards, stdout=subprocess.PIPE, text=True, check=True)
        for line in done.stdout.splitlines():
            _, nodes, seconds = line.split()
            yield int(nodes), float(seconds)


def astar(repeat: int) -> list[Row]:
    """A*: expansions per second and bytes per stored node."""
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    rows: list[Row] = []
    for number in [79, 55, 9, 5, 2]:
        board = runner.load("npuzzle/korf100", instances=[number])[0]
        runs = search_runs(AStar(), stack, board.problem(), repeat)
        expect(runs.cost, int(KORF[number]["optimal"]), board.id)
        nodes = runs.counts.peak_nodes
        rows.append(
            {
                "A*": board.id,
                "expanded": runs.counts.expanded,
                "nodes": nodes,
                "expansions/s": runs.counts.expanded / runs.seconds,
                "resident bytes/node": runs.resident_bytes / nodes,
                "memory_bytes/node": runs.counts.memory_bytes / nodes,
            }
        )
    seconds = sum(row["expanded"] / row["expansions/s"] for row in rows)
    total = sum(row["expanded"] for row in rows)
    return [*rows, {**dict.fromkeys(rows[0]), "A*": "all", "expanded": total, "expansions/s": total / seconds}]


def ci2024(repeat: int) -> list[Row]:
    """Means over twenty boards, and the figures of the document for one board."""
    boards = runner.load("npuzzle/random", size=5, count=20, shuffle="walk")
    results = [runner.solve(board, "astar", ["manhattan"], GEOMETRIC) for board in boards]
    expect({(result.status, result.valid) for result in results}, {("solved", True)}, "ci2024")
    names = ("search_seconds", "length", "evaluated", "expanded")
    means = {name: float(np.mean([getattr(result, name) for result in results])) for name in names}
    published = {"search_seconds": 859.1, "length": 156, "evaluated": 2_133_251, "expanded": None}
    return [{"5x5": "document (one board)", **published}, {"5x5": "here (mean of 20)", **means}]


def databases(repeat: int) -> list[Row]:
    """IDA* on Korf's 100 instances with pattern databases and their reflections."""
    rows: list[Row] = []
    for partition in ("6-6-3", "7-8"):
        entry = {"name": "pattern_database", "partition": partition}
        results = [runner.solve(board, IDASTAR, [entry]) for board in runner.load("npuzzle/korf100")]
        for (number, row), result in zip(KORF.items(), results, strict=True):
            expect((result.cost, result.valid), (int(row["optimal"]), True), f"korf100_{number}")
        seconds, nodes = ([getattr(r, name) for r in results] for name in ("search_seconds", "generated"))
        rows.append(
            {
                "korf100": partition,
                "mean seconds": float(np.mean(seconds)),
                "largest": max(seconds),
                "mean nodes": float(np.mean(nodes)),
                "nodes/s": sum(nodes) / sum(seconds),
            }
        )
    return rows


def korf(repeat: int) -> list[Row]:
    """IDA* on Korf's 100 instances: all lengths and counts of the table."""
    lengths = counts = total = 0
    seconds = 0.0
    for number, row in KORF.items():
        result = runner.solve(runner.load("npuzzle/korf100", instances=[number])[0], IDASTAR, ["manhattan"])
        nodes = (result.generated or 0) + 1
        lengths += result.cost == int(row["optimal"]) and result.valid is True
        counts += nodes == int(row["nodes"])
        total += nodes
        seconds += result.search_seconds or 0
        print(f"korf100_{number}: {result.cost}, {nodes:,} nodes, {result.search_seconds:.2f} s", file=sys.stderr)
    expect((lengths, counts, total), (100, 100, 36_302_808_031), "korf100")
    return [{"lengths": lengths, "counts": counts, "nodes": total, "seconds": seconds, "nodes/s": total / seconds}]


def eight(repeat: int) -> list[Row]:
    """A* with every heuristic on all boards of the 8-puzzle, checked by a breadth-first search."""
    goal = blank_first(9)
    root = Instance(PuzzleWorld(Puzzle(3, 3, goal, goal)), "goal").problem()
    distance = {int(pack(goal)[0]): 0}
    states = [pack(goal)]
    for state in states:
        for successor, _, _ in root.successors(state):
            if int(successor[0]) not in distance:
                distance[int(successor[0])] = distance[int(state[0])] + 1
                states.append(successor.copy())
    expect(len(states), 181_440, "boards")
    rows: list[Row] = []
    for name in HEURISTICS.names(domain="npuzzle"):
        stack = sections.stack_of("npuzzle", {"stack": sections.documented_stack("npuzzle", name)})
        start, expanded = time.perf_counter(), 0
        for state in states:
            board: Instance = Instance(PuzzleWorld(Puzzle(3, 3, root.unpack(state), goal)), "board")
            bound = stack.prepare(board.problem())
            search = AStar().start(bound, None)
            expect(search.run(Limiter(Limits())), "solved", str(stack))
            expect(search.cost, distance[int(state[0])], f"{stack}, {root.unpack(state)}")
            expanded += search.counts.expanded
        seconds = time.perf_counter() - start
        rows.append({"A*": str(stack), "boards": len(states), "mean expanded": expanded / len(states), "s": seconds})
        print(rows[-1], file=sys.stderr)
    return rows


def twentyfour(repeat: int) -> list[Row]:
    """IDA* on ten instances of the 24-puzzle with short solutions, which take seconds to minutes."""
    published, rows = table_of("korf50_24"), []
    for number in TWENTYFOUR:
        board = runner.load("npuzzle/korf50_24", instances=[number])[0]
        result = runner.solve(board, IDASTAR, [{"name": "pattern_database", "partition": "6-6-6-6"}])
        expect((result.cost, result.valid), (int(published[number]["optimal"]), True), board.id)
        rows.append({"24-puzzle": board.id, "cost": result.cost, "nodes": result.generated, "s": result.search_seconds})
        print(rows[-1], file=sys.stderr)
    return rows


CASES = {case.__name__: case for case in (idastar, astar, ci2024, databases, korf, eight, twentyfour)}
USUAL = ["idastar", "astar", "ci2024", "databases"]


if __name__ == "__main__":
    print_tables(__doc__, CASES, USUAL, repeated="idastar, astar")
