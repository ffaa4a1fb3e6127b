"""Snake and candies: breadth-first search and heuristics. ``python -m benchmarks.snake [--only NAME ...]``.

- bfs: states generated per second and bytes per stored state, and the same search in plain Python (minutes)
- large: states generated per second on 30x30 boards with 40 units, for a million expansions
- heuristics: nodes that A* expands with each heuristic on random boards

Both breadth-first searches must agree in cost and counts, and all heuristics in cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import runner
from algorithms.breadth_first import BreadthFirst
from benchmarks.tables import Row, expect, print_tables
from benchmarks.timing import search_runs, timed
from heuristics.interface import HEURISTICS, Stack
from worlds.snake.rules import Board

BOARDS = ["07_pillars", "08_deep", "10_cluster", "11_scattered", "12_cross"]
RANDOM: list[dict[str, int]] = [
    {"rows": 6, "columns": 6, "candies": 4, "max_capacity": 2},
    {"rows": 10, "columns": 10, "candies": 7, "max_capacity": 1},
    {"rows": 5, "columns": 5, "candies": 2, "max_capacity": 4},
]

State = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]


def successors(board: Board, where: dict[tuple[int, int], int], state: State) -> Iterator[State]:
    """Yield the successors. A state is the snake's cells from the head on, and the units left of each candy."""
    snake, left = state
    row, column = snake[0]
    for down, right in ((0, -1), (0, 1), (1, 0), (-1, 0)):
        head = ((row + down) % board.rows, (column + right) % board.columns)
        if head == snake[0] or (len(snake) > 1 and head == snake[1]):
            continue
        candy = where.get(head)
        if candy is not None and left[candy]:
            if head not in snake:
                yield (head, *snake), (*left[:candy], left[candy] - 1, *left[candy + 1 :])
        elif head not in snake[:-1]:
            yield (head, *snake[:-1]), left


def plain(board: Board) -> tuple[int, int, int]:
    """Run a breadth-first search in plain Python. Return its cost, generated states and distinct states."""
    where = {candy.cell: number for number, candy in enumerate(board.candies)}
    start: State = ((board.head,), tuple(candy.capacity for candy in board.candies))
    cost, queue, generated = {start: 0}, deque([start]), 0
    while True:
        state = queue.popleft()
        if not any(state[1]):
            return cost[state], generated, len(cost)
        for after in successors(board, where, state):
            generated += 1
            if after not in cost:
                cost[after] = cost[state] + 1
                queue.append(after)


def bfs(repeat: int) -> list[Row]:
    """Breadth-first search here and in plain Python."""
    boards: dict[str, Any] = {each.id: each for each in runner.load("snake/static")}
    rows: list[Row] = []
    for name in BOARDS:
        problem = boards[name].problem()
        runs = search_runs(BreadthFirst(), Stack(), problem, repeat)
        counts = runs.counts
        found, seconds = timed(partial(plain, boards[name].world.board))
        expect(found, (runs.cost, counts.generated, counts.peak_nodes), name)
        rows.append(
            {
                "BFS": name,
                "generated": counts.generated,
                "states": counts.peak_nodes,
                "words": problem.initial.size,
                "generated/s": counts.generated / runs.seconds,
                "plain Python: generated/s": counts.generated / seconds,
                "ratio": seconds / runs.seconds,
                "resident bytes/state": runs.resident_bytes / counts.peak_nodes,
                "memory_bytes/state": counts.memory_bytes / counts.peak_nodes,
            }
        )
    return rows


def large(repeat: int) -> list[Row]:
    """Breadth-first search with states of three words."""
    rows: list[Row] = []
    for board in runner.load("snake/random", count=3, rows=30, columns=30, candies=40, max_capacity=1):
        results = [runner.solve(board, "bfs", limits={"nodes": 1_000_000}) for _ in range(repeat)]
        rates = [(result.generated or 0) / (result.search_seconds or 1) for result in results]
        words = board.problem().initial.size
        rows.append({"BFS": board.id, "generated": results[0].generated, "words": words, "generated/s": median(rates)})
    return rows


def heuristics(repeat: int) -> list[Row]:
    """A* with each heuristic: means over a hundred boards of each kind."""
    rows: list[Row] = []
    for parameters in RANDOM:
        boards = runner.load("snake/random", count=100, **parameters)
        costs = None
        for name in ["none", *HEURISTICS.names(domain="snake")]:
            results = [runner.solve(board, "astar", name) for board in boards]
            found = [result.cost for result in results]
            costs = costs or found
            expect(found, costs, name)
            rows.append(
                {
                    "A* on 100 boards": "{rows}x{columns}, {candies} candies of up to {max_capacity}".format(
                        **parameters
                    ),
                    "heuristic": name,
                    "mean cost": float(np.mean([cost for cost in found if cost is not None])),
                    "mean initial h": float(np.mean([result.initial_h or 0 for result in results])),
                    "mean expanded": float(np.mean([result.expanded or 0 for result in results])),
                    "mean seconds": float(np.mean([result.search_seconds or 0 for result in results])),
                }
            )
    return rows


CASES = {case.__name__: case for case in (bfs, large, heuristics)}


if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES), repeated="bfs, large")
