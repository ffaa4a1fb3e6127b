"""Expansions before the last layer of f: against slow twins, and independent of tie-breaking and operator order."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from algorithms.anytime import AnytimeAStar
from algorithms.best_first import AStar, Greedy, UniformCost, WeightedAStar
from algorithms.depth_first import IterativeDeepeningAStar, IterativeDeepeningSearch
from algorithms.engine import open_list_arrays
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.depth_first_search import Deepening, DepthFirstSearch
from algorithms.engine.in_place_search import InPlaceSearch
from algorithms.engine.search import Limits, Search, Status, run
from algorithms.interface import SearchAlgorithm
from algorithms.unibz_astar import UnibzAStar
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Constant, Dynamic, Geometric, Linear, Weighting
from runner import registry
from tests.caves import any_cave, instance
from tests.graphs import Graph, Plain, Table, exact, plain, random_graph, random_table
from tests.naive.depth_first import TooLarge, _Recursion
from tests.puzzles import any_puzzle, stack
from tests.puzzles import instance as puzzle_instance
from tests.registered import SEARCHES
from tests.stacks import by_hand

GRAPHS = 1_000
TIES = ("low_h", "high_h", "fifo", "lifo")
COUNTED = {"ucs", "greedy", "astar", "anytime_astar", "weighted_astar", "ids", "idastar", "unibz_astar"}


def naive_best_first(
    p: Plain, ties: str, reopen: bool, weight_g: float = 1.0, weighting: Weighting | None = None
) -> tuple[list[float], float | None]:
    """Return the f of each expansion, in order, and the f of the solution; the open list is searched with `min`."""
    weighting = weighting or Constant(1)
    changes = list(itertools.islice(weighting.changes(), 10_000))
    extra, horizon = weighting.by_depth
    g, depth, h = {p.initial: 0}, {p.initial: 0}, p.h
    opened: dict[bytes, tuple[float, float, int]] = {}
    closed: set[bytes] = set()
    expanded: list[float] = []
    clock, weight = itertools.count(1), changes[0][1]

    def push(state: bytes) -> None:
        opened.pop(state, None)
        if h(state) < math.inf:
            f = weight_g * g[state] + (weight + extra * max(0.0, 1.0 - depth[state] / horizon)) * h(state)
            tie = {"low_h": h(state), "high_h": -h(state)}.get(ties, 0)
            opened[state] = f, tie, next(clock) * (1 if ties == "fifo" else -1)

    push(p.initial)
    while opened:
        present = [value for begin, value in changes if begin <= len(expanded)][-1]
        if present != weight:
            weight = present
            if weighting.reorder_open:
                for state in sorted(opened, key=opened.__getitem__, reverse=ties != "fifo"):
                    push(state)
        state = min(opened, key=opened.__getitem__)
        f = opened.pop(state)[0]
        if p.is_goal(state):
            return expanded, f
        closed.add(state)
        expanded.append(f)
        for child, cost in p.successors(state):
            if child in g and (g[state] + cost >= g[child] or (child in closed and not reopen)):
                continue
            closed.discard(child)
            g[child], depth[child] = g[state] + cost, depth[state] + 1
            push(child)
    return expanded, None


def below(found: tuple[list[float], float | None]) -> int | None:
    """Count the expansions below the f of the solution."""
    expanded, solution = found
    return None if solution is None else sum(f < solution for f in expanded)


def values(search: Search) -> tuple[int, int | None]:
    """Run a search to its end; return `expanded` and `expanded_before_last_layer`."""
    run(search, Limits())
    return search.counts.expanded, search.expanded_before_last_layer


def bind(graph: Graph, table: Table) -> BoundStack:
    return Stack((table,)).prepare(graph.instance().problem())


def problems(seed: object) -> Iterator[tuple[random.Random, BoundStack]]:
    """Random graphs with admissible (mostly inconsistent) and inadmissible tables, and a few caves."""
    source = random.Random(str(seed))
    for number in range(GRAPHS):
        graph = random_graph(source, source.choice([1, 2, 9, 40]), 40 if number % 3 == 0 else 9)
        yield source, bind(graph, random_table(source, graph, admissible=number % 2 == 0))
    for _ in range(10):
        cave = any_cave(source, 4, 4)
        yield source, by_hand(["manhattan", "pivots"]).prepare(instance(cave).problem())


@pytest.mark.parametrize("reopen", [True, False])
@pytest.mark.parametrize("ties", TIES)
def test_best_first_agrees_with_the_twin(ties: str, reopen: bool) -> None:
    partial = above = reopened = 0
    for source, bound in problems((ties, reopen)):
        p, weight = plain(bound), Constant(source.choice([0, 0.3, 1, 1.5, 2, 3.3]))
        cases: list[tuple[SearchAlgorithm, float, Weighting | None]] = [
            (UniformCost(ties, reopen), 1, Constant(0)),
            (AStar(ties, reopen), 1, weight),
            (WeightedAStar(ties, reopen), 1, Constant(2)),
            (Greedy(ties, reopen), 0, None),
        ]
        for algorithm, weight_g, weighting in cases:
            expected, search = naive_best_first(p, ties, reopen, weight_g, weighting), algorithm.start(bound, weighting)
            assert values(search) == (len(expected[0]), below(expected)), (algorithm, bound.problem.instance)
            if expected[1] is not None:
                partial += 0 < below(expected) < len(expected[0])
                above += max(expected[0], default=0) > expected[1]
                reopened += search.counts.reopened > 0
    assert partial > 50
    assert above > 20  # so it is not the number of expansions before the f of the solution was reached
    assert (reopened > 0) == reopen


SCHEDULES: list[Callable[[random.Random], Weighting]] = [
    lambda source: Geometric(source.choice([0.5, 1.5, 8]), source.choice([0.5, 1.05, 2]), source.randint(1, 4), 20),
    lambda source: Linear(source.choice([0, 3]), source.choice([1, 6]), source.randint(1, 12), source.randint(1, 5)),
    lambda source: Dynamic(source.choice([0.5, 1, 4]), source.randint(1, 6)),
    lambda source: Geometric(1.5, 1.7, source.randint(1, 4), 5, reorder_open=True),
    lambda source: Linear(5, 1, source.randint(1, 12), source.randint(1, 5), reorder_open=True),
]


@pytest.mark.parametrize("buckets", [1, 256])
@pytest.mark.parametrize("schedule", range(len(SCHEDULES)))
def test_schedules(schedule: int, buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts survive a reorder_open and the growth of the open list, however the search is cut into steps."""
    monkeypatch.setattr(open_list_arrays, "_FIRST_BUCKETS", buckets)
    partial = 0
    for source, bound in problems(schedule):
        weighting, ties, reopen = SCHEDULES[schedule](source), source.choice(TIES), source.random() < 0.7
        expected = naive_best_first(plain(bound), ties, reopen, 1, weighting)
        whole, stepped = (AStar(ties, reopen).start(bound, weighting) for _ in range(2))
        assert values(whole) == (len(expected[0]), below(expected)), (weighting, bound.problem.instance)
        while (status := stepped.step(source.randint(1, 3))) in (Status.RUNNING, Status.OUT_OF_MEMORY):
            assert stepped.expanded_before_last_layer is None
            assert status == Status.RUNNING or stepped.grow(None)
        assert stepped.expanded_before_last_layer == below(expected)
        partial += expected[1] is not None and 0 < below(expected) < len(expected[0])
    assert partial > 20


def test_anytime_search_counts_up_to_its_best_solution() -> None:
    """The searches before it in full, and none after it."""
    after = several = 0
    for source, bound in problems("anytime"):
        weights = tuple(sorted((source.choice([1, 1.5, 2, 5]) for _ in range(source.randint(1, 4))), reverse=True))
        search = AnytimeAStar(weights=weights).start(bound, None)
        status, found = run(search, Limits()), list[int]()
        earlier, expected, cost = 0, None, None
        for weight in weights:
            part = BestFirstSearch(bound, Priority(1, Constant(weight)), incumbent_cost=cost)
            if run(part, Limits()) != "solved":
                break
            expected, cost = earlier + part.expanded_before_last_layer, part.cost
            earlier += part.counts.expanded
            found.append(cost)
        assert search.expanded_before_last_layer == expected
        assert (status == "solved") == (expected is not None)
        after += expected is not None and search.counts.expanded > earlier
        several += len(found) > 1
    assert after > 5
    assert several > 5


def test_an_example_by_hand() -> None:
    """The start has f = 3; f rises to 9 at node 1 and falls back to 5 at the goal."""
    graph = Graph(((0, 1, 1), (1, 2, 2), (2, 3, 2)), (3,))
    bound = bind(graph, Table({0: 3, 1: 8, 2: 1, 3: 0}, {}, None))
    assert naive_best_first(plain(bound), "low_h", True) == ([3, 9, 4], 5)
    assert values(AStar().start(bound, None)) == (3, 2)


def last_iteration(p: Plain, by_f: bool, cycle_check: str) -> int | None:
    """Count the expansions of the iteration that finds the solution, by plain recursion; None if it is too far."""
    bound: float = p.h(p.initial) if by_f else math.inf
    for limit in range(40):
        search = _Recursion(p.successors, p.is_goal, p.h if by_f else lambda _: 0, cycle_check)
        search.has_limit = not by_f
        if search.begin(p.initial, bound, math.inf if by_f else limit) is not None:
            return search.expanded
        if by_f and search.next_bound == math.inf:
            break
        bound = search.next_bound if by_f else bound
    return None


@pytest.mark.parametrize(
    ("by_f", "cycle_check"), [(True, "path"), (True, "parent"), (False, "path"), (False, "parent"), (False, "visited")]
)
def test_iterative_deepening_counts_all_iterations_but_the_last(by_f: bool, cycle_check: str) -> None:
    algorithm = (IterativeDeepeningAStar if by_f else IterativeDeepeningSearch)(cycle_check)  # type: ignore[arg-type]
    source, compared, partial = random.Random(f"{cycle_check} {by_f}"), 0, 0
    for number in range(GRAPHS):
        graph = random_graph(source, 9)
        graph = replace(graph, edges=tuple((u, v, max(cost, 1)) for u, v, cost in graph.edges))
        bound = bind(graph, random_table(source, graph, admissible=number % 2 == 0))
        if not by_f:
            bound = Stack().prepare(bound.problem)
        with contextlib.suppress(TooLarge):
            last = last_iteration(plain(bound), by_f, cycle_check)
            if last is not None:
                expanded, before = values(algorithm.start(bound, None))
                assert before == expanded - last
                compared += 1
                partial += 0 < before < expanded
    assert compared > 100
    assert partial > 30


def test_ida_star_in_place_is_the_same() -> None:
    source, seen = random.Random(3), set()
    for _ in range(30):
        puzzle = any_puzzle(source, 2, 4)
        bound = stack("manhattan").prepare(puzzle_instance(puzzle).problem())
        fast, slow = InPlaceSearch(bound), DepthFirstSearch(bound, Deepening("f", cycle_check="parent"))
        assert fast.expanded_before_last_layer is None
        expected = values(slow)
        assert values(fast) == expected
        with contextlib.suppress(TooLarge):
            assert expected[1] == expected[0] - last_iteration(plain(bound), True, "parent")
            seen.add(expected)
        stepped = InPlaceSearch(bound)
        while (status := stepped.step(source.randint(1, 50))) == Status.RUNNING:
            assert stepped.expanded_before_last_layer is None
        assert status == Status.SOLVED
        assert stepped.expanded_before_last_layer == expected[1]
    assert len(seen) > 5


def grid(source: random.Random, side: int = 6) -> tuple[Graph, Table]:
    """Nodes in a square, a third of the steps missing, with Manhattan distances: many paths are optimal."""
    goal = source.randrange(1, side * side)
    place = {n: divmod(n, side) for n in range(side * side)}
    distance = lambda u, v: abs(place[u][0] - place[v][0]) + abs(place[u][1] - place[v][1])  # noqa: E731
    kept = [(u, v) for u in place for v in place if u < v and distance(u, v) == 1 and source.random() < 0.67]
    edges = tuple((u, v, 1) for a, b in kept for u, v in ((a, b), (b, a)))
    return Graph(edges, (goal,)), Table({n: distance(n, goal) for n in place}, {}, True)


ORDERS: dict[str, Callable[[BoundStack], Search]] = {
    "astar": lambda bound: AStar().start(bound, None),
    "astar lifo without reopening": lambda bound: AStar("lifo", reopen=False).start(bound, None),
    "idastar": lambda bound: IterativeDeepeningAStar().start(bound, None),
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_operators_does_not_matter(name: str) -> None:
    """Under a consistent heuristic, and nor do ties; `expanded` does change."""
    source, changed, by_ties, positive = random.Random(name), 0, 0, 0
    for graph, table in (grid(source) for _ in range(60)):
        if 0 in exact(graph):
            edges = graph.edges
            orders = [replace(graph, edges=tuple(source.sample(edges, len(edges)))) for _ in range(5)]
            found = [values(ORDERS[name](bind(order, table))) for order in orders]
            tied = [values(AStar(ties).start(bind(graph, table), None)) for ties in TIES]
            assert len({before for _, before in found}) == len({before for _, before in tied}) == 1
            changed += len({expanded for expanded, _ in found}) > 1
            by_ties += len({expanded for expanded, _ in tied}) > 1
            positive += found[0][1] > 0
    assert min(changed, by_ties, positive) > 5


def test_unibz_astar() -> None:
    """The f of the next entry is noted before each step of one expansion."""
    source, partial = random.Random(11), 0
    for name in ("manhattan", "iterative_shift", "area_pruning"):
        for _ in range(40):
            problem = instance(any_cave(source, 5, 5, pits=0.1)).problem()
            search = UnibzAStar().start(by_hand([name]).prepare(problem), None)
            seen = []
            while search._open and search.expanded_before_last_layer is None:
                seen.append(search._open[0][0])
                if search.step(1) != Status.RUNNING:
                    seen.pop()
            assert len(seen) == search.counts.expanded
            expected = sum(f < search.cost for f in seen) if run(search, Limits()) == "solved" else None
            before = search.expanded_before_last_layer
            assert before == expected
            partial += before is not None and 0 < before < len(seen)
    assert partial > 10


@pytest.mark.parametrize("name", SEARCHES)
def test_where_it_applies(name: str) -> None:
    """A number for the algorithms with layers of f, once there is a solution, and else None."""
    algorithm = registry.find("algorithm", name)()
    source, solved = random.Random(2), 0
    for _ in range(40):
        graph = random_graph(source, largest_cost=1)
        bound = bind(graph, random_table(source, graph, admissible=True))
        if name == "unibz_astar":
            bound = by_hand(["manhattan"]).prepare(instance(any_cave(source, 3, 3, pits=0.3)).problem())
        search = algorithm.start(bound, None)
        assert search.expanded_before_last_layer is None
        status = run(search, Limits(nodes=1))
        if status == "node_limit":
            assert search.expanded_before_last_layer is None
            status = run(search, Limits())  # not after "solved": a search ends there
        before = search.expanded_before_last_layer
        assert (before is not None) == (status == "solved" and name in COUNTED)
        assert before is None or 0 <= before <= search.counts.expanded
        solved += status == "solved"
    assert 3 < solved < 37
