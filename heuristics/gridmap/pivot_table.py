"""Distances from pivots to all cells of a map, for the differential heuristic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from worlds.gridmap.rules import STEP, Cell, GridMap
from worlds.gridmap.search import MASKS, pack
from worlds.interface import Problem
from worlds.kernel import COST_TOO_LARGE, EXPAND, MAX_COST, first_class, helper, kernel, list_of, raise_on_error

UNREACHED = (1 << 31) - 1
"""Distance of a cell that cannot be reached from a pivot."""

Distances = NDArray[np.int32]
Report = Callable[[str, float], None]


def farthest_pivots(problem: Problem, grid: GridMap, count: int, report: Report) -> list[Distances]:
    """Choose pivots that are far from each other (Goldberg and Harrelson, SODA 2005). Return their distances.

    All lie in the largest connected part of the map. The first is the cell farthest from the first cell of this part;
    each next one is farthest from all before it. Of several, the first row by row is taken.
    """
    nearest = distances_from(problem, grid, _in_largest_part(problem, grid))
    found: list[Distances] = []
    for number in range(count):
        report(f"table of pivots of {grid.name}", number / count)
        reached = np.where(nearest == UNREACHED, -1, nearest)
        if number > 0 and int(reached.max()) <= 0:
            break
        pivot = int(reached.argmax())
        distances = distances_from(problem, grid, (pivot % grid.width, pivot // grid.width))
        nearest = distances if number == 0 else np.minimum(nearest, distances)
        found.append(distances)
    return found


def distances_from(problem: Problem, grid: GridMap, cell: Cell) -> Distances:
    """Return the cost of an optimal path from a cell to each cell, row by row; `UNREACHED` if there is none.

    Raises
    ------
    worlds.kernel.KernelError
        If a path costs more than the engine allows.
    """
    distance = np.full(grid.width * grid.height, UNREACHED, np.int32)
    _reach(problem, grid, cell, distance, _heap(grid))
    return distance


def _in_largest_part(problem: Problem, grid: GridMap) -> Cell:
    """Return the first cell, row by row, of the largest connected part of a map."""
    distance, heap = np.full(grid.width * grid.height, UNREACHED, np.int32), _heap(grid)
    best, largest = (0, 0), 0
    for number in possible_starts(problem.world, grid.width * grid.height).tolist():
        if distance[number] == UNREACHED:
            cell = number % grid.width, number // grid.width
            count = _reach(problem, grid, cell, distance, heap)
            best, largest = (cell, count) if count > largest else (best, largest)
    return best


def possible_starts(world: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """Return the numbers of the cells from which a move is possible, row by row."""
    masks = world[MASKS : MASKS + -(-cells // 8)].astype("<i8").view(np.uint8)[:cells]
    return np.flatnonzero(masks)


def _heap(grid: GridMap) -> NDArray[np.int64]:
    """Allocate a heap for as many entries as there can be steps. Most of it is never touched."""
    return np.zeros(len(STEP) * grid.width * grid.height + 1, np.int64)


def _reach(problem: Problem, grid: GridMap, cell: Cell, distance: Distances, heap: NDArray[np.int64]) -> int:
    """Write the distances from a cell. Return the number of cells that can be reached."""
    expand = first_class((problem.expand,))
    count = int(dijkstra.compiled(expand, problem.world, grid.width, pack(cell, cell), distance, heap))
    raise_on_error(count)
    return count


@helper
def sift_down(heap, size, key):
    """Put a key at the top of a heap of a size, and move it down."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@helper
def sift_up(heap, at, key):
    """Put a key at a place of a heap, and move it up."""
    while at > 0 and heap[(at - 1) >> 1] > key:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = key


@kernel(f"int64({list_of(EXPAND)}, int64[::1], int64, uint64[::1], int32[::1], int64[::1])")
def dijkstra(expand_list, world, width, start, distance, heap):
    """Write the distance of each cell, and return the number of cells. The heap holds distances and cells."""
    expand = expand_list[0]
    out, cost, action = np.empty(8, np.uint64), np.empty(8, np.int32), np.empty(8, np.int16)
    state = np.empty(1, np.uint64)
    first = np.int64((start[0] >> np.uint64(16)) & np.uint64(0xFFFF)) * width + np.int64(start[0] & np.uint64(0xFFFF))
    distance[first] = 0
    heap[0], size, settled = first, 1, 0
    while size > 0:
        top = heap[0]
        size -= 1
        if size > 0:
            sift_down(heap, size, heap[size])
        cell, so_far = top & 0xFFFFFFFF, top >> 32
        if so_far > distance[cell]:
            continue
        settled += 1
        state[0] = np.uint64((cell % width) | ((cell // width) << 16))
        n = expand(world, state, 0, out, 0, cost, action, 0)
        for k in range(n):
            to = np.int64((out[k] >> np.uint64(16)) & np.uint64(0xFFFF)) * width + np.int64(out[k] & np.uint64(0xFFFF))
            total = so_far + cost[k]
            if total > MAX_COST:
                return COST_TOO_LARGE
            if total < distance[to]:
                distance[to] = total
                sift_up(heap, size, (total << 32) | to)
                size += 1
    return settled


def table_of(distances: Sequence[Distances]) -> Distances:
    """Return the distances of all pivots, cell by cell.

    Returns
    -------
    ndarray of int32, shape (cells, pivots)
    """
    return np.ascontiguousarray(np.stack(distances, axis=1))
