"""Snake and candies: a board, on which the snake begins without a body."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from worlds.interface import Document, Family, InputFile, Instance, Kernels, Looks, Words
from worlds.snake import formats, render, rules, shrink
from worlds.snake.rules import DIRECTION, MOVES, Board, GridCell, Snake
from worlds.snake.search import constants_of, expand, is_goal, pack, unpack


@dataclass(frozen=True)
class SnakeWorld(Kernels, Looks, Family):
    """A board with candies and a snake. A state is a `Snake`.

    Attributes
    ----------
    board : Board
    """

    domain: ClassVar[str] = "snake"
    unit_costs = True
    expand_kernel = expand
    goal_kernel = is_goal

    board: Board

    def identity(self) -> dict[str, Any]:
        board = self.board
        candies = [(*candy.cell, candy.capacity) for candy in board.candies]
        return {"size": (board.rows, board.columns), "head": board.head, "candies": candies}

    def initial(self) -> Snake:
        return rules.start(self.board)

    def step_of(self, state: Snake, action: str) -> tuple[Snake, int] | None:
        after = rules.act(self.board, state, action)
        return None if after is None else (after, 1)

    def is_goal(self, state: Snake) -> bool:
        return rules.is_goal(state)

    def proof_of_unsolvability(self) -> str | None:
        board = self.board
        if rules.fits(board):
            return None
        return f"{board.rows * board.columns} cells for a snake of {board.units + 1}"

    def pack(self, state: Snake) -> Words:
        return pack(self.board, state)

    def unpack(self, words: Sequence[int]) -> Snake:
        return unpack(self.board, words)

    def constants(self) -> NDArray[np.int64]:
        return constants_of(self.board)

    def action_names(self) -> tuple[str, ...]:
        return MOVES

    def state(self, head: GridCell, body: Sequence[GridCell] = (), left: Sequence[int] | None = None) -> Words:
        """Pack a state.

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

    @property
    def dimensions(self) -> tuple[int, ...]:
        return self.board.rows, self.board.columns

    def smaller(self) -> Iterator[SnakeWorld]:
        return map(SnakeWorld, shrink.smaller(self.board))

    def starting_at(self, state: Snake) -> SnakeWorld | None:
        """Return the board with the head where a state has it; None once something has been eaten."""
        if state.body or state.head in [candy.cell for candy in self.board.candies]:
            return None
        return SnakeWorld(replace(self.board, head=state.head))

    def document(self, name: str) -> Document:
        return Document("snake/file", ".txt", formats.dump(self.board))

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the size of the board, the head as row,column, and the candies as row,column,capacity."""
        board = self.board
        row, column = board.head
        return {
            "rows": str(board.rows),
            "columns": str(board.columns),
            "head": f"{row},{column}",
            "candies": " ".join(f"{candy.cell[0]},{candy.cell[1]},{candy.capacity}" for candy in board.candies),
        }

    def show(self, state: Snake) -> str:
        return render.grid(self.board, state)

    def text_of(self, state: Snake) -> str:
        """Return the cells of the snake from its head on, and the units left of each candy."""
        cells = " ".join(map(str, (state.head, *state.body)))
        return f"snake {cells}, units left {' '.join(map(str, state.left))}"

    def draw(self, state: Snake, axes: Any) -> None:
        render.draw(self.board, state, axes)

    def locate(self, state: Snake) -> tuple[float, float]:
        row, column = state.head
        return column + 0.5, row + 0.5

    @property
    def torus_size(self) -> tuple[float, float]:
        return self.board.columns, self.board.rows

    def caption(self, action: str, before: Snake, after: Snake) -> str:
        eats = ", eats" if after.left != before.left else ""
        return f"{DIRECTION[action]}{eats} (units left: {sum(after.left)})"

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the board as text; with a plan, also its moves and the board after them."""
        parts = [self.show(self.initial()), render.LEGEND]
        if plan is not None:
            parts += [f"plan ({len(plan)} moves): {' '.join(plan)}", self.show(self.played(plan)[0][-1])]
        return "\n".join(parts)


SnakeInstance = Instance[SnakeWorld]


def _cell(board: Board, cell: GridCell) -> GridCell:
    try:
        row, column = (operator.index(number) for number in cell)
    except (TypeError, ValueError):
        row = column = -1
    if not (0 <= row < board.rows and 0 <= column < board.columns):
        raise UserError(f"state: {cell} is not a cell (row, column) of the {board.rows} x {board.columns} board")
    return row, column
