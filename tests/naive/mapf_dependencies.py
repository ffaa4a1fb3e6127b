"""Dependencies of two agents from their definitions: all paths, all pairs of them, and all covers.

A map is the list of neighbours of each cell. A constraint is its time, and a row of `algorithms.mapf.single_agent`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import product

Graph = list[list[int]]
Constraints = Sequence[tuple[int, int, int]]
Path = tuple[int, ...]


def is_allowed(constraints: Constraints, time: int, cell: int, to: int) -> bool:
    """Return whether an agent may move from a cell to `to`, or wait, and arrive at a time."""
    for when, where, kind in constraints:
        if when == time and (
            (kind == -1 and where == to) or (kind == -2 and where != to) or (where == cell and kind == to)
        ):
            return False
    return True


def may_finish(constraints: Constraints, time: int, goal: int) -> bool:
    """Return whether an agent may stay at its goal from a time on."""
    last = max((when for when, _, _ in constraints), default=0)
    return all(is_allowed(constraints, later, goal, goal) for later in range(time + 1, last + 1))


def paths(graph: Graph, start: int, goal: int, constraints: Constraints, cost: int) -> Iterator[Path]:
    """Yield all paths whose last arrival is at the time `cost`."""

    def extended(path: Path) -> Iterator[Path]:
        if len(path) == cost + 1:
            if path[-1] == goal and (cost == 0 or path[-2] != goal):
                yield path
            return
        for to in [*graph[path[-1]], path[-1]]:
            if is_allowed(constraints, len(path), path[-1], to):
                yield from extended((*path, to))

    if is_allowed(constraints, 0, -1, start) and may_finish(constraints, cost, goal):
        yield from extended((start,))


def are_in_conflict(first: Path, second: Path) -> bool:
    """Return whether two agents on these paths are in one cell, or exchange cells, at one time."""
    horizon = max(len(first), len(second))
    first = first + first[-1:] * (horizon - len(first))
    second = second + second[-1:] * (horizon - len(second))
    steps = zip(first, second, first[1:], second[1:], strict=False)
    return any(a == b for a, b in zip(first, second, strict=True)) or any(
        a == to_b and b == to_a for a, b, to_a, to_b in steps
    )


def have_cardinal_conflict(first: list[Path], second: list[Path]) -> bool:
    """Return whether there is one conflict that all pairs of paths have."""
    horizon = max(len(first[0]), len(second[0]))

    def steps(of: list[Path], time: int) -> set[tuple[int, int]]:
        longer = [path + path[-1:] * horizon for path in of]
        return {(path[max(time - 1, 0)], path[time]) for path in longer}

    for time in range(horizon):
        of_first, of_second = steps(first, time), steps(second, time)
        cells = {to for _, to in of_first | of_second}
        if len(cells) == 1:
            return True
        if len(of_first) == len(of_second) == 1 and of_first == {(to, cell) for cell, to in of_second}:
            return True
    return False


def cheapest_pair(
    graph: Graph,
    starts: tuple[int, int],
    goals: tuple[int, int],
    constraints: tuple[Constraints, Constraints],
    most: int,
) -> int:
    """Return the smallest sum of costs of two paths without conflict, at most `most`, by a search of joint states."""
    if starts[0] == starts[1] or not all(
        is_allowed(rows, 0, -1, start) for rows, start in zip(constraints, starts, strict=True)
    ):
        return most
    queue = [(0, 0, starts, (False, False))]
    closed = set()
    while queue:
        cost, time, cells, settled = heapq.heappop(queue)
        if (time, cells, settled) in closed:
            continue
        closed.add((time, cells, settled))
        if cost >= most or all(settled):
            return min(cost, most)
        for number in range(2):
            is_at_goal = cells[number] == goals[number]
            if not settled[number] and is_at_goal and may_finish(constraints[number], time, goals[number]):
                after = (settled[0] or number == 0, settled[1] or number == 1)
                heapq.heappush(queue, (cost, time, cells, after))
        choices = [
            [cell] if is_settled else [to for to in [*graph[cell], cell] if is_allowed(rows, time + 1, cell, to)]
            for cell, is_settled, rows in zip(cells, settled, constraints, strict=True)
        ]
        for to in product(*choices):
            if to[0] != to[1] and (to[1], to[0]) != cells:
                heapq.heappush(queue, (cost + settled.count(False), time + 1, (to[0], to[1]), settled))
    return most


def cover(weights: list[list[int]]) -> int:
    """Return the smallest sum of numbers of the vertices that cover the weight of each edge, of all such numbers."""
    size = len(weights)
    edges = [(i, j) for i in range(size) for j in range(i)]
    largest = [max(row) for row in weights]
    choices = product(*(range(number + 1) for number in largest))
    return min(sum(x) for x in choices if all(x[i] + x[j] >= weights[i][j] for i, j in edges))
