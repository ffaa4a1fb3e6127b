"""Expansions per second of processor time of algorithms beside A* on the same instances, which are searched in turns.

python -m benchmarks.rates [--algorithms NAME ...] [--worlds NAME ...] [--weight W] [--nodes N] [--repeat N]

A search ends with its solution, or after N expansions. `ratio` is the share of A*'s rate in the same repetition, from
the sums over all instances of a world. Medians of the repetitions are shown.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import runner
from algorithms.engine import Limiter, Limits
from algorithms.interface import SearchAlgorithm
from benchmarks.tables import Row, parser_of, show
from runner.base import parameters_of
from runner.config import sections
from worlds.interface import Instance

WORLDS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "15-puzzle": ({"source": "npuzzle/korf100", "instances": [12, 42, 55, 79, 97]}, ["manhattan"]),
    "16 pancakes": ({"source": "pancake/random", "size": 16, "count": 5}, [{"name": "gap", "k": 1}]),
    "four-way grid": ({"source": "gridmap/random", "size": 1000, "directions": 4, "count": 5}, ["manhattan"]),
    "eight-way grid": ({"source": "gridmap/random", "size": 1000, "count": 5}, ["octile"]),
}
USUAL = ["bae", "nbs", "dvcbs", "dps", "ees", "focal", "optimistic"]


def algorithm_of(name: str, weight: float) -> SearchAlgorithm:
    """Return an algorithm, with the weight if it has one."""
    chosen = sections.algorithm_of({"name": name})
    if "weight" in parameters_of(type(chosen)):
        chosen = sections.algorithm_of({"name": name, "weight": weight})
    assert isinstance(chosen, SearchAlgorithm)
    return chosen


def measured(instances: list[Instance], stack: Any, algorithm: SearchAlgorithm, nodes: int) -> tuple[int, float, int]:
    """Return expansions, seconds of processor time and the number of solved instances."""
    expanded, total, solved = 0, 0.0, 0
    for instance in instances:
        chosen, weighting = algorithm.effective(None)
        assert isinstance(chosen, SearchAlgorithm)
        search = chosen.start(stack.prepare(instance.problem()), weighting)
        began = time.process_time()
        status = search.run(Limiter(Limits(nodes=nodes)))
        seconds = time.process_time() - began
        expanded, total, solved = expanded + search.counts.expanded, total + seconds, solved + (status == "solved")
    return expanded, total, solved


def rates(world: str, names: list[str], weight: float, nodes: int, repeat: int) -> list[Row]:
    """Measure algorithms in turns on the instances of a world."""
    parameters, entries = WORLDS[world]
    source = dict(parameters)
    instances = runner.load(source.pop("source"), **source)
    stack = sections.stack_of_entries(instances[0].world.domain, entries)
    algorithms = {name: algorithm_of(name, weight) for name in ["astar", *names]}
    for algorithm in algorithms.values():
        measured(instances[:1], stack, algorithm, 100)  # compiles
    found: dict[str, list[tuple[int, float, int]]] = {name: [] for name in algorithms}
    for _ in range(repeat):
        for name, algorithm in algorithms.items():
            found[name].append(measured(instances, stack, algorithm, nodes))
    per_second = {name: [expanded / seconds for expanded, seconds, _ in runs] for name, runs in found.items()}
    ratios = {
        name: median(own / of_astar for own, of_astar in zip(each, per_second["astar"], strict=True))
        for name, each in per_second.items()
    }
    return [
        {
            "world": world,
            "algorithm": name,
            "solved": f"{runs[0][2]} of {len(instances)}",
            "expanded": runs[0][0],
            "expansions/s": median(per_second[name]),
            "ratio": ratios[name],
        }
        for name, runs in found.items()
    ]


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, repeated="all")
    parser.add_argument("--algorithms", nargs="+", default=USUAL, metavar="NAME")
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=list(WORLDS), metavar="NAME")
    parser.add_argument("--weight", type=float, default=1.5)
    parser.add_argument("--nodes", type=int, default=300_000)
    options = parser.parse_args()
    for world in options.worlds:
        show(world, rates(world, options.algorithms, options.weight, options.nodes, options.repeat))


if __name__ == "__main__":
    main()
