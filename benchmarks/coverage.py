"""Number of tasks that searches solve within a limit, beside each other, on a folder of planning tasks.

Run from the repository: ``python -m benchmarks.coverage FOLDER [--only NAME ...] [--seconds 10]``. Each search gets
so many seconds for each task, with its preparation, and 3 GB. Ratios are medians to the first search of its table, on
tasks that both solve.

- optimal: A* with lmcut, with pattern databases, and with saturated cost partitioning over them
- novelty: searches by novelty, beside greedy search with ff
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import runner
from benchmarks.tables import Row, parser_of, show

ASTAR = {"name": "astar"}
SYSTEMATIC = {"name": "pattern_database", "patterns": "systematic"}
IPDB = {"name": "pattern_database", "patterns": "ipdb"}
SEARCHES: dict[str, dict[str, dict[str, Any]]] = {
    "optimal": {
        "lmcut": {"algorithm": ASTAR, "heuristic": ["lmcut"]},
        "ipdb": {"algorithm": ASTAR, "heuristic": [IPDB]},
        "scp, systematic": {"algorithm": ASTAR, "heuristic": [SYSTEMATIC], "combine": "scp"},
        "scp, systematic and ipdb": {"algorithm": ASTAR, "heuristic": [SYSTEMATIC, IPDB], "combine": "scp"},
    },
    "novelty": {
        "greedy, ff": {"algorithm": {"name": "greedy", "ties": "fifo"}, "heuristic": ["ff"]},
        "bfws": {"algorithm": {"name": "bfws"}},
        "iw, k=2": {"algorithm": {"name": "iw", "k": 2}},
        "iw, k=1": {"algorithm": {"name": "iw", "k": 1}},
    },
}
"""Arguments of `runner.solve` for each row of each table."""
MEMORY = "3GB"


def coverage(folder: Path, searches: dict[str, dict[str, Any]], seconds: float) -> list[Row]:
    """Return a row for each search."""
    tasks = runner.load("pddl/file", path=str(folder))
    found: dict[str, list[runner.Result]] = {name: [] for name in searches}
    for task in tasks:
        for name, search in searches.items():
            found[name].append(runner.solve(task, **search, limits={"time": seconds, "memory": MEMORY}))
    reference = next(iter(found.values()))
    return [summary(name, results, reference) for name, results in found.items()]


def summary(name: str, results: list[runner.Result], reference: list[runner.Result]) -> Row:
    """Return the row of a search, beside the results of another one."""
    solved = [pair for pair in zip(results, reference, strict=True) if pair[0].status == "solved"]
    both = [pair for pair in solved if pair[1].status == "solved"]
    row: Row = {"search": name, "tasks": len(results), "solved": len(solved), "by it only": len(solved) - len(both)}
    for column in ("expanded", "cost"):
        ratios = [getattr(here, column) / getattr(there, column) for here, there in both if getattr(there, column)]
        row[f"{column}, ratio"] = median(ratios) if ratios else None
    row["median s"] = median(here.search_seconds or 0 for here, _ in solved) if solved else None
    return row


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, list(SEARCHES), list(SEARCHES))
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=10, help="limit of a search")
    options = parser.parse_args()
    for name in options.only:
        show(name, coverage(options.folder, SEARCHES[name], options.seconds))


if __name__ == "__main__":
    main()
