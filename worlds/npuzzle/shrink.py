"""Simpler boards, to shrink counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from worlds.npuzzle.rules import MIN_SIDE, MOVES, Board, Puzzle, act


def smaller(puzzle: Puzzle) -> Iterator[Puzzle]:
    """Yield puzzles that are one step simpler.

    A step removes a row or column at the edge that is in place, or makes a move that brings a tile closer to its cell.
    """
    rows, columns = puzzle.rows, puzzle.columns
    cells = [range(row * columns, (row + 1) * columns) for row in (0, rows - 1)] if rows > MIN_SIDE else []
    cells += [range(column, rows * columns, columns) for column in (0, columns - 1)] if columns > MIN_SIDE else []
    for line in cells:
        if all(puzzle.board[cell] == puzzle.goal[cell] != 0 for cell in line):
            yield _without(puzzle, line)
    for move in MOVES:
        after = act(puzzle, puzzle.board, move)
        if after is not None and _distance(puzzle, after) < _distance(puzzle, puzzle.board):
            yield replace(puzzle, board=after)


def _without(puzzle: Puzzle, line: range) -> Puzzle:
    """Return the puzzle without some cells. The other tiles get new numbers, in the same order."""
    kept = [cell for cell in range(len(puzzle.board)) if cell not in line]
    number = {tile: index for index, tile in enumerate(sorted(puzzle.board[cell] for cell in kept))}
    board, goal = (tuple(number[tiles[cell]] for cell in kept) for tiles in (puzzle.board, puzzle.goal))
    is_row = line.step == 1
    return Puzzle(puzzle.rows - is_row, puzzle.columns - (not is_row), board, goal)


def _distance(puzzle: Puzzle, board: Board) -> int:
    """Return the sum of the Manhattan distances of all tiles."""
    total = 0
    for tile in range(1, len(board)):
        (row, column), (to_row, to_column) = (divmod(b.index(tile), puzzle.columns) for b in (board, puzzle.goal))
        total += abs(row - to_row) + abs(column - to_column)
    return total
