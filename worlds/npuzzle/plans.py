"""Plans that programs write as letters of the blank's moves, or as the tiles that are moved."""

from __future__ import annotations

from runner.base import plural
from worlds.interface import plan_texts
from worlds.npuzzle.rules import MOVES, Board, Puzzle, act


def moves_of(puzzle: Puzzle, words: plan_texts.PlanWords) -> tuple[str, ...]:
    """Return the moves of a plan: tiles if its first word is a number, else letters.

    Raises
    ------
    ValueError
        If a letter is no move, or a tile is not beside the blank.
    """
    if words.items and words.items[0].isdecimal():
        return _of_tiles(puzzle, words)
    return _of_letters(words)


def _of_letters(words: plan_texts.PlanWords) -> tuple[str, ...]:
    """Return the moves that letters in upper or lower case name, several in a word."""
    moves: list[str] = []
    for number, word in enumerate(words.items):
        letters = word.upper()
        wrong = next((letter for letter in letters if letter not in MOVES), None)
        if wrong is not None:
            raise words.fail(number, f"has the letter {wrong!r}; moves of the blank are {', '.join(MOVES)}")
        words.check_length(number, len(moves) + len(letters))
        moves += letters
    return tuple(moves)


def _of_tiles(puzzle: Puzzle, words: plan_texts.PlanWords) -> tuple[str, ...]:
    """Return the moves of the blank to the cells of tiles, one after the other."""
    board = puzzle.board
    moves: list[str] = []
    for number, tile in enumerate(words.items):
        movable = _movable_tiles(puzzle, board)
        if tile not in movable:
            problem = f"is not beside the blank; after {plural(number, 'move')}, {', '.join(movable)} are"
            raise words.fail(number, problem)
        move, board = movable[tile]
        moves.append(move)
    return tuple(moves)


def _movable_tiles(puzzle: Puzzle, board: Board) -> dict[str, tuple[str, Board]]:
    """Return the move of the blank, and the board after it, for each tile beside the blank."""
    movable = {}
    for move in MOVES:
        after = act(puzzle, board, move)
        if after is not None:
            tile = board[after.index(0)]
            movable[str(tile)] = move, after
    return movable
