"""Space-time A* for one agent around the paths of others, and random orders, in plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from tests.naive.random_numbers import SplitMix64

Cells = Sequence[int]


def place(path: Cells, time: int) -> int:
    """Return the cell at a time of an agent that stays at the end of its path."""
    return path[min(time, len(path) - 1)]


def earliest_arrival(neighbours: Sequence[Cells], start: int, goal: int, reserved: Sequence[Cells]) -> int | None:
    """Return the earliest time from which an agent can stay at its goal; None if it cannot get there.

    Parameters
    ----------
    neighbours : sequence of sequences of int
        Cells to which the moves from each cell lead, or -1.
    """
    h = distances(neighbours, goal)
    settled = max(map(len, reserved), default=0)  # from then on the others stay where they are
    if start not in h or any(path[-1] == goal for path in reserved):
        return None
    free = 1 + max((time for path in reserved for time, cell in enumerate(path) if cell == goal), default=-1)
    seen = {(0, start)}
    open_list = [(h[start], 0, start)]
    while open_list:
        _, time, cell = heapq.heappop(open_list)
        if cell == goal and time >= free:
            return time
        if time > settled + len(neighbours):
            continue
        for to in (cell, *neighbours[cell]):
            is_free = to >= 0 and not any(
                place(path, time + 1) == to or (place(path, time + 1) == cell and place(path, time) == to)
                for path in reserved
            )
            if is_free and (time + 1, to) not in seen:
                seen.add((time + 1, to))
                heapq.heappush(open_list, (time + 1 + h[to], time + 1, to))
    return None


def distances(neighbours: Sequence[Cells], goal: int) -> dict[int, int]:
    """Return the distance of each cell from which the goal can be reached."""
    found = {goal: 0}
    layer = [goal]
    for cell in layer:
        for to in neighbours[cell]:
            if to >= 0 and to not in found:
                found[to] = found[cell] + 1
                layer.append(to)
    return found


def shuffled(order: Sequence[int], source: SplitMix64) -> list[int]:
    """Return the agents in a random order (Fisher and Yates)."""
    agents = [*order]
    for at in range(len(agents) - 1, 0, -1):
        other = source.below(at + 1)
        agents[at], agents[other] = agents[other], agents[at]
    return agents
