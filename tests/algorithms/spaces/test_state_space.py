"""State spaces, exact distances and heuristic values, against naive searches in explicit graphs and caves."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest
from runner.examples.pancake import Pancake

import runner
from algorithms.engine.search import Limits
from algorithms.spaces.distances import INFINITY
from algorithms.spaces.state_space import StateSpace, TooLarge
from algorithms.spaces.state_values import values, values_along_steps
from heuristics.interface.stack import Stack
from tests.caves import any_cave, distances, instance, reachable
from tests.graphs import Graph, exact, random_graph, random_table
from tests.puzzles import stack
from tests.stacks import WUMPUS, documented
from worlds.compile.errors import KernelError
from worlds.interface.instance import Unsolvable
from worlds.interface.python_world import PythonWorld


def reached(graph: Graph) -> set[int]:
    """Return the nodes that can be reached if goals are not expanded."""
    seen, todo = {0}, [0]
    while todo:
        node = todo.pop()
        if node not in graph.goal_nodes:
            after = {v for u, v, _ in graph.edges if u == node} - seen
            seen |= after
            todo += sorted(after)
    return seen


@pytest.mark.parametrize("largest", [9, 300])
def test_exact_distances_of_random_graphs(largest: int) -> None:
    """The graphs have costs of 0 to 9, loops, parallel edges, unreachable goals and dead ends."""
    source = random.Random(f"space {largest}")
    far = solvable = 0
    for _ in range(200 if largest == 9 else 12):
        graph = random_graph(source, source.choice([1, 3, 9]), largest)
        problem = graph.instance().problem()
        space = StateSpace(problem)
        truth = exact(graph)
        nodes = [problem.unpack(space.state(number)) for number in range(space.count)]
        assert sorted(nodes) == sorted(reached(graph))
        assert nodes[0] == 0
        for number, node in enumerate(nodes):
            assert space.distance[number] == truth.get(node, INFINITY)
            assert space.is_goal[number] == (node in graph.goal_nodes)
            steps = range(space.first[number], space.first[number + 1])
            found = [(nodes[space.target[step]], space.cost[step]) for step in steps]
            expected = [] if space.is_goal[number] else [(v, c) for u, v, c in graph.edges if u == node]
            assert found == expected
            codes = [*space.path(number), *space.path_to_goal(number)]
            replay = graph.instance().world.replay(problem.plan(codes))
            assert replay.reaches_goal == (node in truth)
            far += node not in truth
            solvable += node in truth
        way = problem.plan(space.path_to_goal(0))
        assert graph.instance().world.replay(way).cost == truth.get(0, 0)
        assert list(space.find(space.all_states())) == list(range(space.count))
    assert min(far, solvable) > 100


@pytest.mark.parametrize("formulation", ["cardinal", "primitive"])
def test_exact_distances_of_caves(formulation: str) -> None:
    source = random.Random(f"caves {formulation}")
    for _ in range(60):
        problem = instance(any_cave(source, source.randint(1, 5), source.randint(2, 5)), formulation).problem()
        space = StateSpace(problem)
        edges = reachable(problem)
        truth = distances(edges)
        states = space.all_states().tolist()
        assert set(states) == set(edges)
        assert space.distance.tolist() == [truth.get(state, INFINITY) for state in states]


def test_the_8_puzzle_has_the_published_size_and_largest_distance() -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    space = StateSpace(board.problem())
    assert (space.count, len(space.target), space.distance.max()) == (181_440, 483_840 - 2, 31)
    assert space.distance[0] == runner.solve(board, "astar", "manhattan").cost
    state = space.state(0)
    for code in space.path(1000):
        state = next(after for after, _, action in space.problem.successors(state) if action == code)
    assert list(space.find(state)) == [1000]


def test_find_returns_minus_1_for_an_unreachable_state() -> None:
    board = runner.load("npuzzle/random", size=3, count=1)[0]
    space = StateSpace(board.problem())
    odd = board.world.state((0, 2, 1, 3, 4, 5, 6, 7, 8))
    even = board.world.state((0, 1, 2, 3, 4, 5, 6, 7, 8))  # only one of the two is reachable, because of its parity
    assert sorted(np.sign(space.find(np.concatenate([odd, even])))) == [-1, 1]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(nodes=1000), r"more than 1,000 states \(limits.nodes\): [\d,]+ states found so far, [\d,]+ of them"),
        (Limits(memory=100_000), r"more than 100,000 bytes \(limits.memory\)"),
        (Limits(time=1e-9), r"more than 1e-09 s \(limits.time\)"),
    ],
)
def test_a_limit_raises_too_large(limits: Limits, message: str) -> None:
    board = runner.load("npuzzle/random", size=4, count=1)[0]
    with pytest.raises(TooLarge, match=message):
        StateSpace(board.problem(), limits)


def test_watch_gets_the_number_of_states_during_the_exploration() -> None:
    seen: list[int] = []
    space = StateSpace(next(iter(Pancake(size=6).instances())).problem(), watch=seen.append)
    assert seen == sorted(seen)
    assert (seen[-1], space.count) == (720, 720)


@pytest.mark.parametrize("name", WUMPUS)
def test_values_of_all_states_equal_those_of_single_states(name: str) -> None:
    source = random.Random(name)
    compared = 0
    for _ in range(25):
        problem = instance(any_cave(source, source.randint(2, 5), source.randint(2, 5))).problem()
        try:
            bound = documented(name).prepare(problem)
        except Unsolvable:
            continue
        space = StateSpace(bound.problem)
        h = values(bound, space.all_states())
        each = [bound.evaluate(space.state(number)) for number in range(space.count)]
        assert [math.inf if value == INFINITY else value for value in h] == each
        assert (values_along_steps(bound, space, h) == h[space.target]).all()
        compared += space.count
    assert compared > 300


def test_values_of_a_heuristic_in_plain_python_equal_its_table() -> None:
    source = random.Random(4)
    for _ in range(50):
        graph = random_graph(source, 9, 30)
        table = random_table(source, graph, False)
        problem = graph.instance().problem()
        bound = Stack((table,)).prepare(problem)
        space = StateSpace(problem)
        h = values(bound, space.all_states())
        expected = [table.value(problem.unpack(space.state(number)), graph) for number in range(space.count)]
        assert [math.inf if value == INFINITY else value for value in h] == expected
        assert (values_along_steps(bound, space, h) == h[space.target]).all()


def test_values_along_steps_differ_exactly_at_the_steps_of_a_state_with_a_wrong_value() -> None:
    """`values_along_steps` computes the value after a step from the given value before it."""
    board = runner.load("npuzzle/random", size=[2, 3], count=1, seed=5)[0]
    bound = stack("manhattan").prepare(board.problem())
    space = StateSpace(board.problem())
    h = values(bound, space.all_states())
    h[50] += 1
    differs = np.flatnonzero(values_along_steps(bound, space, h) != h[space.target])
    steps, into = np.arange(len(space.target)), space.target == 50
    out_of = (steps >= space.first[50]) & (steps < space.first[51])
    assert set(differs) == set(np.flatnonzero(into | out_of))


class Changing(PythonWorld):
    """World whose successors change from call to call."""

    calls = itertools.count()

    def initial(self) -> int:
        return 0

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [("on", (state + 1 + next(self.calls)) % 9, 1)] * (1 + next(self.calls) % 3)

    def is_goal(self, state: Any) -> bool:
        return False


def test_successors_that_change_raise_kernel_error() -> None:
    problem = next(iter(Changing().instances())).problem()
    space = StateSpace(problem)
    bound = Stack().prepare(problem)
    with pytest.raises(KernelError, match="other successors than before"):
        values_along_steps(bound, space, values(bound, space.all_states()))
