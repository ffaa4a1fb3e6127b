"""A* of a library from PyPI on a graph with heuristic values.  python library_astar.py LIBRARY GRAPH

LIBRARY is networkx, simpleai, rustworkx, astar or dijkstar. GRAPH is a file as for `graph/file`, with one goal.
It prints "cost C" and "path NODE NODE ..." with the start. Exit codes: 0 with a path, 3 if there is none.
"""

import importlib
import sys
from itertools import pairwise
from pathlib import Path


def read_graph(path):
    """Return the start, the goal, the costs of the arcs, and the heuristic values of the nodes."""
    start, goal, costs, h = None, None, {}, {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "start:":
            start = words[1]
        elif words[0] == "goal:":
            goal = words[1]
        elif words[0] == "h:":
            for word in words[1:]:
                node, _, value = word.rpartition("=")
                h[node] = float(value)
        else:
            tail, arrow, head, cost = words
            costs[tail, head] = float(cost)
            if arrow == "--":
                costs[head, tail] = float(cost)
    nodes = dict.fromkeys([start, goal, *(node for arc in costs for node in arc)])
    return start, goal, costs, {node: h.get(node, 0.0) for node in nodes}


def heads(costs, node):
    """Return the ends of the arcs from a node."""
    return [head for tail, head in costs if tail == node]


def networkx(library, start, goal, costs, h):
    """Return the path of networkx, or None."""
    graph = library.DiGraph()
    graph.add_nodes_from(h)
    graph.add_weighted_edges_from((tail, head, cost) for (tail, head), cost in costs.items())
    try:
        return library.astar_path(graph, start, goal, lambda node, _: h[node])
    except library.NetworkXNoPath:
        return None


def simpleai(library, start, goal, costs, h):
    """Return the path of simpleai, or None."""
    search = importlib.import_module("simpleai.search")

    class Problem(search.SearchProblem):
        def actions(self, state):
            return heads(costs, state)

        def result(self, state, action):
            return action

        def is_goal(self, state):
            return state == goal

        def cost(self, state, action, successor):
            return costs[state, successor]

        def heuristic(self, state):
            return h[state]

    found = search.astar(Problem(start), graph_search=True)
    return None if found is None else [state for _, state in found.path()]


def rustworkx(library, start, goal, costs, h):
    """Return the path of rustworkx, or None."""
    graph = library.PyDiGraph()
    number = {node: graph.add_node(node) for node in h}
    for (tail, head), cost in costs.items():
        graph.add_edge(number[tail], number[head], cost)
    try:
        path = library.astar_shortest_path(graph, number[start], lambda node: node == goal, float, h.__getitem__)
    except library.NoPathFound:
        return None
    return [graph[place] for place in path]


def astar(library, start, goal, costs, h):
    """Return the path of astar, or None."""
    found = library.find_path(
        start,
        goal,
        neighbors_fnct=lambda node: heads(costs, node),
        heuristic_cost_estimate_fnct=lambda node, _: h[node],
        distance_between_fnct=lambda tail, head: costs[tail, head],
    )
    return None if found is None else list(found)


def dijkstar(library, start, goal, costs, h):
    """Return the path of Dijkstar, or None."""
    graph = library.Graph()
    for node in h:
        graph.add_node(node)
    for (tail, head), cost in costs.items():
        graph.add_edge(tail, head, cost)
    try:
        return library.find_path(graph, start, goal, heuristic_func=lambda _tail, head, _arc, _last: h[head]).nodes
    except library.NoPathError:
        return None


LIBRARIES = {each.__name__: each for each in (networkx, simpleai, rustworkx, astar, dijkstar)}

if __name__ == "__main__":
    name, file = sys.argv[1:]
    start, goal, costs, h = read_graph(file)
    path = LIBRARIES[name](importlib.import_module(name), start, goal, costs, h)
    if path is None:
        sys.exit(3)
    print("cost", sum(costs[arc] for arc in pairwise(path)))
    print("path", *path)
