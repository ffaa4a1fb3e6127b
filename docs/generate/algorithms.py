"""Map of the algorithms in docs/algorithms.md: what they promise and need, and how many states they expand.

A row of the map has a name, a sentence with the source, what the algorithm promises and needs, and when to use it. The
first two and the last, which ends with a full stop, are written by hand; the others follow from the class: leave them
empty in a new row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import runner
from algorithms.agents.interface import Agent
from algorithms.interface import SearchAlgorithm
from runner.base.errors import ROOT, Incompatible
from runner.base.parameters import assignments
from runner.config import sections
from runner.config.registries import entries_of
from worlds.interface import Instance

PAGE = ROOT / "docs" / "algorithms.md"
VARIANTS: tuple[dict[str, Any], ...] = ({"name": "lss_lrta", "lookahead": 10}, {"name": "rtaa", "lookahead": 10})
"""Algorithms with other parameters, each below the one with the defaults in the table of expansions."""
SETS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "8-puzzle": ("npuzzle/random", {"size": 3, "shuffle": "walk", "steps": 80}, "manhattan"),
    "8 pancakes": ("pancake/random", {"size": 8}, [{"name": "gap", "k": 2}]),
    "rooms": ("gridmap/random", {"size": 50, "kind": "rooms"}, "octile"),
}
"""Source, its parameters and heuristic of each set of instances in the table of expansions."""
COUNT, LIMIT = 10, 50_000
"""Instances of each set, and expansions after which a search ends."""

_ROW = re.compile(r"^\| `(\w+)` \| ([^|]*?) \|[^|]*\|[^|]*\| ([^|]*\.) \|$", re.MULTILINE)
_TABLE = re.compile(r"(?<=<!-- expansions -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)
_OPTIMAL = {
    "always": "optimal",
    "admissible": "optimal if h is admissible",
    "unit_costs": "optimal if every step costs 1",
    "bounded": "within w if h is admissible",
    "never": "",
}
_HEURISTIC = {"needed": "h", "used": "", "ignored": "ignores h"}


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path of the page, and its content with the map completed and the table rewritten.

    Raises
    ------
    ValueError
        If the page has no row for an algorithm, or does not mention an agent.
    """
    text = PAGE.read_text(encoding="utf-8")
    listed = [name for name, *_ in _ROW.findall(text)]
    for _, name, entry in entries_of("algorithm"):
        if name not in listed and not (issubclass(entry, Agent) and f"`{name}`" in text):
            raise ValueError(f"{PAGE}: add a row | `{name}` | how it searches (source) | | | When to use it. |")
    text = _ROW.sub(lambda row: _line(f"`{row[1]}`", row[2], *_declared(row[1]), row[3]), text)
    yield PAGE, _TABLE.sub("\n".join([*_expansions(listed)]) + "\n", text)


def _declared(name: str) -> tuple[str, str]:
    """Return what an algorithm promises and needs, with its default parameters."""
    algorithm = _algorithm({"name": name})
    promises = ["complete" if algorithm.complete else "", _OPTIMAL[algorithm.optimal]]
    needs = ["consistent h" if algorithm.needs_consistent else _HEURISTIC[algorithm.heuristic]]
    needs += ["predecessors"] * algorithm.needs_inverse + ["unit costs"] * algorithm.needs_unit_costs
    return ", ".join(filter(None, promises)) or "–", ", ".join(filter(None, needs)) or "–"


def _expansions(names: list[str]) -> Iterator[str]:
    """Yield the lines of the table of expansions."""
    yield _line("algorithm", *SETS)
    yield _line("---", *["---:"] * len(SETS))
    for name in names:
        for each in ({"name": name}, *(variant for variant in VARIANTS if variant["name"] == name)):
            changed = assignments({key: value for key, value in each.items() if key != "name"}, " ")
            yield _line(f"`{name} {changed}`" if changed else f"`{name}`", *(_cell(each, chosen) for chosen in SETS))


def _cell(algorithm: dict[str, Any], chosen: str) -> str:
    """Return the mean number of expansions, and how many times the cost of the optimal plans the plans cost."""
    try:
        results = [_solve(instance, algorithm, chosen) for instance in _instances(chosen)]
    except Incompatible:
        return ""
    solved = [cost for _, cost in results if cost is not None]
    if len(solved) < COUNT:
        return f"{len(solved)} of {COUNT}"
    ratio = sum(solved) / _optimum(chosen)
    return f"{sum(expanded for expanded, _ in results) / COUNT:,.0f}" + (
        f" (×{ratio:,.{2 if ratio < 100 else 0}f})" if ratio > 1.005 else ""
    )


def _solve(instance: Instance, algorithm: dict[str, Any], chosen: str) -> tuple[int, float | None]:
    result = runner.solve(instance, algorithm, SETS[chosen][2], limits={"nodes": LIMIT})
    return result.expanded or 0, result.cost


@cache
def _optimum(chosen: str) -> float:
    return sum(_solve(instance, {"name": "astar"}, chosen)[1] or 0 for instance in _instances(chosen))


@cache
def _instances(chosen: str) -> list[Instance]:
    source, parameters, _ = SETS[chosen]
    return list(runner.load(source, **parameters, count=COUNT))


def _algorithm(entry: dict[str, Any]) -> SearchAlgorithm:
    algorithm = sections.algorithm_of(entry)
    assert isinstance(algorithm, SearchAlgorithm)
    return algorithm


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
