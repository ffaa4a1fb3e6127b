"""The shortest way through all units that are left, as if the snake were only a head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, arrival, between_candies, board_of, entry_of, units_left, with_candies
from runner.registry import Unsuitable, register
from worlds.interface import Instance, Problem
from worlds.kernel import count_ones, kernel
from worlds.snake.instance import SnakeInstance
from worlds.snake.rules import Board
from worlds.snake.search import END, HEAD_BITS, WORDS, bits_of_cell, candy_bits, units_of

_MOST_UNITS = 20
_FAR = 1 << 14


@register("heuristic", "route", domain="snake")
@dataclass(frozen=True)
class Route(Heuristic):
    """Moves of the shortest route that eats all units left, in the best order.

    Of the body it knows only that it must leave the cell of a candy before the next unit of that candy can be eaten:
    L + 2 moves after the last one, for a body of L cells (`arrival`).

    Admissible and consistent: it is the exact cost in a world with fewer obstacles. A move that eats nothing changes
    every arrival by at most 1; the one that eats unit u, as the route begins, leaves the rest of the route, of
    which the next step is no longer than the new arrival. Never smaller than `spanning_tree`: a route is a tree.

    The routes are found once for each instance by dynamic programming over the sets of units left (Held and Karp, "A
    dynamic programming approach to sequencing problems", Journal of SIAM 10, 1962): 2^units x candies numbers of two
    bytes. At most 20 units of candy.
    """

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Not too many units."""
        assert isinstance(instance, SnakeInstance)
        if instance.board.units > _MOST_UNITS:
            raise Unsuitable(
                f"heuristic: route is for at most {_MOST_UNITS} units of candy, {instance.id} has up to "
                f"{instance.board.units}; spanning_tree has no such limit"
            )

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world, the distances of the candies, and the table of routes."""
        board = board_of(problem)
        return Term(route, np.concatenate([with_candies(problem), table_of(board)]))


def table_of(board: Board) -> NDArray[np.int64]:
    """For each set of units left and each candy, the moves after entering that candy first; four numbers to a word."""
    table = np.zeros((len(board.candies) << board.units) + 3 & ~3, np.int16)
    bits = np.array(candy_bits(board), np.int64) >> bits_of_cell(board)[1]
    fill_table.compiled(between_candies(board), bits, board.units, table)
    return table.view(np.int64)


@kernel("int64(int64[:, ::1], int64[::1], int64, int16[::1])")
def fill_table(distances, bits, units, table):
    """Row by row: a set without one of its units is a smaller number."""
    count = bits.size
    for left in range(1, 1 << units):
        for first in range(count):
            if left & bits[first] == 0:
                continue
            own = left & bits[first]
            rest = left ^ (own & -own)
            again = units - count_ones(np.uint64(rest)) + 2
            shortest = _FAR if rest != 0 else 0
            for then in range(count):
                if rest & bits[then] != 0:
                    step = again if then == first else distances[first, then]
                    shortest = min(shortest, step + table[rest * count + then])
            table[left * count + first] = shortest
    return 0


@kernel(TERM)
def route(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """The best of the candies that may come first."""
    count = params[params[END] + COUNT]
    table = entry_of(params, count)
    for k in range(n):
        at = out_at + k * params[WORDS]
        units = units_of(params, out, at)
        if units == 0:
            continue
        row = (units >> params[HEAD_BITS]) * count
        shortest = np.int64(_FAR)
        for candy in range(count):
            if units_left(params, out, at, candy) != 0:
                place = row + candy
                rest = (params[table + (place >> 2)] >> (16 * (place & 3))) & 0x7FFF
                shortest = min(shortest, arrival(params, out, at, candy) + rest)
        h[slot + k] += shortest
    return 0
