"""Multi-valued decision diagrams: on which cells the paths of one agent with a given cost are at each time.

The cost of a path is the time of its last arrival at the goal, where the agent then stays. Its constraints are the
first `count` rows of an array, sorted by time (`algorithms.mapf.single_agent`).

Source: Sharon, Stern, Goldenberg, Felner, The Increasing Cost Tree Search for Optimal Multi-Agent Pathfinding,
Artificial Intelligence 195, 2013.
"""

from __future__ import annotations

from algorithms.mapf.single_agent import TIME, is_forbidden
from worlds.compile.kernel import helper

# Layout of a diagram of cost c, an int32 array: the cost; for each time 0..c + 1 the index at which the layer begins;
# for each time 0..c the only cell of the layer, or -1 if it has several; the nodes. A node is a cell and the indices of
# its successors in the next layer, or -1, for the moves u d l r and the wait. Its own index identifies it. Nodes from
# which no path leads to the goal are no successors, and have no cell (-1).
COST, FIRST = range(2)
NODE_WORDS = 6
WAIT = 4
EMPTY, COMPLETE, TOO_LARGE = 0, 1, -1
"""Results of `mdd`: there is no path, the diagram is complete, or it does not fit into its array."""


def diagram_words(cells: int, cost: int) -> int:
    """Return a length of the array with which no diagram of a cost, or of a smaller one, is `TOO_LARGE`."""
    return FIRST + 2 * cost + 3 + NODE_WORDS * cells * (cost + 1)


@helper
def mdd(neighbours, distances, agent, start, goal, rows, count, cost, latest, diagram):
    """Fill the diagram of an agent for a cost.

    Parameters
    ----------
    neighbours, distances : ndarray of int32, shapes (cells, 4) and (agents, cells)
        Moves, and distances to the goals of the agents alone on the map (`algorithms.mapf.team_search`).
    agent, start, goal : int
        The agent, and its cells.
    rows, count : ndarray of int32, shape (capacity, 3), and int
        Its constraints.
    cost : int
        Time of its last arrival.
    latest : ndarray of int32, shape (cells,)
        Scratch; its content does not matter.
    diagram : ndarray of int32
        Filled, in the layout of this module.

    Returns
    -------
    int
        `EMPTY`, `COMPLETE` or `TOO_LARGE`; the diagram can be used if it is complete.
    """
    nodes = FIRST + 2 * cost + 3
    if diagram.size < nodes + NODE_WORDS:
        return TOO_LARGE
    after = 0
    while after < count and rows[after, TIME] == 0:
        after += 1
    if distances[agent, start] < 0 or distances[agent, start] > cost or is_forbidden(rows, 0, after, -1, start):
        return EMPTY
    if start == goal and cost == 1:
        return EMPTY
    diagram[COST] = cost
    diagram[FIRST] = nodes
    diagram[nodes] = start
    end = nodes + NODE_WORDS
    for time in range(1, cost + 1):
        row = after
        while after < count and rows[after, TIME] == time:
            after += 1
        first = end
        diagram[FIRST + time] = first
        for node in range(diagram[FIRST + time - 1], first, NODE_WORDS):
            cell = diagram[node]
            for move in range(5):
                diagram[node + 1 + move] = -1
                to = cell if move == WAIT else neighbours[cell, move]
                if to < 0:
                    continue
                distance = distances[agent, to]
                is_early = distance == 0 and time == cost - 1  # the last arrival would be before `cost`
                if distance < 0 or time + distance > cost or is_early or is_forbidden(rows, row, after, cell, to):
                    continue
                successor = nodes + NODE_WORDS * latest[to]
                if successor < first or successor >= end or diagram[successor] != to:
                    if end + NODE_WORDS > diagram.size:
                        return TOO_LARGE
                    successor = end
                    diagram[successor] = to
                    latest[to] = (successor - nodes) // NODE_WORDS
                    end += NODE_WORDS
                diagram[node + 1 + move] = successor
    diagram[FIRST + cost + 1] = end
    if end == diagram[FIRST + cost] or is_forbidden(rows, after, count, goal, goal):
        return EMPTY
    return prune(diagram)


@helper
def prune(diagram):
    """Remove the nodes from which no path leads to the last layer, and write the only cells of the layers."""
    cost = diagram[COST]
    goal_node = diagram[FIRST + cost]
    for move in range(5):
        diagram[goal_node + 1 + move] = -1
    only_cells = FIRST + cost + 2
    diagram[only_cells + cost] = diagram[goal_node]
    for time in range(cost - 1, -1, -1):
        width = 0
        for node in range(diagram[FIRST + time], diagram[FIRST + time + 1], NODE_WORDS):
            is_alive = False
            for move in range(5):
                successor = diagram[node + 1 + move]
                if successor >= 0 and diagram[successor] >= 0:
                    is_alive = True
                else:
                    diagram[node + 1 + move] = -1
            if is_alive:
                width += 1
                diagram[only_cells + time] = diagram[node]
            else:
                diagram[node] = -1
        if width == 0:
            return EMPTY
        if width > 1:
            diagram[only_cells + time] = -1
    return COMPLETE


@helper
def only_cell(diagram, time):
    """Return the cell in which all paths of the diagram are at a time, or -1. After the last arrival it is the goal."""
    cost = diagram[COST]
    return diagram[FIRST + cost + 2 + min(time, cost)]
