"""Time from a packed problem to the first expansion: ``python -m benchmarks.start`` (seconds).

A* in every domain, and an algorithm of every family on one 15-puzzle and one grid map. It is the `search_seconds` of a
row whose search may expand one node, at its median over many searches. Short problems take little more than that, so
what is done once for each search shows here. The reference is the figure of docs/benchmarks.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import runner
from algorithms.interface import ALGORITHMS, SearchAlgorithm
from benchmarks.tables import Row, parser_of, show
from runner.base import own_packages
from worlds.interface import Instance

SEARCHES = 200
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PUBLISHED = re.compile(r"^\| start of (\w+), ([^|]+?) \| ([\d,.]+) \|", re.MULTILINE)
"""A line of the table in docs/benchmarks.md: algorithm, world, microseconds."""
WORLDS: dict[str, tuple[dict[str, Any], str]] = {
    "npuzzle/korf100": ({"instances": [79]}, "manhattan"),
    "gridmap/static": ({"problems": [1]}, "octile"),
    "wumpus/static": ({}, "pivots"),
    "snake/static": ({}, "nearest"),
    "pancake/random": ({"count": 1, "size": 16}, "gap"),
    "hanoi/tower": ({"disks": 6}, "none"),
    "topspin/random": ({"count": 1, "tokens": 8}, "none"),
    "rubik/random": ({"count": 1, "depth": 5}, "none"),
    "graph/martelli": ({"n": 6}, "none"),
    "pddl/sas": ({"path": str(PAGE.parents[1] / "tests" / "data" / "pddl" / "two_balls.sas")}, "goal_count"),
}
"""A world of every domain: its parameters, and a heuristic that needs no tables."""
ALL_FAMILIES = ("npuzzle/korf100", "gridmap/static")


def families() -> list[str]:
    """Return the first registered search of every file in `algorithms`."""
    own_packages.load()
    first: dict[str, str] = {}
    for name in ALGORITHMS.names():
        algorithm = ALGORITHMS.find(name)
        if issubclass(algorithm, SearchAlgorithm):
            first.setdefault(algorithm.__module__, name)
    return sorted(first.values())


def cases() -> Iterator[tuple[str, str]]:
    """Yield algorithms and worlds."""
    for world in WORLDS:
        yield "astar", world
    for world in ALL_FAMILIES:
        for algorithm in families():
            if algorithm != "astar":
                yield algorithm, world


def microseconds(algorithm: str, instance: Instance, heuristic: str, searches: int) -> float | None:
    """Return the median time of searches that may expand one node; None if the algorithm refuses the instance."""
    uses_heuristic = ALGORITHMS.find(algorithm).heuristic != "ignored"
    stack = [heuristic] if uses_heuristic and heuristic != "none" else []
    try:
        times = [runner.solve(instance, algorithm, stack, limits={"nodes": 1}).search_seconds for _ in range(searches)]
    except runner.UserError:
        return None
    return 1e6 * median(seconds or 0.0 for seconds in times)


def published() -> dict[tuple[str, str], float]:
    """Return the microseconds of docs/benchmarks.md by algorithm and world."""
    figures = PUBLISHED.findall(PAGE.read_text("utf-8"))
    return {(algorithm, world): float(figure.replace(",", "")) for algorithm, world, figure in figures}


def table(repeat: int = 1) -> list[Row]:
    """Measure all cases."""
    figures = published()
    rows = []
    for algorithm, world in cases():
        parameters, heuristic = WORLDS[world]
        instance = runner.load(world, **parameters)[0]
        here = microseconds(algorithm, instance, heuristic, SEARCHES * repeat)
        other = figures.get((algorithm, world))
        if here is not None:
            rows.append(
                {
                    "": f"start of {algorithm}, {world}",
                    "here": here,
                    "unit": "us",
                    "reference": "docs/benchmarks.md",
                    "its figure": other,
                    "ratio": None if other is None else other / here,
                }
            )
    return rows


if __name__ == "__main__":
    options = parser_of(__doc__, repeated=f"{SEARCHES} searches of each case").parse_args()
    show("Start of a search", table(options.repeat))
