"""Throughput on many small instances, rows and validation included.

Run from the repository: ``python -m benchmarks.caves [--count 10000] [--repeat 3]``. Every case runs ``python -m
runner ...`` in a process of its own. Wall time and peak memory are those of the process; figures are medians.
"""

from __future__ import annotations

import csv
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.tables import Row, parser_of, show
from benchmarks.timing import command, medians

CASES = {
    "A* [manhattan, pivots]": ("algorithm=astar", "heuristic.stack=[manhattan,pivots]"),
    "A* [manhattan, pivots, obstacle, flood_fill]": (
        "algorithm=astar",
        "heuristic.stack=[manhattan,pivots,obstacle,flood_fill]",
    ),
    "UCS": ("algorithm=ucs",),
}


def measure(*arguments: str) -> tuple[float, float, float]:
    """Return the wall seconds, peak memory in MiB, and seconds of search of one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        wall, memory = command(folder, *arguments)
        with open(folder / "metrics.csv", encoding="utf-8", newline="") as lines:
            search = sum(float(row["search_seconds"]) for row in csv.DictReader(lines))
    return wall, memory, search


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, repeated="each case")
    parser.add_argument("--count", type=int, default=10_000, help="number of random 10x10 caves")
    options = parser.parse_args()
    rows: list[Row] = []
    measure("world=wumpus/random", "world.count=1", "heuristic=flood_fill")  # compiles
    for name, arguments in CASES.items():
        case = partial(measure, "world=wumpus/random", f"world.count={options.count}", *arguments)
        wall, memory, search = medians(case, options.repeat)
        rows.append(
            {
                "case": name,
                "instances": options.count,
                "wall s": wall,
                "instances/s": options.count / wall,
                "search s": search,
                "peak MiB": memory,
            }
        )
    show("random 10x10 caves", rows)


if __name__ == "__main__":
    main()
