"""Distances from pivots to all cells of a map, for the differential heuristic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heuristics.tables import Report
from worlds.compile import ADDRESS, EXPAND, call, helper, kernel
from worlds.gridmap.components import OBSTACLE
from worlds.gridmap.rules import STEP, GridCell
from worlds.gridmap.search import pack, x_of, y_of
from worlds.gridmap.world import GridWorld, SharedMap
from worlds.interface import Problem

UNREACHED = (1 << 31) - 1
"""Distance of a cell that cannot be reached from a pivot."""
MAX_DISTANCE = UNREACHED - 1
"""Longer distances stop here. The differences of the others stay lower bounds."""

Distances = NDArray[np.int32]


def pivot_table(problem: Problem, pivots: int | Sequence[GridCell], report: Report) -> Distances:
    """Return the distances from pivots to all cells of a map, `UNREACHED` where there is no path.

    Parameters
    ----------
    problem : Problem
        Any problem on the map.
    pivots : int or sequence of (int, int)
        Number of pivots, chosen by `farthest_pivots`, or their cells.

    Returns
    -------
    ndarray of int32, shape (cells, pivots)
        Costs of optimal paths in the engine's units, at most `MAX_DISTANCE`, by cells row by row.
    """
    if isinstance(pivots, int):
        distances = farthest_pivots(problem, pivots, report)
    else:
        distances = [distances_from(problem, cell) for cell in pivots]
    return np.ascontiguousarray(np.stack(distances, axis=1))


def farthest_pivots(problem: Problem, count: int, report: Report) -> list[Distances]:
    """Choose pivots that are far from each other (Goldberg and Harrelson, SODA 2005). Return their distances.

    All lie in the largest component of the map. The first is the cell farthest from the first cell of this component;
    each next one is farthest from all before it. Of several, the first row by row is taken.
    """
    shared = _shared(problem)
    width, labels = shared.grid.width, shared.components
    largest = np.bincount(labels[labels != OBSTACLE]).argmax()
    first = int((labels == largest).argmax())
    nearest = distances_from(problem, (first % width, first // width))
    found: list[Distances] = []
    for number in range(count):
        report(f"distances from pivots of {shared.grid.name}", number / count)
        pivot = int(np.where(nearest == UNREACHED, -1, nearest).argmax())
        distances = distances_from(problem, (pivot % width, pivot // width))
        nearest = distances if number == 0 else np.minimum(nearest, distances)
        found.append(distances)
    return found


def distances_from(problem: Problem, cell: GridCell) -> Distances:
    """Return the cost of an optimal path from a cell to each cell, row by row; `UNREACHED` if there is none."""
    grid = _shared(problem).grid
    cells = grid.width * grid.height
    distance = np.full(cells, UNREACHED, np.int32)
    heap = np.zeros(len(STEP) * cells + 1, np.int64)  # one entry for each step; most are never touched
    expand = problem.expand.address(EXPAND)
    dijkstra.compiled(expand, problem.constants, grid.width, pack(cell, cell), distance, heap)
    return distance


def _shared(problem: Problem) -> SharedMap:
    assert isinstance(problem.world, GridWorld)
    return problem.world.shared


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


@kernel(f"int64({ADDRESS}, int64[::1], int64, uint64[::1], int32[::1], int64[::1])")
def dijkstra(expand, constants, width, start, distance, heap):
    """Write the distance of each cell. Entries of the heap are distance << 32 | cell."""
    out, cost, action = np.empty(8, np.uint64), np.empty(8, np.int32), np.empty(8, np.int16)
    state = np.empty(1, np.uint64)
    first = y_of(start[0]) * width + x_of(start[0])
    distance[first] = 0
    heap[0], size = first, 1
    while size > 0:
        top = heap[0]
        size -= 1
        if size > 0:
            sift_down(heap, size, heap[size])
        cell, so_far = top & 0xFFFFFFFF, top >> 32
        if so_far > distance[cell]:
            continue
        state[0] = np.uint64((cell % width) | ((cell // width) << 16))
        n = call(EXPAND, expand, constants, state, 0, out, 0, cost, action, 0)
        for k in range(n):
            to = y_of(out[k]) * width + x_of(out[k])
            total = min(so_far + cost[k], MAX_DISTANCE)
            if total < distance[to]:
                distance[to] = total
                sift_up(heap, size, (total << 32) | to)
                size += 1
    return 0
