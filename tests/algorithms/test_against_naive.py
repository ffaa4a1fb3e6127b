"""Every search algorithm against a naive one: equal status, cost and counts on random graphs, pancakes and caves."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from operator import eq
from typing import Any, Literal, get_args

import pytest
from runner.examples.pancake import Pancake

from algorithms.anytime import AnytimeAStar, AnytimeNonparametricAStar, AnytimeRepairingAStar
from algorithms.beam import Beam
from algorithms.best_first.best_first import AStar, Ties, UniformCost
from algorithms.bidirectional.bidirectional import (
    BalancedError,
    Bidirectional,
    DynamicVertexCover,
    FractionalMeeting,
    NearOptimal,
    ReverseAStar,
)
from algorithms.bounded_suboptimal.bounded_suboptimal import (
    BoundedSearch,
    BoundedSuboptimal,
    DynamicPotentialSearch,
    ExplicitEstimationSearch,
    Focal,
    Optimistic,
)
from algorithms.bounded_suboptimal.focal_list import EXPLICIT, SMALLEST_D
from algorithms.breadth_first import BreadthFirst
from algorithms.depth_first.depth_first import DepthFirst, IterativeDeepeningAStar, IterativeDeepeningSearch
from algorithms.depth_first.linear_memory import BudgetedTreeSearch, DepthFirstBranchAndBound, RecursiveBestFirst
from algorithms.depth_first.operator_order import OrderedChildren
from algorithms.engine import open_list
from algorithms.engine.search import Limits, ResumableSearch, Search, StepStatus
from algorithms.greedy import alternating_list, exploring_list
from algorithms.greedy.greedy import Greedy
from algorithms.interface.algorithm import SearchAlgorithm
from algorithms.real_time.real_time import LocalSearchSpace, RealTimeAdaptiveAStar
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.caves import any_cave, instance
from tests.graphs import Graph, Plain, consistent_table, exact, plain, random_graph, random_table
from tests.naive.anytime import ana, ara
from tests.naive.best_first import anytime, best_first, exploring
from tests.naive.bidirectional import bidirectional
from tests.naive.bounded_suboptimal import bounded_suboptimal
from tests.naive.breadth_first import beam, breadth_first
from tests.naive.depth_first import TooLarge, depth_first, ida_star, iterative_deepening
from tests.naive.linear_memory import branch_and_bound, budgeted_tree_search, recursive_best_first
from tests.naive.real_time import real_time
from tests.registered import ONLY_IN, SEARCHES
from tests.sampling import covering, drawn, drawn_or_each
from tests.stacks import DOCUMENTED, by_hand, documented
from worlds.interface.instance import Problem, Unsolvable

GRAPHS, PANCAKES, CAVES = 120, 6, 20
TIES: tuple[Ties, ...] = get_args(Ties)


def problems(
    seed: object, largest_cave: int = 5, largest_graph: int = 40, graphs: int = GRAPHS
) -> Iterator[tuple[random.Random, BoundStack]]:
    """Yield graphs with admissible and other tables, pancakes, and caves with all documented stacks."""
    source = random.Random(str(seed))
    for number in range(graphs):
        graph = random_graph(source, source.choice([1, 2, 9, 40]), largest_graph if number % 4 == 0 else 9)
        table = random_table(source, graph, admissible=number % 2 == 0)
        yield source, Stack((table,)).prepare(graph.instance().problem())
    for number in range(PANCAKES):
        pancakes = Pancake(size=source.randint(3, 5), seed=number)
        stack = sections.stack_of("plain_pancake", {"stack": ["gap"] if number % 2 else []})
        yield source, stack.prepare(next(iter(pancakes.instances())).problem())
    undocumented = [by_hand(["obstacle", "manhattan", "pivots"], combine) for combine in ("sum", "max")]
    stacks = [*(documented(name, published) for name in DOCUMENTED for published in (None, True)), *undocumented]
    for _ in range(CAVES):
        cave = any_cave(source, source.randint(1, largest_cave), source.randint(2, largest_cave))
        where = instance(cave, source.choice(["cardinal", "primitive"]), source.choice(["none", "effective", "best"]))
        with contextlib.suppress(Unsolvable):
            bound = source.choice(stacks).prepare(where.problem())
            yield source, bound


def connected(seed: object, nodes: int = 30) -> Iterator[tuple[random.Random, BoundStack]]:
    """Yield graphs with many paths to each state, and admissible tables."""
    source = random.Random(str(seed))
    for _ in range(50):
        steps = [(source.randrange(nodes), source.randrange(nodes), source.randint(1, 40)) for _ in range(6 * nodes)]
        graph = Graph(tuple(steps), (nodes - 1,))
        yield source, Stack((random_table(source, graph, admissible=True),)).prepare(graph.instance().problem())


def outcome(search: Search, problem: Problem, names: Iterable[str], most: int | None = None) -> dict[str, Any]:
    """Run a search of at most `most` expansions, and return its status, its cost and the counts with these names."""
    status = run(search, Limits(nodes=most))
    found = {"status": status, "cost": search.cost if status == "solved" else None}
    if status == "solved":
        check_path(search, problem)
    counts = search.counts
    return {**found, **{name: getattr(counts, name) for name in names if name not in found}}


def check_path(search: Search, problem: Problem) -> None:
    """Check that the path of a solved search reaches a goal and has the cost that the search reports."""
    replay = problem.world.replay(problem.plan(search.path()))
    assert (replay.reaches_goal, replay.cost) == (True, search.cost)


def compare(
    bound: BoundStack, algorithm: SearchAlgorithm, expected: dict[str, Any], weighting: Weighting | None = None
) -> None:
    """Run an algorithm, and compare its status, cost and counts with those of the naive search."""
    if "evaluated" in expected and not bound.kernels:
        backward = bound.stack.prepare_backward(bound.problem).kernels
        expected = {**expected, "evaluated": 0} if not backward else expected
    found = outcome(algorithm.start(bound, weighting), bound.problem, expected)
    assert found == expected, (algorithm, bound.problem.world)


@pytest.mark.parametrize("given", drawn_or_each(TIES))
def test_best_first_search_equals_the_naive_one(given: Ties | None) -> None:
    for source, bound in problems(given):
        p, ties = plain(bound), drawn(source, given, TIES)
        order: Any = {"ties": ties, "reopen": source.random() < 0.7, "seed": source.choice([0, 1, 2**62 - 1])}
        weight = source.choice([0, 0.3, 1, 1.5, 2, 3.3])
        expected = best_first(p.initial, p.successors, p.is_goal, p.h, 1, iter([(0, weight)]), **order)
        compare(bound, AStar(**order), expected, Constant(weight))
        compare(bound, Greedy(**order), best_first(p.initial, p.successors, p.is_goal, p.h, 0, **order))
        expected = best_first(p.initial, p.successors, p.is_goal, p.h, 1, iter([(0, 0)]), **order)
        compare(bound, UniformCost(**order), expected)


@covering({"kind": ["standard", "epsilon", "type_based"], "lazy": [False, True]})
def test_greedy_search_that_explores_equals_the_naive_one(
    kind: Any, lazy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((open_list, "_FIRST_ENTRIES"), (exploring_list, "_FIRST_TYPES")):
        monkeypatch.setattr(module, name, 1)  # so that all arrays grow
    monkeypatch.setattr(exploring_list, "_FIRST_POOL", 4)
    for source, bound in itertools.chain(problems(f"{kind} {lazy}"), connected(f"{kind} {lazy}")):
        p, seed, epsilon = plain(bound), source.choice([0, 1, 2**62 - 1]), source.choice([0.0, 0.2, 0.9, 1.0])
        ties, reopen = source.choice(TIES), source.random() < 0.5
        expected = exploring(p.initial, p.successors, p.is_goal, p.h, ties, reopen, kind, epsilon, lazy, seed)
        if not bound.kernels:
            expected["evaluated"] = 0
        compare(bound, Greedy(ties, reopen, kind, epsilon, lazy, seed=seed), expected)


@pytest.mark.parametrize("lazy", [False, True])
def test_queues_that_take_turns_equal_the_naive_ones(lazy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On graphs with several tables, and in caves. The order of the terms matters."""
    monkeypatch.setattr(alternating_list, "_FIRST_ENTRIES", 1)
    differs = 0
    for source, bound in itertools.chain(problems(f"turns {lazy}"), connected(f"turns {lazy}")):
        graph = bound.problem.world
        if isinstance(graph, Graph):
            tables = tuple(random_table(source, graph, source.random() < 0.5) for _ in range(source.randint(1, 4)))
            bound = Stack(tables, source.choice(["sum", "max"])).prepare(bound.problem)
        if not bound.kernels:
            continue
        p, ties, reopen = plain(bound), source.choice(TIES), source.random() < 0.5
        terms = [plain(BoundStack(bound.stack, bound.problem, (each,))).h for each in bound.bound_terms]
        seed, arguments = source.choice([0, 2**62 - 1]), (p.initial, p.successors, p.is_goal, p.h, ties, reopen)
        expected = exploring(*arguments, "alternating", 0, lazy, seed, terms)
        compare(bound, Greedy(ties, reopen, "alternating", lazy=lazy, seed=seed), expected)
        differs += expected != exploring(*arguments, "standard", 0, lazy, seed)
    assert differs > 20


@pytest.mark.parametrize("kind", ["standard", "epsilon", "type_based"])
def test_greedy_search_in_batches_equals_the_naive_one(kind: Any) -> None:
    """Neither the length of its steps nor the growth of its arrays has an effect, and a limit ends it in a batch."""
    for source, bound in itertools.chain(problems(f"batch {kind}"), connected(f"batch {kind}")):
        p, seed, epsilon = plain(bound), source.choice([0, 1, 2**62 - 1]), source.choice([0.2, 0.9])
        ties, reopen, batch = source.choice(TIES), source.random() < 0.5, source.choice([2, 3, 7, 64])
        algorithm = Greedy(ties, reopen, kind, epsilon, batch=batch, seed=seed)
        arguments: Any = (p.initial, p.successors, p.is_goal, p.h, ties, reopen, kind, epsilon, False, seed, (), batch)
        most = source.choice([None, source.randint(1, 12)])
        expected = exploring(*(*arguments, most))
        if not bound.kernels:
            expected["evaluated"] = 0
        assert outcome(algorithm.start(bound, None), bound.problem, expected, most) == expected, algorithm
        stepped = algorithm.start(bound, None)
        assert isinstance(stepped, ResumableSearch)
        while (status := stepped.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            if status == StepStatus.OUT_OF_MEMORY:
                assert stepped.grow(None)
        whole = exploring(*arguments)
        assert (stepped.counts.expanded, stepped.counts.reopened) == (whole["expanded"], whole["reopened"])


SCHEDULES: list[Callable[[random.Random], Weighting]] = [
    lambda source: Geometric(source.choice([0.5, 1.5, 8]), source.choice([0.5, 1.05, 2]), source.randint(1, 4), 20),
    lambda source: Geometric(1.5, 1.7, source.randint(1, 4), 5, reorder_open=True),
    lambda source: Linear(source.choice([0, 3]), source.choice([1, 6]), source.randint(1, 12), source.randint(1, 5)),
    lambda source: Linear(5, 1, source.randint(1, 12), source.randint(1, 5), reorder_open=True),
    lambda source: Dynamic(source.choice([0.5, 1, 4]), source.randint(1, 6)),
]


@pytest.mark.parametrize("schedule", range(len(SCHEDULES)))
def test_weights_change_at_the_scheduled_expansions(schedule: int) -> None:
    """The length of the steps in which a search runs has no effect."""
    for source, bound in problems(schedule):
        p = plain(bound)
        weighting, ties = SCHEDULES[schedule](source), source.choice(TIES)
        expected = best_first(
            p.initial, p.successors, p.is_goal, p.h, 1, weighting.changes(), ties,
            by_depth=weighting.by_depth, reorder_open=weighting.reorder_open,
        )  # fmt: skip
        compare(bound, AStar(ties), expected, weighting)
        stepped = AStar(ties).start(bound, weighting)
        assert isinstance(stepped, ResumableSearch)
        while (status := stepped.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            if status == StepStatus.OUT_OF_MEMORY:
                assert stepped.grow(None)
        assert stepped.counts.expanded == expected["expanded"]


@pytest.mark.parametrize("goal_at_generation", [False, True])
def test_breadth_first_search_equals_the_naive_one(goal_at_generation: bool) -> None:
    for source, bound in problems(goal_at_generation):
        p, limit = plain(bound), source.choice([None, None, 0, 1, 2, 3, 5, 8])
        most = math.inf if limit is None else limit
        compare(
            Stack().prepare(bound.problem),
            BreadthFirst("generated" if goal_at_generation else "expanded", limit),
            breadth_first(p.initial, p.successors, p.is_goal, goal_at_generation, most),
        )


def some_order(source: random.Random) -> dict[str, Any]:
    """Return the parameters of an order of operators: often that of the world. The source stays as it is."""
    own = random.Random()
    own.setstate(source.getstate())
    return own.choice([{}, {"operator_order": "random", "seed": own.randrange(99)}])


def ordered(bound: BoundStack, algorithm: OrderedChildren) -> Plain:
    """Return the problem as functions of states, with the successors in the order of an algorithm."""
    return plain(bound, algorithm.ranks(bound.problem))


def test_depth_first_search_equals_the_naive_one() -> None:
    for source, bound in problems("dfs", largest_cave=3, largest_graph=9):
        limit = source.choice([None, None, 0, 1, 2, 3, 5, 8])
        algorithm = DepthFirst(limit, **some_order(source))
        p = ordered(bound, algorithm)
        compare(Stack().prepare(bound.problem), algorithm, depth_first(p.initial, p.successors, p.is_goal, limit))


@pytest.mark.parametrize("cycle_check", ["path", "parent", "visited"])
def test_iterative_deepening_equals_the_naive_one(cycle_check: Literal["path", "parent", "visited"]) -> None:
    """Problems that take too long are left out. With "parent", a search without a solution may never end."""
    compared = 0
    for source, bound in problems(cycle_check, largest_cave=3, largest_graph=9):
        algorithm = IterativeDeepeningSearch(cycle_check, **some_order(source))
        p = ordered(bound, algorithm)
        with contextlib.suppress(TooLarge):
            expected = iterative_deepening(p.initial, p.successors, p.is_goal, cycle_check)
            compare(Stack().prepare(bound.problem), algorithm, expected)
            compared += 1
    assert compared > 100


def weighted(h: Callable[[Any], float], weight: float) -> Callable[[Any], Any]:
    """Return the weighted heuristic, with exact values."""
    exact = int(weight) if weight == int(weight) else Fraction(str(weight))
    return cache(lambda state: math.inf if h(state) == math.inf else exact * int(h(state)))


@pytest.mark.parametrize("given", drawn_or_each([1, 0.3, 1.5, 3]))
@pytest.mark.parametrize("cycle_check", ["path", "parent"])
def test_ida_star_equals_the_naive_one(cycle_check: Literal["path", "parent"], given: float | None) -> None:
    """Problems that take too long are left out. With "parent", a search may also follow a cycle of cost 0 forever."""
    compared = cut = 0
    for source, bound in problems(cycle_check, largest_cave=3, largest_graph=9):
        edges = getattr(bound.problem.world, "edges", ())
        if cycle_check == "parent" and any(cost == 0 for _, _, cost in edges):
            continue
        weight, f_limit = drawn(source, given, [1, 0.3, 1.5, 3]), None
        order = some_order(source)
        if order.get("seed", 0) % 2:
            f_limit = order["seed"] % 20
        algorithm = IterativeDeepeningAStar(cycle_check, weight, f_limit=f_limit, **order)
        p = ordered(bound, algorithm)
        with contextlib.suppress(TooLarge):
            arguments = p.initial, p.successors, p.is_goal, weighted(p.h, weight), cycle_check
            expected = ida_star(*arguments, f_limit=f_limit)
            compare(bound, algorithm, expected)
            compared += 1
            cut += expected["status"] == "cutoff"
    assert compared > 50
    assert cut > 5


@pytest.mark.parametrize("weight", [1, 2])
def test_ida_star_with_a_table_equals_the_naive_one(weight: float) -> None:
    """The table is small enough to fill up, or large."""
    compared = pruned = full = 0
    for source, bound in problems("table", largest_cave=3, largest_graph=15):
        p, size = plain(bound), source.choice([5, 10_000])
        arguments = p.initial, p.successors, p.is_goal, weighted(p.h, weight), "path"
        with contextlib.suppress(TooLarge):
            expected = ida_star(*arguments, size)
            algorithm = IterativeDeepeningAStar("path", weight, table=size * (8 * bound.problem.initial.size + 32))
            compare(bound, algorithm, expected)
            compared += 1
            without = ida_star(*arguments)
            assert without["status"] == expected["status"]
            assert weight > 1 or not bound.stack.admissible or without["cost"] == expected["cost"]
            pruned += expected["expanded"] < without["expanded"]
            full += size == 5 and expected["expanded"] > ida_star(*arguments, 10_000)["expanded"]
    assert compared > 50
    assert pruned > 4
    assert full > 0


@pytest.mark.parametrize("given", drawn_or_each([1, 1.5, 3]))
@pytest.mark.parametrize("cycle_check", ["path", "parent"])
def test_recursive_best_first_search_equals_the_naive_one(
    cycle_check: Literal["path", "parent"], given: float | None
) -> None:
    """Problems that take too long are left out, and with "parent" those with steps of cost 0."""
    compared = 0
    for source, bound in problems(f"rbfs {cycle_check}", largest_cave=3, largest_graph=20):
        edges = getattr(bound.problem.world, "edges", ())
        if cycle_check == "parent" and any(cost == 0 for _, _, cost in edges):
            continue
        weight = drawn(source, given, [1, 1.5, 3])
        algorithm = RecursiveBestFirst(cycle_check, weight, **some_order(source))
        p = ordered(bound, algorithm)
        with contextlib.suppress(TooLarge, RecursionError):
            expected = recursive_best_first(p.initial, p.successors, p.is_goal, weighted(p.h, weight), cycle_check)
            compare(bound, algorithm, expected)
            compared += 1
    assert compared > 50


def compare_improvements(bound: BoundStack, algorithm: SearchAlgorithm, expected: dict[str, Any]) -> Search:
    """Run an algorithm that improves its solution, and compare also the costs of all its solutions."""
    search = algorithm.start(bound, None)
    seen: list[tuple[int, float | None]] = []
    costs = expected.pop("costs")
    if not bound.kernels:
        expected = {**expected, "evaluated": 0}
    status, counts = run(search, Limits(), improved=partial(note, search, seen)), search.counts
    found = {name: getattr(counts, name) for name in expected if name not in ("status", "cost")}
    assert {"status": status, "cost": search.cost if seen else None, **found} == expected, bound.problem.world
    assert [cost for cost, _ in seen] == costs == sorted(costs, reverse=True)
    if seen:
        check_path(search, bound.problem)
    return search


@pytest.mark.parametrize("cycle_check", ["path", "parent"])
def test_budgeted_tree_search_equals_the_naive_one(cycle_check: Literal["path", "parent"]) -> None:
    """As above, problems that take too long are left out. Some searches need larger bounds than IDA*'s."""
    compared = raised = 0
    for source, bound in problems(f"bts {cycle_check}", largest_cave=3, largest_graph=20):
        edges = getattr(bound.problem.world, "edges", ())
        if cycle_check == "parent" and any(cost == 0 for _, _, cost in edges):
            continue
        growth, largest = source.choice([2, 3]), source.choice([2, 3, 8])
        algorithm = BudgetedTreeSearch(cycle_check, growth, largest, **some_order(source))
        p = ordered(bound, algorithm)
        with contextlib.suppress(TooLarge):
            arguments = p.initial, p.successors, p.is_goal, p.h, cycle_check
            expected = budgeted_tree_search(*arguments, growth, max(growth, largest))
            search = compare_improvements(bound, algorithm, expected)
            assert search.bound == (1.0 if expected["status"] == "solved" and bound.stack.admissible else None)
            compared += 1
            raised += expected["expanded"] != ida_star(*arguments)["expanded"]
    assert compared > 50
    assert raised > 2


@pytest.mark.parametrize("given", drawn_or_each(["f", "generated"]))
@pytest.mark.parametrize("cycle_check", ["path", "parent", "visited"])
def test_branch_and_bound_equals_the_naive_one(
    cycle_check: Literal["path", "parent", "visited"], given: Literal["f", "generated"] | None
) -> None:
    """With "parent", only acyclic paths of a small cost are short enough."""
    compared = several = 0
    for source, bound in problems(f"dfbnb {cycle_check} {given}", largest_cave=3, largest_graph=9):
        order = drawn(source, given, get_args(Literal["f", "generated"]))
        algorithm = DepthFirstBranchAndBound(cycle_check, order, **some_order(source))
        p = ordered(bound, algorithm)
        with contextlib.suppress(TooLarge, RecursionError):
            expected = branch_and_bound(
                p.initial, p.successors, p.is_goal, p.h, cycle_check, order == "f", bound.stack.admissible is True
            )
            several += len(expected["costs"]) > 1
            search = compare_improvements(bound, algorithm, expected)
            assert search.bound == (1.0 if expected["status"] == "solved" and bound.stack.admissible else None)
            compared += 1
    assert compared > 50
    assert several > 2


@pytest.mark.parametrize("order", ["f", "h"])
def test_beam_search_equals_the_naive_one(order: Literal["f", "h"]) -> None:
    for source, bound in problems(order):
        p = plain(bound)
        width = source.choice([1, 2, 3, 10])
        compare(bound, Beam(width, order), beam(p.initial, p.successors, p.is_goal, p.h, width, order))


RULES: dict[str, tuple[SearchAlgorithm, dict[str, Any]]] = {
    "bidirectional": (Bidirectional(), {"rule": "mm"}),
    "mm 0.3": (FractionalMeeting(0.3), {"rule": "mm", "fraction": 0.3}),
    "mm 0.75": (FractionalMeeting(0.75), {"rule": "mm", "fraction": 0.75}),
    "nbs": (NearOptimal(), {"rule": "nbs"}),
    "dvcbs": (DynamicVertexCover(), {"rule": "dvcbs"}),
    "bae": (BalancedError(), {"rule": "bae"}),
    "bae cardinality": (BalancedError("cardinality"), {"rule": "bae", "side": "cardinality"}),
}


@pytest.mark.parametrize("name", RULES)
def test_bidirectional_search_equals_the_naive_one(name: str) -> None:
    """Counts, and the expansions before the last layer. The length of the steps of the search has no effect.

    Half of the graphs have consistent tables, or all if the algorithm needs them.
    """
    algorithm, rule = RULES[name]
    dropping = 0
    for source, bound in problems(name):
        if bound.problem.predecessors is None:
            continue
        graph = bound.problem.world
        if isinstance(graph, Graph) and (algorithm.needs_consistent or source.randrange(2)):
            bound = Stack((consistent_table(source, graph),)).prepare(bound.problem)
        if algorithm.needs_consistent and not bound.stack.consistent:
            continue
        p = plain(bound)
        if not bound.stack.prepare_backward(bound.problem).kernels:
            continue  # the naive search counts evaluations in both directions
        smallest = 1 if bound.problem.world.unit_costs else 0
        drops_closed = rule["rule"] != "mm" and bound.stack.consistent is True
        expected = bidirectional(
            p.initial, p.goals, p.successors, p.predecessors, p.h, p.backward_h, smallest, **rule,
            drops_closed=drops_closed,
        )  # fmt: skip
        before = expected.pop("before")
        search = algorithm.start(bound, None)
        assert isinstance(search, ResumableSearch)
        while (status := search.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            assert status == StepStatus.RUNNING or search.grow(None)
        if bound.stack.admissible:
            assert search.expanded_before_last_layer == before
        compare(bound, algorithm, expected)
        dropping += drops_closed
    assert dropping > 15 or rule["rule"] == "mm"


def test_reverse_a_star_is_a_star_on_the_reversed_problem() -> None:
    for _, bound in problems("reverse"):
        if bound.problem.predecessors is None or not bound.stack.prepare_backward(bound.problem).kernels:
            continue
        p = plain(bound)
        if len(p.goals) == 1:
            expected = best_first(p.goals[0], p.predecessors, partial(eq, p.initial), p.backward_h)
            compare(bound, ReverseAStar(), expected)


BOUNDED: dict[str, Callable[..., BoundedSuboptimal]] = {
    "dps": DynamicPotentialSearch, "ees": ExplicitEstimationSearch, "focal": Focal, "optimistic": Optimistic,
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_suboptimal_search_equals_the_naive_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Growth of the open list, and the length of the steps in which a search runs, have no effect."""
    monkeypatch.setattr(open_list, "_FIRST_BUCKETS", 1)
    for source, bound in problems(name):
        p, weight = plain(bound), source.choice([1, 1.1, 1.15, 1.5, 2, 7.3])
        own: dict[str, Any] = {"optimism": source.choice([0, 1, 2, 3.5])} if name == "optimistic" else {}
        algorithm = BOUNDED[name](weight=weight, **own)
        expected = bounded_suboptimal(p.initial, p.successors, p.is_goal, p.h, name, weight, **own)
        compare(bound, algorithm, expected)
        stepped = algorithm.start(bound, None)
        assert isinstance(stepped, BoundedSearch)
        while (status := stepped.step(source.randint(1, 3))) in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
            assert status == StepStatus.RUNNING or stepped.grow(None)
        assert stepped.counts.expanded == expected["expanded"]


@pytest.mark.parametrize(("name", "preference"), [("ees", EXPLICIT), ("focal", SMALLEST_D)])
def test_another_heuristic_for_the_distance_equals_the_naive_one(
    name: str, preference: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_list, "_FIRST_BUCKETS", 1)
    changed = 0
    for source, bound in itertools.chain(problems(f"distance {name}"), connected(name)):
        graph = bound.problem.world
        if isinstance(graph, Graph):
            tables = [random_table(source, graph, admissible=False) for _ in range(2)]
            stack = Stack(tuple(tables[: source.randint(1, 2)]), source.choice(["sum", "max"]))
            p, weight, distance = plain(bound), source.choice([1, 1.1, 1.15, 1.5, 2, 7.3]), stack.prepare(bound.problem)
            arguments = p.initial, p.successors, p.is_goal, p.h, name, weight
            expected = bounded_suboptimal(*arguments, distance=plain(distance).h)
            search = BoundedSearch(bound, preference, weight, distance=distance)
            assert outcome(search, bound.problem, expected) == expected
            changed += expected["expanded"] != bounded_suboptimal(*arguments)["expanded"]
            if bound.stack.admissible and expected["status"] == "solved":
                assert search.bound is not None
                assert search.cost <= search.bound * exact(graph)[0] <= weight * exact(graph)[0]
    assert changed > 15


def note(search: Search, seen: list[tuple[int, float | None]]) -> None:
    seen.append((search.cost, search.bound))


@pytest.mark.parametrize("given", drawn_or_each(TIES))
def test_anytime_search_equals_the_naive_one(given: Ties | None) -> None:
    for source, bound in problems(f"anytime {given}"):
        p, ties = plain(bound), drawn(source, given, TIES)
        weights = source.choice([(5.0, 3.0, 2.0, 1.5, 1.0), (2.0,), (3.0, 1.0), (1.0, 4.0)])
        reopen = source.random() < 0.7
        expected = anytime(
            p.initial, p.successors, p.is_goal, p.h, weights, ties, reopen,
            bound.stack.admissible is True, bound.stack.consistent is True,
        )  # fmt: skip
        costs, proven = expected.pop("costs"), expected.pop("bound")
        if not bound.kernels:
            expected["evaluated"] = 0
        search = AnytimeAStar(ties, reopen, weights).start(bound, None)
        seen: list[tuple[int, float | None]] = []
        status = run(search, Limits(), improved=partial(note, search, seen))
        assert [cost for cost, _ in seen] == costs == sorted(costs, reverse=True)
        counts = search.counts
        found = {name: getattr(counts, name) for name in expected if name not in ("status", "cost")}
        assert {"status": status, "cost": search.cost if costs else None, **found} == expected
        assert search.bound == proven


@pytest.mark.parametrize("given", drawn_or_each(TIES))
def test_anytime_repairing_search_equals_the_naive_one(given: Ties | None) -> None:
    """Inconsistent heuristics need iterations after the last weight."""
    reopened = again = 0
    for source, bound in itertools.chain(problems(f"ara {given}"), connected(f"ara {given}")):
        p, ties = plain(bound), drawn(source, given, TIES)
        weights = source.choice([(5.0, 3.0, 2.0, 1.5, 1.0), (2.0,), (3.0, 1.0), (1.0, 4.0)])
        admissible, consistent = bound.stack.admissible is True, bound.stack.consistent is True
        expected = ara(p.initial, p.successors, p.is_goal, p.h, ties, weights, admissible, consistent, 3)
        proven = expected.pop("bound")
        search = compare_improvements(bound, AnytimeRepairingAStar(ties, weights, seed=3), expected)
        assert search.bound == pytest.approx(proven)  # rounded up, by one bit
        reopened += expected["reopened"] > 0
        again += expected["iterations"] > len(weights)
    assert reopened > 10
    assert again > 1


@pytest.mark.parametrize("given", drawn_or_each(TIES))
def test_nonparametric_search_equals_the_naive_one(given: Ties | None) -> None:
    several = 0
    for source, bound in itertools.chain(problems(f"ana {given}"), connected(f"ana {given}")):
        p, ties = plain(bound), drawn(source, given, TIES)
        expected = ana(p.initial, p.successors, p.is_goal, p.h, ties, bound.stack.admissible is True, 3)
        proven = expected.pop("bound")
        several += len(expected["costs"]) > 1
        assert compare_improvements(bound, AnytimeNonparametricAStar(ties, seed=3), expected).bound == proven
    assert several > 2


@pytest.mark.parametrize("algorithm", [LocalSearchSpace, RealTimeAdaptiveAStar])
def test_real_time_search_equals_the_naive_one(algorithm: type[LocalSearchSpace | RealTimeAdaptiveAStar]) -> None:
    """The trajectory, too. The length of the steps of the search has no effect."""
    ends, reopened, most = Counter[str](), 0, 120
    for source, bound in itertools.chain(problems(algorithm, largest_cave=4, graphs=330), connected(algorithm)):
        p, lookahead = plain(bound), source.choice([1, 2, 3, 7, 20, 50])
        expected = real_time(p.initial, p.successors, p.is_goal, p.h, lookahead, algorithm.learns_distances, most)
        walk, largest = expected.pop("walk"), expected.pop("largest")
        if not bound.kernels:
            expected["evaluated"] = 0
        search, status, problem = algorithm(lookahead).start(bound, None), StepStatus.RUNNING, bound.problem
        while status in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY) and search.counts.expanded < most:
            status = search.step(min(source.randint(1, 3), most - search.counts.expanded))
            assert status != StepStatus.OUT_OF_MEMORY or search.grow(None)
        counts, state, states = search.counts.by_column(), problem.initial, [p.initial]
        found = {"status": _NAMES[status], "cost": search.cost if status == StepStatus.SOLVED else None, **counts}
        assert {name: found[name] for name in expected} == expected
        for code in search.path():
            state = next(after for after, _, action in problem.successors(state) if action == code)
            states.append(state.tobytes())
        assert states == walk
        if len(walk) > 1:
            assert search.measured["largest_expansions_per_move"] == largest
        if status == StepStatus.SOLVED:
            check_path(search, problem)
        ends[expected["status"]] += 1
        reopened += expected["reopened"] > 0
    assert min(ends[name] for name in _NAMES.values()) > 2
    assert reopened > 0


_NAMES = {
    StepStatus.SOLVED: "solved",
    StepStatus.EXHAUSTED: "unsolvable",
    StepStatus.CUTOFF: "cutoff",
    StepStatus.RUNNING: "node_limit",
}


def test_every_search_algorithm_is_compared() -> None:
    tested = {"ucs", "greedy", "astar", "bfs", "dfs", "ids", "idastar", "beam", "anytime_astar", *BOUNDED}
    tested |= {"bidirectional", "mm", "bae", "nbs", "dvcbs", "reverse_astar", "bts", "dfbnb", "rbfs", "ara", "ana"}
    tested |= {"lss_lrta", "rtaa"}
    elsewhere = {
        "weighted_astar",
        "k_best",
        *ONLY_IN,
    }  # the former is A* with a weight; tests of their own compare the others
    assert set(SEARCHES) == tested | elsewhere
