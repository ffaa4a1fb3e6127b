"""Speed and memory of the engine, compared with other libraries: ``python -m benchmarks.engine``.

The comparison needs the extra `benchmarks`. Every case with a compiled world runs in a process of its own, so that only
its own memory counts. The tables are printed, and written as CSV to the folder given by ``--out``.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from algorithms.best_first.best_first import AStar, UniformCost
from algorithms.engine import Limiter, Limits
from algorithms.interface import SearchAlgorithm
from benchmarks import peers
from benchmarks.tables import Row, parser_of, show
from benchmarks.timing import search_runs
from benchmarks.worlds import EightPuzzle, GridDistance, PythonGrid, compiled_grid, grid_distance, puzzle_distance
from heuristics.interface import Stack
from runner.config import sections
from worlds.interface import Instance, PythonWorld
from worlds.wumpus.rules import Cave
from worlds.wumpus.world import CaveWorld

GROWTH = {"1e4": 100, "1e5": 316, "1e6": 1_000, "1e7": 3_163}
GIB = 1 << 30
Compiled = tuple[Callable[[], Instance], SearchAlgorithm, Stack, Limits]


def cave(side: int, seed: int = 3) -> Instance:
    """Return a random cave with 5 % of pits."""
    source = random.Random(seed)
    squares = [(x, y) for x in range(side) for y in range(side) if (x, y) != (0, 0)]
    pits = frozenset(square for square in squares if source.random() < 0.05)
    gold, wumpus = source.choice(squares), source.choice(squares)
    return Instance(CaveWorld(Cave((side, side), (0, 0), "N", gold, (0, 0), wumpus, pits)), "cave")


def compiled_cases() -> dict[str, Compiled]:
    """Return the cases with compiled worlds by name: instance, algorithm, stack, limits."""
    manhattan, distance = sections.stack_of("wumpus", {"stack": ["manhattan"]}), Stack((GridDistance(),))
    cases: dict[str, Compiled] = {
        "A* manhattan, cave 200x200": (lambda: cave(200), AStar(), manhattan, Limits()),
        "UCS, cave 200x200": (lambda: cave(200), UniformCost(), Stack(), Limits()),
        "A* manhattan, grid 1000x1000": (lambda: compiled_grid(1_000), AStar(), distance, Limits()),
    }
    for nodes, side in GROWTH.items():
        grid = partial(compiled_grid, side, walls=0.0)
        cases[f"A* manhattan high_h, open grid, {nodes} nodes"] = (grid, AStar(ties="high_h"), distance, Limits())
    for nodes, side in GROWTH.items():
        grid = partial(compiled_grid, side, walls=0.0)
        cases[f"UCS, open grid, {nodes} nodes"] = (grid, UniformCost(), Stack(), Limits())
    grid = partial(compiled_grid, 12_000, walls=0.0)
    cases["UCS, open grid, limits.memory=1GiB"] = (grid, UniformCost(), Stack(), Limits(memory=GIB))
    return cases


def measure_compiled(name: str, repeat: int) -> Row:
    """Measure one case in this process."""
    make, algorithm, stack, limits = compiled_cases()[name]
    runs = search_runs(algorithm, stack, make().problem(), repeat, limits)
    return {
        "case": name,
        "status": runs.status,
        "expanded": runs.counts.expanded,
        "nodes": runs.counts.peak_nodes,
        "memory_bytes": runs.counts.memory_bytes,
        "rss_bytes": runs.resident_bytes,
        "peak_rss_bytes": runs.peak_bytes,
        "expansions_per_second": runs.counts.expanded / runs.seconds,
        "peak_bytes_per_node": runs.peak_bytes / runs.counts.peak_nodes,
    }


def compiled_table(repeat: int) -> list[Row]:
    """Measure all cases with compiled worlds, each in a process of its own."""
    rows = []
    for name in compiled_cases():
        times = 1 if "1e7" in name or "GiB" in name else repeat
        command = [sys.executable, "-m", "benchmarks.engine", "--case", name, "--repeat", str(times)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        rows.append(json.loads(done.stdout))
    return rows


def measure_peers(title: str, worlds: Sequence[PythonWorld], function: peers.Heuristic, repeat: int) -> list[Row]:
    """Measure all peers on the same worlds with the same heuristic. Their costs must agree."""
    stack = sections.stack_of(worlds[0].domain, {"stack": ["distance"]})

    def ours(world: PythonWorld) -> peers.Outcome:
        search = AStar().start(stack.prepare(next(iter(world.instances())).problem()), None)
        if search.run(Limiter(Limits())) != "solved":
            raise SystemExit("no solution")
        return search.cost, search.counts.expanded

    ours(worlds[0])  # compiles
    graphs: dict[PythonWorld, Any] = {}
    for world in worlds:  # all puzzles have the same graph
        known = graphs.get(worlds[0])
        is_shared = known is not None and isinstance(world, EightPuzzle)
        graphs[world] = known if is_shared else peers.networkx_graph(world)
    solvers: dict[str, Callable[[PythonWorld], peers.Outcome]] = {
        "hand-written A*": lambda world: peers.by_hand(world, function),
        "this engine, plain-Python world": ours,
        "networkx (graph built beforehand)": lambda world: peers.networkx_astar(graphs[world], world, function),
        "simpleai": lambda world: peers.simpleai_astar(world, function),
    }
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    outcomes: dict[str, list[peers.Outcome]] = {}
    for round_ in range(repeat):
        for name, solve in solvers.items():
            if name == "simpleai" and round_ > 0:
                continue
            gc.collect()
            start = time.perf_counter()
            outcomes[name] = [solve(world) for world in worlds]
            seconds[name].append(time.perf_counter() - start)
    reference = outcomes["hand-written A*"]
    rows = []
    for name, found in outcomes.items():
        if [cost for cost, _ in found] != [cost for cost, _ in reference]:
            raise SystemExit(f"{title}: {name} finds different costs")
        counted = [expanded for _, expanded in found if expanded is not None]
        wall = median(seconds[name])
        rows.append(
            {
                "worlds": title,
                "solver": name,
                "seconds": wall,
                "expanded": sum(counted) if counted else None,
                "expansions_per_second": sum(counted) / wall if counted else None,
                "speed_to_hand_written": median(seconds["hand-written A*"]) / wall,
            }
        )
    return rows


def peer_table(repeat: int) -> list[Row]:
    """Measure all peers on puzzles and grids."""
    puzzles = [EightPuzzle(seed=seed) for seed in range(10)]
    grids = [PythonGrid(seed=seed) for seed in range(10)]
    return [
        *measure_peers("ten 8-puzzles", puzzles, puzzle_distance, repeat),
        *measure_peers("ten 64x64 grids", grids, grid_distance, repeat),
    ]


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, repeated="each case")
    parser.add_argument("--out", type=Path, help="folder for the tables as CSV")
    parser.add_argument("--only", choices=["compiled", "peers"], help="one of the two tables")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure_compiled(options.case, options.repeat)))
        return
    tables = {}
    if options.only != "compiled":
        tables["peers"] = peer_table(options.repeat)
        show("A* on worlds in plain Python", tables["peers"])
    if options.only != "peers":
        tables["compiled"] = compiled_table(options.repeat)
        show("compiled worlds", tables["compiled"])
    for name, rows in tables.items():
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            with open(options.out / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
