"""Admissible heuristics of nodes of a constraint tree: the cover of the dependencies between agents in conflict.

A dependency of two agents is by how much the conflicts between them raise the sum of their costs. It weighs their edge
in a graph, and the cheapest cover of the edges (`algorithms.mapf.cover`) is the heuristic.

- cg: 1 if all cheapest paths of one agent and of the other are in one cell, or exchange the same cells, at one time.
- dg: 1 if each cheapest path of one agent has a conflict with each cheapest path of the other.
- wdg: how much more the cheapest pair of paths without conflict costs than the cheapest paths.

Agents depend on each other only if the cheapest paths that they have now are in conflict. The weights depend on the
constraints of both agents alone, so that nodes share them (`weight_slot`). The joint diagram of two decision diagrams
has the pairs of nodes of each time. A pair of paths without conflict leads from its first layer to its last one; the
weight of wdg is found as in increasing-cost tree search.

A node gets its heuristic when it is selected. If this raises its bound, the node is closed, and a copy below it is
opened with the larger bound.

Sources: Felner et al., Adding Heuristics to Conflict-Based Search for Multi-Agent Path Finding, ICAPS 2018 (cg). Li,
Felner, Boyarski, Ma, Koenig, Improved Heuristics for Multi-Agent Path Finding with Conflict-Based Search, IJCAI 2019.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import StepStatus
from algorithms.mapf import constraint_tree as t
from algorithms.mapf import single_agent as s
from algorithms.mapf.conflicts import FIRST_PAIR, NUMBER
from algorithms.mapf.cover import COVER_ROWS, cover
from worlds.compile import helper, kernel

NONE, CG, DG, WDG = range(4)
WEIGHT, COLUMNS = 4, 5
"""Columns of the table of weights: the agents and the versions of their constraints, which are the key; the weight."""
MAX_WEIGHT = 10
"""Largest weight of a pair of agents. The effort grows with its square."""
MAX_PAIRS = 20_000
"""Largest number of pairs of nodes of joint diagrams for a weight, about a millisecond."""
MAX_DIAGRAM_NODES, MAX_JOINT_NODES, SLOTS = 350_000, 1 << 20, 1 << 14


class Guide(NamedTuple):
    """Arrays of heuristics.

    They are the table of weights; the weights of a node, the scratch of `cover` and the versions of the agents, as
    rows; for each of two agents layers, first places and constraints (`Low`); and the scratch of joint diagrams.
    """

    table: NDArray[np.int64]
    agent_rows: NDArray[np.int32]
    layers: NDArray[np.int32]
    first: NDArray[np.int64]
    rows: NDArray[np.int32]
    heads: NDArray[np.int32]
    visited: NDArray[np.uint8]
    stack: NDArray[np.int32]

    @classmethod
    def allocated(cls, agents: int, cells: int, times: int, constraints: int) -> Guide:
        """Return the arrays for so many constraints of an agent, and costs below `times`."""
        times += MAX_WEIGHT
        return cls(
            np.full((SLOTS, COLUMNS), -1, np.int64),
            np.zeros((agents + COVER_ROWS + 1, agents), np.int32),
            np.empty((2, s.LINKED_ROWS, min(cells * times, MAX_DIAGRAM_NODES)), np.int32),
            np.zeros((2, times), np.int64),
            np.zeros((2, constraints + 1, s.ROW_FIELDS), np.int32),
            np.zeros((2, times), np.int32),
            np.empty(MAX_JOINT_NODES, np.uint8),
            np.empty((25 * times, 4), np.int32),
        )


GUIDE = (
    "Tuple((int64[:, ::1], int32[:, ::1], int32[:, :, ::1], int64[:, ::1], int32[:, :, ::1], int32[:, ::1], "
    "uint8[::1], int32[:, ::1]))"
)


@helper
def weight_slot(table, first, second, first_version, second_version):
    """Return the slot of a pair of agents in the table of weights, whose number of slots is a power of 2.

    The weight is -1 if the table does not have it. The caller then writes it there. A pair replaces another one that
    has the same slot. The versions name the constraints of each agent (`constraint_tree.find_versions`).
    """
    mixed = (first * 73856093) ^ (second * 19349663) ^ (first_version * 83492791) ^ (second_version * 49979687)
    slot = (mixed ^ (mixed >> 15)) & (table.shape[0] - 1)
    row = table[slot]
    if (row[0], row[1], row[2], row[3]) != (first, second, first_version, second_version):
        row[0], row[1], row[2], row[3], row[WEIGHT] = first, second, first_version, second_version, -1
    return slot


@helper
def fill_diagram(graph, state, low, agent, cost):
    """Fill the layers with the paths of an agent that arrive for the last time at a time: its decision diagram.

    `low` has its constraints, and one row more. Returns the cost, `NO_PATH` or `NO_ROOM`. Nodes are the places of the
    layers; those that are on no path have successors nowhere, and are successors of none.
    """
    rows, heads, first = low.rows, low.heads, low.first
    start, goal = graph.starts[agent], graph.goals[agent]
    if cost + 2 >= first.size:
        return np.int64(s.NO_ROOM)
    before = np.int64(heads[max(cost - 1, 0)])
    if cost > 0:
        t.add_row(low, rows.shape[0] - 1, cost - 1, goal, s.FORBIDDEN)  # it would arrive earlier
    result = np.int64(s.NO_PATH)
    is_possible = 0 <= graph.distances[agent, start] <= cost and s.earliest_end(low, goal) <= cost
    if is_possible and not s.is_forbidden(rows, heads, 0, start, start):
        if s.fill_layers(graph, state, low, agent, cost, np.int64(-1)) == s.NO_ROOM:
            result = np.int64(s.NO_ROOM)
        elif first[cost + 1] > first[cost]:
            s.mark_useful(graph.neighbours, low, cost, True)
            result = np.int64(cost)
    heads[max(cost - 1, 0)] = before
    return result


@helper
def pair_weight(kind, graph, state, low_a, low_b, a, b, limit, visited, stack, budget):
    """Return the weight of the edge between two agents, at most a limit; for `CG` and `DG` at most 1.

    For `WDG`, each excess over the sum of their costs, those of cheapest paths, is divided among both agents in all
    ways, and the joint diagram of these costs is searched for a pair of paths without conflict. If that needs more
    pairs of nodes than the budget, or more room than the scratch has, the weight is a lower bound.
    """
    most = limit if kind == WDG else 1
    for excess in range(most):
        for extra_a in range(excess + 1):
            cost_a = fill_diagram(graph, state, low_a, a, state.length[a] + extra_a)
            cost_b = fill_diagram(graph, state, low_b, b, state.length[b] + excess - extra_a)
            if cost_a == s.NO_ROOM or cost_b == s.NO_ROOM:
                return excess
            if kind == CG:
                return np.int64(cost_a >= 0 and cost_b >= 0 and have_cardinal_conflict(low_a, low_b, cost_a, cost_b))
            if cost_a < 0 or cost_b < 0:
                continue
            is_proven, budget = are_dependent(low_a, low_b, cost_a, cost_b, visited, stack, budget)
            if not is_proven:
                return excess
    return most


@helper
def only_cell(low, cost, time):
    """Return the cell in which all paths of the diagram are at a time, or -1. After the last arrival it is the goal."""
    place = s.only_place(low, min(time, cost))
    return np.int64(low.layers[s.LAYER_CELL, place]) if place >= 0 else np.int64(-1)


@helper
def have_cardinal_conflict(low_a, low_b, cost_a, cost_b):
    """Return whether all paths of both diagrams are in one cell, or exchange the same two cells, at one time."""
    from_a, from_b = np.int64(-1), np.int64(-1)
    for time in range(max(cost_a, cost_b) + 1):
        to_a, to_b = only_cell(low_a, cost_a, time), only_cell(low_b, cost_b, time)
        if to_a >= 0 and (to_a == to_b or (to_a == from_b and to_b == from_a and to_b >= 0)):
            return True
        from_a, from_b = to_a, to_b
    return False


@helper
def layer_width(first, cost, time):
    """Return the number of nodes of a layer; after the last arrival it is the one of the goal."""
    layer = min(time, cost)
    return first[layer + 1] - first[layer]


@helper
def successor_of(layers, cost, node, time, move):
    """Return the node to which a move leads, or -1. After the last arrival the agent waits."""
    if time >= cost:
        return node if move == 4 else np.int64(-1)
    return np.int64(layers[s.LINKS + move, node])


@helper
def are_dependent(low_a, low_b, cost_a, cost_b, visited, stack, budget):
    """Return whether each path of one diagram is proven to have a conflict with each path of the other; and the budget.

    Depth-first search in the joint diagram: independent agents have many pairs of paths without conflict. It proves
    nothing if the joint diagram exceeds the scratch or the budget, which is reduced by what it takes (`pair_weight`).
    """
    layers_a, layers_b, first_a, first_b = low_a.layers, low_b.layers, low_a.first, low_b.first
    horizon = max(cost_a, cost_b)
    pairs = 0
    for each in range(horizon + 1):
        pairs += layer_width(first_a, cost_a, each) * layer_width(first_b, cost_b, each)
    if pairs > visited.size:
        return False, budget
    visited[:pairs] = 0
    if layers_a[s.LAYER_CELL, 0] == layers_b[s.LAYER_CELL, 0]:
        return True, budget
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node_a, node_b, time = np.int64(stack[top, 0]), np.int64(stack[top, 1]), np.int64(stack[top, 2])
        if time == horizon:
            return False, budget
        layer = np.int64(stack[top, 3])  # index of the pairs of this time in `visited`
        next_layer = layer + layer_width(first_a, cost_a, time) * layer_width(first_b, cost_b, time)
        next_width_b = layer_width(first_b, cost_b, time + 1)
        begin_a, begin_b = first_a[min(time + 1, cost_a)], first_b[min(time + 1, cost_b)]
        for move_a in range(5):
            next_a = successor_of(layers_a, cost_a, node_a, time, move_a)
            if next_a < 0:
                continue
            to_a = layers_a[s.LAYER_CELL, next_a]
            is_exchange_from = to_a == layers_b[s.LAYER_CELL, node_b]
            for move_b in range(5):
                next_b = successor_of(layers_b, cost_b, node_b, time, move_b)
                if next_b < 0 or to_a == layers_b[s.LAYER_CELL, next_b]:
                    continue
                if is_exchange_from and layers_b[s.LAYER_CELL, next_b] == layers_a[s.LAYER_CELL, node_a]:
                    continue
                pair = next_layer + (next_a - begin_a) * next_width_b + next_b - begin_b
                if visited[pair] != 0:
                    continue
                visited[pair] = 1
                budget -= 1
                if budget < 0 or top == stack.shape[0]:
                    return False, budget
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = next_a, next_b, time + 1, next_layer
                top += 1
    return True, budget


@helper
def node_heuristic(kind, graph, state, low, nodes, node, found, guide):
    """Return the heuristic of a node for the conflicts in `found`, or `NO_ROOM` if its constraints have no room.

    The paths of the state are those of the node, which are cheapest under its constraints.
    """
    agents = state.length.size
    weights = guide.agent_rows[:agents]
    versions = guide.agent_rows[agents + COVER_ROWS]
    weights[:] = 0
    t.find_versions(nodes, node, versions)
    counts = np.zeros(2, np.int64)  # diagrams do not count
    low_one = s.Low(guide.layers[0], guide.first[0], low.mark, guide.rows[0], guide.heads[0], counts)
    low_two = s.Low(guide.layers[1], guide.first[1], low.mark, guide.rows[1], guide.heads[1], counts)
    room = guide.rows.shape[1] - 1  # a diagram needs one row
    for number in range(min(found[NUMBER], (found.size - FIRST_PAIR) // 2)):
        one, two = found[FIRST_PAIR + 2 * number], found[FIRST_PAIR + 2 * number + 1]
        slot = weight_slot(guide.table, one, two, versions[one], versions[two])
        if guide.table[slot, WEIGHT] < 0:
            for agent, its_low in ((one, low_one), (two, low_two)):
                rows = t.collect_rows(nodes, node, agent, its_low)
                if rows == s.NO_ROOM or rows > room:
                    return np.int64(s.NO_ROOM)
            guide.table[slot, WEIGHT] = pair_weight(
                kind, graph, state, low_one, low_two, one, two, MAX_WEIGHT, guide.visited, guide.stack,
                np.int64(MAX_PAIRS),
            )  # fmt: skip
        weights[one, two] = weights[two, one] = guide.table[slot, WEIGHT]
    return np.int64(cover(weights, agents, guide.agent_rows[agents:]))


@helper
def open_guided_copy(tree, control, node, heuristic):
    """Close a node, and open a copy whose bound has the heuristic. A node keeps its bound while it is in a heap."""
    nodes = tree.nodes
    copy = t.add_node(nodes, control, node)
    bound = nodes[node, t.COST] + heuristic
    nodes[copy, t.COST], nodes[copy, t.BOUND], nodes[copy, t.KEY] = nodes[node, t.COST], bound, bound
    nodes[copy, t.CONFLICTS], nodes[copy, t.IS_GUIDED] = nodes[node, t.CONFLICTS], 1
    nodes[node, t.IS_CLOSED] = 1
    t.open_node(tree, control, copy)


@kernel(f"int64({s.GRAPH}, {s.STATE}, {s.LOW}, {t.TREE}, {GUIDE}, int64[::1], int64[::1])")
def guide_node(graph, state, low, tree, guide, found, control):
    """Compute the heuristic of the selected node, and put it or its copy into the heaps."""
    graph, state, low = s.TeamGraph(*graph), s.State(*state), s.Low(*low)
    tree, guide = t.ConstraintTree(*tree), Guide(*guide)
    nodes, node = tree.nodes, control[t.SELECTED]
    heuristic = node_heuristic(control[t.HEURISTIC], graph, state, low, nodes, node, found, guide)
    nodes[node, t.IS_GUIDED] = heuristic != s.NO_ROOM
    if heuristic != s.NO_ROOM and nodes[node, t.COST] + heuristic > nodes[node, t.BOUND]:
        open_guided_copy(tree, control, node, heuristic)
        control[t.BUDGET] -= 1
    else:
        t.push(tree, control, t.FOCAL, node)
    return StepStatus.OUT_OF_MEMORY.value if heuristic == s.NO_ROOM else StepStatus.RUNNING.value
