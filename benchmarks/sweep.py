"""Sweeps: the cost of planning and of worker processes, the gain from a second core, and the largest size.

Run from the repository: ``python -m benchmarks.sweep [--only planning process workers scale]``. Every figure is the
median of commands that run in processes of their own; only those of `scale` are of one run. Cases that are compared run
in turns.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmarks.tables import Case, Row, parser_of, show, title_of
from benchmarks.timing import MIB, peak

TINY = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots")
HARD = ("world=wumpus/random", "algorithm=ucs", "progress=false")
POLL_SECONDS = 0.02


def sweep(*arguments: str) -> tuple[float, float]:
    """Return the wall seconds of a sweep, and the peak memory of its parent process in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        start, memory = time.perf_counter(), 0
        process = subprocess.Popen(
            [sys.executable, "-m", "runner", "-m", *arguments, f"hydra.sweep.dir={Path(folder) / 'out'}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while process.poll() is None:
            memory = max(memory, peak(process.pid))
            time.sleep(POLL_SECONDS)
        seconds = time.perf_counter() - start
        _, errors = process.communicate()
        if process.returncode:
            raise SystemExit(errors)
    return seconds, memory / MIB


def planning(repeat: int) -> list[Row]:
    """Planning of cells that differ in values; nothing is run (dry_run=true)."""
    rows: list[Row] = []
    for cells in (1, 200, 10_000):
        shape = (f"world.seed=range({cells})", "world.count=1", "dry_run=true")
        seconds = median(sweep(*TINY, *shape)[0] for _ in range(repeat))
        rows.append({"cells": cells, "s": seconds, "ms per cell": seconds * 1000 / cells})
    return rows


def process(repeat: int) -> list[Row]:
    """The same 4x4 caves in the runner's own process and in a worker, in one large cell and in many small ones."""
    rows: list[Row] = []
    for cells, count in ((1, 20_000), (100, 40)):
        shape = (f"world.seed=range({cells})", f"world.count={count}")
        times = _in_turns(repeat, {n: (*TINY, *shape, f"workers={n}") for n in (0, 1)})
        for number, seconds in times.items():
            extra = 1000 * (seconds - times[0]) if number else None
            rows.append(
                {
                    "cells": cells,
                    "instances": cells * count,
                    "workers": number,
                    "s": seconds,
                    "extra: ms per cell": None if extra is None else extra / cells,
                    "extra: ms per instance": None if extra is None else extra / cells / count,
                }
            )
    return rows


def workers(repeat: int) -> list[Row]:
    """Speed-up by a second worker: one cell of many 60x60 caves, and many cells of one 300x300 cave; UCS."""
    rows: list[Row] = []
    for cells, count, size in ((1, 20_000, 60), (200, 1, 300)):
        world = (f"world.seed=range({cells})", f"world.count={count}", f"world.size={size}")
        times = _in_turns(repeat, {n: (*HARD, *world, f"workers={n}") for n in (1, 2)})
        for number, seconds in times.items():
            speed_up = times[1] / seconds
            rows.append(
                {"cells": cells, "instances": cells * count, "workers": number, "s": seconds, "speed-up": speed_up}
            )
    return rows


def _in_turns(repeat: int, sweeps: Mapping[int, tuple[str, ...]]) -> dict[int, float]:
    """Return the median seconds of sweeps that run in turns."""
    times: dict[int, list[float]] = {number: [] for number in sweeps}
    for _ in range(repeat):
        for number, arguments in sweeps.items():
            times[number].append(sweep(*arguments)[0])
    return {number: median(seconds) for number, seconds in times.items()}


def scale(instances: int) -> list[Row]:
    """Rows per second of 4x4 caves on all cores, and the memory of the parent as their number grows."""
    rows: list[Row] = []
    for count in (instances // 100, instances // 10, instances):
        seconds, memory = sweep(*TINY, f"world.count={count}", "workers=all", "progress=false")
        rows.append({"instances": count, "s": seconds, "rows/s": count / seconds, "parent, peak MiB": memory})
    return rows


CASES: dict[str, Case] = {case.__name__: case for case in (planning, process, workers, scale)}


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, list(CASES), list(CASES), repeated="all but scale")
    parser.add_argument(
        "--instances", type=int, default=1_000_000, help="number of instances of the largest sweep of scale"
    )
    options = parser.parse_args()
    for name in options.only:
        case = CASES[name]
        show(title_of(name, case), case(options.instances if name == "scale" else options.repeat))


if __name__ == "__main__":
    main()
