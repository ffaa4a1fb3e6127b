"""A solution: the way to the candy that is farthest, or nearest with the other units after it."""

from runner import python_heuristic


@python_heuristic("my_heuristic", domain="snake")
def my_heuristic(state, world):
    """Return the larger of two estimates."""
    board = world.board
    left = [candy.cell for candy, units in zip(board.candies, state.left) if units]
    if not left:
        return 0
    distances = [max(1, distance(state.head, cell, board)) for cell in left]
    return max(min(distances) + sum(state.left) - 1, max(distances))


def distance(one, other, board):
    """Return the moves between two cells of the torus."""
    row, column = abs(one[0] - other[0]), abs(one[1] - other[1])
    return min(row, board.rows - row) + min(column, board.columns - column)
