"""My heuristic for the 8-puzzle."""

from runner import python_heuristic


@python_heuristic("my_heuristic", domain="npuzzle")
def my_heuristic(board):
    """Estimate the moves that are left. A board is a tuple of nine numbers, row by row; 0 is the blank."""
    return 0
