"""Perfect indices of puzzles that rearrange items: of all permutations, and of the places of some items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import factorial, perm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.compile import count_ones, helper, kernel
from worlds.interface import STEPS, PerfectIndex


class Rearrangement(NamedTuple):
    """Step of a permutation puzzle.

    Attributes
    ----------
    to : sequence of int
        Place to which it moves what is in each place.
    first_at : int
        The step is possible if item 0 is in this place; -1: always.
    """

    to: Sequence[int]
    first_at: int = -1


_LOW = 7
"""Largest number of items by whose order the states of a block differ."""
# Layout of the data of `permutation_steps`: numbers of items, of high items and of steps; 1 if only half of the states
# are reachable; the offsets of the parity of the low items by the place of item 0, of the steps, and of the number of
# the map by the rank of a rearrangement of the low items (-1: none).
ITEMS, HIGH, COUNT, HALVED, PARITY, REARRANGEMENTS, MAP_OF, HEADER = range(8)


def index_of_permutations(
    items: int, steps: Sequence[Rearrangement], number_of: Callable[[Any], Sequence[int]], parity: Sequence[int] = ()
) -> PerfectIndex:
    """Return the index of the permutations of some items, at most `MAX_STATES`.

    A block is the places of the high items, which are the first ones. The rank is that of the order in which the other
    items, at most 7, take the free places: the lexicographic rank or, of every two neighbouring ranks, half of it.

    Parameters
    ----------
    number_of : callable
        Returns the place of each item in a state.
    parity : sequence of int
        If only half of the permutations can be reached: the parity, 0 or 1, of the reachable ones by the place of
        item 0.
    """
    low = min(_LOW, items - 1)
    high, halved = items - low, bool(parity)
    table = [entry for step in steps for entry in (step.first_at, *step.to)]
    offsets = np.cumsum([HEADER, len(parity), len(table)]).tolist()
    header = [items, high, len(steps), int(halved), *offsets]
    data = np.array([*header, *parity, *table, *[0] * factorial(low)], np.int64)
    blocks = perm(items, high)
    used = np.zeros(factorial(low), np.bool_)
    mark_used.compiled(data, blocks, np.empty(2 * len(steps), np.int64), used)
    data[offsets[-1] :] = np.cumsum(used) - 1
    maps = _maps(low, np.flatnonzero(used), halved)
    size = int(maps.shape[1])

    def number(state: Any) -> int:
        places = number_of(state)
        if halved and sum(first > second for first, second in combinations(places, 2)) % 2 != parity[places[0]]:
            return -1  # it has the rank of a neighbour in the other half
        block, rank = _rank(places, items, high)
        return block * size + (rank >> halved)

    return PerfectIndex(blocks, size, permutation_steps, data, len(steps), maps, number)


def index_of_patterns(items: int, pattern: int, steps: Sequence[Rearrangement]) -> PerfectIndex:
    """Return the index of the places of some of the items: the states of a pattern database.

    A state of its rules is the place of each of these items. A block is one state.

    Parameters
    ----------
    items, pattern : int
        Numbers of all items, and of those that count.
    """
    table = [entry for step in steps for entry in (step.first_at, *step.to)]
    data = np.array([items, pattern, len(steps), 0, HEADER, HEADER, 0, *table], np.int64)

    def number(places: Sequence[int]) -> int:
        return _rank(places, items, pattern)[0]

    return PerfectIndex(perm(items, pattern), 1, pattern_steps, data, len(steps), np.zeros((1, 1), np.uint16), number)


def _rank(places: Sequence[int], items: int, high: int) -> tuple[int, int]:
    """Return the lexicographic ranks of the first `high` of some places, and of the order of the others."""
    ranks = [0, 0]
    for i, place in enumerate(places):
        digit = place - sum(before < place for before in places[:i])
        ranks[i >= high] = ranks[i >= high] * (items - i) + digit
    return ranks[0], ranks[1]


def _maps(low: int, used: NDArray[np.int64], halved: bool) -> NDArray[np.uint16]:
    """Return the maps of rearrangements of the low items; if halved, one for each parity of their order."""
    orders = np.array(list(permutations(range(low))), np.int64)
    ranks = np.arange(len(orders))
    if not halved:
        return np.array([_ranks(orders[number][orders]) for number in used], np.uint16)
    first, second = np.triu_indices(low, 1)
    is_odd = (orders[:, first] > orders[:, second]).sum(axis=1) & 1
    by_parity = [ranks[is_odd == parity] for parity in (0, 1)]
    maps = [_ranks(orders[number][orders[of]]) >> 1 for number in used for of in by_parity]
    return np.array(maps, np.uint16)


def _ranks(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lexicographic ranks of permutations, one per row."""
    size = orders.shape[1]
    rank = np.zeros(len(orders), np.int64)
    for i in range(size):
        rank = rank * (size - i) + (orders[:, i + 1 :] < orders[:, i : i + 1]).sum(axis=1)
    return rank


@helper
def write_steps(data, block, out):
    """Write the target and the rank of the low items' rearrangement of each step, and return their number and parity.

    Places of the high items, at most 10, are a word with 6 bits for each.
    """
    items, high = data[ITEMS], data[HIGH]
    digits = places = occupied = np.uint64(0)
    parity = np.int64(0)
    for i in range(high - 1, -1, -1):
        digit = block % (items - i)
        block //= items - i
        parity ^= digit & 1
        digits |= np.uint64(digit) << np.uint64(6 * i)
    for i in range(high):
        left = (digits >> np.uint64(6 * i)) & np.uint64(63)
        free = np.uint64(0)
        while left > np.uint64(0) or (occupied >> free) & np.uint64(1) != np.uint64(0):
            left -= np.uint64(1) - ((occupied >> free) & np.uint64(1))
            free += np.uint64(1)
        places |= free << np.uint64(6 * i)
        occupied |= np.uint64(1) << free
    first = np.int64(places & np.uint64(63))
    n = 0
    for step in range(data[COUNT]):
        to = data[REARRANGEMENTS] + step * (items + 1) + 1
        if data[to - 1] >= 0 and data[to - 1] != first:
            continue
        target, after = np.int64(0), np.uint64(0)
        for i in range(high):
            place = data[to + np.int64((places >> np.uint64(6 * i)) & np.uint64(63))]
            bit = np.uint64(1) << np.uint64(place)
            target = target * (items - i) + place - count_ones(after & (bit - np.uint64(1)))
            after |= bit
        rank = np.int64(0)
        left_over = items - high
        for place in range(items):
            if (occupied >> np.uint64(place)) & np.uint64(1) == np.uint64(0):
                bit = np.uint64(1) << np.uint64(data[to + place])
                rank = rank * left_over + data[to + place] - count_ones(after & (bit - np.uint64(1)))
                after |= bit
                left_over -= 1
        out[2 * n] = target
        out[2 * n + 1] = rank
        n += 1
    if data[HALVED] != 0:
        parity ^= data[data[PARITY] + first]
    return n, parity


@kernel(STEPS)
def permutation_steps(data, block, out):
    """Write the steps of a permutation puzzle."""
    n, parity = write_steps(data, block, out)
    for k in range(n):
        number = data[data[MAP_OF] + out[2 * k + 1]]
        out[2 * k + 1] = 2 * number + parity if data[HALVED] != 0 else number
    return n


@kernel(STEPS)
def pattern_steps(data, block, out):
    """Write the steps of a pattern database, all with the map 0."""
    n, _ = write_steps(data, block, out)
    for k in range(n):
        out[2 * k + 1] = 0
    return n


@kernel("int64(int64[::1], int64, int64[::1], boolean[::1])")
def mark_used(data, blocks, out, used):
    """Mark the rearrangements of low items that occur."""
    for block in range(blocks):
        n, _ = write_steps(data, block, out)
        for k in range(n):
            used[out[2 * k + 1]] = True
    return 0
