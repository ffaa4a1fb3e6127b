"""Greedy search with the oldest and with the newest of equal states first: ``python -m benchmarks.ties`` (a minute).

Sums over the instances that both orders solve within some expansions. They do not depend on the machine.
"""

from __future__ import annotations

from typing import Any

import runner
from benchmarks.tables import Row, parser_of, show

LIMIT = 1_000_000
"""Expansions after which a search ends."""

CASES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "8-puzzle": ("npuzzle/random", {"size": 3, "count": 100}, ("manhattan", "misplaced")),
    "15-puzzle": ("npuzzle/random", {"size": 4, "count": 20}, ("manhattan",)),
    "10x10 caves": ("wumpus/random", {"size": 10, "count": 100}, ("manhattan", "pivots", "flood_fill")),
    "6x6 snake": (
        "snake/random",
        {"rows": 6, "columns": 6, "candies": 6, "count": 20},
        ("nearest", "remaining", "route"),
    ),
    "levels of snake": ("snake/static", {}, ("nearest",)),
    "12 pancakes": ("pancake/random", {"size": 12, "count": 50}, ("gap",)),
    "maps of rooms": ("gridmap/random", {"size": 50, "kind": "rooms", "count": 100}, ("octile",)),
    "6 disks of Hanoi": ("hanoi/random", {"disks": 6, "count": 20}, ("pattern_database",)),
    "Rubik, 5 turns": ("rubik/random", {"depth": 5, "count": 10}, ("pattern_database",)),
    "planning": ("pddl/static", {}, ("blind", "goal_count", "hmax", "lmcut", "hadd", "ff")),
}
"""Source, its parameters, and heuristics."""


def compared(title: str, source: str, parameters: dict[str, Any], heuristic: str) -> Row:
    """Return the sums of expansions and costs with the newest state first, and their factors with the oldest."""
    sums: dict[str, list[float]] = {"low_h": [0, 0], "fifo": [0, 0]}
    solved = 0
    for instance in runner.load(source, **parameters):
        results = [
            runner.solve(instance, {"name": "greedy", "ties": ties}, heuristic, limits={"nodes": LIMIT})
            for ties in sums
        ]
        costs = [result.cost for result in results if result.cost is not None]
        if len(costs) == len(sums):
            solved += 1
            for total, result, cost in zip(sums.values(), results, costs, strict=True):
                total[0] += result.expanded or 0
                total[1] += cost
    (expanded, cost), (expanded_fifo, cost_fifo) = sums.values()
    return {
        "instances": title, "heuristic": heuristic, "solved": solved, "expanded": expanded, "cost": cost,
        "expanded, fifo": expanded_fifo / expanded, "cost, fifo": cost_fifo / cost,
    }  # fmt: skip


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, list(CASES), list(CASES)).parse_args()
    rows = [
        compared(title, source, parameters, heuristic)
        for title in options.only
        for source, parameters, heuristics in [CASES[title]]
        for heuristic in heuristics
    ]
    show("greedy search: fifo as a multiple of the default", rows)


if __name__ == "__main__":
    main()
