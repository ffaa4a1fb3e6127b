"""The figures that matter most, in one table: ``python -m benchmarks [--repeat 3] [--json FILE]`` (about ten minutes).

Each figure has a reference that is measured in the same run, and the ratio of both (above 1 is better). Where there is
no other program, the reference is the same work on a smaller scale, or without the feature. All cases are measured
in a round, then all again, so that changes of the machine concern all of them. The samples go to a file, by default to
outputs/benchmarks/TIME.json. ``python -m benchmarks compare A.json B.json`` compares two of them.
"""

from __future__ import annotations

import csv
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine import Limits
from benchmarks import caves, compare, npuzzle, peers, start
from benchmarks.audit import audit
from benchmarks.figures import Better, Figure, merged, write
from benchmarks.tables import parser_of, show
from benchmarks.timing import command, search_runs, timed
from benchmarks.worlds import EightPuzzle, puzzle_distance
from runner.config import sections
from runner.records import machine

TINY = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots")
FEW, MANY = 2_000, 20_000
KORF_LARGE = 92
ROWS = 200_000


def ida_star() -> list[Figure]:
    """IDA* on Korf's boards, against C."""
    return [
        _compared(
            f"IDA*, {board['IDA*']}", "nodes/s", "more", board["nodes/s"], "C -O3 -march=native", board["C: nodes/s"]
        )
        for board in npuzzle.idastar(1)
    ]


def a_star() -> list[Figure]:
    """A*: small and large searches, and A* in Python by hand on ten 8-puzzles."""
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    board = runner.load("npuzzle/korf100", instances=[88])[0].problem()
    rates = []
    for expansions in (100_000, 13_000_000):
        runs = search_runs(AStar(), stack, board, 1, Limits(nodes=expansions))
        rates.append(runs.counts.expanded / runs.seconds)
    small, large = rates
    worlds = [EightPuzzle(seed=seed) for seed in range(10)]
    by_hand, seconds = timed(lambda: [peers.by_hand(world, puzzle_distance) for world in worlds])
    rate = sum(expanded or 0 for _, expanded in by_hand) / seconds
    unit = "expansions/s"
    return [
        _compared("A*, 15-puzzle, 100,000 expansions", unit, "more", small, "Python by hand, 8-puzzle", rate),
        _compared("A*, 15-puzzle, 23 million nodes", unit, "more", large, "100,000 expansions", small),
    ]


def start_of_search() -> list[Figure]:
    """Microseconds that a search takes before its first expansion."""
    return [
        _compared(row[""], row["unit"], "less", row["here"], row["reference"], row["its figure"])
        for row in start.table()
    ]


def small_instances() -> list[Figure]:
    """Milliseconds per 4x4 cave, in the process and in a worker, without start-up; 10x10 caves per second."""
    caves.measure(*TINY, "world.count=1")  # compiles
    per_cave: dict[int, float] = {}
    for workers in (0, 1):
        few, many = (caves.measure(*TINY, f"world.count={count}", f"workers={workers}")[0] for count in (FEW, MANY))
        per_cave[workers] = 1000 * (many - few) / (MANY - FEW)
    wall, _, _ = caves.measure(*TINY[:1], "world.count=10000", *TINY[2:])
    return [
        Figure("random 4x4 cave, workers=0", "ms", "less", [per_cave[0]]),
        _compared("random 4x4 cave, workers=1", "ms", "less", per_cave[1], "workers=0", per_cave[0]),
        Figure("random 10x10 caves, from the command on", "instances/s", "more", [10_000 / wall]),
    ]


def tables() -> list[Figure]:
    """Reading and reporting many rows, and an audit."""
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name) / "small", Path(name) / "large"
        command(small, *TINY, f"world.count={MANY}")
        shutil.copytree(small, large)
        _multiply(small / "metrics.csv", large / "metrics.csv", ROWS // MANY)
        (large / "plans.jsonl").unlink()
        of_few, of_many = (_process("report", "--out", f"{name}/report", str(folder)) for folder in (small, large))
    caves_of = ("world=wumpus/random", "heuristic=pivots")
    audit(*caves_of, "world.count=1")  # compiles
    one, thousand = (audit(*caves_of, f"world.count={count}")[0] for count in (1, 1000))
    return [
        _compared(f"report of {ROWS:,} rows", "s", "less", of_many, f"{MANY:,} rows", of_few),
        Figure("audit of 1,000 10x10 caves, without start-up", "s", "less", [thousand - one]),
    ]


def first_use() -> list[Figure]:
    """The first command of a user, which compiles its kernels, and the same command again."""
    with tempfile.TemporaryDirectory() as name:
        cold, warm = (
            _process(
                "algorithm=astar",
                "heuristic=flood_fill",
                f"hydra.run.dir={name}/{number}",
                NUMBA_CACHE_DIR=f"{name}/kernels",
            )
            for number in (1, 2)
        )
    return [_compared("first command of a user", "s", "less", cold, "the same command again", warm)]


def _compared(name: str, unit: str, better: Better, sample: float, reference: str, other: float | None) -> Figure:
    """Return a figure of one round, with its reference."""
    return Figure(name, unit, better, [sample], reference, [] if other is None else [other])


def _process(*arguments: str, **variables: str) -> float:
    line = [sys.executable, "-m", "runner", *arguments]
    done, seconds = timed(
        lambda: subprocess.run(line, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, check=True)
    )
    return seconds if done.returncode == 0 else float("nan")


def _multiply(source: Path, target: Path, times: int) -> None:
    """Write a table several times, each time with other instances."""
    with open(source, encoding="utf-8", newline="") as lines, open(target, "w", encoding="utf-8", newline="") as out:
        header, *rows = csv.reader(lines)
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        run_id, instance, number = (header.index(name) for name in ("run_id", "instance", "number"))
        for copy in range(times):
            for place, values in enumerate(rows):
                new = values.copy()
                new[run_id] = f"{(int(values[run_id], 16) + 7919 * copy) % (1 << 64):016x}"
                new[instance], new[number] = f"{values[instance]}-{copy}", str(copy * len(rows) + place)
                writer.writerow(new)


CASES: dict[str, Callable[[], list[Figure]]] = {
    case.__name__: case for case in (ida_star, a_star, start_of_search, small_instances, tables, first_use)
}


def main() -> None:
    """Print the table, and write the record."""
    if sys.argv[1:2] == ["compare"]:
        sys.exit(compare.main(sys.argv[2:]))
    parser = parser_of(__doc__, list(CASES), list(CASES), repeated="each case")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file of the record")
    options = parser.parse_args()
    rounds = [[figure for name in options.only for figure in CASES[name]()] for _ in range(options.repeat)]
    measured = merged(rounds)
    file = write(measured, options.json)
    processor = machine()["processor"] or platform.machine()
    title = f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}"
    show(title, [figure.row() for figure in measured])
    print(file)


if __name__ == "__main__":
    main()
