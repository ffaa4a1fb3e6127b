"""Speed of an algorithm in plain Python on a compiled world, beside the same loop over boards in plain Python.

python -m benchmarks.algorithms [--boards N] [--repeat N]
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from runner.examples.enforced_hill_climbing import enforced_hill_climbing

import runner
from algorithms.interface import SearchProblem
from heuristics.interface import Stack
from runner.config import sections
from worlds.npuzzle import rules
from worlds.npuzzle.rules import Board, Puzzle

MOST = 100_000
NEIGHBOURS = [
    [(move, to) for move in rules.MOVES if (to := rules.destination(Puzzle(4, 4, (), ()), blank, move)) is not None]
    for blank in range(16)
]
DISTANCE = [
    [0 if tile == 0 else abs((tile - 1) // 4 - at // 4) + abs((tile - 1) % 4 - at % 4) for at in range(16)]
    for tile in range(16)
]


class ByRules:
    """A board as a problem of the algorithm, by `worlds.npuzzle.rules`."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.start, self.goal = puzzle, puzzle.board, puzzle.goal
        self.measured: dict[str, float | None] = {}
        self.expanded = 0

    def expand(self, board: Board) -> list[tuple[str, Board, int]]:
        self.expanded += 1
        steps = ((move, rules.act(self.puzzle, board, move)) for move in rules.MOVES)
        return [(move, after, 1) for move, after in steps if after is not None]

    def h(self, board: Board) -> int:
        return sum([DISTANCE[tile][at] for at, tile in enumerate(board)])

    def is_goal(self, board: Board) -> bool:
        return board == self.goal


class ByTables(ByRules):
    """The same with tables of neighbours, as a fast program has them."""

    def expand(self, board: Board) -> list[tuple[str, Board, int]]:
        self.expanded += 1
        blank, steps = board.index(0), []
        for move, to in NEIGHBOURS[blank]:
            tiles = list(board)
            tiles[blank], tiles[to] = tiles[to], 0
            steps.append((move, tuple(tiles), 1))
        return steps


def compiled(puzzle: Any) -> SearchProblem:
    stack: Stack = sections.stack_of_entries("npuzzle", ["manhattan"], "sum")
    search = sections.algorithm_of({"name": "enforced_hill_climbing"})
    bound = stack.prepare(puzzle.problem())
    started: Any = search
    begun = started.start(bound, None)
    begun.warm()
    return SearchProblem(bound, begun)


def expansions_per_second(boards: list[Any], make: Any) -> float:
    expanded, seconds = 0, 0.0
    for board in boards:
        problem = make(board)
        began = time.process_time()
        enforced_hill_climbing(problem, MOST)
        seconds += time.process_time() - began
        expanded += problem.counts.expanded if isinstance(problem, SearchProblem) else problem.expanded
    return expanded / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    boards = runner.load("npuzzle/random", count=options.boards)
    makers = {
        "compiled world": compiled,
        "rules of the project": lambda board: ByRules(board.world.puzzle),
        "tuples and tables": lambda board: ByTables(board.world.puzzle),
    }
    found: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(options.repeat):
        for name, make in makers.items():
            found[name].append(expansions_per_second(boards, make))
    table = Table(
        "problem",
        "expansions per second of processor time",
        "compiled is faster by",
        title="enforced hill climbing in plain Python",
    )
    reference = median(found["compiled world"])
    for name, values in found.items():
        table.add_row(name, f"{median(values):,.0f}", f"{reference / median(values):.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
