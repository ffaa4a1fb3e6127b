"""Whether the first of equal instances takes longer than the others: ``python -m benchmarks.warm_up`` (minutes).

Each process is a new worker that searches equal instances, warmed as the runner does it. `first` is the time of the
first search, `median` and `largest` are those of the others. If the first is among the slowest of its process in every
process, the table says so: by chance that happens once in thousands of cases.

- algorithms: each algorithm that runs without further parameters, on the first of some worlds that accepts it.
- heuristics: A* with each heuristic that needs no parameter, in every domain.
- programs: a program that is started for each instance, and a server; both are scripts in Python.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import runner
from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS
from benchmarks import start
from benchmarks.tables import Case, Row, print_tables
from heuristics.interface import HEURISTICS
from runner.base import own_packages
from runner.config import SearchParts
from runner.execution import Solver

SEARCHES = 100
SLOWEST = 5
"""If the first is among these in every process, it is slower than the others."""
LIMITS = Limits(nodes=2_000)
WORLDS: dict[str, tuple[dict[str, Any], str]] = {
    "npuzzle/random": ({"size": 3, "count": 1}, "manhattan"),
    "wumpus/random": ({"size": 4, "count": 1}, "pivots"),
    **{world: start.WORLDS[world] for world in ("gridmap/static", "snake/static", "pancake/random")},
}
"""Worlds on which algorithms are tried in this order, with a heuristic."""
SOLVER = """#!{python}
import time
time.sleep(0.005)
print("unsolvable")
"""
SERVER = """#!{python}
import json
import sys
import time
time.sleep(0.2)
for line in sys.stdin:
    time.sleep(0.001)
    print(json.dumps({{"id": json.loads(line)["id"], "status": "cutoff"}}), flush=True)
"""


class EqualSearches(NamedTuple):
    """Searches of one instance again and again."""

    world: str
    parameters: dict[str, Any]
    algorithm: dict[str, Any]
    heuristics: list[str]


def algorithms(repeat: int) -> list[Row]:
    """Registered algorithms, each on the first world that accepts it."""
    own_packages.load()
    rows: list[Row] = []
    for name in ALGORITHMS.names():
        for world, (parameters, heuristic) in WORLDS.items():
            uses_heuristic = ALGORITHMS.find(name).heuristic != "ignored"
            search = EqualSearches(world, parameters, {"name": name}, [heuristic] if uses_heuristic else [])
            row = _row_of(f"{name}, {world}", search, repeat)
            if row is not None:
                rows.append(row)
                break
    return rows


def heuristics(repeat: int) -> list[Row]:
    """Registered heuristics, with A*."""
    own_packages.load()
    rows: list[Row] = []
    for world, (parameters, _) in start.WORLDS.items():
        domain = runner.load(world, **parameters)[0].world.domain
        for name in HEURISTICS.names(domain=domain):
            row = _row_of(f"{name}, {world}", EqualSearches(world, parameters, {"name": "astar"}, [name]), repeat)
            if row is not None:
                rows.append(row)
    return rows


def programs(repeat: int) -> list[Row]:
    """Programs that are started for each instance, and servers."""
    world, parameters = "npuzzle/random", WORLDS["npuzzle/random"][0]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"solver": SOLVER, "server": SERVER}.items():
            file = Path(folder, name)
            file.write_text(text.format(python=sys.executable), encoding="utf-8")
            file.chmod(0o755)
            algorithm = {
                "name": "program", "command": [str(file)], "serve": name == "server",
                **({} if name == "server" else {"exit_codes": {0: "cutoff"}}),
            }  # fmt: skip
            row = _row_of(name, EqualSearches(world, parameters, algorithm, []), repeat)
            assert row is not None
            rows.append(row)
    return rows


def _row_of(name: str, search: EqualSearches, repeat: int) -> Row | None:
    """Return a line of the table; None if the algorithm or the heuristic refuses the instance."""
    processes = list(_times(search, repeat))
    if not processes:
        return None
    firsts = [times[0] for times in processes]
    others = [time for times in processes for time in times[1:]]
    is_slower = all(is_among_slowest(times) for times in processes)
    return {
        "": name,
        "first, us": 1e6 * median(firsts),
        "median, us": 1e6 * median(others),
        "largest, us": 1e6 * median(max(times[1:]) for times in processes),
        "first / median": median(firsts) / median(others),
        "first is": "slower" if is_slower else "",
    }


def is_among_slowest(times: list[float]) -> bool:
    """Return whether the first of some times is among the slowest."""
    return sum(time > times[0] for time in times[1:]) < SLOWEST


def _times(search: EqualSearches, repeat: int) -> Iterator[list[float]]:
    """Yield the times of the searches of new processes. There are none if the search is refused."""
    context = multiprocessing.get_context("fork")
    for _ in range(repeat):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=partial(_measure, search, sender))
        process.start()
        sender.close()
        times = receiver.recv()
        process.join()
        if not times:
            return
        yield times


def _measure(search: EqualSearches, sender: Connection) -> None:
    """Send the seconds of equal searches."""
    try:
        sender.send(_seconds_of(search))
    except runner.UserError:
        sender.send([])


def _seconds_of(search: EqualSearches) -> list[float]:
    instances = [runner.load(search.world, **search.parameters)[0] for _ in range(SEARCHES)]
    parts = SearchParts.of(instances[0].world.domain, search.algorithm, search.heuristics, None, "sum").fitted(
        instances
    )
    assert parts.algorithm is not None
    solver = Solver(parts.algorithm, parts.stack, parts.weighting, LIMITS, parts.declared)
    parts.stack.build(instances[0])
    seconds: list[float] = []
    with closing(solver):
        for number, instance in enumerate(instances):
            attempt = solver.attempt(instance)
            if number == 0:
                attempt.warm()
                attempt.rehearse(lambda _: False)
            result = attempt.result()
            if result.error is not None:
                raise runner.UserError(result.error)
            seconds.append(result.search_seconds or 0.0)
    return seconds


CASES: dict[str, Case] = {case.__name__: case for case in (algorithms, heuristics, programs)}

if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES), repeated="processes of each case")
