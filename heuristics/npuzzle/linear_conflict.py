"""Additional moves for tiles that block each other in their goal row or column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.npuzzle.tile_sum import puzzle_of
from worlds.compile import Kernel, count_ones, helper
from worlds.interface import InPlaceTerm, Problem
from worlds.npuzzle.rules import Board
from worlds.npuzzle.search import CELLS, NEXT, WORDS, BoardLayout, layout_of, per_layout


@HEURISTICS.register("linear_conflict", domain="npuzzle")
@dataclass(frozen=True)
class LinearConflict(Heuristic):
    """2 moves for every tile that must leave its goal row (or column) so that others can pass.

    Consider the tiles that are in their goal row. At most those of the longest sequence in the right order can stay.
    Every other tile leaves the row and comes back: 2 moves that the Manhattan distance does not count. Admissible.
    Consistent on top of `manhattan`, but not without it. Source: Hansson, Mayer and Yung, "Criticizing solutions to
    relaxed models yields powerful admissible heuristics", Information Sciences 63, 1992.
    """

    builds_on = ("manhattan",)
    stands_alone = False
    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return self._term(problem, puzzle_of(problem).goal)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the packed world, with the start board as the goal."""
        return self._term(problem, puzzle_of(problem).board)

    def _term(self, problem: Problem, goal: Board) -> Term:
        """Bind to params: the packed world, the number of columns, the goal row and the goal column of every tile."""
        columns = puzzle_of(problem).columns
        row, column = np.divmod(np.argsort(np.array(goal)), columns)
        row[0] = column[0] = -1  # the blank blocks no tile
        params = np.concatenate([problem.constants, [columns], row, column])
        return Term(_KERNELS[layout_of(len(goal))], params, in_place=partial(_in_place, [columns, *row, *column]))


@helper
def keep_in_order(tails, position):
    """Extend the longest rising sequence by a position, and return the new set of tails.

    `tails` is a bit set. Its i-th smallest element is the smallest end of a rising sequence of length i. The new
    position replaces the next larger tail, if there is one (Schensted 1961).
    """
    larger = tails & ~((np.int64(1) << position) - 1)
    return (tails ^ (larger & -larger)) | (np.int64(1) << position)


def _term(layout: BoardLayout) -> Kernel:
    tile_of = layout.tile

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        cells, words = params[CELLS], params[WORDS]
        columns = params[NEXT + 4 * cells + words]
        goal_row = NEXT + 4 * cells + words + 1
        goal_column = goal_row + cells
        rows = cells // columns
        for k in range(n):
            at = out_at + k * words
            leaving = 0
            for line in range(rows + columns):
                is_row = line < rows
                number = line if is_row else line - rows
                first, step = (number * columns, 1) if is_row else (number, columns)
                home, order = (goal_row, goal_column) if is_row else (goal_column, goal_row)
                tails = np.int64(0)
                for i in range(columns if is_row else rows):
                    tile = tile_of(out, at, params, first + i * step)
                    if params[home + tile] == number:
                        tails = keep_in_order(tails, params[order + tile])
                        leaving += 1
                leaving -= count_ones(np.uint64(tails))
            h[slot + k] += 2 * leaving
        return 0

    term.__qualname__ = f"linear_conflict.{layout.name}"  # its own name in the disk cache
    return Kernel(term, TERM)


_KERNELS = per_layout(_term)


@helper
def leaving_line(table, board, cells, line, is_row):
    """Return how many tiles must leave a row or column, on a board in place."""
    columns = table[0]
    first, step, length = (line * columns, 1, columns) if is_row else (line, columns, cells // columns)
    home, order = (1, 1 + cells) if is_row else (1 + cells, 1)
    leaving, tails = 0, np.int64(0)
    for i in range(length):
        tile = np.int64(board[first + i * step])
        if table[home + tile] == line:
            tails = keep_in_order(tails, table[order + tile])
            leaving += 1
    return leaving - count_ones(np.uint64(tails))


@helper
def change_by_line(table, board, blank, cell, entry, frames, parent, child, enough):
    """Return the change of the value when a tile moves to the blank.

    `table` holds the number of columns, and the goal row and column of every tile. A tile that moves within a row
    passes no tile of that row. So the move changes at most one line: the column that is the tile's goal column, if the
    tile leaves or enters it. The same holds with rows and columns exchanged.
    """
    columns, cells, tile = table[0], table.size >> 1, board[cell]
    is_row = cell - blank == columns or blank - cell == columns  # a vertical move changes the tile's row
    goal = table[(1 if is_row else 1 + cells) + np.int64(tile)]
    if goal != (cell // columns if is_row else cell % columns) and goal != (
        blank // columns if is_row else blank % columns
    ):
        return np.int64(0)
    before = leaving_line(table, board, cells, goal, is_row)
    board[blank], board[cell] = tile, 0
    after = leaving_line(table, board, cells, goal, is_row)
    board[cell], board[blank] = tile, 0
    return np.int64(2 * (after - before))


def _in_place(table: Sequence[int]) -> InPlaceTerm:
    return InPlaceTerm(change_by_line, np.array(table, np.int64), separates_goals=False)
