"""Searches for Pareto fronts: fronts and counts of naive ones on random graphs, epsilon, limits, memory, refusals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

import runner
from algorithms.engine.search import Counts, Expansion, Limits, Search, StepStatus
from algorithms.multi_objective import kernel as c
from algorithms.multi_objective.multi_objective import (
    BiObjectiveAStar,
    BiObjectiveDijkstra,
    FrontSearch,
    MultiObjectiveAStar,
)
from algorithms.plan_sets import set_violation
from heuristics.interface.stack import Stack
from runner.base.errors import Incompatible
from tests.algorithms.searching import run
from tests.naive import pareto as naive
from tests.naive.pareto import Arc, Outcome, Vector
from worlds.compile import KernelError
from worlds.interface.instance import Instance
from worlds.road.network import MAX_ARC_COST, Network
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road

Algorithm = BiObjectiveAStar | BiObjectiveDijkstra | MultiObjectiveAStar


@dataclass(frozen=True)
class Graph:
    """Small graph with a start and a goal."""

    nodes: int
    arcs: tuple[Arc, ...]
    start: int
    goal: int
    objectives: int

    @classmethod
    def drawn(cls, source: random.Random, objectives: int | None = None) -> Graph:
        """Draw a graph: with parallel arcs, loops, costs of 0, ties, and goals that cannot be reached."""
        count = source.randint(1, 5) if objectives is None else objectives
        nodes = source.randint(1, 8)
        most = source.choice([1, 3, 10, 100])
        are_opposed = source.random() < 0.7
        arcs = []
        for _ in range(source.randint(nodes, 5 * nodes)):
            costs = tuple(source.randint(0, most) for _ in range(count))
            if are_opposed and count > 1:
                costs = (most - costs[1], *costs[1:])
            arc = Arc(source.randrange(nodes), source.randrange(nodes), costs)
            arcs += [arc] * source.choice([1, 1, 1, 2])
        return cls(nodes, tuple(arcs), source.randrange(nodes), source.randrange(nodes), count)

    def permuted(self, order: Sequence[int]) -> Graph:
        arcs = (Arc(tail, head, tuple(costs[k] for k in order)) for tail, head, costs in self.arcs)
        return Graph(self.nodes, tuple(arcs), self.start, self.goal, self.objectives)

    def instance(self) -> Instance:
        tails = np.array([arc.tail for arc in self.arcs], np.int32)
        heads = np.array([arc.head for arc in self.arcs], np.int32)
        costs = np.array([arc.costs for arc in self.arcs], np.int32).reshape(-1, self.objectives)
        network = Network.of(tails, heads, costs, self.nodes)
        return Instance(Road(SharedNetwork("graph", network), self.start, self.goal), "graph")

    def search(self, algorithm: Algorithm) -> FrontSearch:
        instance = self.instance()
        algorithm.check(instance)
        return algorithm.start(Stack().prepare(instance.problem()), None)

    def costs_of(self, path: Sequence[int]) -> Vector:
        """Return the costs of a path of local numbers of arcs from the start to the goal."""
        node, sums = self.start, (0,) * self.objectives
        for code in path:
            arc = [arc for arc in self.arcs if arc.tail == node][code]
            node, sums = arc.head, naive.plus(sums, arc.costs)
        assert node == self.goal
        return sums


def outcome(search: FrontSearch) -> Outcome:
    counts = search.counts
    return Outcome(front_of(search), counts.expanded, counts.generated, int(search.measured["pruned"] or 0))


def front_of(search: Search) -> list[Vector]:
    return [solution.costs for solution in search.solutions()]


def checked(graph: Graph, algorithm: Algorithm, epsilon: Fraction | int = 0) -> Outcome:
    """Search, compare with the naive search, check the paths, and return the outcome."""
    search = graph.search(algorithm)
    status = run(search, Limits())
    found = outcome(search)
    assert found == naive.best_first(
        graph.arcs,
        graph.start,
        graph.goal,
        graph.objectives,
        estimate=not isinstance(algorithm, BiObjectiveDijkstra),
        epsilon=epsilon,
    )
    assert set_violation(found.front, is_front=True) is None
    assert [graph.costs_of(solution.path) for solution in search.solutions()] == found.front
    assert (status, search.found) == ("solved" if found.front else "unsolvable", len(found.front))
    if found.front:
        assert (search.path(), (search.cost, search.bound)) == (search.solutions()[0].path, (found.front[0][0], 1))
    return found


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 70), *(pytest.param(k, 5000, marks=pytest.mark.long) for k in range(1, 5))]
)
def test_fronts_and_counts_equal_the_naive_ones(seed: int, count: int) -> None:
    """All Pareto-optimal vectors, in each order of the objectives; the algorithms for two objectives agree."""
    source = random.Random(f"fronts {seed}")
    sizes, unsolvable, at_goal = 0, 0, 0
    for _ in range(count):
        graph = Graph.drawn(source)
        expected = sorted(naive.fronts(graph.arcs, graph.start, graph.objectives).get(graph.goal, set()))
        found = checked(graph, MultiObjectiveAStar())
        assert found.front == expected, graph
        if graph.objectives == 2:
            assert checked(graph, BiObjectiveAStar()) == found
            assert checked(graph, BiObjectiveDijkstra()).front == expected
        order = source.choice([*permutations(range(graph.objectives))])
        permuted = checked(graph.permuted(order), MultiObjectiveAStar()).front
        assert permuted == sorted(tuple(vector[k] for k in order) for vector in expected), graph
        sizes += len(expected) > 2
        unsolvable += not expected
        at_goal += graph.start == graph.goal
    assert min(sizes, unsolvable, at_goal) > count / 10


@pytest.mark.parametrize("count", [150, pytest.param(3000, marks=pytest.mark.long)])
def test_epsilon_covers_the_front_with_vectors_of_it(count: int) -> None:
    source = random.Random(f"epsilon {count}")
    fewer = 0
    for _ in range(count):
        graph = Graph.drawn(source, source.choice([1, 2, 2, 2, 3, 4]))
        epsilon = source.choice([0.01, 0.1, 0.5, 1.0, 3.0, 1000.0])
        exact = Fraction(int(epsilon * (1 << c.EPSILON_BITS)), 1 << c.EPSILON_BITS)
        front = naive.fronts(graph.arcs, graph.start, graph.objectives).get(graph.goal, set())
        found = checked(graph, MultiObjectiveAStar(epsilon), exact)
        assert {*found.front} <= front
        assert all(any(naive.covers(each, vector, exact) for each in found.front) for vector in front)
        if graph.objectives == 2:
            assert checked(graph, BiObjectiveAStar(epsilon), exact) == found
        fewer += len(found.front) < len(front)
    assert fewer > count / 20


def doubling(levels: int, first: int = 1) -> Graph:
    """Return Hansen's graph (1980): a chain of two arcs each, with 2^levels Pareto-optimal paths."""
    arcs = [Arc(k, k + 1, costs) for k in range(levels) for costs in ((first << k, 0), (0, first << k))]
    return Graph(levels + 1, tuple(arcs), 0, levels, 2)


@cache
def opposed(side: int = 24, objectives: int = 2) -> Graph:
    """Return a grid whose second cost falls where the first one rises."""
    source = random.Random(0)
    arcs = []
    for node in range(side * side):
        for other in [node + 1] * (node % side < side - 1) + [node + side] * (node < side * (side - 1)):
            first = source.randint(1, 20)
            costs = (first, 21 - first, *(source.randint(1, 20) for _ in range(objectives - 2)))
            arcs += [Arc(node, other, costs), Arc(other, node, costs)]
    return Graph(side * side, tuple(arcs), 0, side * side - 1, objectives)


def test_a_front_may_have_thousands_of_vectors() -> None:
    search = doubling(12).search(BiObjectiveAStar())
    assert run(search, Limits()) == "solved"
    assert front_of(search) == [(first, (1 << 12) - 1 - first) for first in range(1 << 12)]


@pytest.mark.parametrize("algorithm", [BiObjectiveAStar(), MultiObjectiveAStar()])
def test_steps_of_any_budget_and_growth_make_the_same_search(algorithm: Algorithm) -> None:
    graph = opposed(16)
    whole, single = graph.search(algorithm), graph.search(algorithm)
    assert run(whole, Limits()) == "solved"
    status = StepStatus.RUNNING
    while status in (StepStatus.RUNNING, StepStatus.OUT_OF_MEMORY):
        before = single.expanded
        status = single.step(1)
        assert single.expanded <= before + 1
        assert status != StepStatus.OUT_OF_MEMORY or single.grow(None)
    assert single.counts == whole.counts
    assert single.solutions() == whole.solutions()
    assert whole.counts.peak_nodes > 4000


def test_labels_take_at_most_forty_bytes() -> None:
    counts = solved(opposed(), BiObjectiveAStar()).counts
    assert counts.peak_nodes > 20_000
    assert counts.memory_bytes < 40 * counts.peak_nodes


def solved(graph: Graph, algorithm: Algorithm) -> FrontSearch:
    search = graph.search(algorithm)
    assert run(search, Limits()) == "solved"
    return search


@pytest.mark.parametrize("algorithm", [BiObjectiveAStar(), BiObjectiveDijkstra(), MultiObjectiveAStar()])
@pytest.mark.parametrize("share", [0.2, 0.9])
def test_a_limit_leaves_the_proven_part_of_the_front(algorithm: Algorithm, share: float) -> None:
    graph = opposed()
    whole = solved(graph, algorithm)
    front = front_of(whole)
    search = graph.search(algorithm)
    most = int(share * whole.expanded)
    assert run(search, Limits(nodes=most)) == "node_limit"
    assert search.expanded == most
    assert front_of(search) == front[: search.found]
    limited = graph.search(algorithm)
    memory = limited.counts.memory_bytes
    limit = memory + int(share * (whole.counts.memory_bytes - memory))
    assert run(limited, Limits(memory=limit)) == "memory_limit"
    assert limited.counts.memory_bytes <= limit
    assert front_of(limited) == front[: limited.found]


@dataclass(frozen=True)
class FewSolutions(Limits):
    """Limits with a number of solutions."""

    solutions: int | None = None


def test_a_step_ends_with_as_many_solutions_as_the_limits_allow() -> None:
    search = opposed().search(MultiObjectiveAStar())
    seen = list[int]()

    def stop(_: Counts) -> bool:
        seen.append(search.found)
        return search.found >= 5

    assert run(search, FewSolutions(solutions=5), stop) == "interrupted"
    assert (search.found, search.has_solution) == (5, True)
    assert max(seen) == 5
    assert front_of(search) == front_of(solved(opposed(), MultiObjectiveAStar()))[:5]


def test_costs_above_the_limit_of_the_engine_are_an_error() -> None:
    assert front_of(solved(doubling(1, MAX_ARC_COST), BiObjectiveAStar())) == [(0, MAX_ARC_COST), (MAX_ARC_COST, 0)]
    for count in (2, 3, 9):
        chain = Graph(count + 1, tuple(Arc(k, k + 1, (1, MAX_ARC_COST)) for k in range(count)), 0, count, 2)
        for algorithm in (BiObjectiveAStar(), BiObjectiveDijkstra(), MultiObjectiveAStar()):
            with pytest.raises(KernelError, match="costs more than"):
                run(chain.search(algorithm), Limits())


def test_every_expansion_is_told() -> None:
    graph = opposed(6)
    search, told = graph.search(BiObjectiveAStar()), list[Expansion]()
    search.record = told.append
    assert run(search, Limits()) == "solved"
    assert len(told) == search.expanded
    problem = graph.instance().problem()
    assert (problem.unpack(told[0].state), told[0].parent, told[0].g) == (0, None, 0)
    for each in told[1:]:
        assert each.parent is not None
        parent, node = problem.unpack(each.parent), problem.unpack(each.state)
        assert (parent, node) in {arc[:2] for arc in graph.arcs}
        assert len(each.steps) == sum(arc.tail == node for arc in graph.arcs)


def test_the_estimate_of_the_start_is_that_of_the_first_objective() -> None:
    arcs = (Arc(0, 1, (3, 1)), Arc(0, 1, (1, 4)))
    assert Graph(2, arcs, 0, 1, 2).search(BiObjectiveAStar()).initial_h == 1
    assert Graph(2, arcs, 0, 1, 2).search(BiObjectiveDijkstra()).initial_h == 0
    assert Graph(2, arcs, 1, 0, 2).search(MultiObjectiveAStar()).initial_h is None


def test_other_worlds_and_other_numbers_of_objectives_are_refused() -> None:
    three = opposed(3, 3).instance()
    for algorithm in (BiObjectiveAStar(), BiObjectiveDijkstra()):
        with pytest.raises(Incompatible, match=r"needs two objectives, and graph has 3; choose algorithm=namoadr"):
            algorithm.check(three)
    MultiObjectiveAStar().check(three)
    with pytest.raises(Incompatible, match="searches road networks only, not hanoi"):
        MultiObjectiveAStar().check(runner.load("hanoi/tower")[0])
