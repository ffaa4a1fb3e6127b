"""Moves to the first candy, and a minimum spanning tree of the units left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, arrival, between_candies, board_of, candy_table, units_left
from worlds.compile import count_ones, helper, kernel
from worlds.interface import Problem
from worlds.snake.rules import MAX_UNITS
from worlds.snake.search import END, WORDS, length_of, units_of

_INFINITY = 1 << 20


@HEURISTICS.register("spanning_tree", domain="snake")
@dataclass(frozen=True)
class SpanningTree(Heuristic):
    """Moves until some candy can be entered, plus the weight of a minimum spanning tree over the units left.

    The tree has a node for every unit. Units of different candies are as far apart as their cells are on the torus;
    two units of one candy are L + 3 apart, for a body of L cells.

    Admissible. A plan eats the units in some order. It enters the first candy after at least the smallest `arrival`.
    Between two consecutive units it needs at least their distance in the tree. For units of different candies that is
    clear. For two units of one candy, the body has at least L + 1 cells after the first is eaten. All of it must pass
    before the head can enter the cell again: a move for each cell, one to leave and one to come back. The order is a
    path through all nodes. A path is a spanning tree, so it is at least as heavy as the minimum.

    Consistent. A move that eats nothing changes no distance in the tree, and every arrival by at most 1. A move that
    eats a unit u removes an arrival of 1. The new first arrival is at least the tree distance between u and its nearest
    unit (L + 3 moves for a unit of the same candy, because the body now has L + 1 cells). Distances in the new tree are
    no smaller than before. Attach u to it as a leaf at that unit: the result spans the old nodes. So the weight of the
    new tree plus the new arrival is at least the weight of the old tree.

    The minimum spanning tree contains a tree over the candies' cells, with one unit of each candy. Every further unit
    is a leaf at the nearest other cell, or at its own cell if that is nearer. Time per expansion: the square of the
    number of candies.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world and the distances of the candies."""
        tables = candy_table(problem), between_candies(board_of(problem)).ravel()
        return Term(spanning_tree, np.concatenate([problem.constants, *tables]))


@helper
def tree_weight(params, states, at, distances, candies, linked):
    """Return the weight of the minimum spanning tree of the units left; 0 for at most one unit.

    Algorithm of Prim (1957). `candies` and `linked` are work space: the candies that are not in the tree yet, and their
    distances from the tree.
    """
    count = params[params[END] + COUNT]
    left = 0
    for candy in range(count):
        if units_left(params, states, at, candy) != 0:
            candies[left] = candy
            linked[left] = _INFINITY
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
        # fill the place of the newest node of the tree with the last candy that is not in the tree
        candies[newest] = candies[left - 1 - i]
        linked[newest] = linked[left - 1 - i]
        nearest = _INFINITY
        for j in range(left - 1 - i):
            linked[j] = min(linked[j], params[distances + candy * count + candies[j]])
            if linked[j] < nearest:
                nearest = linked[j]
                newest = j
        if nearest < _INFINITY:
            weight += nearest
    return weight


@kernel(TERM)
def spanning_tree(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the first arrival and the weight of the tree, computed once for successors with the same units left."""
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
        first = np.int64(_INFINITY)
        for candy in range(count):
            if units_left(params, out, at, candy) != 0:
                first = min(first, arrival(params, out, at, candy))
        h[slot + k] += first + weight
    return 0
