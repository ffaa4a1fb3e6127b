"""Throughput on many small instances: whole processes, rows and validation included.

Run from the repository: ``python -m benchmarks.caves [--count 10000] [--repeat 3]``. Every line is the median of
`repeat` runs of ``python -m runner ...`` as a process of its own; wall time and peak memory are the operating system's.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table
from rich.text import Text

CASES = {
    "A* [manhattan, pivots]": ("algorithm=astar", "heuristic.stack=[manhattan,pivots]"),
    "A* [manhattan, pivots, obstacle, flood_fill]": (
        "algorithm=astar",
        "heuristic.stack=[manhattan,pivots,obstacle,flood_fill]",
    ),
    "UCS": ("algorithm=ucs",),
}


def measure(arguments: tuple[str, ...], directory: Path) -> tuple[float, float, float]:
    """Wall seconds, peak memory in MiB, and seconds of search alone of one run."""
    wall, memory = process(*arguments, f"hydra.run.dir={directory}", "progress=false")
    with open(directory / "metrics.csv", encoding="utf-8", newline="") as lines:
        search = sum(float(row["search_seconds"]) for row in csv.DictReader(lines))
    return wall, memory, search


def process(*arguments: str) -> tuple[float, float]:
    """Wall seconds and peak memory in MiB of ``python -m runner ...`` as a process of its own."""
    command = [sys.executable, "-m", "runner", *arguments]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return wall, usage.ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="number of random 10x10 caves")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case; the median is shown")
    options = parser.parse_args()
    world = ("world=wumpus/random", f"world.count={options.count}")
    table = Table("random 10x10 caves", "instances", "wall s", "instances/s", "search s", "peak MiB")
    with tempfile.TemporaryDirectory() as folder:
        measure((*world[:1], "world.count=1", "heuristic=flood_fill"), Path(folder) / "warm")
        for number, (name, arguments) in enumerate(CASES.items()):
            runs = [
                measure((*world, *arguments), Path(folder) / f"{number}-{repeat}") for repeat in range(options.repeat)
            ]
            wall, memory, search = (median(values) for values in zip(*runs, strict=True))
            cells = (
                f"{options.count:,}",
                f"{wall:.2f}",
                f"{options.count / wall:,.0f}",
                f"{search:.2f}",
                f"{memory:.0f}",
            )
            table.add_row(Text(name), *cells)
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
