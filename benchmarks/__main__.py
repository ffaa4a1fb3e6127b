"""The figures that matter most, in one table: ``python -m benchmarks [--repeat 3]`` (about ten minutes).

Each figure has a reference that is measured in the same run, and the ratio of both (above 1 is better). Where there is
no other program, the reference is the same work on a smaller scale, or without the feature.
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
from functools import partial
from pathlib import Path
from statistics import median

import runner
from algorithms.best_first import AStar
from algorithms.engine.search import Limits
from benchmarks import caves, npuzzle, peers, start
from benchmarks.audit import audit
from benchmarks.tables import Row, expect, parser_of, show
from benchmarks.timing import command, medians, search_runs, timed
from benchmarks.worlds import EightPuzzle, puzzle_distance
from runner.config import sections

TINY = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots")
FEW, MANY = 2_000, 20_000
KORF_LARGE = 92
ROWS = 200_000


def row(what: str, figure: float, unit: str, reference: str, other: float | None, *, is_time: bool = False) -> Row:
    """Return a line of the table."""
    ratio = None if not other else other / figure if is_time else figure / other
    return {"": what, "here": figure, "unit": unit, "reference": reference, "its figure": other, "ratio": ratio}


def ida_star(repeat: int) -> list[Row]:
    """IDA* on Korf's boards: against C, and with two threads against one."""
    rows = [
        row(f"IDA*, {each['IDA*']}", each["nodes/s"], "nodes/s", "C -O3 -march=native", each["C: nodes/s"])
        for each in npuzzle.idastar(repeat)
    ]
    board = runner.load("npuzzle/korf100", instances=[KORF_LARGE])[0]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeat):
        for threads, found in seconds.items():
            result = runner.solve(board, {**npuzzle.IDASTAR, "threads": threads}, ["manhattan"])
            expect((result.generated or 0) + 1, int(npuzzle.KORF[KORF_LARGE]["nodes"]), board.id)
            found.append(result.search_seconds or 0)
    one, two = median(seconds[1]), median(seconds[2])
    return [*rows, row(f"IDA*, {board.id}, 2 threads", two, "s", "1 thread", one, is_time=True)]


def a_star(repeat: int) -> list[Row]:
    """A*: small and large searches, and A* in Python by hand on ten 8-puzzles."""
    stack = sections.stack_of("npuzzle", {"stack": ["manhattan"]})
    board = runner.load("npuzzle/korf100", instances=[88])[0].problem()
    rates = []
    for expansions in (100_000, 13_000_000):
        times = repeat if expansions < 1_000_000 else 1
        runs = search_runs(AStar(), stack, board, times, Limits(nodes=expansions))
        rates.append(runs.counts.expanded / runs.seconds)
    worlds = [EightPuzzle(seed=seed) for seed in range(10)]
    by_hand, seconds = timed(lambda: [peers.by_hand(world, puzzle_distance) for world in worlds])
    rate = sum(expanded or 0 for _, expanded in by_hand) / seconds
    return [
        row("A*, 15-puzzle, 100,000 expansions", rates[0], "expansions/s", "Python by hand, 8-puzzle", rate),
        row("A*, 15-puzzle, 23 million nodes", rates[1], "expansions/s", "100,000 expansions", rates[0]),
    ]


def start_of_search(repeat: int) -> list[Row]:
    """Microseconds that a search takes before its first expansion."""
    return start.table(repeat)


def small_instances(repeat: int) -> list[Row]:
    """Milliseconds per 4x4 cave, in the process and in a worker, without start-up; 10x10 caves per second."""
    seconds: dict[tuple[int, int], list[float]] = {}
    for _ in range(repeat):
        for workers in (0, 1):
            for count in (FEW, MANY):
                wall, _, _ = caves.measure(*TINY, f"world.count={count}", f"workers={workers}")
                seconds.setdefault((workers, count), []).append(wall)
    each = [
        1000 * (min(seconds[workers, MANY]) - min(seconds[workers, FEW])) / (MANY - FEW) for workers in (0, 1)
    ]  # minima: start-up varies more than an instance takes
    wall, _, _ = medians(partial(caves.measure, *TINY[:1], "world.count=10000", *TINY[2:]), repeat)
    return [
        row("random 4x4 cave, workers=0", each[0], "ms", "", None),
        row("random 4x4 cave, workers=1", each[1], "ms", "workers=0", each[0], is_time=True),
        row("random 10x10 caves, from the command on", 10_000 / wall, "instances/s", "", None),
    ]


def tables(repeat: int) -> list[Row]:
    """Reading and reporting many rows, and an audit."""
    with tempfile.TemporaryDirectory() as name:
        small, large = Path(name) / "small", Path(name) / "large"
        command(small, *TINY, f"world.count={MANY}")
        shutil.copytree(small, large)
        _multiply(small / "metrics.csv", large / "metrics.csv", ROWS // MANY)
        (large / "plans.jsonl").unlink()
        report = partial(_process, "report", "--out", str(Path(name) / "report"))
        seconds = [median(report(str(folder)) for _ in range(repeat)) for folder in (small, large)]
    caves_of = ("world=wumpus/random", "heuristic=pivots")
    audited = [medians(partial(audit, *caves_of, f"world.count={count}"), repeat)[0] for count in (1, 1000)]
    return [
        row(f"report of {ROWS:,} rows", seconds[1], "s", f"{MANY:,} rows", seconds[0]),
        row("audit of 1,000 10x10 caves, without start-up", audited[1] - audited[0], "s", "", None),
    ]


def first_use(repeat: int) -> list[Row]:
    """The first command of a user, which compiles its kernels, and the same command again."""
    with tempfile.TemporaryDirectory() as name:
        cold = _process(
            "algorithm=astar", "heuristic=flood_fill", f"hydra.run.dir={name}/1", NUMBA_CACHE_DIR=f"{name}/kernels"
        )
        warm = _process(
            "algorithm=astar", "heuristic=flood_fill", f"hydra.run.dir={name}/2", NUMBA_CACHE_DIR=f"{name}/kernels"
        )
    return [row("first command of a user", cold, "s", "the same command again", warm, is_time=True)]


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


CASES: dict[str, Callable[[int], list[Row]]] = {
    case.__name__: case for case in (ida_star, a_star, start_of_search, small_instances, tables, first_use)
}


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, list(CASES), list(CASES), repeated="each case").parse_args()
    rows = [each for name in options.only for each in CASES[name](options.repeat)]
    show(f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}", rows)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
