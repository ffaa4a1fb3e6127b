"""Instances of the n-puzzle: a board, and its conversion to the packed form and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from runner.base.errors import UserError
from worlds.interface import Document, Frame, Instance, Problem, Replay, Unsolvable, Words
from worlds.npuzzle import rules
from worlds.npuzzle.in_place import in_place
from worlds.npuzzle.rules import MOVES, Board, Puzzle
from worlds.npuzzle.search import EXPAND_KERNELS, PREDECESSORS, is_goal, layout_of, pack, unpack, world_of
from worlds.refusal import impossible

ODD_PARITY = "odd parity"


@dataclass(frozen=True)
class PuzzleInstance(Instance):
    """A board and its goal.

    Attributes
    ----------
    puzzle : Puzzle
    id : str
        Name of the board, unique in its source.
    seed : int or None
        Seed that alone makes a random board again; None if the board is not random.
    world : str
        Name of the source.
    """

    domain: ClassVar[str] = "npuzzle"

    puzzle: Puzzle
    id: str
    seed: int | None = None
    world: str = domain

    def key(self) -> dict[str, Any]:
        """Return the board and its goal as JSON-compatible values."""
        puzzle = self.puzzle
        return {"id": self.id, "size": (puzzle.rows, puzzle.columns), "board": puzzle.board, "goal": puzzle.goal}

    def problem(self) -> Problem:
        """Pack the board.

        Raises
        ------
        worlds.interface.Unsolvable
            If the board has odd parity.
        """
        puzzle = self.puzzle
        if not rules.is_solvable(puzzle):
            raise Unsolvable(ODD_PARITY)
        layout = layout_of(len(puzzle.board))
        return Problem(
            instance=self,
            world=world_of(puzzle),
            initial=pack(puzzle.board),
            max_successors=len(MOVES),
            action_lengths=np.ones(len(MOVES), np.int64),
            expand=EXPAND_KERNELS[layout],
            is_goal=is_goal,
            unit_costs=True,
            predecessors=PREDECESSORS[layout],
            goals=pack(puzzle.goal),
            in_place=partial(in_place, puzzle),
        )

    def state(self, board: Sequence[int]) -> Words:
        """Pack a board of this size, given as tiles by rows: the inverse of `describe`.

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

    def describe(self, state: Words) -> Board:
        """Return the tiles of a packed state by rows."""
        return unpack(state, len(self.puzzle.board))

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the moves of the blank: U, L, R, D."""
        return tuple(MOVES[action] for action in actions)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by `worlds.npuzzle.rules`."""
        boards = [self.puzzle.board, *rules.play(self.puzzle, plan)]
        played, end = len(boards) - 1, boards[-1]
        if played == len(plan):
            return Replay(end == self.puzzle.goal, played)
        allowed = (move for move in MOVES if rules.act(self.puzzle, end, move) is not None)
        return Replay(False, played, failure=impossible(played + 1, plan[played], end, allowed))

    def smaller(self) -> Iterator[PuzzleInstance]:
        """Yield boards without a row or column that is in place, and boards one move closer to the goal."""
        from worlds.npuzzle.shrink import smaller

        return (replace(self, puzzle=puzzle, seed=None) for puzzle in smaller(self.puzzle))

    def starting_at(self, state: Board) -> PuzzleInstance:
        """Return the puzzle with the board of a state."""
        return replace(self, puzzle=replace(self.puzzle, board=state), seed=None)

    def document(self) -> Document:
        """Return the board as a file with one line."""
        from worlds.npuzzle.formats import dump

        puzzle = self.puzzle
        parameters = {"size": [puzzle.rows, puzzle.columns], "goal": list(puzzle.goal)}
        return Document("npuzzle/file", ".txt", dump(self.id, puzzle.board), parameters)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the board as text; with a plan, also the moves of the blank and of the tiles."""
        from worlds.npuzzle.render import text

        return text(self.puzzle, plan)

    def show(self, state: Board) -> str:
        """Return a board as text."""
        from worlds.npuzzle.render import grid

        return grid(self.puzzle, state)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the board before and after each move."""
        from worlds.npuzzle.render import frames

        return frames(self.puzzle, plan)
