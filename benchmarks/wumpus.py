"""Nodes that A* expands in the cave with each heuristic: ``python -m benchmarks.wumpus [--count 1000]``.

The heuristics are the stacks of the UniBZ group, those of the Green team, and ours. The caves are random 10x10 caves
and the fifteen static ones, in both formulations. Figures are means over the solvable caves; `suboptimal` counts
suboptimal plans. In the primitive formulation no search expands fewer nodes than the plan has actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import runner
from benchmarks.tables import Row, expect, parser_of, show
from runner.config import sections
from worlds.interface import Instance

CORRECTED = {"corrected": True}
PUBLISHED = {"as_published": True}
UNIBZ = ["manhattan", "pivots", "obstacle", "iterative_shift", "flood_fill", "area_pruning"]
Entries = list[Any]
STACKS: dict[str, Entries] = {
    "none": [],
    **{f"UniBZ: {name}": sections.documented_stack("wumpus", name) for name in UNIBZ},
    "UniBZ: the admissible ones": ["manhattan", "pivots", "obstacle", "flood_fill"],
    "Green team: manhattan": [{"name": "plain_manhattan"}],
    "Green team: manhattan_orientation": ["manhattan_orientation"],
    "Green team: best_neighbour, published": [{"name": "best_neighbour", **PUBLISHED}],
    "Green team: smart_manhattan, published": [{"name": "smart_manhattan", **PUBLISHED}],
    "Green team: best_neighbour_smart_manhattan, published": [{"name": "best_neighbour_smart_manhattan", **PUBLISHED}],
    "best_neighbour": ["best_neighbour"],
    "smart_manhattan": ["smart_manhattan"],
    "best_neighbour_smart_manhattan": ["best_neighbour_smart_manhattan"],
    "smart_manhattan, corrected": [{"name": "smart_manhattan", **CORRECTED}],
    "best_neighbour_smart_manhattan, corrected": [{"name": "best_neighbour_smart_manhattan", **CORRECTED}],
    "relaxed": ["relaxed"],
    "relaxed_shot": ["relaxed_shot"],
}


def caves(count: int, formulation: str) -> dict[str, list[Instance]]:
    """Load random caves, and the static ones of the package."""
    suites = [runner.load("wumpus/static", suite=suite, formulation=formulation) for suite in ("unibz", "green_team")]
    return {
        "random": runner.load("wumpus/random", count=count, size=10, formulation=formulation),
        "static": [cave for suite in suites for cave in suite],
    }


def measure(count: int, formulation: str) -> tuple[str, list[Row]]:
    """Return the title of a table, and a row for each stack."""
    rows = []
    title = f"A*, {formulation} formulation"
    sources = caves(count, formulation)
    best = {name: [runner.solve(cave, "ucs") for cave in found] for name, found in sources.items()}
    for name, results in best.items():
        lengths = [result.length for result in results if result.status == "solved"]
        title += f"; {name}: {len(lengths)} caves with plans of {mean(lengths):.1f} actions"
    for label, stack in STACKS.items():
        row: Row = {formulation: label}
        for name, found in sources.items():
            results = [runner.solve(cave, "astar", stack) for cave in found]
            pairs = [(r, b) for r, b in zip(results, best[name], strict=True) if b.status == "solved"]
            if results[0].bound == 1:
                expect([r.cost for r, _ in pairs], [b.cost for _, b in pairs], label)
            row |= {
                f"{name}: expanded": mean([r.expanded for r, _ in pairs]),
                f"{name}: suboptimal": sum(r.cost != b.cost for r, b in pairs),
                f"{name}: ms": 1000 * mean([r.search_seconds for r, _ in pairs]),
            }
        rows.append(row)
    return title, rows


def mean(values: list[Any]) -> float:
    """Return the arithmetic mean."""
    return float(np.mean(values))


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--count", type=int, default=1000, help="number of random caves")
    options = parser.parse_args()
    for formulation in ("primitive", "cardinal"):
        show(*measure(options.count, formulation))


if __name__ == "__main__":
    main()
