"""Naive heuristics for the n-puzzle, written from their definitions, and exact distances."""

from __future__ import annotations

from collections import deque
from itertools import combinations

from worlds.npuzzle.rules import MOVES, Board, Puzzle, act, destination


def neighbours(puzzle: Puzzle, board: Board) -> list[Board]:
    return [after for move in MOVES if (after := act(puzzle, board, move)) is not None]


def distances(puzzle: Puzzle) -> dict[Board, int]:
    """Return the number of moves from the goal to every reachable board."""
    found = {puzzle.goal: 0}
    queue = deque(found)
    while queue:
        board = queue.popleft()
        for after in neighbours(puzzle, board):
            if after not in found:
                found[after] = found[board] + 1
                queue.append(after)
    return found


def misplaced(puzzle: Puzzle, board: Board) -> int:
    return sum(tile not in (0, wanted) for tile, wanted in zip(board, puzzle.goal, strict=True))


def manhattan(puzzle: Puzzle, board: Board) -> int:
    total = 0
    for tile in range(1, len(board)):
        row, column = divmod(board.index(tile), puzzle.columns)
        goal_row, goal_column = divmod(puzzle.goal.index(tile), puzzle.columns)
        total += abs(row - goal_row) + abs(column - goal_column)
    return total


def linear_conflict(puzzle: Puzzle, board: Board) -> int:
    """Return 2 for each tile that must leave its goal line, so that the others in it are in the right order."""
    lines = [[row * puzzle.columns + column for column in range(puzzle.columns)] for row in range(puzzle.rows)]
    lines += [[row * puzzle.columns + column for row in range(puzzle.rows)] for column in range(puzzle.columns)]
    total = 0
    for line in lines:
        home = [
            line.index(puzzle.goal.index(board[c])) for c in line if board[c] and puzzle.goal.index(board[c]) in line
        ]
        total += 2 * next(
            leaving
            for leaving in range(len(home) + 1)
            for staying in combinations(home, len(home) - leaving)
            if list(staying) == sorted(staying)
        )
    return total


def pattern_distances(puzzle: Puzzle, tiles: tuple[int, ...]) -> dict[tuple[tuple[int, ...], int], int]:
    """Return the fewest moves of the given tiles, for every placement and cell of the blank. Other moves are free."""
    start = tuple(puzzle.goal.index(tile) for tile in tiles), puzzle.goal.index(0)
    found = {start: 0}
    queue = deque([start])
    while queue:
        places, blank = state = queue.popleft()
        for move in MOVES:
            to = destination(puzzle, blank, move)
            if to is None:
                continue
            costs = to in places
            after = tuple(blank if place == to else place for place in places), to
            if after not in found or found[state] + costs < found[after]:
                found[after] = found[state] + costs
                (queue.append if costs else queue.appendleft)(after)
    return found
