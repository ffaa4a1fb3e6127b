"""Snake and candies: breadth-first search, and what heuristics save. ``python -m benchmarks.snake [--only NAME ...]``.

- bfs: states generated per second and bytes per stored state, against a breadth-first search in plain Python (minutes)
- large: the same on 30x30 boards with 40 units, for a million expansions, without the reference
- heuristics: nodes that A* expands with each heuristic, on random boards

Costs and counts of both are checked to be equal.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Iterator
from statistics import median

import numpy as np

import runner
from algorithms.breadth_first import BreadthFirst
from algorithms.engine.search import Limits, run
from benchmarks.cases import Row, expect, print_tables
from benchmarks.engine import resident
from heuristics.stack import Stack
from runner import registry
from worlds.snake.rules import Board

BOARDS = ["07_pillars", "08_deep", "10_cluster", "11_scattered", "12_cross"]
RANDOM: list[dict[str, int]] = [
    {"rows": 6, "columns": 6, "candies": 4, "max_capacity": 2},
    {"rows": 10, "columns": 10, "candies": 7, "max_capacity": 1},
    {"rows": 5, "columns": 5, "candies": 2, "max_capacity": 4},
]

State = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]


def successors(board: Board, where: dict[tuple[int, int], int], state: State) -> Iterator[State]:
    """Straightforward: a snake is a tuple of cells from the head on, with the units left of each candy."""
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
    """Cost, states generated and distinct states of a breadth-first search with a dictionary."""
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
    """Both in turns; the growth of the resident memory over the first search of each board."""
    boards = {board.id: board for board in runner.load("snake/static")}
    rows = []
    for name in BOARDS:
        problem = boards[name].problem()
        algorithm, stack = BreadthFirst(), Stack()
        algorithm.start(stack.prepare(problem), None).warm()
        rates, memory = [], 0
        for number in range(repeat):
            gc.collect()
            before = resident()
            search = algorithm.start(stack.prepare(problem), None)
            start = time.perf_counter()
            expect(run(search, Limits()), "solved", name)
            rates.append(search.counts.generated / (time.perf_counter() - start))
            memory = memory if number else resident() - before
            cost, counts = search.cost, search.counts
            del search
        start = time.perf_counter()
        expect(plain(boards[name].board), (cost, counts.generated, counts.peak_nodes), name)
        theirs = counts.generated / (time.perf_counter() - start)
        rows.append(
            {
                "BFS": name,
                "generated": counts.generated,
                "states": counts.peak_nodes,
                "words": problem.initial.size,
                "generated/s": median(rates),
                "plain Python: generated/s": theirs,
                "ratio": median(rates) / theirs,
                "resident bytes/state": memory / counts.peak_nodes,
                "memory_bytes/state": counts.memory_bytes / counts.peak_nodes,
            }
        )
    return rows


def large(repeat: int) -> list[Row]:
    """States of three words."""
    rows = []
    for board in runner.load("snake/random", count=3, rows=30, columns=30, candies=40, max_capacity=1):
        results = [runner.solve(board, "bfs", limits={"nodes": 1_000_000}) for _ in range(repeat)]
        rates = [(result.generated or 0) / (result.search_seconds or 1) for result in results]
        words = board.problem().initial.size
        rows.append({"BFS": board.id, "generated": results[0].generated, "words": words, "generated/s": median(rates)})
    return rows


def heuristics(repeat: int) -> list[Row]:
    """Means over a hundred boards of each kind; all costs are equal."""
    rows = []
    for parameters in RANDOM:
        boards = runner.load("snake/random", count=100, **parameters)
        costs = None
        for name in ["none", *registry.names("heuristic", domain="snake")]:
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
