"""Races and random search beside an exhaustive grid: ``python -m benchmarks.tuning`` (some minutes for each scenario).

The grid searches every configuration on every instance, so its best configuration on the test instances is known. A
race may use 15 % of the searches of the grid on the training instances. All searches are rows in one folder for each
scenario, so seeds share them; what a race has spent is what it would spend alone.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.tables import Row, parser_of, show
from runner.execution import Stop
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.optimizers import OPTIMIZERS
from runner.features.tuning.race import Race
from runner.features.tuning.scenario import Parameter, Scenario
from runner.features.tuning.searches import Searches

SHARE = 0.15
"""Part of the searches of the grid that tuning may spend."""
CLOSE = 1.05
"""Factor of the best of the grid up to which a configuration counts as found."""
PROGRAM = """\
# MAP START GOAL ORDER ENGINE RESTARTS: a path, and planted counts of which a fast engine makes a tenth
import sys, zlib
_, file, start, goal, order, engine, restarts = sys.argv
grid = open(file).read().split("map\\n", 1)[1].splitlines()
start, goal = (tuple(map(int, each.split(","))) for each in (start, goal))
came, queue = {start: None}, [start]
for x, y in queue:
    for to in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if to not in came and 0 <= to[1] < len(grid) and 0 <= to[0] < len(grid[0]) and grid[to[1]][to[0]] == ".":
            came[to] = (x, y)
            queue.append(to)
path = [goal]
while came[path[-1]]:
    path.append(came[path[-1]])
noise = 90 + zlib.crc32(repr(sys.argv[2:]).encode()) % 20
factor = {"down": 100, "up": 115, "right": 125, "left": 130}[order] * (1 if engine == "fast" else 10)
count = len(came) * factor * noise * (100 + 8 * abs(int(restarts) - 4)) // 10000
print("cost", len(path) - 1)
print("expanded", count)
print("path", *(f"{x},{y}" for x, y in reversed(path)))
"""
CHOICE = """\
name: program
command: [%s, -S, %s, "{map}", "{start}", "{goal}", "{order}", "{engine}", "{restarts}"]
arguments: {order: up, engine: slow, restarts: 1}
output: {cost: 'cost (\\S+)', expanded: 'expanded (\\d+)'}
plan: {pattern: 'path(.*)', format: cells}
"""
TILES = {"world": "npuzzle/random", "world.size": "3x4"}
CAVES = {"world": "wumpus/random", "world.size": 10}
MAPS = {"world": "gridmap/random", "world.size": 6}
HEURISTICS: list[Any] = ["manhattan", "smart_manhattan", "obstacle", "pivots", "best_neighbour"]
SCENARIOS: dict[str, tuple[Scenario, dict[str, list[Any]]]] = {
    "weights": (
        Scenario(
            {
                "weighting.weight": Parameter("real", [1, 5], log=True, default=1),
                "algorithm.ties": Parameter("categorical", values=["low_h", "high_h", "fifo", "lifo"]),
            },
            {**TILES, "world.count": 1000, "world.seed": 1},
            {**TILES, "world.count": 1000, "world.seed": 10001},
            {"algorithm": "astar", "weighting": "constant", "heuristic": "manhattan", "limits.nodes": 50_000},
        ),
        {
            "weighting.weight": [round(5 ** (step / 24), 3) for step in range(25)],
            "algorithm.ties": ["low_h", "high_h", "fifo", "lifo"],
        },
    ),
    "program": (
        Scenario(
            {
                "algorithm.arguments.order": Parameter("categorical", values=["up", "down", "left", "right"]),
                "algorithm.arguments.engine": Parameter("categorical", values=["slow", "fast"]),
                "algorithm.arguments.restarts": Parameter("integer", [1, 8], default=1),
            },
            {**MAPS, "world.count": 20, "world.seed": 1},
            {**MAPS, "world.count": 20, "world.seed": 10001},
            {"algorithm": "planted", "limits.time": 60},
        ),
        {
            "algorithm.arguments.order": ["up", "down", "left", "right"],
            "algorithm.arguments.engine": ["slow", "fast"],
            "algorithm.arguments.restarts": [*range(1, 9)],
        },
    ),
    "stack": (
        Scenario(
            {"heuristic.stack": Parameter("subset", values=HEURISTICS, default=["obstacle"])},
            {**CAVES, "world.count": 100, "world.seed": 1},
            {**CAVES, "world.count": 100, "world.seed": 10001},
            {"algorithm": "greedy", "limits.nodes": 100_000},
        ),
        {"heuristic.stack": [stack for size in range(1, 6) for stack in itertools.combinations(HEURISTICS, size)]},
    ),
}
"""Scenarios, and the values of the grid for each parameter."""


def measured(name: str, chosen_by: list[Any], seeds: range, folder: Path, words: list[str]) -> list[Row]:
    """Return a line for each way to choose configurations."""
    scenario, values = SCENARIOS[name]
    own = folder / "conf"
    (own / "algorithm").mkdir(parents=True, exist_ok=True)
    program = own / "planted.py"
    program.write_text(PROGRAM)
    (own / "algorithm" / "planted.yaml").write_text(CHOICE % (sys.executable, program))

    def searches(chosen: Scenario) -> Searches:
        return Searches(chosen, words, folder / name, Stop(), [own])

    grid = searches(scenario)
    scenario = grid.begin()
    points = [dict(zip(values, each, strict=True)) for each in itertools.product(*values.values())]
    configurations = [Configuration.of(scenario, each) for each in points]
    tested = dict(zip(configurations, map(mean, grid.values(configurations, "test")), strict=True))
    best = min(tested.values())
    total = len(configurations) * len(grid.numbers["train"])
    rows: list[Row] = []
    for by in chosen_by:
        found: list[float] = []
        spent: list[float] = []
        unused: list[int] = []
        for seed in seeds:
            own_searches = searches(replace(scenario, budget=int(SHARE * total), seed=seed, by=by))
            chosen = own_searches.begin()
            race = Race(chosen, own_searches, len(own_searches.numbers["train"]))
            winner = OPTIMIZERS[by](race)
            found.append(mean(own_searches.values([winner], "test")[0]) / best)
            spent.append(own_searches.spent())
            unused.append(race.instances - max(each.instances for each in race.history))
        share = f"{median(spent):.0f} ({median(spent) / total:.1%})"
        rows.append(
            {
                "scenario": name, "by": by, "grid": total, "searches": share,
                "default": mean(grid.values([Configuration.of(scenario, scenario.defaults)], "test")[0]) / best,
                "median": median(found), "worst": max(found),
                "within 5 %": f"{sum(each <= CLOSE for each in found)} of {len(seeds)}",
                "unused instances": max(unused),
            }
        )  # fmt: skip
    return rows


def main() -> None:
    """Print the table: values on the test instances as factors of the best of the grid."""
    parser = parser_of(__doc__, list(SCENARIOS), list(SCENARIOS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--by", nargs="+", choices=[*OPTIMIZERS], default=["race", "random"])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="keep the rows in this folder, and find them again there")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        lines = [measured(name, options.by, seeds, folder.absolute(), ["workers=0"]) for name in options.only]
    show("tuning: test values as factors of the best of the grid", [row for each in lines for row in each])


if __name__ == "__main__":
    main()
