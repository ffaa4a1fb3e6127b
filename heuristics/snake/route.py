"""The shortest order in which all units that are left can be eaten."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import TERM, Heuristic, Term
from heuristics.snake.candies import COUNT, arrival, between_candies, board_of, entry_of, units_left, with_candies
from runner.registry import Incompatible, register
from worlds.interface import Instance, Problem
from worlds.kernel import count_ones, helper, kernel
from worlds.snake.instance import SnakeInstance
from worlds.snake.rules import Board
from worlds.snake.search import END, HEAD_BITS, WORDS, bits_of_cell, candy_bits, units_of

_MAX_UNITS = 20
_FAR = 1 << 14


@register("heuristic", "route", domain="snake")
@dataclass(frozen=True)
class Route(Heuristic):
    """The shortest order in which all units left can be eaten, by the least moves from each to the next.

    The first takes its `arrival`; then from one candy to another it takes their distance on the torus, and from a unit
    to the next of the same candy L + 2 moves, for a body of L cells after the first of the two: all of it must leave
    the cell. (What the body does while the snake is elsewhere in between is not counted.)

    Admissible: no plan eats one unit after another in fewer moves. Consistent: a move that eats nothing changes every
    arrival by at most 1; after one that eats, the rest of the best order that begins with this unit is still there, and
    its first step is no longer than the new arrival there. Never smaller than `spanning_tree`: an order is a tree.

    The orders are found once for each instance by dynamic programming over the sets of units left (Held and Karp, "A
    dynamic programming approach to sequencing problems", Journal of SIAM 10, 1962), which counts as search time:
    2^units x candies numbers of two bytes. 20 units, the most that are allowed, in 20 candies take 42 MB and about a
    second; 10 units take milliseconds.
    """

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Not too many units."""
        assert isinstance(instance, SnakeInstance)
        if instance.board.units > _MAX_UNITS:
            raise Incompatible(
                f"heuristic: route is for at most {_MAX_UNITS} units of candy, {instance.id} has up to "
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


@helper
def can_occur(left, bits):
    """Whether of each candy the lowest units are eaten first."""
    for candy in range(bits.size):
        own = left & bits[candy]
        if own != 0 and own + (own & -own) != bits[candy] + (bits[candy] & -bits[candy]):
            return False
    return True


@kernel("int64(int64[:, ::1], int64[::1], int64, int16[::1])")
def fill_table(distances, bits, units, table):
    """Row by row: a set without one of its units is a smaller number."""
    count = bits.size
    for left in range(1, 1 << units):
        if not can_occur(left, bits):
            continue
        for first in range(count):
            own = left & bits[first]
            if own == 0:
                continue
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
