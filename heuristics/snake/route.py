"""Shortest order in which all units left can be eaten."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import compiled_heuristic
from heuristics.snake.candies import COUNT, arrival, between_candies, board_of, candy_table, entry_of, units_left
from runner.base import Incompatible
from worlds.compile import count_ones, helper, kernel
from worlds.interface import Instance, Problem
from worlds.snake.rules import Board
from worlds.snake.search import END, HEAD_BITS, bits_of_cell, candy_bits, units_of
from worlds.snake.world import SnakeWorld

_MAX_UNITS = 20
_INFINITY = 1 << 14


def refuse_many_units(heuristic: Any, instance: Instance) -> None:
    """Raise `Incompatible` for a board with too many units."""
    assert isinstance(instance.world, SnakeWorld)
    if instance.world.board.units > _MAX_UNITS:
        raise Incompatible(
            f"heuristic: route is for at most {_MAX_UNITS} units of candy, {instance.id} has up to "
            f"{instance.world.board.units}; spanning_tree has no such limit"
        )


def candies_and_routes(problem: Problem) -> NDArray[np.int64]:
    """Return the table of the candies, and that of the routes behind it."""
    return np.concatenate([candy_table(problem), table_of(board_of(problem))])


@compiled_heuristic(
    "route", domain="snake", tables=candies_and_routes, check=refuse_many_units, admissible=True, consistent=True
)
def route(constants, states, at):
    """Fewest moves to eat all units left, over all orders of the units.

    The moves of an order are: to the first unit, its `arrival`; from one candy to another, their distance on the torus;
    from one unit to the next of the same candy, L + 2 moves, because the whole body of L cells (after eating the first
    of the two) must leave the cell. Waiting for the body at a cell to which the snake returns later is not counted.

    Admissible: no plan needs fewer moves from one unit to the next. Consistent: a move that eats nothing changes every
    arrival by at most 1. After a move that eats, the rest of the best order that begins with the eaten unit remains,
    and the new arrival at its next unit is at least the step that the order counts. Never smaller than `spanning_tree`:
    an order is a tree.

    Dynamic programming over the sets of units left computes the orders once per instance (Held and Karp, "A dynamic
    programming approach to sequencing problems", Journal of SIAM 10, 1962). It counts as search time. The table has
    2^units x candies numbers of two bytes: 42 MB and about a second for 20 units (the most allowed) in 20 candies,
    milliseconds for 10 units.
    """
    units = units_of(constants, states, at)
    if units == 0:
        return np.int64(0)
    count = constants[constants[END] + COUNT]
    table = entry_of(constants, count)
    row = (units >> constants[HEAD_BITS]) * count
    shortest = np.int64(_INFINITY)
    for candy in range(count):
        if units_left(constants, states, at, candy) != 0:
            place = row + candy
            rest = (constants[table + (place >> 2)] >> (16 * (place & 3))) & 0x7FFF
            shortest = min(shortest, arrival(constants, states, at, candy) + rest)
    return shortest


def table_of(board: Board) -> NDArray[np.int64]:
    """Return the moves after the first arrival, for each set of units left and each first candy, four to a word."""
    table = np.zeros((len(board.candies) << board.units) + 3 & ~3, np.int16)
    bits = np.array(candy_bits(board), np.int64) >> bits_of_cell(board)[1]
    fill_table.compiled(between_candies(board), bits, board.units, table)
    return table.view(np.int64)


@helper
def can_occur(left, bits):
    """Return whether a set of units left can occur: the lowest units of each candy are eaten first."""
    for candy in range(bits.size):
        own = left & bits[candy]
        if own != 0 and own + (own & -own) != bits[candy] + (bits[candy] & -bits[candy]):
            return False
    return True


@kernel("int64(int64[:, ::1], int64[::1], int64, int16[::1])")
def fill_table(distances, bits, units, table):
    """Fill the table in the order of the sets: a set without one of its units is a smaller number."""
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
            shortest = _INFINITY if rest != 0 else 0
            for then in range(count):
                if rest & bits[then] != 0:
                    step = again if then == first else distances[first, then]
                    shortest = min(shortest, step + table[rest * count + then])
            table[left * count + first] = shortest
    return 0
