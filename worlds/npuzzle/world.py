"""The n-puzzle: a board and its goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from math import factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from worlds.compile import Kernel
from worlds.interface import (
    MAX_STATES,
    Document,
    Family,
    InPlaceProblem,
    InputFile,
    Instance,
    Kernels,
    Looks,
    PerfectIndex,
    Step,
    Words,
    plan_texts,
)
from worlds.npuzzle import formats, plans, render, rules, shrink
from worlds.npuzzle.in_place import in_place
from worlds.npuzzle.rules import DIRECTION, MOVES, OPPOSITE, Board, Puzzle
from worlds.npuzzle.search import (
    EXPAND_KERNELS,
    PREDECESSORS,
    constants_of,
    is_goal,
    layout_of,
    next_cells,
    pack,
    tiles_of,
    unpack,
)
from worlds.permutations import Rearrangement, index_of_permutations


@cache
def _index(rows: int, columns: int, parity: int) -> PerfectIndex:
    """Return the index of the boards whose parity, with the blank's row and column, is that of the goal."""
    cells, moves = rows * columns, list[Rearrangement]()
    for blank, following in enumerate(next_cells(rows, columns).tolist()):
        for cell in following:
            if cell >= 0:
                to = [*range(cells)]
                to[blank], to[cell] = cell, blank
                moves.append(Rearrangement(to, blank))
    parities = [(parity + sum(divmod(blank, columns))) % 2 for blank in range(cells)]
    return index_of_permutations(cells, moves, lambda board: np.argsort(board).tolist(), parities)


@dataclass(frozen=True)
class PuzzleWorld(Kernels, Looks, Family):
    """A board to solve. A state is a `Board`.

    Attributes
    ----------
    puzzle : Puzzle
    """

    domain: ClassVar[str] = "npuzzle"
    unit_costs = True
    goal_kernel = is_goal
    plan_formats = ("names", "moves", "json")

    puzzle: Puzzle

    def identity(self) -> dict[str, Any]:
        puzzle = self.puzzle
        return {"size": (puzzle.rows, puzzle.columns), "board": puzzle.board, "goal": puzzle.goal}

    def initial(self) -> Board:
        return self.puzzle.board

    def predecessors(self, state: Board) -> Iterator[Step]:
        """Yield the boards before a move. The opposite move leads to them."""
        for move, before, cost in self.successors(state):
            yield OPPOSITE[move], before, cost

    def step_of(self, state: Board, action: str) -> tuple[Board, int] | None:
        after = rules.act(self.puzzle, state, action)
        return None if after is None else (after, 1)

    def is_goal(self, state: Board) -> bool:
        return state == self.puzzle.goal

    def goals(self) -> tuple[Board]:
        return (self.puzzle.goal,)

    def proof_of_unsolvability(self) -> str | None:
        return None if rules.is_solvable(self.puzzle) else "odd parity"

    @property
    def expand_kernel(self) -> Kernel:
        return EXPAND_KERNELS[layout_of(len(self.puzzle.board))]

    @property
    def predecessors_kernel(self) -> Kernel:
        return PREDECESSORS[layout_of(len(self.puzzle.board))]

    @property
    def in_place(self) -> Callable[[], InPlaceProblem]:
        return partial(in_place, self.puzzle)

    @property
    def perfect_index(self) -> Callable[[], PerfectIndex] | None:
        """Index of all solvable boards of this size, if they are not too many."""
        puzzle = self.puzzle
        if factorial(len(puzzle.board)) // 2 > MAX_STATES:
            return None
        inversions = sum(first > second for first, second in combinations(puzzle.goal, 2))
        blank = sum(divmod(puzzle.goal.index(0), puzzle.columns))
        return partial(_index, puzzle.rows, puzzle.columns, (inversions + blank) % 2)

    def pack(self, state: Board) -> Words:
        return pack(state)

    def unpack(self, words: Sequence[int]) -> Board:
        return unpack(words, len(self.puzzle.board))

    def values_of(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the tile in each cell."""
        return tiles_of(states, len(self.puzzle.board))

    @property
    def value_counts(self) -> list[int]:
        return [len(self.puzzle.board)] * len(self.puzzle.board)

    def constants(self) -> NDArray[np.int64]:
        return constants_of(self.puzzle)

    def action_names(self) -> tuple[str, ...]:
        return MOVES

    def state(self, board: Sequence[int]) -> Words:
        """Pack a board of this size, given as tiles by rows.

        Raises
        ------
        UserError
            If the tiles are not a permutation of 0 to rows * columns - 1.
        """
        cells = len(self.puzzle.board)
        tiles = [int(tile) for tile in board]
        if sorted(tiles) != list(range(cells)):
            raise UserError(f"state: board is not a permutation of 0 to {cells - 1}")
        return pack(tiles)

    @property
    def dimensions(self) -> tuple[int, ...]:
        return self.puzzle.rows, self.puzzle.columns

    def smaller(self) -> Iterator[PuzzleWorld]:
        """Yield boards without a row or column that is in place, and boards one move closer to the goal."""
        return map(PuzzleWorld, shrink.smaller(self.puzzle))

    def starting_at(self, state: Board) -> PuzzleWorld:
        return PuzzleWorld(replace(self.puzzle, board=state))

    def document(self, name: str) -> Document:
        puzzle = self.puzzle
        parameters = {"size": [puzzle.rows, puzzle.columns], "goal": list(puzzle.goal)}
        return Document("npuzzle/file", ".txt", formats.dump(name, puzzle.board), parameters)

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the tiles of the board and of its goal, and the size: one number for a square, else as in 3x4."""
        puzzle = self.puzzle
        is_square = puzzle.rows == puzzle.columns
        return {
            "board": " ".join(map(str, puzzle.board)),
            "goal": " ".join(map(str, puzzle.goal)),
            "size": str(puzzle.rows) if is_square else f"{puzzle.rows}x{puzzle.columns}",
            "rows": str(puzzle.rows),
            "columns": str(puzzle.columns),
        }

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the moves of the blank. `moves` are letters, with blanks or without, or the tiles that are moved."""
        if format == "moves":
            return plans.moves_of(self.puzzle, plan_texts.words(text))
        return super().read_plan(text, format)

    def show(self, state: Board) -> str:
        return render.grid(self.puzzle, state)

    def draw_path(self, states: Sequence[Board], axes: Any) -> None:
        """Draw the last board, and mark the tile that moved last."""
        render.draw(self.puzzle, states[-1], states[-2].index(0) if states[1:] else -1, axes)

    def caption(self, action: str, before: Board, after: Board) -> str:
        return f"{tile_move(action, before, after)} (blank {DIRECTION[action]})"

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the board as text; with a plan, also the moves of the blank and of the tiles."""
        parts = [self.show(self.puzzle.board)]
        if plan is not None:
            boards, _ = self.played(plan)
            parts.append(f"plan ({len(plan)} moves of the blank): {' '.join(plan)}")
            moves = map(tile_move, plan, boards, boards[1:])
            parts += [f"{number:>4}. {move}" for number, move in enumerate(moves, 1)]
        return "\n".join(parts)


PuzzleInstance = Instance[PuzzleWorld]


def tile_move(move: str, before: Board, after: Board) -> str:
    """Return a move as that of a tile: "move tile 7 left" where the blank goes right."""
    return f"move tile {before[after.index(0)]} {DIRECTION[OPPOSITE[move]]}"
