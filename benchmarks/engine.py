"""How fast the engine searches, what a stored node takes, and how others compare: ``python -m benchmarks.engine``.

Needs the extra `benchmarks` for the peers. Every compiled case runs in a process of its own, so that its memory is
its own. The tables go to the terminal and, as CSV, to the folder given by ``--out``.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from algorithms.best_first import AStar, UniformCost
from algorithms.engine.search import Limits, run
from benchmarks import peers
from benchmarks.worlds import (
    CompiledGrid,
    EightPuzzle,
    GridDistance,
    PythonGrid,
    grid_distance,
    puzzle_distance,
)
from heuristics.stack import Stack
from heuristics.wumpus.manhattan import Manhattan
from runner.config import sections
from worlds.interface import Instance
from worlds.python_world import PythonWorld
from worlds.wumpus.instance import WumpusInstance
from worlds.wumpus.rules import Cave

GROWTH = {"1e4": 100, "1e5": 316, "1e6": 1_000, "1e7": 3_163}
GIB = 1 << 30


def cave(side: int, seed: int = 3) -> Instance:
    """A random cave with 5 % of pits."""
    source = random.Random(seed)
    squares = [(x, y) for x in range(side) for y in range(side) if (x, y) != (0, 0)]
    pits = frozenset(square for square in squares if source.random() < 0.05)
    return WumpusInstance(
        Cave((side, side), (0, 0), "N", source.choice(squares), (0, 0), source.choice(squares), pits), "cave"
    )


def compiled_cases() -> dict[str, tuple[Callable[[], Instance], Any, Stack, Limits]]:
    """Name of a case: instance, algorithm, stack, limits."""
    manhattan, distance = Stack((Manhattan(),)), Stack((GridDistance(),))
    cases: dict[str, tuple[Callable[[], Instance], Any, Stack, Limits]] = {
        "A* manhattan, cave 200x200": (lambda: cave(200), AStar(), manhattan, Limits()),
        "UCS, cave 200x200": (lambda: cave(200), UniformCost(), Stack(), Limits()),
        "A* manhattan, grid 1000x1000": (lambda: CompiledGrid(1_000), AStar(), distance, Limits()),
    }
    for nodes, side in GROWTH.items():
        grid = lambda side=side: CompiledGrid(side, walls=0.0)  # noqa: E731
        cases[f"A* manhattan high_h, open grid, {nodes} nodes"] = (grid, AStar(ties="high_h"), distance, Limits())
    for nodes, side in GROWTH.items():
        grid = lambda side=side: CompiledGrid(side, walls=0.0)  # noqa: E731
        cases[f"UCS, open grid, {nodes} nodes"] = (grid, UniformCost(), Stack(), Limits())
    cases["UCS, open grid, limits.memory=1GiB"] = (
        lambda: CompiledGrid(12_000, walls=0.0), UniformCost(), Stack(), Limits(memory=GIB),
    )  # fmt: skip
    return cases


def resident() -> int:
    """Bytes of memory this process has in use now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def peak() -> int:
    """Most bytes of memory this process had in use."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def measure_compiled(name: str, repeat: int) -> dict[str, Any]:
    """One case: the median rate of several searches, and the memory of the first."""
    make, algorithm, stack, limits = compiled_cases()[name]
    problem = make().problem()
    algorithm.start(stack.prepare(problem), None).warm()
    rates, row = [], {}
    for number in range(repeat):
        gc.collect()
        search = algorithm.start(stack.prepare(problem), None)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # begin the peak anew
        before, start = resident(), time.perf_counter()
        status = run(search, limits)
        seconds = time.perf_counter() - start
        counts = search.counts
        rates.append(counts.expanded / seconds)
        if number == 0:
            row = {
                "case": name,
                "status": status,
                "expanded": counts.expanded,
                "nodes": counts.peak_nodes,
                "memory_bytes": counts.memory_bytes,
                "rss_bytes": resident() - before,
                "peak_rss_bytes": peak() - before,
            }
        del search
    return {**row, "expansions_per_second": median(rates)}


def compiled_table(repeat: int) -> list[dict[str, Any]]:
    rows = []
    for name in compiled_cases():
        times = 1 if "1e7" in name or "GiB" in name else repeat
        command = [sys.executable, "-m", "benchmarks.engine", "--case", name, "--repeat", str(times)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        rows.append(json.loads(done.stdout))
    return rows


def measure_peers(title: str, worlds: Sequence[PythonWorld], function: Any, repeat: int) -> list[dict[str, Any]]:
    """All peers on the same worlds with the same heuristic; costs must agree."""
    stack = sections.stack_of(worlds[0].domain, {"stack": ["distance"]})

    def ours(world: PythonWorld) -> tuple[int, int | None]:
        search = AStar().start(stack.prepare(next(iter(world.instances())).problem()), None)
        if run(search, Limits()) != "solved":
            raise SystemExit("no solution")
        return search.cost, search.counts.expanded

    ours(worlds[0])  # compiles
    graphs: dict[PythonWorld, Any] = {}
    for world in worlds:  # puzzles share one graph
        known = graphs.get(worlds[0])
        is_shared = known is not None and isinstance(world, EightPuzzle)
        graphs[world] = known if is_shared else peers.networkx_graph(world)
    solvers: dict[str, Callable[[PythonWorld], tuple[int, int | None]]] = {
        "hand-written A*": lambda world: peers.by_hand(world, function),
        "this engine, plain-Python world": ours,
        "networkx (graph built beforehand)": lambda world: peers.networkx_astar(graphs[world], world, function),
        "simpleai": lambda world: peers.simpleai_astar(world, function),
    }
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    outcomes: dict[str, list[tuple[int, int | None]]] = {}
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
            raise SystemExit(f"{title}: {name} finds other costs")
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


def peer_table(repeat: int) -> list[dict[str, Any]]:
    puzzles = [EightPuzzle(seed=seed) for seed in range(10)]
    grids = [PythonGrid(seed=seed) for seed in range(10)]
    return [
        *measure_peers("ten 8-puzzles", puzzles, puzzle_distance, repeat),
        *measure_peers("ten 64x64 grids", grids, grid_distance, repeat),
    ]


def show(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case; the median is shown")
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
        rows = compiled_table(options.repeat)
        for row in rows:
            row["peak_bytes_per_node"] = row["peak_rss_bytes"] / row["nodes"]
        tables["compiled"] = rows
        show("compiled worlds", rows)
    for name, rows in tables.items():
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
            with open(options.out / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
