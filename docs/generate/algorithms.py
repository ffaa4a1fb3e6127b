"""Map of the algorithms in docs/algorithms.md: what they promise and need, and how many states they expand.

A row of the map has a name, a sentence with the source, what the algorithm promises and needs, and when to use it. The
first two and the last, which ends with a full stop, are written by hand; the others follow from the class: leave them
empty in a new row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any

import runner
from algorithms.agents.interface import Agent
from algorithms.interface import SearchAlgorithm
from algorithms.programs.interface import ExternalPlanner
from runner.base import ROOT, Incompatible, assignments, message
from runner.config import registered_parts, sections
from worlds.interface import Instance

PAGE = ROOT / "docs" / "algorithms.md"
SAMPLES = Path(__file__).with_name("expansions.json")
"""Expansions on the first instance of each set, for each row of the table of expansions when it was measured."""
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
    """Yield the path of the page, and its content with the map completed and all rows measured."""
    text = _with_map()
    yield PAGE, _with_table(text, starmap(_measured, _rows(text).items()))


def updates(again: bool = False) -> Iterator[tuple[Path, str]]:
    """Yield the page after each row that is missing or out of date, with the samples of the rows.

    A row is out of date if the first instance of a set has other expansions. Rows that are up to date stay, so that a
    run that ends early loses no more than one row. With `again`, all are measured.
    """
    text = _with_map()
    table = _TABLE.search(text)
    written = {line.split(" | ")[0].strip("| `"): line for line in table[0].splitlines()} if table else {}
    samples = recorded_samples()
    rows = _rows(text)
    current = {name: sample(rows[name]) for name in rows}
    old = [name for name in rows if again or name not in written or samples.get(name) != current[name]]
    yield PAGE, _with_table(text, [written[name] for name in rows if name in written])
    for number, name in enumerate(old, 1):
        message(f"row {number} of {len(old)}: {name}")
        written[name] = _measured(name, rows[name])
        samples[name] = current[name]
        yield PAGE, _with_table(text, [written[name] for name in rows if name in written])
        lines = [f"{json.dumps(name)}: {json.dumps(samples[name])}" for name in rows if name in samples]
        yield SAMPLES, "{\n" + ",\n".join(lines) + "\n}\n"


def recorded_samples() -> dict[str, list[int | None]]:
    """Return the samples of the rows as they are in the page."""
    found: dict[str, list[int | None]] = json.loads(SAMPLES.read_text(encoding="utf-8")) if SAMPLES.exists() else {}
    return found


def sample(algorithm: dict[str, Any]) -> list[int | None]:
    """Return the expansions of an algorithm on the first instance of each set; None where it cannot search it."""
    found: list[int | None] = []
    for chosen in SETS:
        try:
            found.append(_solve(_instances(chosen)[0], algorithm, chosen)[0])
        except Incompatible:
            found.append(None)
    return found


def _with_map() -> str:
    """Return the text of the page with the map completed.

    Raises
    ------
    ValueError
        If the page has no row for an algorithm, or does not mention an agent or an external planner.
    """
    text = PAGE.read_text(encoding="utf-8")
    listed = [name for name, *_ in _ROW.findall(text)]
    for _, name, entry in registered_parts("algorithm"):
        is_mentioned = issubclass(entry, (Agent, ExternalPlanner)) and f"`{name}`" in text
        if name not in listed and not is_mentioned:
            raise ValueError(f"{PAGE}: add a row | `{name}` | how it searches (source) | | | When to use it. |")
    return _ROW.sub(lambda row: _line(f"`{row[1]}`", row[2], *_declared(row[1]), row[3]), text)


def _with_table(text: str, rows: Iterable[str]) -> str:
    lines = [_line("algorithm", *SETS), _line("---", *["---:"] * len(SETS)), *rows]
    return _TABLE.sub("\n".join(lines) + "\n", text)


def _rows(text: str) -> dict[str, dict[str, Any]]:
    """Return the algorithm of each row of the table of expansions, by the name in its first cell.

    Algorithms that do not expand states of the world have no row.
    """
    listed = [name for name, *_ in _ROW.findall(text) if _algorithm({"name": name}).expands_states]
    chosen = [each for name in listed for each in ({"name": name}, *(v for v in VARIANTS if v["name"] == name))]
    return {
        f"{each['name']} {assignments({k: v for k, v in each.items() if k != 'name'}, ' ')}".strip(): each
        for each in chosen
    }


def _declared(name: str) -> tuple[str, str]:
    """Return what an algorithm promises and needs, with its default parameters."""
    algorithm = _algorithm({"name": name})
    promises = ["complete" if algorithm.complete else "", _OPTIMAL[algorithm.optimal]]
    needs = ["consistent h" if algorithm.needs_consistent else _HEURISTIC[algorithm.heuristic]]
    needs += ["predecessors"] * algorithm.needs_inverse + ["unit costs"] * algorithm.needs_unit_costs
    return ", ".join(filter(None, promises)) or "–", ", ".join(filter(None, needs)) or "–"


def _measured(name: str, algorithm: dict[str, Any]) -> str:
    """Return the line of an algorithm in the table of expansions."""
    return _line(f"`{name}`", *(_cell(algorithm, chosen) for chosen in SETS))


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
