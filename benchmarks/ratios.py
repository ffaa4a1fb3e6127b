"""Expansions per second of algorithms, divided by those of A* on the same instances.

python -m benchmarks.ratios [--algorithms bae nbs] [--only NAME ...] [--repeat 5]

The algorithms search in turns, so that what else the machine does slows all alike. The table shows medians.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import runner
from algorithms.engine.search import Limits, run
from benchmarks.tables import Row, parser_of, show
from heuristics.stack import BoundStack
from runner.config import sections

LIMITS = Limits(nodes=200_000)


def fifteen_puzzle() -> list[BoundStack]:
    """Return boards of the 15-puzzle with Manhattan distances."""
    return bind("npuzzle/random", ["manhattan"], count=4)


def pancakes() -> list[BoundStack]:
    """Return stacks of 14 pancakes with weak gap heuristics."""
    return bind("pancake/random", [{"name": "gap", "k": 2}], size=14, count=8)


def four_way_grids() -> list[BoundStack]:
    """Return maps with four directions and Manhattan distances."""
    return bind("gridmap/random", ["manhattan"], size=512, directions=4, density=0.35, count=8)


def octile_grids() -> list[BoundStack]:
    """Return maps with eight directions and octile distances."""
    return bind("gridmap/random", ["octile"], size=512, density=0.4, count=8)


WORLDS: dict[str, Callable[[], list[BoundStack]]] = {
    "15-puzzle": fifteen_puzzle, "pancakes": pancakes, "four-way": four_way_grids, "octile": octile_grids,
}  # fmt: skip


def bind(source: str, stack: list[Any], **parameters: object) -> list[BoundStack]:
    """Return the instances of a source with a stack of heuristics."""
    entries = sections.stack_of_entries(source.partition("/")[0], stack, "sum")
    return [entries.prepare(instance.problem()) for instance in runner.load(source, **parameters)]


def speed(algorithm: str, stacks: list[BoundStack]) -> tuple[int, float]:
    """Return the expansions of a search for each stack, and their number per second of processor time."""
    expanded, seconds = 0, 0.0
    chosen: Any = sections.algorithm_of({"name": algorithm})
    for stack in stacks:
        search = chosen.start(stack, None)
        search.warm()
        began = time.process_time()
        run(search, LIMITS)
        seconds += time.process_time() - began
        expanded += search.counts.expanded
    return expanded, expanded / seconds


def ratios(world: str, algorithms: list[str], repeat: int) -> list[Row]:
    """Measure algorithms and A* in one world."""
    stacks, names = WORLDS[world](), ["astar", *algorithms]
    rounds = [[speed(name, stacks) for name in names] for _ in range(repeat + 1)][1:]  # the first one compiles
    rows = []
    for place, name in enumerate(names):
        expanded, _ = rounds[0][place]
        per_second = median(each[place][1] for each in rounds)
        ratio = median(each[place][1] / each[0][1] for each in rounds)
        row = {"world": world, "algorithm": name, "expanded": expanded, "per second": per_second, "to A*": ratio}
        rows.append(row)
    return rows


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, list(WORLDS), list(WORLDS), "each search")
    parser.add_argument("--algorithms", nargs="+", default=["bae", "nbs"], metavar="NAME")
    options = parser.parse_args()
    show("", [row for world in options.only for row in ratios(world, options.algorithms, options.repeat)])


if __name__ == "__main__":
    main()
