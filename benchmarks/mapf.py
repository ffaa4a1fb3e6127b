"""Several agents on grid maps: speed of the tree of constraints, and success of all algorithms by number of agents.

Run from the repository: ``python -m benchmarks.mapf FOLDER [--only tree success] [--seconds 60]``. FOLDER has maps and
scenarios of the MovingAI benchmark for several agents.

- tree: expansions per second of plain cbs, beside the same tree in plain Python in the same process.
- success: solved scenarios of each map by number of agents within a limit of time, and the median of the seconds.
  Scenarios with fewer agents are left out.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import runner
from algorithms.interface import ALGORITHMS
from benchmarks.tables import Row, show
from tests.naive.conflict_based import NaiveTree
from worlds.interface import Instance

PLAIN = {"name": "cbs", "prioritize": False, "bypass": False, "disjoint": False, "heuristic": "none"}
TREES = {"random-32-32-20-random-1": 35, "empty-16-16-random-1": 40, "room-32-32-4-random-1": 25}
"""Agents by scenario, so many that the tree does not end soon."""
NODES, NAIVE_NODES = 20_000, 100
SIZES = {
    "random-32-32-20": {"cbs": [20, 30], "ecbs": [20, 50], "prioritized": [50, 100], "lacam": [100, 200]},
    "random-64-64-20": {"ecbs": [50], "prioritized": [100], "pibt": [200], "lacam": [200, 400]},
    "warehouse-10-20-10-2-1": {"cbs": [20], "ecbs": [50], "prioritized": [100], "lacam": [200]},
}
"""Numbers of agents by map and algorithm."""


def tree(folder: Path) -> list[Row]:
    """Expansions per second of plain cbs, and of the same tree in plain Python."""
    rows: list[Row] = []
    for scenario, agents in TREES.items():
        instance = _instances(folder / f"{scenario}.scen", agents)[0]
        runner.solve(instance, PLAIN, limits={"nodes": 100})  # compiles
        result = runner.solve(instance, PLAIN, limits={"nodes": NODES})
        twin = NaiveTree(instance.world)
        begin = time.perf_counter()
        twin.search(NAIVE_NODES)
        seconds = time.perf_counter() - begin
        assert result.expanded is not None
        assert result.search_seconds is not None
        here, there = result.expanded / result.search_seconds, twin.expanded / seconds
        rows.append(
            {
                "scenario": scenario,
                "agents": agents,
                "expanded": result.expanded,
                "per second": here,
                "in Python, per second": there,
                "ratio": here / there,
            }
        )
    return rows


def success(folder: Path, seconds: float) -> list[Row]:
    """Solved scenarios within a limit of time, and the median and the largest of their seconds."""
    rows: list[Row] = []
    for map_name, sizes in SIZES.items():
        for algorithm, numbers in sizes.items():
            if algorithm not in ALGORITHMS.names():
                continue
            for agents in numbers:
                found = defaultdict[str, list[float]](list)
                of_map = sorted(folder.glob(f"{map_name}-*.scen"))
                scenarios = [each for each in of_map if _agents_in(each) >= agents]
                for scenario in scenarios:
                    (instance,) = _instances(scenario, agents)
                    result = runner.solve(instance, algorithm, limits={"time": seconds})
                    found[result.status].append(result.search_seconds or 0.0)
                solved = found["solved"]
                rows.append(
                    {
                        "map": map_name,
                        "algorithm": algorithm,
                        "agents": agents,
                        "scenarios": len(scenarios),
                        "solved": len(solved),
                        "median s": median(solved) if solved else None,
                        "largest s": max(solved, default=None),
                    }
                )
    return rows


def _agents_in(scenario: Path) -> int:
    """Return the number of agents of a scenario: a line each, after that of the version."""
    return len(scenario.read_text().split("\n")[1:-1])


def _instances(scenario: Path, agents: int) -> list[Instance[Any]]:
    return list(runner.load("mapf/scenario", path=str(scenario), agents=agents))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=["tree", "success"], default=["tree", "success"])
    parser.add_argument("--seconds", type=float, default=60, help="limit of the time of a search")
    options = parser.parse_args()
    if "tree" in options.only:
        show("tree: expansions per second", tree(options.folder))
    if "success" in options.only:
        show("success: solved scenarios", success(options.folder, options.seconds))
