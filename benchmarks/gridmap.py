"""Speed of searches on grid maps, beside a plain A* with a binary heap that numba compiles.

python -m benchmarks.gridmap FOLDER_OR_SCENARIO... [--problems N] [--repeat N]

The reference has an array for each field of a node, as large as the map and allocated once; a problem only raises a
number that marks what is valid. It searches the same problems, in turns with the other, so that both begin with the
same caches; its costs must be equal. Processor time is measured, because other programs disturb it less. It includes
the start of a search, about 0.02 ms, which is most of the time of the shortest; the last column does not.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numba import njit

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine import Limiter, Limits
from algorithms.interface import SearchAlgorithm
from algorithms.jump_point import JumpPoint
from benchmarks.tables import Row, show
from runner.config import sections
from worlds.gridmap.rules import DIAGONAL, STRAIGHT
from worlds.gridmap.world import GridInstance

Rate = tuple[float, float]
MOVES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)], np.int64)


@njit(cache=True)
def reference(
    free: Any, width: Any, height: Any, start: Any, goal: Any, stamp: Any, marks: Any, g: Any, parent: Any, heap_f: Any,
    heap_cell: Any, moves: Any, straight: Any, diagonal: Any,
) -> Any:  # fmt: skip
    """Search with a binary heap and lazy deletion. Return the cost (-1: none) and the number of expansions."""
    goal_x, goal_y = goal % width, goal // width
    dx, dy = abs(start % width - goal_x), abs(start // width - goal_y)
    g[start], marks[start], parent[start] = 0, stamp, start
    heap_f[0], heap_cell[0] = straight * abs(dx - dy) + diagonal * min(dx, dy), start
    size, expanded = 1, 0
    while size > 0:
        cell, f = heap_cell[0], heap_f[0]
        size -= 1
        last_f, last_cell, at = heap_f[size], heap_cell[size], 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and heap_f[child + 1] < heap_f[child]:
                child += 1
            if heap_f[child] >= last_f:
                break
            heap_f[at], heap_cell[at] = heap_f[child], heap_cell[child]
            at = child
        heap_f[at], heap_cell[at] = last_f, last_cell
        if cell == goal:
            return g[goal], expanded
        x, y = cell % width, cell // width
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        if f > g[cell] + straight * abs(dx - dy) + diagonal * min(dx, dy):
            continue
        expanded += 1
        for move in range(8):
            step_x, step_y = moves[move, 0], moves[move, 1]
            to_x, to_y = x + step_x, y + step_y
            if to_x < 0 or to_x >= width or to_y < 0 or to_y >= height or not free[to_y * width + to_x]:
                continue
            if move >= 4 and not (free[y * width + to_x] and free[to_y * width + x]):
                continue
            to, cost = to_y * width + to_x, g[cell] + (diagonal if move >= 4 else straight)
            if marks[to] == stamp and g[to] <= cost:
                continue
            g[to], marks[to], parent[to] = cost, stamp, cell
            dx, dy = abs(to_x - goal_x), abs(to_y - goal_y)
            new = cost + straight * abs(dx - dy) + diagonal * min(dx, dy)
            at = size
            size += 1
            while at > 0 and heap_f[(at - 1) >> 1] > new:
                heap_f[at], heap_cell[at] = heap_f[(at - 1) >> 1], heap_cell[(at - 1) >> 1]
                at = (at - 1) >> 1
            heap_f[at], heap_cell[at] = new, to
    return -1, expanded


class Reference:
    """The plain A* on one map, with its arrays."""

    def __init__(self, instance: GridInstance) -> None:
        grid = instance.world.grid
        self.width, self.height = grid.width, grid.height
        cells = self.width * self.height
        self.free = np.array([terrain in ".GS" for row in grid.rows for terrain in row])
        self.stamp = 0
        self.marks, self.g, self.parent = (np.zeros(cells, np.int32) for _ in range(3))
        self.heap_f, self.heap_cell = np.zeros(8 * cells, np.int64), np.zeros(8 * cells, np.int32)

    def solve(self, instance: GridInstance) -> tuple[int, int]:
        """Return the cost and the number of expansions."""
        self.stamp += 1
        start, goal = (y * self.width + x for x, y in (instance.world.start, instance.world.goal))
        cost, expanded = reference(
            self.free, self.width, self.height, start, goal, self.stamp, self.marks, self.g, self.parent,
            self.heap_f, self.heap_cell, MOVES, STRAIGHT, DIAGONAL,
        )  # fmt: skip
        cell = goal
        path = [goal]
        while cost >= 0 and cell != start:
            cell = int(self.parent[cell])
            path.append(cell)
        return int(cost), int(expanded)


def problems_of(path: Path, most: int) -> list[GridInstance]:
    """Return problems of a scenario, evenly spread over it."""
    every: list[Any] = runner.load("gridmap/scenario", path=str(path))
    count = min(most, len(every))
    return [every[number * len(every) // count] for number in range(count)]


def measure(problems: list[GridInstance], plain: Reference) -> tuple[Rate, Rate]:
    """Return the expansions per second and the milliseconds per problem of A* with octile, and of the plain A*."""
    seconds, expansions = [0.0, 0.0], [0, 0]
    for problem in problems:
        ours = runner.solve(problem, "astar", "octile")
        began = time.process_time()
        cost, expanded = plain.solve(problem)
        plain_seconds = time.process_time() - began
        assert ours.cost == (problem.world.user_cost(cost) if cost >= 0 else None), problem.id
        for which, (taken, count) in enumerate([(ours.cpu_seconds, ours.expanded), (plain_seconds, expanded)]):
            seconds[which] += taken or 0
            expansions[which] += count or 0
    one, other = (
        (count / taken, 1000 * taken / len(problems)) for taken, count in zip(seconds, expansions, strict=True)
    )
    return one, other


def jump_milliseconds(problems: list[GridInstance]) -> float:
    """Return the milliseconds per problem of jump point search."""
    results = [runner.solve(each, "jps", "octile") for each in problems]
    return 1000 * sum(each.cpu_seconds or 0 for each in results) / len(problems)


def search_seconds(problems: list[GridInstance], algorithm: SearchAlgorithm, repeat: int) -> float:
    """Return the seconds of all searches from their first expansion on, each at its fastest."""
    stack = sections.stack_of("gridmap", {"stack": ["octile"]})

    def seconds(problem: GridInstance) -> float:
        search = algorithm.start(stack.prepare(problem.problem()), None)
        began = time.process_time()
        search.run(Limiter(Limits()))
        return time.process_time() - began

    return sum(min(seconds(problem) for _ in range(repeat)) for problem in problems)


def setup_microseconds(problems: list[GridInstance], repeat: int) -> tuple[float, float]:
    """Return the median time to pack a problem, and to make its search by A* with octile, which includes packing."""
    stack, algorithm = sections.stack_of("gridmap", {"stack": ["octile"]}), AStar()
    packing, starting = list[float](), list[float]()
    for _ in range(repeat):
        began = time.process_time()
        for each in problems:
            each.problem()
        packed = time.process_time()
        for each in problems:
            algorithm.start(stack.prepare(each.problem()), None)
        packing.append(packed - began)
        starting.append(time.process_time() - packed)
    return 1e6 * median(packing) / len(problems), 1e6 * median(starting) / len(problems)


def main() -> None:
    """Print a table with a line for each map."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="scenarios, or folders of them")
    parser.add_argument("--problems", type=int, default=100, help="problems of each map")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    files = [file for path in options.paths for file in (sorted(path.glob("*.scen")) if path.is_dir() else [path])]
    show("A* and jps, octile", [row_of(problems_of(file, options.problems), options.repeat) for file in files])


def row_of(problems: list[GridInstance], repeat: int) -> Row:
    """Return the line of the table for the problems of a map."""
    plain = Reference(problems[0])
    plain.solve(problems[0])
    rounds = [measure(problems, plain) for _ in range(repeat)]
    jump_ms = median(jump_milliseconds(problems) for _ in range(repeat))
    packing, starting = setup_microseconds(problems, repeat)
    (rate, each_ms), (plain_rate, plain_ms) = (
        (median(rate for rate, _ in runs), median(each for _, each in runs)) for runs in zip(*rounds, strict=True)
    )
    alone = search_seconds(problems, AStar(), repeat) / search_seconds(problems, JumpPoint(), repeat)
    return {
        "map": problems[0].world.grid.name,
        "problems": len(problems),
        "A*, expansions/s": rate,
        "plain A*": plain_rate,
        "ratio": rate / plain_rate,
        "A*, ms per problem": each_ms,
        "plain A*, ms": plain_ms,
        "us to pack": packing,
        "us to start": starting,
        "jps, times faster": each_ms / jump_ms,
        "from the first expansion": alone,
    }


if __name__ == "__main__":
    main()
