"""Values and costs at the limit of the engine: no sum is a dead end, and a path that costs too much is an error."""

from __future__ import annotations

import random
import sys
from typing import Any, ClassVar

import pytest

import runner
from algorithms.engine.search import Limits
from algorithms.interface.search_problem import SearchProblem
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.stack import Stack
from runner import PythonWorld, compiled_heuristic, python_heuristic
from tests.algorithms.searching import run
from tests.algorithms.typed import search_algorithm
from tests.graphs import Table, exact, random_graph
from tests.planning import instance
from tests.registered import ONLY_IN, SEARCHES
from tests.sampling import covering
from worlds.compile.errors import MAX_COST
from worlds.gridmap.rules import GridMap
from worlds.gridmap.world import GridWorld, SharedMap
from worlds.interface.instance import Instance
from worlds.interface.real_costs import CostScale
from worlds.pddl.task import Effect, Operator, Task
from worlds.pddl.world import PlanningInstance

TOO_LARGE = "a path costs more than 2^30"


def task(*steps: tuple[list[int], int, int]) -> PlanningInstance:
    """Return a task from (facts that a step needs, fact that it adds, cost). The goal is the last fact."""
    facts = 1 + max(added for _, added, _ in steps)
    operators = tuple(
        Operator(f"step {number}", tuple((fact, 1) for fact in needed), (Effect(added, 1, ()),), cost)
        for number, (needed, added, cost) in enumerate(steps)
    )
    names = tuple((f"no {fact}", f"fact {fact}") for fact in range(facts))
    return instance(Task(tuple(f"v{fact}" for fact in range(facts)), names, (0,) * facts, ((facts - 1, 1),), operators))


def test_greedy_search_solves_a_task_in_which_the_additive_value_is_exponential() -> None:
    """Each of 36 pairs of facts needs both facts of the pair before."""
    pairs = [((2 * level - 2, 2 * level - 1) if level else (), 2 * level) for level in range(36)]
    steps = [(list(needed), first + which, 1) for needed, first in pairs for which in (0, 1)]
    both = task(*steps, ([70, 71], 72, 0))
    result = runner.solve(both, "greedy", ["hadd", "ff"])
    assert (result.status, result.cost, result.valid) == ("solved", 72, True)
    assert result.initial_h is None


@covering(
    {
        "cost,initial_h": [(MAX_COST - 1, MAX_COST - 1), (MAX_COST, None)],
        "heuristic": ["hmax", "hadd", "ff", "lmcut", "operator_counting", "landmark_count"],
    }
)
def test_the_largest_cost_of_an_action_is_no_dead_end(heuristic: str, cost: int, initial_h: int | None) -> None:
    """A value of 2^30 may be a sum that has stopped there, so it is not shown."""
    result = runner.solve(task(([], 0, cost)), "astar", [heuristic])
    assert (result.status, result.cost, result.initial_h) == ("solved", cost, initial_h)


@pytest.mark.parametrize("heuristic", ["hmax", "hadd", "ff", "lmcut", "operator_counting", "landmark_count"])
def test_a_plan_beyond_the_range_is_an_error(heuristic: str) -> None:
    result = runner.solve(task(([], 0, 600_000_000), ([0], 1, 600_000_000)), "astar", [heuristic])
    assert result.status == "error"
    assert TOO_LARGE in str(result.error)


ROW = Instance(GridWorld(SharedMap(GridMap("row", ("." * 500,), weights={".": 70.0})), (0, 0), (499, 0)), "row")


@pytest.mark.parametrize(
    "algorithm",
    ["astar", "ucs", "greedy", "weighted_astar", "anytime_astar", "idastar", "beam", "bidirectional", "bfs"],
)
def test_every_algorithm_that_orders_by_cost_or_value_says_that_a_path_costs_too_much(algorithm: str) -> None:
    result = runner.solve(ROW, algorithm, [] if algorithm in ("ucs", "bfs") else ["octile"])
    assert result.status == "error"
    assert TOO_LARGE in str(result.error)


def last_plan(problem: SearchProblem) -> list[int]:
    plan, state, before = list[int](), problem.start, -1
    while not problem.is_goal(state):
        action, after, _ = next(step for step in problem.expand(state) if step[1] != before)
        state, before = after, state
        plan.append(action)
    return plan


def test_an_algorithm_in_plain_python_says_so_too() -> None:
    runner.python_algorithm("along the row of tests")(last_plan)
    assert TOO_LARGE in str(runner.solve(ROW, "along the row of tests").error)


@pytest.mark.parametrize("algorithm", ["dfs", "ids"])
def test_depth_first_search_has_plans_of_any_cost(algorithm: str) -> None:
    result = runner.solve(ROW, algorithm)
    assert (result.status, result.cost, result.valid) == ("solved", 499 * 70, True)


def test_depth_first_search_solves_large_open_maps() -> None:
    where = runner.load("gridmap/random", kind="open", size=300, count=1)[0]
    result = runner.solve(where, "dfs")
    assert (result.status, result.valid) == ("solved", True)
    assert result.cost is not None
    assert result.cost * where.world.engine_scale > MAX_COST


def test_the_differential_heuristic_takes_distances_of_any_length() -> None:
    """A corridor that winds through the whole map is longer than 32 bits can tell."""
    rows = tuple("." * 402 if y % 2 == 0 else ("@" * 401 + "." if y % 4 == 1 else "." + "@" * 401) for y in range(401))
    where = Instance(GridWorld(SharedMap(GridMap("corridor", rows)), (0, 0), (9, 0)), "corridor")
    result = runner.solve(where, "astar", [{"name": "differential", "pivots": [[0, 400], [0, 0]]}])
    assert (result.status, result.cost) == ("solved", 9)
    assert result.initial_h == 9


class Line(PythonWorld):
    """Three states in a line, in a world whose unit is a millionth."""

    cost_scale: ClassVar[CostScale] = 10**6

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> Any:
        return [("on", state + 1, 0.5)] if state < 2 else []

    def is_goal(self, state: int) -> bool:
        return state == 2


LINE = Instance(Line(), "line")


@pytest.mark.parametrize("algorithm", ["astar", "greedy", "idastar", "beam", "anytime_astar"])
def test_two_large_values_are_no_dead_end(algorithm: str) -> None:
    for name in ("far of tests", "wide of tests"):
        python_heuristic(name, domain="Line", safe=True)(lambda state: 600)
    result = runner.solve(LINE, algorithm, ["far of tests", "wide of tests"])
    assert (result.status, result.cost, result.initial_h) == ("solved", 1, None)


LARGE = [MAX_COST + 1, 10**12, 1 << 46, 1 << 60, 10**18, sys.maxsize, 10**400, 1e300, sys.float_info.max]


@pytest.mark.parametrize("large", LARGE)
def test_a_large_finite_value_of_a_python_function_is_no_dead_end(large: float) -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    python_heuristic("large of tests", domain="npuzzle")(lambda state: large)
    python_heuristic("large batch of tests", domain="npuzzle", batch=True)(lambda states: [large] * len(states))
    python_heuristic("large of lines", domain="Line")(lambda state: large)
    for where, name in ((board, "large of tests"), (board, "large batch of tests"), (LINE, "large of lines")):
        stack = Stack((HEURISTICS.find(name, domain=where.world.domain)(),))
        problem = where.problem()
        assert stack.prepare(problem).evaluate(problem.initial) == MAX_COST


@pytest.mark.parametrize("large", [each for each in LARGE if each <= sys.maxsize or isinstance(each, float)])
def test_a_large_finite_value_of_a_compiled_function_is_no_dead_end(large: float) -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    compiled_heuristic("large and compiled", domain="npuzzle")(lambda constants, states, at: large)
    assert runner.heuristic(board, ["large and compiled"])(board.problem().initial) == MAX_COST


@pytest.mark.parametrize("name", [name for name in SEARCHES if name not in ONLY_IN])
def test_no_search_prunes_states_with_large_values(name: str) -> None:
    """Every algorithm finds what can be reached although most values are far beyond the range of the engine."""
    source, solved = random.Random(name), 0
    for _ in range(60):
        graph = random_graph(source, 1)
        algorithm = search_algorithm(name)
        nodes = sorted({0, *graph.goal_nodes, *(node for u, v, _ in graph.edges for node in (u, v))})

        def table(ends: tuple[int, ...], nodes: list[int] = nodes) -> dict[int, float]:
            return {node: 0 if node in ends else source.choice([2, 10**9, *LARGE]) for node in nodes}

        heuristic = Table(table(graph.goal_nodes), table((0,)), None)
        stack = Stack() if algorithm.heuristic == "ignored" else Stack((heuristic,))
        search = algorithm.start(stack.prepare(graph.instance().problem()), None)
        status = run(search, Limits(nodes=5_000))
        if 0 in exact(graph):
            assert status == "solved" or (status in ("cutoff", "node_limit") and not algorithm.complete)
            solved += status == "solved"
        else:
            assert status in ("unsolvable", "cutoff", "node_limit")
    assert solved > 10
