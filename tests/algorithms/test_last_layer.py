"""Expansions before the last layer of f: equal to naive counts, and independent of ties and of operator order."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import get_args

import pytest

from algorithms.anytime import AnytimeAStar
from algorithms.best_first.best_first import AStar, BestFirstSearch, Priority, Ties, UniformCost, WeightedAStar
from algorithms.depth_first.depth_first import IterativeDeepeningAStar, IterativeDeepeningSearch
from algorithms.engine import open_list
from algorithms.engine.search import Limits, ResumableSearch, Search, StepStatus
from algorithms.greedy.greedy import Greedy
from algorithms.interface.algorithm import SearchAlgorithm
from algorithms.interface.search_problem import SearchProblem, Step
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from tests.algorithms.searching import run
from tests.algorithms.typed import not_none, search_algorithm
from tests.caves import any_cave, instance
from tests.graphs import Graph, Table, consistent_table, exact, plain, random_graph, random_table
from tests.jump_point_problems import grid_problems
from tests.naive.depth_first import TooLarge
from tests.naive.last_layer import before_last_layer, f_of_expansions, last_iteration
from tests.registered import ONLY_IN, SEARCHES
from tests.sampling import drawn, drawn_or_each
from tests.stacks import by_hand

GRAPHS = 300
TIES: tuple[Ties, ...] = tuple(ties for ties in get_args(Ties) if ties != "random")
COUNTED = {"ucs", "astar", "ids", "idastar", "unibz_astar", "jps", "bidirectional", "mm", "nbs", "bae", "dvcbs"}
COUNTED |= {"reverse_astar"}
"""Algorithms that have layers of f, or a lower bound, under an admissible heuristic."""
WEIGHTED = {"anytime_astar", "weighted_astar"}
"""Algorithms that may have them."""


def counts(search: Search) -> tuple[int, int | None]:
    """Run a search to its end, and return `expanded` and `expanded_before_last_layer`."""
    run(search, Limits())
    return search.counts.expanded, search.expanded_before_last_layer


def before(search: Search) -> int | None:
    return search.expanded_before_last_layer


def bind(graph: Graph, table: Table) -> BoundStack:
    return Stack((table,)).prepare(graph.instance().problem())


def problems(seed: object) -> Iterator[tuple[random.Random, BoundStack]]:
    """Yield random graphs with admissible (mostly inconsistent) and inadmissible tables, and a few caves."""
    source = random.Random(str(seed))
    for number in range(GRAPHS):
        graph = random_graph(source, source.choice([1, 2, 9, 40]), 40 if number % 3 == 0 else 9)
        yield source, bind(graph, random_table(source, graph, admissible=number % 2 == 0))
    for _ in range(10):
        cave = any_cave(source, 4, 4)
        yield source, by_hand(["manhattan", "pivots"]).prepare(instance(cave).problem())


@pytest.mark.parametrize("reopen", [True, False])
@pytest.mark.parametrize("given", drawn_or_each(TIES))
def test_counts_of_best_first_search_equal_the_naive_ones(given: Ties | None, reopen: bool) -> None:
    between = above = reopened = 0
    for source, bound in problems((given, reopen)):
        p, weight = plain(bound), Constant(source.choice([0, 0.3, 1, 1.5, 2, 3.3]))
        ties = drawn(source, given, TIES)
        cases: list[tuple[SearchAlgorithm, float, Weighting | None]] = [
            (UniformCost(ties, reopen), 1, Constant(0)),
            (AStar(ties, reopen), 1, weight),
            (WeightedAStar(ties, reopen), 1, Constant(2)),
            (Greedy(ties, reopen), 0, None),
        ]
        for algorithm, weight_g, weighting in cases:
            expanded, solution = f_of_expansions(p, ties, reopen, weight_g, weighting)
            expected = before_last_layer(expanded, solution) if weight_g else None
            search = algorithm.start(bound, weighting)
            assert counts(search) == (len(expanded), expected), (algorithm, bound.problem.world)
            if solution is not None:
                between += expected is not None and 0 < expected < len(expanded)
                above += max(expanded, default=0) > solution and weight_g > 0
                reopened += search.counts.reopened > 0
    assert between > 15
    assert above > 6
    assert (reopened > 0) == reopen


SCHEDULES: list[Callable[[random.Random], Weighting]] = [
    lambda source: Geometric(source.choice([0.5, 1.5, 8]), source.choice([0.5, 1.05, 2]), source.randint(1, 4), 20),
    lambda source: Linear(source.choice([0, 3]), source.choice([1, 6]), source.randint(1, 12), source.randint(1, 5)),
    lambda source: Dynamic(source.choice([0.5, 1, 4]), source.randint(1, 6)),
    lambda source: Geometric(1.5, 1.7, source.randint(1, 4), 5, reorder_open=True),
    lambda source: Linear(5, 1, source.randint(1, 12), source.randint(1, 5), reorder_open=True),
]


@pytest.mark.parametrize("buckets", drawn_or_each([1, 256]))
@pytest.mark.parametrize("schedule", range(len(SCHEDULES)))
def test_counts_with_schedules_equal_the_naive_ones(
    schedule: int, buckets: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reordering and growth of the open list, and the length of the steps of the search, have no effect."""
    between = 0
    for source, bound in problems(schedule):
        monkeypatch.setattr(open_list, "_FIRST_BUCKETS", drawn(source, buckets, [1, 256]))
        weighting, ties, reopen = SCHEDULES[schedule](source), source.choice(TIES), source.random() < 0.7
        expanded, solution = f_of_expansions(plain(bound), ties, reopen, 1, weighting)
        expected = before_last_layer(expanded, solution)
        whole, stepped = (AStar(ties, reopen).start(bound, weighting) for _ in range(2))
        assert counts(whole) == (len(expanded), expected), (weighting, bound.problem.world)
        assert isinstance(stepped, ResumableSearch)
        while (status := stepped.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            assert before(stepped) is None
            assert status == StepStatus.RUNNING or stepped.grow(None)
        assert before(stepped) == expected
        between += expected is not None and 0 < expected < len(expanded)
    assert between > 1


def test_anytime_search_counts_up_to_its_best_solution() -> None:
    """It counts all expansions of the searches before the best solution, and none of those after it."""
    after = several = 0
    for source, bound in problems("anytime"):
        weights = tuple(sorted((source.choice([1, 1.5, 2, 5]) for _ in range(source.randint(1, 4))), reverse=True))
        search = AnytimeAStar(weights=weights).start(bound, None)
        status, found = run(search, Limits()), 0
        earlier, expected, cost = 0, None, None
        for weight in weights:
            part = BestFirstSearch(bound, Priority(1, Constant(weight)), incumbent_cost=cost)
            if run(part, Limits()) != "solved":
                break
            before_last, cost = part.expanded_before_last_layer, part.cost
            expected = None if before_last is None else earlier + before_last
            earlier += part.counts.expanded
            found += 1
        assert search.expanded_before_last_layer == expected
        assert status == "solved" or expected is None
        after += expected is not None and search.counts.expanded > earlier
        several += found > 1
    assert after > 1
    assert several > 0


def test_f_has_no_layers_if_one_above_that_of_the_solution_was_expanded() -> None:
    """An example by hand: f is 3 at the start, 9 at node 1, 4 at node 2, and 5 at the goal."""
    graph = Graph(((0, 1, 1), (1, 2, 2), (2, 3, 2)), (3,))
    bound = bind(graph, Table({0: 3, 1: 8, 2: 1, 3: 0}, {}, None))
    assert f_of_expansions(plain(bound), "low_h", True) == ([3, 9, 4], 5)
    assert counts(AStar().start(bound, None)) == (3, None)
    assert counts(AStar().start(bind(graph, Table({0: 3, 1: 2, 2: 1, 3: 0}, {}, None)), None)) == (3, 3)


@pytest.mark.parametrize(
    "algorithm",
    [
        IterativeDeepeningAStar("path"),
        IterativeDeepeningAStar("parent"),
        IterativeDeepeningSearch("path"),
        IterativeDeepeningSearch("parent"),
        IterativeDeepeningSearch("visited"),
    ],
    ids=str,
)
def test_iterative_deepening_counts_all_iterations_but_the_last(
    algorithm: IterativeDeepeningAStar | IterativeDeepeningSearch,
) -> None:
    by_f, cycle_check = isinstance(algorithm, IterativeDeepeningAStar), algorithm.cycle_check
    source, compared, between = random.Random(f"{cycle_check} {by_f}"), 0, 0
    for number in range(GRAPHS):
        graph = random_graph(source, 9)
        graph = replace(graph, edges=tuple((u, v, max(cost, 1)) for u, v, cost in graph.edges))
        bound = bind(graph, random_table(source, graph, admissible=number % 2 == 0))
        if not by_f:
            bound = Stack().prepare(bound.problem)
        with contextlib.suppress(TooLarge):
            last = last_iteration(plain(bound), by_f, cycle_check)
            if last is not None:
                search = algorithm.start(bound, None)
                expanded, counted = counts(search)
                assert counted == expanded - last[0]
                generated = {"generated_before_last_layer": search.counts.generated - last[1]}
                assert search.measured == (generated if by_f else {})
                compared += 1
                between += 0 < counted < expanded
    assert compared > 50
    assert between > 15


def grid(source: random.Random, side: int = 6) -> tuple[Graph, Table]:
    """Return a square grid that lacks a third of its edges, with Manhattan distances. Many of its paths are optimal."""
    goal = source.randrange(1, side * side)
    place = {n: divmod(n, side) for n in range(side * side)}

    def distance(u: int, v: int) -> int:
        return abs(place[u][0] - place[v][0]) + abs(place[u][1] - place[v][1])

    kept = [(u, v) for u in place for v in place if u < v and distance(u, v) == 1 and source.random() < 0.67]
    edges = tuple((u, v, 1) for a, b in kept for u, v in ((a, b), (b, a)))
    return Graph(edges, (goal,)), Table({n: distance(n, goal) for n in place}, {}, True)


INDEPENDENT: dict[str, Callable[[BoundStack], Search]] = {
    "astar": lambda bound: AStar().start(bound, None),
    "astar lifo without reopening": lambda bound: AStar("lifo", reopen=False).start(bound, None),
    "idastar": lambda bound: IterativeDeepeningAStar().start(bound, None),
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_the_order_of_operators_and_ties_have_no_effect_under_a_consistent_heuristic(name: str) -> None:
    """Both do change `expanded`."""
    source, changed, by_ties, positive = random.Random(name), 0, 0, 0
    for graph, table in (grid(source) for _ in range(30)):
        if 0 in exact(graph):
            edges = graph.edges
            orders = [replace(graph, edges=tuple(source.sample(edges, len(edges)))) for _ in range(5)]
            found = [counts(INDEPENDENT[name](bind(order, table))) for order in orders]
            tied = [counts(AStar(ties).start(bind(graph, table), None)) for ties in TIES]
            assert len({counted for _, counted in found}) == len({counted for _, counted in tied}) == 1
            changed += len({expanded for expanded, _ in found}) > 1
            by_ties += len({expanded for expanded, _ in tied}) > 1
            positive += not_none(found[0][1]) > 0
    assert min(changed, by_ties, positive) > 5


def test_an_algorithm_in_plain_python_tells_the_f_of_what_it_expands(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    expand = SearchProblem.expand

    def telling(problem: SearchProblem, state: int, f: float) -> list[Step]:
        seen.append(f)
        return expand(problem, state, f)

    monkeypatch.setattr(SearchProblem, "expand", telling)
    source, between = random.Random(11), 0
    for name in ("manhattan", "iterative_shift", "area_pruning"):
        for _ in range(20):
            search = search_algorithm("unibz_astar").start(
                by_hand([name]).prepare(instance(any_cave(source, 5, 5, pits=0.1)).problem()), None
            )
            seen.clear()
            assert before(search) is None
            expected = before_last_layer(seen, search.cost if run(search, Limits()) == "solved" else None)
            assert len(seen) == search.counts.expanded
            assert before(search) == expected
            between += expected is not None and 0 < expected < len(seen)
    assert between > 5


@pytest.mark.parametrize("name", sorted({*SEARCHES} - {*ONLY_IN} | {"jps", "unibz_astar"}))
def test_it_is_a_number_for_solved_searches_with_layers_of_f_and_else_none(name: str) -> None:
    algorithm = search_algorithm(name)
    source, solved = random.Random(2), 0
    grids = grid_problems("last layer", 40)
    for _ in range(40):
        graph = random_graph(source, largest_cost=1)
        is_consistent = algorithm.needs_consistent
        table = consistent_table(source, graph) if is_consistent else random_table(source, graph, admissible=True)
        bound = bind(graph, table)
        if name == "unibz_astar":
            bound = by_hand(["manhattan"]).prepare(instance(any_cave(source, 3, 3, pits=0.3)).problem())
        if name == "jps":
            bound = Stack().prepare(next(grids)[1].problem())
        search = algorithm.start(bound, None)
        assert before(search) is None
        status = run(search, Limits(nodes=1))
        if status == "node_limit":
            assert before(search) is None
            status = run(search, Limits())
        counted = before(search)
        assert counted is None or (status == "solved" and name in COUNTED | WEIGHTED)
        assert counted is not None or not (status == "solved" and name in COUNTED)
        assert counted is None or 0 <= counted <= search.counts.expanded
        solved += status == "solved"
    assert 3 < solved < 37
