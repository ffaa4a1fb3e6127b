"""The way to the first candy, and a tree that spans all that are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, arrival, between_candies, board_of, units_left, with_candies
from runner.registry import register
from worlds.interface import Problem
from worlds.kernel import count_ones, helper, kernel
from worlds.snake.rules import MAX_UNITS
from worlds.snake.search import END, WORDS, length_of, units_of

_FAR = 1 << 20


@register("heuristic", "spanning_tree", domain="snake")
@dataclass(frozen=True)
class SpanningTree(Heuristic):
    """Moves until some candy can be entered, plus the weight of a minimum spanning tree over the units left.

    The tree has a node for every unit. Units of different candies are as far apart as their cells are on the torus;
    two units of one candy are L + 3 apart, for a body of L cells.

    Admissible. A plan eats the units in some order. It enters the first candy after at least the smallest `arrival`
    moves. Between two units that it eats one after the other lie at least the moves of their distance in the tree:
    between cells, their distance; at one cell, the whole body, which is L + 1 cells long at least after the first of
    them was eaten, must pass before the cell can be entered again, and that takes a move for each cell, one to
    leave and one to come back. The order is a path through all nodes, so a spanning tree, so no lighter than the
    lightest.

    Consistent. A move that eats nothing changes no distance in the tree, and every arrival by at most 1. A move that
    eats a unit u takes the arrival of 1 away. The new first arrival is at least the distance in the tree of u from the
    nearest unit (at the cell of u: L + 3 moves for the body, which is now of L + 1 cells). So with u as a leaf at
    that unit the new tree, whose distances have not become smaller, spans the old nodes: its weight and the new arrival
    are together at least the weight of the old tree.

    The lightest tree has a node of each candy in the tree over cells; every further unit hangs at the nearest other
    cell, or at its own, whichever is nearer. Time: the square of the number of candies for each expansion.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the distances of the candies."""
        return Term(spanning_tree, np.concatenate([with_candies(problem), between_candies(board_of(problem)).ravel()]))


@helper
def tree_weight(params, states, at, distances, candies, linked):
    """Weight of the lightest tree over the units left; for one with no candy, or one unit, 0.

    `candies` and `linked` are work space. By the algorithm of Prim (1957).
    """
    count = params[params[END] + COUNT]
    left = 0
    for candy in range(count):
        if units_left(params, states, at, candy) != 0:
            candies[left] = candy
            linked[left] = _FAR
            left += 1
    again = length_of(params, states, at) + 3
    weight, newest = 0, 0
    for i in range(left):
        candy = candies[newest]
        units = count_ones(units_left(params, states, at, candy))
        if units > 1:
            closest = again
            for other in range(count):
                if other != candy and units_left(params, states, at, other) != 0:
                    closest = min(closest, params[distances + candy * count + other])
            weight += (units - 1) * closest
        # the newest node of the tree, at its place, makes room for one that is not in it
        candies[newest] = candies[left - 1 - i]
        linked[newest] = linked[left - 1 - i]
        nearest = _FAR
        for j in range(left - 1 - i):
            linked[j] = min(linked[j], params[distances + candy * count + candies[j]])
            if linked[j] < nearest:
                nearest = linked[j]
                newest = j
        if nearest < _FAR:
            weight += nearest
    return weight


@kernel(TERM)
def spanning_tree(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """The tree is made once for all successors with the same candies left."""
    count = params[params[END] + COUNT]
    distances = params.size - count * count
    candies, linked = np.empty(MAX_UNITS, np.int64), np.empty(MAX_UNITS, np.int64)
    weighed, weight = np.int64(-1), np.int64(0)
    for k in range(n):
        at = out_at + k * params[WORDS]
        units = units_of(params, out, at)
        if units == 0:
            continue
        if units != weighed:
            weighed, weight = units, tree_weight(params, out, at, distances, candies, linked)
        first = np.int64(_FAR)
        for candy in range(count):
            if units_left(params, out, at, candy) != 0:
                first = min(first, arrival(params, out, at, candy))
        h[slot + k] += first + weight
    return 0
