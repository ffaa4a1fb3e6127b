"""Table of one pattern: exact distances in the puzzle in which only moves of the pattern's k tiles cost.

The pattern's tiles may divide the free cells into several connected regions. The blank moves within its region at no
cost, because moves of other tiles are free. So an abstract state consists of the cells of the pattern's tiles and the
region with the blank.

The number of an abstract state is ``block * k! + order``. A block is a set of occupied cells together with one of its
regions. The order is the rank of the permutation in which the k tiles occupy the cells of the set. The move of a tile
leads from all states of a block to one other block, and changes their orders by one table. So breadth-first search
works on whole blocks.

The region makes the heuristic consistent. Tables with the minimum over the regions (Korf and Felner 2002) are weaker,
and not consistent; here each region has a copy of the minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from heuristics.npuzzle.manhattan import cell_distances
from worlds.compile import helper, kernel
from worlds.npuzzle.search import next_cells

UNREACHED = 255
"""Depth of a state that the search has not reached."""
MAX_EXCESS = 14
"""Largest excess in a table. The excess of a state is (distance - Manhattan distance) / 2, cut off here."""
NO_EXCESS = 15
"""Value of a state from which the goal is unreachable. Values of a table have 4 bits."""

_BLOCKS_PER_CALL = 2048


@dataclass(frozen=True, eq=False)
class Geometry:
    """Sets of k cells of a board, and the regions of the other cells.

    Attributes
    ----------
    binomials : ndarray of int64, shape (cells, k + 1)
        Binomial coefficients. The rank of a set is the sum of ``binomials[cell, i + 1]`` over its cells, where `cell`
        is the i-th smallest of the set, from i = 0 on.
    block_of : ndarray of int32, shape (sets, cells)
        Block of a set and the blank's cell; -1 for cells of the set.
    sets : ndarray of int64, shape (sets, k)
        Cells of each set, in rising order.
    blocks : int
        Number of blocks.
    """

    binomials: NDArray[np.int64]
    block_of: NDArray[np.int32]
    sets: NDArray[np.int64]
    blocks: int


@cache
def geometry(rows: int, columns: int, k: int) -> Geometry:
    """Return all sets of k cells of a board, and the regions that they leave."""
    cells = rows * columns
    binomials = np.array([[comb(cell, i) for i in range(k + 1)] for cell in range(cells)], np.int64)
    found = np.array(list(combinations(range(cells), k)), np.int64).reshape(-1, k)
    rank = binomials[found, np.arange(1, k + 1)].sum(axis=1)
    sets = np.empty_like(found)
    sets[rank] = found
    block_of = np.full((len(sets), cells), -1, np.int32)
    blocks = number_regions.compiled(sets.ravel(), k, next_cells(rows, columns).ravel(), block_of.ravel())
    return Geometry(binomials, block_of, sets, int(blocks))


@cache
def permutation_table(k: int) -> NDArray[np.uint8]:
    """Return each order: the place of every tile among the occupied cells. Shape (k!, k), in lexicographic order."""
    return np.array(list(permutations(range(k))), np.uint8).reshape(-1, k)


@cache
def orders_after(k: int) -> NDArray[np.int32]:
    """Return the order after the tile in place i has moved to place j among the others, shape (k, k, k!)."""
    before = permutation_table(k)
    table = np.empty((k, k, len(before)), np.int32)
    for i in range(k):
        for j in range(k):
            others = before - (before > i)
            after = np.where(before == i, j, others + (others >= j))
            table[i, j] = _ranks(after)
    return table


def _ranks(places: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the lexicographic ranks of permutations, one per row."""
    k = places.shape[1]
    rank = np.zeros(len(places), np.int32)
    for tile in range(k):
        rank = rank * (k - tile) + (places[:, tile + 1 :] < places[:, tile : tile + 1]).sum(axis=1)
    return rank.astype(np.int32)


def build(
    rows: int, columns: int, cells: tuple[int, ...], blank: int, regions: bool, report: Callable[[float], None]
) -> NDArray[np.uint8]:
    """Compute the table of a pattern.

    Parameters
    ----------
    cells : tuple of int
        Goal cells of the pattern's tiles, in rising order.
    blank : int
        Goal cell of the blank.
    regions : bool
        Whether values depend on the region of the blank; otherwise they are the minimum over the regions.
    report : callable
        Called with the share that is done (0 to 1) several times a second.

    Returns
    -------
    ndarray of uint8
        Two values of 4 bits per byte; the state with the even number is in the low half.
    """
    k = len(cells)
    shape, orders = geometry(rows, columns, k), factorial(k)
    block_sets = np.empty(shape.blocks, np.int32)
    owners, places = np.nonzero(shape.block_of >= 0)
    block_sets[shape.block_of[owners, places]] = owners
    depths = np.full(shape.blocks * orders, UNREACHED, np.uint8)
    start_set = sum(int(shape.binomials[cell, i + 1]) for i, cell in enumerate(cells))
    start = int(shape.block_of[start_set, blank])
    depths[start * orders] = 0
    now, following = np.zeros(shape.blocks, np.uint8), np.zeros(shape.blocks, np.uint8)
    now[start] = 1
    tables = (
        *(shape.sets.ravel(), shape.block_of.ravel(), block_sets, shape.binomials.ravel()),
        *(next_cells(rows, columns).ravel(), orders_after(k).ravel()),
    )
    found, depth = 1, 0
    listed = np.empty(orders, np.int32)
    while now.any():
        for first in range(0, shape.blocks, _BLOCKS_PER_CALL):
            last = min(first + _BLOCKS_PER_CALL, shape.blocks)
            found += expand_blocks.compiled(depths, depth, k, tables, first, last, now, following, listed)
            report(found / depths.size)
        now, following, depth = following, now, depth + 1
    if not regions:  # the regions of a set have successive numbers
        firsts = np.unique(block_sets, return_index=True)[1]
        least = np.minimum.reduceat(depths.reshape(-1, orders), firsts)
        depths = least[block_sets].ravel()
    distance = cell_distances(rows, columns)[list(cells)]
    table = np.zeros((depths.size + 1) // 2, np.uint8)
    pack_excess.compiled(depths, block_sets, shape.sets.ravel(), permutation_table(k).ravel(), distance.ravel(), table)
    return table


TABLES = "Tuple((int64[::1], int32[::1], int32[::1], int64[::1], int64[::1], int32[::1]))"


@kernel(f"int64(uint8[::1], int64, int64, {TABLES}, int64, int64, uint8[::1], uint8[::1], int32[::1])")
def expand_blocks(depths, depth, k, tables, first, last, now, following, listed):
    """Expand the states of a depth, and return the number of new states.

    Only the blocks from `first` to `last` (excluded) that `now` marks are expanded. The blocks of new states are marked
    in `following`.
    """
    sets, block_of, block_sets, binomials, next_cell, order_after = tables
    orders = listed.size
    cells = next_cell.size // 4
    new = 0
    for block in range(first, last):
        if now[block] == 0:
            continue
        now[block] = 0
        count = 0
        for order in range(orders):
            if depths[block * orders + order] == depth:
                listed[count] = order
                count += 1
        here = np.int64(block_sets[block])
        for i in range(k):
            tile_cell = sets[here * k + i]
            for code in range(4):
                free = next_cell[4 * tile_cell + code]
                if free < 0 or block_of[here * cells + free] != block:
                    continue
                rank, j = moved_set(sets, here * k, k, binomials, i, free)
                target = np.int64(block_of[rank * cells + tile_cell])
                found = 0
                for n in range(count):
                    at = target * orders + order_after[(i * k + j) * orders + listed[n]]
                    if depths[at] == UNREACHED:
                        depths[at] = depth + 1
                        found += 1
                if found > 0:
                    following[target] = 1
                    new += found
    return new


@helper
def moved_set(sets, at, k, binomials, i, free):
    """Return the rank of the set in which the i-th cell is replaced by a free one, and the index of that cell in it."""
    rank, place, count = np.int64(0), np.int64(-1), 0
    for m in range(k):
        if m == i:
            continue
        cell = sets[at + m]
        if place < 0 and cell > free:
            place = np.int64(count)
            rank += binomials[free * (k + 1) + count + 1]
            count += 1
        rank += binomials[cell * (k + 1) + count + 1]
        count += 1
    if place < 0:
        place = np.int64(count)
        rank += binomials[free * (k + 1) + count + 1]
    return rank, place


@kernel("int64(uint8[::1], int32[::1], int64[::1], uint8[::1], int64[::1], uint8[::1])")
def pack_excess(depths, block_sets, sets, places, distance, table):
    """Write the excesses of all states as values of 4 bits."""
    blocks = block_sets.size
    orders = depths.size // blocks
    k = places.size // orders
    cells = distance.size // k
    for block in range(blocks):
        here = np.int64(block_sets[block]) * k
        for order in range(orders):
            index = block * orders + order
            manhattan = 0
            for tile in range(k):
                manhattan += distance[tile * cells + sets[here + places[order * k + tile]]]
            excess = min((np.int64(depths[index]) - manhattan) >> 1, np.int64(MAX_EXCESS))
            value = NO_EXCESS if depths[index] == UNREACHED else excess
            table[index >> 1] |= np.uint8(value << (4 * (index & 1)))
    return 0


@kernel("int64(int64[::1], int64, int64[::1], int32[::1])")
def number_regions(sets, k, next_cell, block_of):
    """Number the connected regions of free cells of all sets, set by set. Return the number of regions."""
    cells = next_cell.size // 4
    blocks = 0
    stack = np.empty(cells, np.int64)
    for number in range(sets.size // k):
        at = number * cells
        for i in range(k):
            block_of[at + sets[number * k + i]] = -2
        for start in range(cells):
            if block_of[at + start] != -1:
                continue
            block_of[at + start] = blocks
            stack[0] = start
            size = 1
            while size > 0:
                size -= 1
                cell = stack[size]
                for code in range(4):
                    to = next_cell[4 * cell + code]
                    if to >= 0 and block_of[at + to] == -1:
                        block_of[at + to] = blocks
                        stack[size] = to
                        size += 1
            blocks += 1
        for i in range(k):
            block_of[at + sets[number * k + i]] = -1
    return blocks
