"""Other implementations of A* on worlds in plain Python: hand-written, networkx, simpleai.

The libraries belong to the extra `benchmarks`. They have no types.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from worlds.interface import PythonWorld

Heuristic = Callable[[Any], float]
Outcome = tuple[float, int | None]
"""Cost of the solution, and number of expansions, if known."""


def by_hand(world: PythonWorld, h: Heuristic) -> Outcome:
    """Run a good hand-written A*: a heap of tuples, and dictionaries."""
    start = world.initial()
    parent: dict[Any, Any] = {start: None}
    g: dict[Any, float] = {start: 0}
    closed = set[Any]()
    value = {start: h(start)}
    queue = [(value[start], value[start], start)]
    successors, is_goal, push, pop = world.successors, world.is_goal, heapq.heappush, heapq.heappop
    while queue:
        _, _, state = pop(queue)
        if state in closed:
            continue
        if is_goal(state):
            return g[state], len(closed)
        closed.add(state)
        own = g[state]
        for _, successor, cost in successors(state):
            known = g.get(successor)
            if known is None or own + cost < known:
                if known is None:
                    value[successor] = h(successor)
                elif successor in closed:
                    closed.remove(successor)
                g[successor] = own + cost
                parent[successor] = state
                push(queue, (own + cost + value[successor], value[successor], successor))
    raise ValueError("no solution")


def networkx_graph(world: PythonWorld) -> Any:
    """Build the whole graph of a world, which networkx needs."""
    import networkx

    graph, todo = networkx.DiGraph(), [world.initial()]
    graph.add_node(todo[0])
    while todo:
        state = todo.pop()
        for _, successor, cost in world.successors(state):
            if successor not in graph:
                todo.append(successor)
            graph.add_edge(state, successor, weight=cost)
    return graph


def networkx_astar(graph: Any, world: PythonWorld, h: Heuristic) -> Outcome:
    """Run the A* of networkx, which does not report its expansions."""
    import networkx

    assert world.goals is not None
    goal = next(iter(world.goals()))
    path = networkx.astar_path(graph, world.initial(), goal, heuristic=lambda state, _: h(state))
    return sum(graph[a][b]["weight"] for a, b in pairwise(path)), None


def simpleai_astar(world: PythonWorld, h: Heuristic) -> Outcome:
    """Run the A* of simpleai."""
    from simpleai.search import SearchProblem, astar

    class Problem(SearchProblem):
        expanded = 0

        def actions(self, state: Any) -> list[Any]:
            self.expanded += 1
            return [(successor, cost) for _, successor, cost in world.successors(state)]

        def result(self, state: Any, action: Any) -> Any:
            return action[0]

        def cost(self, state: Any, action: Any, after: Any) -> int:
            return action[1]

        def is_goal(self, state: Any) -> bool:
            return world.is_goal(state)

        def heuristic(self, state: Any) -> float:
            return h(state)

    problem = Problem(world.initial())
    found = astar(problem, graph_search=True)
    return found.cost, problem.expanded
