"""Random explicit graphs as worlds in plain Python, tables as heuristics, and problems as functions of states."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from heuristics.interface.python_heuristic import PythonHeuristic
from heuristics.interface.stack import BoundStack
from worlds.interface.instance import Instance, Words
from worlds.interface.python_world import PythonWorld


@dataclass(frozen=True)
class Graph(PythonWorld):
    """Graph with edges (from, to, cost). States are the numbers of its nodes; the start is node 0."""

    edges: tuple[tuple[int, int, int], ...]
    goal_nodes: tuple[int, ...]
    max_successors = 64

    def initial(self) -> int:
        return 0

    @cached_property
    def _steps(self) -> tuple[dict[int, list[tuple[str, int, int]]], dict[int, list[tuple[str, int, int]]]]:
        """Steps out of each node, and into each."""
        out: dict[int, list[tuple[str, int, int]]] = {}
        into: dict[int, list[tuple[str, int, int]]] = {}
        for k, (u, v, cost) in enumerate(self.edges):
            out.setdefault(u, []).append((f"{k}: to {v}", v, cost))
            into.setdefault(v, []).append((f"{k}: to {v}", u, cost))
        return out, into

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return self._steps[0].get(state, [])

    def is_goal(self, state: Any) -> bool:
        return state in self.goal_nodes

    def predecessors(self, state: Any) -> list[tuple[str, int, int]]:
        return self._steps[1].get(state, [])

    def goals(self) -> tuple[int, ...]:
        return self.goal_nodes

    def instance(self) -> Instance:
        return next(iter(self.instances()))


class UnitGraph(Graph):
    """Graph whose edges all cost 1, and which declares it."""

    unit_costs = True


def random_graph(source: random.Random, largest_cost: int = 9, largest: int = 9) -> Graph:
    """Return a graph of at most `largest` nodes, with cycles, loops and parallel edges; often without a solution."""
    nodes = source.randint(1, largest)
    kind = UnitGraph if largest_cost == 1 else Graph
    lowest = 1 if largest_cost == 1 else 0
    edges = tuple(
        (source.randrange(nodes), source.randrange(nodes), source.randint(lowest, largest_cost))
        for _ in range(source.randint(0, 3 * nodes))
    )
    return kind(edges, tuple(sorted({source.randrange(nodes) for _ in range(source.randint(1, 2))})))


def exact(graph: Graph, backward: bool = False) -> dict[int, float]:
    """Return the distances of all nodes to the nearest goal; with `backward`, those from the start."""
    queue = [(0, 0)] if backward else [(0, goal) for goal in graph.goal_nodes]
    steps: dict[int, list[tuple[int, int]]] = {}
    for u, v, cost in graph.edges:
        at, to = (u, v) if backward else (v, u)
        steps.setdefault(at, []).append((cost, to))
    distance: dict[int, float] = {}
    while queue:
        d, node = heapq.heappop(queue)
        if node not in distance:
            distance[node] = d
            for cost, after in steps.get(node, ()):
                heapq.heappush(queue, (d + cost, after))
    return distance


@dataclass(frozen=True, eq=False)
class Table(PythonHeuristic):
    """Heuristic that looks up the value of a node in a table, one table for each direction."""

    registered_name = "table"
    values: dict[int, float]
    backward_values: dict[int, float]
    is_admissible: bool | None
    is_consistent: bool | None = None

    @property
    def admissible(self) -> bool | None:
        return self.is_admissible

    @property
    def consistent(self) -> bool | None:
        return self.is_consistent

    def value(self, state: Any, world: Any) -> float:
        return self.values.get(state, math.inf)

    def backward_value(self, state: Any, world: Any) -> float:
        return self.backward_values.get(state, math.inf)


def random_table(source: random.Random, graph: Graph, admissible: bool) -> Table:
    """Return tables of random values. Admissible ones are mostly inconsistent, and infinite at some dead ends."""
    nodes = {0, *graph.goal_nodes, *(node for u, v, _ in graph.edges for node in (u, v))}

    def at_most(distance: dict[int, float]) -> dict[int, float]:
        finite = {node: source.randint(0, int(d)) for node, d in distance.items()}
        return {node: finite.get(node, source.choice([3, math.inf])) for node in sorted(nodes)}

    def arbitrary() -> dict[int, float]:
        return {node: source.choice([0, 1, 2, 5, 9, math.inf]) for node in sorted(nodes)}

    if admissible:
        return Table(at_most(exact(graph)), at_most(exact(graph, backward=True)), True)
    return Table(arbitrary(), arbitrary(), None)


def consistent_table(source: random.Random, graph: Graph) -> Table:
    """Return tables of consistent values: distances divided by a random number, and rounded down."""

    def part(distance: dict[int, float]) -> dict[int, float]:
        divisor = source.randint(1, 4)
        return {node: d // divisor for node, d in distance.items()}

    return Table(part(exact(graph)), part(exact(graph, backward=True)), True, True)


@dataclass(frozen=True)
class Plain:
    """Problem as functions of hashable states: the bytes of packed states."""

    initial: bytes
    goals: list[bytes]
    successors: Callable[[bytes], list[tuple[bytes, int]]]
    predecessors: Callable[[bytes], list[tuple[bytes, int]]]
    is_goal: Callable[[bytes], bool]
    h: Callable[[bytes], float]
    backward_h: Callable[[bytes], float]


def plain(bound: BoundStack, ranks: Sequence[int] = ()) -> Plain:
    """Return the problem of a stack and the values of the stack as functions of states, for the naive searches.

    Successors have the order of the ranks of their actions, if there are any.
    """
    problem = bound.problem
    backward = bound.stack.prepare_backward(problem)
    width = 8 * problem.initial.size

    def words(state: bytes) -> Words:
        return np.frombuffer(state, np.uint64).copy()

    def steps(is_backward: bool) -> Callable[[bytes], list[tuple[bytes, int]]]:
        def found(state: bytes) -> list[tuple[bytes, int]]:
            every = problem.successors(words(state), backward=is_backward)
            ordered = sorted(every, key=lambda step: ranks[step[2]]) if ranks else every
            return [(after.tobytes(), cost) for after, cost, _ in ordered]

        return cache(found)

    goals = b"" if problem.goals is None else problem.goals.tobytes()
    return Plain(
        problem.initial.tobytes(),
        list(dict.fromkeys(goals[at : at + width] for at in range(0, len(goals), width))),
        steps(False),
        steps(True),
        cache(lambda state: problem.recognises(words(state))),
        cache(lambda state: bound.evaluate(words(state))),
        cache(lambda state: backward.evaluate(words(state))),
    )
