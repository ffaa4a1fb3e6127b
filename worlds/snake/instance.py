"""Instances of snake and candies: a board, and the conversion of its states to the packed form and back."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from runner.base.errors import UserError
from worlds.interface import Document, Frame, Instance, Problem, Replay, Unsolvable, Words
from worlds.refusal import impossible
from worlds.snake import rules
from worlds.snake.rules import MOVES, Board, GridCell, Snake
from worlds.snake.search import expand, is_goal, pack, unpack, world_of


@dataclass(frozen=True)
class SnakeInstance(Instance):
    """A board with candies and a snake.

    Attributes
    ----------
    board : Board
    id : str
        Name of the board, unique in its source.
    seed : int or None
        Seed that alone makes a random board again; None if the board is not random.
    world : str
        Name of the source.
    """

    domain: ClassVar[str] = "snake"

    board: Board
    id: str
    seed: int | None = None
    world: str = domain

    def key(self) -> dict[str, Any]:
        """Return the board as JSON-compatible values."""
        board = self.board
        candies = [(*candy.cell, candy.capacity) for candy in board.candies]
        return {"id": self.id, "size": (board.rows, board.columns), "head": board.head, "candies": candies}

    def problem(self) -> Problem:
        """Pack the board.

        Raises
        ------
        worlds.interface.Unsolvable
            If the board has fewer cells than the snake has at the end.
        """
        board = self.board
        if not rules.fits(board):
            raise Unsolvable(f"{board.rows * board.columns} cells for a snake of {board.units + 1}")
        return Problem(
            instance=self,
            world=world_of(board),
            initial=pack(board, rules.start(board)),
            max_successors=len(MOVES),
            action_lengths=np.ones(len(MOVES), np.int64),
            expand=expand,
            is_goal=is_goal,
            unit_costs=True,
        )

    def state(self, head: GridCell, body: Sequence[GridCell] = (), left: Sequence[int] | None = None) -> Words:
        """Pack a state: the inverse of `describe`.

        Parameters
        ----------
        head : (int, int)
            Row and column.
        body : sequence of (int, int)
            Cells behind the head, the nearest first; as many as units have been eaten.
        left : sequence of int, optional
            Units left of each candy, in the order of the board's candies. Unless given, nothing is eaten.

        Raises
        ------
        UserError
            If this board has no such state.
        """
        board = self.board
        capacities = [candy.capacity for candy in board.candies]
        try:
            left = capacities if left is None else [operator.index(units) for units in left]
            body = tuple(body)
        except TypeError:
            raise UserError("state: body and left must be sequences, of cells and of whole numbers") from None
        if len(left) != len(capacities) or not all(0 <= n <= most for n, most in zip(left, capacities, strict=True)):
            raise UserError(f"state: left must have 0 to the capacity for each candy, {capacities}, not {left}")
        cells = [_cell(board, cell) for cell in (head, *body)]
        if len(set(cells)) < len(cells):
            raise UserError("state: head and body must be on different cells")
        if any(candy.cell in cells and n == candy.capacity for candy, n in zip(board.candies, left, strict=True)):
            raise UserError("state: the snake lies on a candy that is still whole")
        if len(cells) - 1 != board.units - sum(left):
            raise UserError(f"state: body has {len(cells) - 1} cells, but {board.units - sum(left)} units are eaten")
        try:
            return pack(board, Snake(cells[0], tuple(cells[1:]), tuple(left)))
        except ValueError as error:
            raise UserError(f"state: body: {error}") from None

    def describe(self, state: Words) -> Snake:
        """Return the snake of a packed state."""
        return unpack(self.board, state)

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the moves of the head: L, R, D, U."""
        return tuple(MOVES[action] for action in actions)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by `worlds.snake.rules`."""
        snakes = [rules.start(self.board), *rules.play(self.board, plan)]
        played, end = len(snakes) - 1, snakes[-1]
        if played == len(plan):
            return Replay(rules.is_goal(end), played)
        allowed = (move for move in MOVES if rules.act(self.board, end, move) is not None)
        return Replay(False, played, failure=impossible(played + 1, plan[played], end, allowed))

    def smaller(self) -> Iterator[SnakeInstance]:
        """Yield boards with an empty row or column, a candy or a unit less, or with a candy closer to the head."""
        from worlds.snake.shrink import smaller

        return (replace(self, board=board, seed=None) for board in smaller(self.board))

    def starting_at(self, state: Snake) -> SnakeInstance | None:
        """Return the board with the head where a state has it; None once something has been eaten."""
        snake = state
        if snake.body or snake.head in [candy.cell for candy in self.board.candies]:
            return None
        return replace(self, board=replace(self.board, head=snake.head), seed=None)

    def document(self) -> Document:
        """Return the board as a text file. The name of the file is the id."""
        from worlds.snake.formats import dump

        return Document("snake/file", ".txt", dump(self.board))

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the board as text; with a plan, also the board at its end."""
        from worlds.snake.render import text

        return text(self.board, plan)

    def show(self, state: Snake) -> str:
        """Return the board with a snake as text."""
        from worlds.snake.render import grid

        return grid(self.board, state)

    def locate(self, state: Snake) -> tuple[float, float]:
        """Return the middle of the cell of the head."""
        row, column = state.head
        return column + 0.5, row + 0.5

    @property
    def torus(self) -> tuple[float, float]:
        """Number of columns and rows: all four edges are joined."""
        return self.board.columns, self.board.rows

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the board before and after each move."""
        from worlds.snake.render import frames

        return frames(self.board, plan)


def _cell(board: Board, cell: GridCell) -> GridCell:
    try:
        row, column = (operator.index(number) for number in cell)
    except (TypeError, ValueError):
        row = column = -1
    if not (0 <= row < board.rows and 0 <= column < board.columns):
        raise UserError(f"state: {cell} is not a cell (row, column) of the {board.rows} x {board.columns} board")
    return row, column
