"""Random explicit graphs as worlds in plain Python, tables as heuristics, and any problem as plain functions."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from heuristics.python_heuristic import PythonHeuristic
from heuristics.stack import BoundStack
from worlds.interface import Instance, Problem
from worlds.python_world import PythonWorld


@dataclass(frozen=True)
class Graph(PythonWorld):
    """Edges (from, to, cost); node 0 is the start."""

    edges: tuple[tuple[int, int, int], ...]
    goal_nodes: tuple[int, ...]
    max_successors = 64

    def initial(self) -> int:
        return 0

    def successors(self, state: int):
        return [(f"{k}: to {v}", v, cost) for k, (u, v, cost) in enumerate(self.edges) if u == state]

    def is_goal(self, state: int) -> bool:
        return state in self.goal_nodes

    def predecessors(self, state: int):
        return [(f"{k}: to {v}", u, cost) for k, (u, v, cost) in enumerate(self.edges) if v == state]

    def goals(self):
        return self.goal_nodes

    def instance(self) -> Instance:
        return next(iter(self.instances()))


class UnitGraph(Graph):
    """Every edge costs 1."""

    unit_costs = True


def random_graph(source: random.Random, largest_cost: int = 9, largest: int = 9) -> Graph:
    """A few nodes, with cycles, loops and parallel edges; often without a solution."""
    nodes = source.randint(1, largest)
    kind = UnitGraph if largest_cost == 1 else Graph
    lowest = 1 if largest_cost == 1 else 0
    edges = tuple(
        (source.randrange(nodes), source.randrange(nodes), source.randint(lowest, largest_cost))
        for _ in range(source.randint(0, 3 * nodes))
    )
    return kind(edges, tuple(sorted({source.randrange(nodes) for _ in range(source.randint(1, 2))})))


def exact(graph: Graph, backward: bool = False) -> dict[int, float]:
    """Distances of all nodes to the nearest goal, or from the start."""
    queue = [(0, 0)] if backward else [(0, goal) for goal in graph.goal_nodes]
    distance: dict[int, float] = {}
    while queue:
        d, node = heapq.heappop(queue)
        if node not in distance:
            distance[node] = d
            for u, v, cost in graph.edges:
                if (u if backward else v) == node:
                    heapq.heappush(queue, (d + cost, v if backward else u))
    return distance


@dataclass(frozen=True, eq=False)
class Table(PythonHeuristic):
    """Values per node, in both directions."""

    registered_name = "table"
    values: dict[int, float]
    backward_values: dict[int, float]
    is_admissible: bool | None

    @property
    def admissible(self) -> bool | None:
        return self.is_admissible

    def value(self, state: Any, world: Any) -> float:
        return self.values.get(state, math.inf)

    def backward_value(self, state: Any, world: Any) -> float:
        return self.backward_values.get(state, math.inf)


def random_table(source: random.Random, graph: Graph, admissible: bool) -> Table:
    """An admissible table is mostly not consistent, and infinite at some of the dead ends."""

    nodes = {0, *graph.goal_nodes, *(node for u, v, _ in graph.edges for node in (u, v))}

    def below(distance: dict[int, float]) -> dict[int, float]:
        finite = {node: source.randint(0, int(d)) for node, d in distance.items()}
        return {node: finite.get(node, source.choice([3, math.inf])) for node in sorted(nodes)}

    if admissible:
        return Table(below(exact(graph)), below(exact(graph, backward=True)), True)
    return Table(*({node: source.choice([0, 1, 2, 5, 9, math.inf]) for node in sorted(nodes)} for _ in range(2)), None)


@dataclass(frozen=True)
class Plain:
    """A problem as functions of hashable states."""

    initial: bytes
    goals: list[bytes]
    successors: Callable[[bytes], list[tuple[bytes, int]]]
    predecessors: Callable[[bytes], list[tuple[bytes, int]]]
    is_goal: Callable[[bytes], bool]
    h: Callable[[bytes], float]
    backward_h: Callable[[bytes], float]


def plain(bound: BoundStack) -> Plain:
    problem: Problem = bound.problem
    backward = bound.stack.prepare_backward(problem)
    width = 8 * problem.initial.size

    def words(state: bytes) -> np.ndarray:
        return np.frombuffer(state, np.uint64).copy()

    def steps(is_backward: bool):
        return cache(
            lambda state: [(s.tobytes(), c) for s, c, _ in problem.successors(words(state), backward=is_backward)]
        )

    goals = b"" if problem.goals is None else problem.goals.tobytes()
    return Plain(
        problem.initial.tobytes(),
        list(dict.fromkeys(goals[at : at + width] for at in range(0, len(goals), width))),
        steps(False),
        steps(True),
        cache(lambda state: bool(problem.is_goal.compiled(problem.world, words(state), 0))),
        cache(lambda state: bound.evaluate(words(state))),
        cache(lambda state: backward.evaluate(words(state))),
    )
