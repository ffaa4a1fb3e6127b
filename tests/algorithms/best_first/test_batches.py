"""A* in batches: against the naive search, against A*, and what it proves."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import pytest

import runner
from algorithms.best_first.best_first import AStar, BatchedSearch, BestFirstSearch, Priority, Ties, WeightedAStar
from algorithms.engine import open_list
from algorithms.engine.search import Limits, ResumableSearch, Search, StepStatus
from heuristics.interface import stack_of_entries
from heuristics.interface.priority import PriorityFunction
from heuristics.interface.python_heuristic import MAX_BATCH
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from runner.base.errors import Incompatible
from runner.config.cell import sections
from tests.algorithms.searching import run
from tests.graphs import Graph, Table, consistent_table, exact, plain, random_graph, random_table
from tests.naive.batched import batched
from tests.sampling import covering

TIES = get_args(Ties)
BATCHES = 2, 7, 64, 4096
SCHEDULES: tuple[Weighting, ...] = (
    Constant(0),
    Constant(0.6),
    Constant(1),
    Constant(1.1),
    Constant(2.5),
    Geometric(1.5, 1.7, 2, 5, reorder_open=True),
    Linear(0, 6, 9, 2),
    Linear(5, 1, 7, 3, reorder_open=True),
    Dynamic(4, 5),
)


def graphs(seed: object, count: int) -> Iterator[tuple[random.Random, Graph]]:
    """Yield sparse graphs, and connected ones with many paths to each state and up to three goals."""
    source = random.Random(str(seed))
    for number in range(count):
        if number % 2:
            yield source, random_graph(source, source.choice([1, 9, 40]), 40)
            continue
        nodes = source.randint(5, 40)
        steps = [(source.randrange(nodes), source.randrange(nodes), source.randint(0, 40)) for _ in range(5 * nodes)]
        yield source, Graph(tuple(steps), tuple(range(nodes - source.randint(1, 3), nodes)))


def stepped(search: ResumableSearch, source: random.Random) -> StepStatus:
    """Run a search in steps of random lengths. Its arrays grow when they are full."""
    while True:
        status = search.step(source.randint(1, 4))
        if status == StepStatus.OUT_OF_MEMORY:
            assert search.grow(None)
        elif status not in (StepStatus.RUNNING, StepStatus.IMPROVED):
            return status


def check_bound(bound: float | None, cost: int, optimum: float) -> None:
    """Check that a bound is true."""
    if bound is not None:
        assert bound >= 1
        assert cost <= bound * optimum


def compare(search: Search, status: str, bound: BoundStack, reopen: bool, expected: dict[str, Any]) -> None:
    """Compare the end of a search with that of the naive one: counts, the solution so far, and what it proves."""
    has_solution = status == "solved" or search.has_solution
    found = {"status": status, "cost": search.cost if has_solution else None}
    found |= {name: getattr(search.counts, name) for name in ("expanded", "generated", "evaluated", "reopened")}
    assert found == {name: value for name, value in expected.items() if name != "least"}
    if not has_solution:
        return
    problem = bound.problem
    replay = problem.world.replay(problem.plan(search.path()))
    assert (replay.reaches_goal, replay.cost) == (True, search.cost)
    least, proven = expected["least"], None
    if bound.stack.admissible and reopen:
        proven = 1 if search.cost <= least else None if least <= 0 else search.cost / least
    assert search.bound == (None if proven is None else pytest.approx(proven, rel=1e-15))


@pytest.mark.parametrize("stop", ["proven", "first"])
def test_it_is_the_naive_search(stop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the length of its steps nor the growth of its arrays has an effect, and a limit ends it in a batch."""
    monkeypatch.setattr(open_list, "_FIRST_ENTRIES", 1)
    improved = limited = 0
    for source, graph in graphs(f"naive {stop}", 150):
        table = random_table(source, graph, admissible=source.random() < 0.7)
        bound = Stack((table,)).prepare(graph.instance().problem())
        ties, reopen, seed = source.choice(TIES), source.random() < 0.7, source.choice([0, 2**62 - 1])
        batch, weight = source.choice([2, 3, 7, 64]), source.choice([0, 0.3, 1, 1.5, 3.3])
        algorithm = AStar(ties, reopen, batch=batch, stop=stop, seed=seed)
        p = plain(bound)
        naive: Any = partial(
            batched, p.initial, p.successors, p.is_goal, p.h, weight, ties, reopen, seed, batch,
            admissible=table.admissible is True,
        )  # fmt: skip
        whole, first = naive(stop=stop), naive(stop="first")
        between = source.randint(min(first["expanded"] + 1, whole["expanded"]), whole["expanded"])
        most = source.choice([None, source.randint(1, 20), max(1, between)])
        expected = naive(stop=stop, most=most)
        search = algorithm.start(bound, Constant(weight))
        compare(search, run(search, Limits(nodes=most)), bound, reopen, expected)
        limited += expected["status"] == "node_limit" and expected["cost"] is not None
        again = algorithm.start(bound, Constant(weight))
        assert isinstance(again, BatchedSearch)
        status = {"SOLVED": "solved", "EXHAUSTED": "unsolvable"}[stepped(again, source).name]
        compare(again, status, bound, reopen, whole)
        improved += whole["cost"] != first["cost"]
    assert stop == "first" or min(improved, limited) > 2, (improved, limited)


WORLDS: list[tuple[str, str, dict[str, Any]]] = [
    ("npuzzle/random", "manhattan", {"size": 3}),
    ("npuzzle/random", "linear_conflict", {"size": "2x3"}),
    ("pancake/random", "gap", {"size": 7}),
    ("gridmap/random", "octile", {}),
    ("hanoi/random", "none", {"disks": 5}),
    ("topspin/random", "none", {"tokens": 6}),
    ("graph/martelli", "table", {"n": 6}),
]


@covering({"world": range(len(WORLDS)), "ties": ["low_h", "fifo", "random"]})
def test_a_batch_of_one_is_astar(world: int, ties: str) -> None:
    name, heuristic, parameters = WORLDS[world]
    count = {} if name == "graph/martelli" else {"count": 2}
    for instance in runner.load(name, **parameters, **count):
        names = [] if heuristic == "none" else [heuristic]
        stack = sections.stack_of(instance.world.domain, {"stack": names})
        for weighting in (Constant(1), Constant(2)):
            searches = []
            for kind in (BestFirstSearch, BatchedSearch):
                priority = Priority(1, weighting, ties, seed=3, batch=1, stop="first")
                search = kind(stack.prepare(instance.problem()), priority)
                status = run(search, Limits(nodes=20_000))
                counts = search.counts
                counts.memory_bytes = 0
                searches.append((status, search.cost if status == "solved" else None, counts))
            assert searches[0] == searches[1]


def check_proofs(seed: object, count: int) -> dict[str, int]:
    """Search random graphs in batches, with all that changes what is proven; return how many there were of a kind."""
    seen = dict.fromkeys(("solved", "limited", "weighted", "reopened", "unproven"), 0)
    for source, graph in graphs(seed, count):
        make = source.choice([consistent_table, lambda source, graph: random_table(source, graph, admissible=True)])
        bound = Stack((make(source, graph),)).prepare(graph.instance().problem())
        weighting, batch = source.choice(SCHEDULES), source.choice(BATCHES)
        stop: Any = source.choice(["proven", "proven", "first"])
        algorithm = AStar(source.choice(TIES), source.random() < 0.9, batch=batch, stop=stop, seed=source.randrange(9))
        search = algorithm.start(bound, weighting)
        assert isinstance(search, BatchedSearch)
        status = run(search, Limits())
        if source.random() < 0.4:
            nodes = source.randint(max(1, search.expanded * 2 // 3), max(1, search.expanded))
            search = algorithm.start(bound, weighting)
            assert isinstance(search, BatchedSearch)
            status = run(search, Limits(nodes=nodes))
        optimum = exact(graph).get(0, math.inf)
        assert status != "unsolvable" or optimum == math.inf
        if status != "solved" and not search.has_solution:
            continue
        seen["solved" if status == "solved" else "limited"] += 1
        seen["reopened"] += search.counts.reopened > 0
        seen["unproven"] += search.bound is None
        check_bound(search.bound, search.cost, optimum)
        promised = algorithm.promised_bound(weighting, admissible=True, consistent=True, unit_costs=False)
        if status == "solved" and promised is not None:
            seen["weighted"] += promised > 1
            assert search.cost <= promised * optimum
            assert search.bound is not None
            assert search.bound <= promised * (1 + 1e-12)
        if status == "solved" and stop == "proven" and algorithm.reopen and weighting in (Constant(0.6), Constant(1)):
            assert (search.cost, search.bound) == (optimum, 1)
    return seen


def test_bounds_are_true() -> None:
    seen = check_proofs("bounds", 200)
    assert min(seen.values()) > 1, seen


@pytest.mark.long
def test_bounds_are_true_on_thousands_of_instances() -> None:
    seen = check_proofs("many bounds", 5000)
    print(seen)
    assert min(seen.values()) > 40, seen


@pytest.mark.parametrize("batch", BATCHES)
def test_inconsistent_heuristics_cost_expansions_not_optimality(batch: int) -> None:
    (instance,) = runner.load("graph/martelli", n=8)
    alone = runner.solve(instance, algorithm="astar", heuristic="table")
    result = runner.solve(instance, algorithm={"name": "astar", "batch": batch}, heuristic="table")
    assert (result.cost, result.bound, result.valid) == (alone.cost, alone.bound, True)
    assert result.cost == runner.solve(instance, algorithm="ucs").cost
    assert result.reopened


@pytest.mark.parametrize("batch", BATCHES)
def test_with_exact_values_it_expands_what_lies_within_the_batches_of_one_path(batch: int) -> None:
    """The first node of each batch is on an optimal path, and the last batch finds no f below the cost."""
    for _, graph in graphs(f"exact {batch}", 40):
        table = Table(exact(graph), {}, True, True)
        bound = Stack((table,)).prepare(graph.instance().problem())
        alone = AStar().start(bound, None)
        if run(alone, Limits()) != "solved":
            continue
        search = AStar(batch=batch).start(bound, None)
        assert run(search, Limits()) == "solved"
        assert (search.cost, search.bound) == (alone.cost, 1)
        assert len(search.path()) <= search.expanded <= max(1, batch * alone.expanded)


def test_states_are_evaluated_once_and_in_one_call() -> None:
    """All successors of the nodes of a batch, without duplicates, up to `MAX_BATCH`."""
    assert MAX_BATCH == 100_000
    sizes: list[int] = []
    states: list[Any] = []

    @runner.python_heuristic("listed", domain="npuzzle", batch=True)
    def listed(boards: list[Any]) -> list[int]:
        sizes.append(len(boards))
        states.extend(map(tuple, boards))
        return [0] * len(boards)

    (board,) = runner.load("npuzzle/random", size="2x4", count=1, seed=4)
    stack = stack_of_entries("npuzzle", ["listed"], where="heuristic")
    search = AStar(batch=20_000).start(stack.prepare(board.problem()), None)
    assert run(search, Limits()) == "solved"
    assert len(states) == len(set(states)) == search.counts.evaluated
    assert max(sizes) > 1_000


def test_a_limit_leaves_the_incumbent() -> None:
    """The row is that of an anytime search: solved, with the reason and what is proven until then."""
    algorithm = {"name": "weighted_astar", "batch": 64, "weight": 1.5}
    ended = 0
    for board in runner.load("npuzzle/random", size="2x5", count=6, seed=2):
        whole = runner.solve(board, algorithm=algorithm, heuristic="manhattan")
        first = runner.solve(board, algorithm={**algorithm, "stop": "first"}, heuristic="manhattan")
        optimum = runner.solve(board, algorithm="astar", heuristic="manhattan").cost or 0
        check_bound(whole.bound, int(whole.cost or 0), optimum)
        check_bound(first.bound, int(first.cost or 0), optimum)
        nodes = (first.expanded or 0) + 1
        if nodes < (whole.expanded or 0):
            limited = runner.solve(board, algorithm=algorithm, heuristic="manhattan", limits={"nodes": nodes})
            assert (limited.status, limited.expanded, limited.valid) == ("solved", nodes, True)
            assert "node_limit" in (limited.reason or "")
            assert limited.bound is not None
            check_bound(limited.bound, int(limited.cost or 0), optimum)
            ended += 1
    assert ended


def test_a_time_limit_ends_it_between_two_calls() -> None:
    import time

    @runner.python_heuristic("sleeping", domain="npuzzle", batch=True, admissible=True)
    def sleeping(boards: list[Any]) -> list[int]:
        time.sleep(0.05)
        return [0] * len(boards)

    (board,) = runner.load("npuzzle/random", size=4, count=1, seed=4)
    result = runner.solve(board, algorithm={"name": "astar", "batch": 64}, heuristic="sleeping", limits={"time": 0.4})
    assert result.status == "time_limit"
    seconds, total = result.heuristic_seconds, result.search_seconds
    assert seconds is not None
    assert total is not None
    assert 0.2 < seconds <= total < 2
    assert 0.5 < result.heuristic_share <= 1
    assert result.evaluations_per_second == (result.evaluated or 0) / seconds


def test_parameters_without_effect_are_no_part_of_the_identity() -> None:
    assert AStar(batch=1, stop="first").effective(None) == AStar().effective(None)
    assert AStar(batch=2, stop="first").effective(None) != AStar(batch=2).effective(None)
    assert WeightedAStar(weight=1, batch=2).effective(None) == (AStar(batch=2), None)
    assert AStar(batch=2).effective(Constant(2)) == WeightedAStar(weight=2, batch=2).effective(None)
    assert isinstance(AStar(batch=1).start(_bound(), None), BestFirstSearch)
    assert not isinstance(AStar(batch=1, stop="first").start(_bound(), None), BatchedSearch)


def _bound() -> BoundStack:
    (board,) = runner.load("npuzzle/random", size=3, count=1)
    return sections.stack_of("npuzzle", {"stack": ["manhattan"]}).prepare(board.problem())


def test_what_takes_nodes_one_by_one_is_refused() -> None:
    for rule in ("pathmax", "bpmx", "b"):
        with pytest.raises(Incompatible, match=rf"^algorithm\.batch: algorithm\.inconsistency={rule} takes nodes one"):
            AStar(inconsistency=rule, batch=2).effective(None)
    (xdp,) = itertools.islice((each() for each in _priorities()), 1)
    with pytest.raises(Incompatible, match=r"^algorithm\.batch: weighting=.* takes nodes one by one"):
        AStar(batch=2).effective(xdp)
    (grid,) = runner.load("gridmap/random", count=1, directions=8)
    with pytest.raises(Incompatible, match=r"^algorithm\.batch: algorithm=jps takes nodes one by one"):
        runner.solve(grid, algorithm={"name": "jps", "batch": 2})


def _priorities() -> list[type[PriorityFunction]]:
    from heuristics.interface import WEIGHTINGS

    every = [WEIGHTINGS.find(name) for name in WEIGHTINGS.names()]
    return [each for each in every if issubclass(each, PriorityFunction)]
