"""Boards of snake and candies for tests, and states of the naive implementation."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.naive import snake as naive
from worlds.interface.instance import Instance
from worlds.snake.rules import Board, Candy, GridCell, Snake
from worlds.snake.world import SnakeInstance, SnakeWorld

NaiveState = tuple[tuple[GridCell, ...], tuple[tuple[GridCell, int], ...]]
"""Cells of the snake from head to tail, and sorted (cell, units left) of the candies."""

SMALL = [(1, 2), (2, 1), (1, 3), (1, 6), (7, 1), (2, 2), (2, 3), (4, 2), (3, 3), (3, 4), (4, 4), (5, 3)]


def any_board(source: random.Random, rows: int, columns: int, most_units: int = 5) -> Board:
    """Return a random board. Each candy has one to four units; all candies have at most `most_units` units."""
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    source.shuffle(cells)
    units = min(source.randint(1, most_units), len(cells) - 1)
    candies: list[Candy] = []
    while units:
        capacity = source.randint(1, min(4, units))
        candies.append(Candy(cells[len(candies) + 1], capacity))
        units -= capacity
    return Board(rows, columns, cells[0], tuple(candies))


def small_boards(seed: object, count: int, most_units: int = 5) -> list[Board]:
    source = random.Random(str(seed))
    return [any_board(source, *SMALL[number % len(SMALL)], most_units) for number in range(count)]


def instance(board: Board) -> SnakeInstance:
    return Instance(SnakeWorld(board), "test")


def as_naive(board: Board, snake: Snake) -> NaiveState:
    """Convert a state of the rules to a state of the naive implementation."""
    candies = zip(board.candies, snake.left, strict=True)
    return (snake.head, *snake.body), tuple(sorted((candy.cell, left) for candy, left in candies if left))


def from_naive(board: Board, state: NaiveState) -> Snake:
    """Convert a state of the naive implementation to a state of the rules."""
    snake, candies = state
    units = dict(candies)
    return Snake(snake[0], snake[1:], tuple(units.get(candy.cell, 0) for candy in board.candies))


def random_walk(source: random.Random, board: Board, moves: int) -> Iterator[NaiveState]:
    """Yield the states of a random walk. It ends after `moves` states, or in a state without successors."""
    state = naive.begin(board)
    for _ in range(moves):
        yield state
        after = [to for _, to in naive.successors(board, state)]
        if not after:
            return
        state = source.choice(after)
