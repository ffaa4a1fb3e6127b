"""Heuristics in files for Pyperplan, here and there: ``python -m benchmarks.generated [TASK ...] [--repeat 3]``.

TASKs are files in PDDL, such as logistics and blocks; their domain is found as in `world=pddl/file`. Greedy search runs
in turns here and in Pyperplan (extra `benchmarks`) with the same two files, up to a number of expansions. Figures:

- states/s: generated states per processor second
- file, share: share of that time which the calls of the file take, measured alone over the same states
- overhead: nanoseconds per generated state that are left, and their ratio. Only this can a program change
- evaluations/s: those of a linear model per processor second, here in batches, there state by state

Without a task: evaluations per second of a network in numpy on the 15-puzzle, by `algorithm.batch`.
"""

from __future__ import annotations

import contextlib
import runpy
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import runner
from algorithms.engine import Limiter, Limits
from algorithms.greedy.greedy import Greedy
from benchmarks.tables import Row, parser_of, show
from heuristics.interface import Stack
from heuristics.pddl.file import FileHeuristic
from runner.config import sections
from worlds.pddl.conditions import pddl_literal
from worlds.pddl.sources import find_domain
from worlds.pddl.states import PlanningStates
from worlds.pddl.world import PlanningWorld

BATCHES = (1, 16, 64, 256)
NETWORK_EXPANSIONS = 10_000
LINEAR_BATCH = 64
_CALLS = 20_000
"""Calls by which the time of a file is measured."""

FILES = {
    "goals that do not hold": """
from heuristics.heuristic_base import Heuristic

class Given(Heuristic):
    def __init__(self, task):
        self.goals = task.goals

    def __call__(self, node):
        return len(self.goals - node.state)
""",
    "parses all facts": """
from heuristics.heuristic_base import Heuristic

class Given(Heuristic):
    def __init__(self, task):
        self.goals = {tuple(goal.strip("()").split()) for goal in task.goals}

    def __call__(self, node):
        return len(self.goals - {tuple(fact.strip("()").split()) for fact in node.state})
""",
}

LINEAR = """
from zlib import crc32

from heuristics.heuristic_base import Heuristic

class Given(Heuristic):
    def __init__(self, task):
        self.weights = {fact: 0 if fact in task.goals else 1 + crc32(fact.encode()) % 8 for fact in task.facts}

    def __call__(self, node):
        return sum(map(self.weights.__getitem__, node.state))
"""
"""Sum of the weights of the facts that hold. `linear` has the same weights."""

_RANDOM = np.random.default_rng(0)
_HIDDEN, _OUTPUT = (_RANDOM.normal(size=size).astype(np.float32) for size in ((256, 256), 256))
_TILES = np.arange(16)


@runner.python_heuristic("network_of_benchmark", domain="npuzzle", batch=True)
def network(states: list[tuple[int, ...]]) -> Any:
    """Return the output of a network with 256 hidden units and random weights, from 0 to 100."""
    boards = np.array(states)
    inputs = (boards[:, :, np.newaxis] == _TILES).reshape(len(boards), -1).astype(np.float32)
    return np.clip(np.maximum(inputs @ _HIDDEN, 0) @ _OUTPUT + 50, 0, 100).astype(np.int64)


@lru_cache(maxsize=1)
def weights(world: PlanningWorld) -> NDArray[np.int64]:
    """Return the weight of each fact of a task. The last result is kept."""
    table = world.fact_table
    found = [1 + crc32(pddl_literal(name).encode()) % 8 for name in table.names]
    return np.where(table.predicate < 0, 0, np.where(np.isin(np.arange(len(found)), table.goal), 0, found))


@runner.python_heuristic("linear_of_benchmark", domain="pddl", batch=True)
def linear(states: PlanningStates, world: PlanningWorld) -> NDArray[np.int64]:
    """Return the sum of the weights of the facts that hold."""
    found: NDArray[np.int64] = weights(world)[states.fact_numbers].sum(axis=1)
    return found


def linear_beside_pyperplan(path: Path, limit: int, repeat: int) -> Row:
    """Evaluations per second of a linear model in greedy search, here in batches of 64 and in Pyperplan."""
    task, heuristic = task_in_pyperplan(path), namespace(LINEAR)["Given"]
    problem = runner.load("pddl/file", path=str(path))[0].problem()
    stack = sections.stack_of("pddl", {"stack": ["linear_of_benchmark"]})
    calls = 0

    def counted(node: Any) -> float:
        nonlocal calls
        calls += 1
        return evaluate(node)

    evaluate = heuristic(task)
    in_pyperplan(task, counted, limit)
    evaluated = calls
    theirs, ours = [], []
    for _ in range(repeat):
        _, seconds = in_pyperplan(task, evaluate, limit)
        theirs.append(evaluated / seconds)
        search = Greedy(batch=LINEAR_BATCH).start(stack.prepare(problem), None)
        search.warm()
        start = time.process_time()
        search.run(Limiter(Limits(nodes=limit)))
        ours.append(search.counts.evaluated / (time.process_time() - start))
    row: Row = {"task": path.stem, "evaluated": search.counts.evaluated, "evaluated there": evaluated}
    there, here_ = median(theirs), median(ours)
    return {**row, "Pyperplan, evaluations/s": there, "here, evaluations/s": here_, "ratio": here_ / there}


def batches(repeat: int) -> list[Row]:
    """Evaluations per second of a network, by the number of expansions in a batch. All sizes run in turns."""
    board = runner.load("npuzzle/korf100", instances=[1])[0]
    stack = sections.stack_of("npuzzle", {"stack": ["network_of_benchmark"]})
    seconds: dict[int, list[float]] = {size: [] for size in BATCHES}
    evaluated = dict.fromkeys(BATCHES, 0)
    for size in BATCHES:  # compiled before
        Greedy(batch=size).start(stack.prepare(board.problem()), None).warm()
    for _ in range(repeat):
        for size in BATCHES:
            search = Greedy(batch=size).start(stack.prepare(board.problem()), None)
            start = time.process_time()
            search.run(Limiter(Limits(nodes=NETWORK_EXPANSIONS)))
            seconds[size].append(time.process_time() - start)
            evaluated[size] = search.counts.evaluated
    rates = {size: evaluated[size] / median(seconds[size]) for size in BATCHES}
    return [
        {"batch": size, "evaluated": evaluated[size], "evaluations/s": rates[size], "ratio": rates[size] / rates[1]}
        for size in BATCHES
    ]


class _Enough(Exception):
    """The limit of expansions is reached."""


def in_pyperplan(task: Any, heuristic: Callable[[Any], float], limit: int) -> tuple[int, float]:
    """Return the generated states and the processor seconds of greedy search in Pyperplan."""
    from pyperplan.search import greedy_best_first_search

    expanded = generated = 0
    successors = type(task).get_successor_states

    def counted(state: Any) -> Any:
        nonlocal expanded, generated
        if expanded == limit:
            raise _Enough
        found = successors(task, state)
        expanded += 1
        generated += len(found)
        return found

    task.get_successor_states = counted
    start = time.process_time()
    with contextlib.suppress(_Enough):
        greedy_best_first_search(task, heuristic)
    return generated, time.process_time() - start


def here(stack: Stack, problem: Any, limit: int) -> tuple[int, int, float]:
    """Return the generated and the evaluated states and the processor seconds of greedy search here."""
    search = Greedy(ties="fifo").start(stack.prepare(problem), None)
    search.warm()
    start = time.process_time()
    search.run(Limiter(Limits(nodes=limit)))
    return search.counts.generated, search.counts.evaluated, time.process_time() - start


def seconds_of_call(heuristic: Callable[[Any], float], nodes: Sequence[Any]) -> float:
    """Return the processor seconds of a call."""
    start = time.process_time()
    for node in nodes:
        heuristic(node)
    return (time.process_time() - start) / len(nodes)


def task_in_pyperplan(path: Path) -> Any:
    """Return a task as Pyperplan grounds it."""
    from pyperplan.grounding import ground
    from pyperplan.pddl.parser import Parser

    parser = Parser(str(find_domain(path)), str(path))
    return ground(parser.parse_problem(parser.parse_domain()))


def namespace(text: str) -> dict[str, Any]:
    """Return the names that a file with a heuristic defines."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "given.py"
        file.write_text(text, encoding="utf-8")
        return runpy.run_path(str(file))


def beside_pyperplan(path: Path, limit: int, repeat: int) -> list[Row]:
    """Generated states per second here and in Pyperplan, with the share of the file itself."""
    task = task_in_pyperplan(path)
    problem = runner.load("pddl/file", path=str(path))[0].problem()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        for name, text in FILES.items():
            file = Path(place) / "given.py"
            file.write_text(text, encoding="utf-8")
            heuristic, stack = runpy.run_path(str(file))["Given"](task), Stack((FileHeuristic(str(file)),))
            calls, nodes = 0, list[Any]()

            def recorded(node: Any, heuristic: Any = heuristic, nodes: list[Any] = nodes) -> float:
                nonlocal calls
                calls += 1
                if len(nodes) < _CALLS:
                    nodes.append(node)
                return heuristic(node)

            in_pyperplan(task, recorded, limit)
            own, theirs, ours = [], [], []
            for _ in range(repeat):
                own.append(seconds_of_call(heuristic, nodes))
                theirs.append(in_pyperplan(task, heuristic, limit))
                ours.append(here(stack, problem, limit))
            call = median(own)
            there = median(seconds / generated for generated, seconds in theirs)
            own_there = call * calls / theirs[0][0]
            each = median(seconds / generated for generated, _, seconds in ours)
            own_here = call * ours[0][1] / ours[0][0]
            rows.append(
                {
                    "task": path.stem, "heuristic": name, "file, us": 1e6 * call,
                    "Pyperplan, states/s": 1 / there, "here, states/s": 1 / each, "ratio": there / each,
                    "file, share there": own_there / there, "file, share here": own_here / each,
                    "overhead there, ns": 1e9 * (there - own_there), "overhead here, ns": 1e9 * (each - own_here),
                    "ratio of overheads": (there - own_there) / max(each - own_here, 1e-9),
                }
            )  # fmt: skip
    return rows


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, repeated="each search")
    parser.add_argument("tasks", type=Path, nargs="*", metavar="TASK")
    parser.add_argument("--expansions", type=int, default=3_000, help="limit of each search (default: 3000)")
    options = parser.parse_args()
    rows = [row for path in options.tasks for row in beside_pyperplan(path, options.expansions, options.repeat)]
    if rows:
        show("heuristics in files, here and in Pyperplan", rows)
        models = [linear_beside_pyperplan(path, options.expansions, options.repeat) for path in options.tasks]
        show(f"a linear model, here in batches of {LINEAR_BATCH} and in Pyperplan", models)
    else:
        show("a network on the 15-puzzle", batches(options.repeat))


if __name__ == "__main__":
    main()
