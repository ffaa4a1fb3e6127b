"""Exact costs of all states of many small caves at once, computed from the rules with numpy.

A state is (square, facing, stage, life). In stage 1 the hunter has the gold. Life 0 is a living wumpus and an arrow,
1 a living wumpus and no arrow, 2 no living wumpus. Squares are ordered by rows, facings are N, E, S, W.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from heuristics.interface.heuristic import UNREACHABLE
from heuristics.interface.stack import BoundStack
from worlds.wumpus.rules import FACINGS, Cave, Square, ahead, arrow_hits
from worlds.wumpus.search import ARROW_USED, HAS_GOLD, SQUARE_SHIFT, WUMPUS_DEAD, pack_square

INFINITY = 10**6


def caves(width: int, height: int, obstacles: str) -> Iterator[Cave]:
    """Yield all caves of a size with any set of pits, or any set of blocks on empty squares.

    All have the same facing, and start at the exit. Of caves that are mirror images of each other, one is made.
    """
    squares = [(x, y) for y in range(height) for x in range(width)]
    for gold, exit_ in itertools.product(squares, squares):
        if min(mirrored(width, height, (gold, exit_))) < (gold, exit_):
            continue
        for wumpus in (None, *squares):
            fixed = {gold, exit_, wumpus} if obstacles == "blocks" else set()
            free = [square for square in squares if square not in fixed]
            for chosen in itertools.product((False, True), repeat=len(free)):
                found = frozenset(square for square, is_one in zip(free, chosen, strict=True) if is_one)
                pits, blocks = (found, frozenset()) if obstacles == "pits" else (frozenset(), found)
                yield Cave((width, height), exit_, "N", gold, exit_, wumpus, pits, blocks)


def mirrored(width: int, height: int, places: tuple[Square, ...]) -> list[tuple[Square, ...]]:
    """Return the mirror images of places: left and right, top and bottom, and the diagonal of a square cave."""
    found = [
        tuple((width - 1 - x if left else x, height - 1 - y if top else y) for x, y in places)
        for left, top in itertools.product((False, True), repeat=2)
    ]
    return found + [tuple((y, x) for x, y in each) for each in found if width == height]


def packed_states(cave: Cave) -> np.ndarray:
    """Return all states, shape (squares * 4 * 2 * 3,), in the order of the axes."""
    width, height = cave.size
    lives = (0, ARROW_USED, ARROW_USED | WUMPUS_DEAD)
    return np.array(
        [
            pack_square((x, y)) << SQUARE_SHIFT | life | stage * HAS_GOLD | facing
            for y in range(height)
            for x in range(width)
            for facing in range(4)
            for stage in range(2)
            for life in lives
        ],
        np.uint64,
    )


def values(bound: BoundStack, states: np.ndarray) -> np.ndarray:
    """Return the values of a stack with one term at all states."""
    term = bound.bound_terms[0]
    h = np.zeros(len(states), np.int64)
    action = np.zeros(len(states), np.int16)
    assert term.kernel.compiled(term.params, states, 0, -1, states, 0, action, h, 0, len(states)) == 0
    return np.where(h >= UNREACHABLE, INFINITY, h)


class Space:
    """All states of caves of one size, and the edges between them.

    Attributes
    ----------
    valid : ndarray of bool
        Whether the hunter is alive in the state. Shape (caves, squares, 4, 2, 3), as all arrays of values.
    """

    def __init__(self, caves: list[Cave]) -> None:
        width, height = caves[0].size
        self.squares = [(x, y) for y in range(height) for x in range(width)]
        number = {square: index for index, square in enumerate(self.squares)}
        count = len(self.squares)
        is_free = np.array([[c.is_open(s) and s not in c.pits for s in self.squares] for c in caves])
        is_wumpus = np.array([[s == c.wumpus for s in self.squares] for c in caves])
        self.gold = np.array([number[c.gold] for c in caves])
        self.exit = np.array([number[c.exit] for c in caves])
        self.valid = np.repeat(is_free[:, :, None, None, None], 4, axis=2).repeat(2, axis=3).repeat(3, axis=4)
        self.valid[..., :2] &= ~is_wumpus[:, :, None, None, None]
        self.ahead = [[number.get(ahead(s, f), -1) for f in FACINGS] for s in self.squares]
        self.hits = np.array(
            [[[c.wumpus is not None and arrow_hits(c, s, f) for f in FACINGS] for s in self.squares] for c in caves]
        )
        self.rows = np.arange(len(caves))
        assert self.valid.shape == (len(caves), count, 4, 2, 3)

    def best_after(self, value: np.ndarray, of_goal: int = 0) -> np.ndarray:
        """Return the smallest sum of a step's cost and the value after it. `of_goal` is the value of a goal."""
        best = np.full_like(value, INFINITY)
        value = np.where(self.valid, value, INFINITY)
        for side in (1, 3):
            np.minimum(best, 1 + np.roll(value, -side, axis=2), out=best)
        for square, targets in enumerate(self.ahead):
            for facing, to in enumerate(targets):
                if to >= 0:
                    np.minimum(best[:, square, facing], 1 + value[:, to, facing], out=best[:, square, facing])
        taken = value[self.rows, self.gold, :, 1]
        best[self.rows, self.gold, :, 0] = np.minimum(best[self.rows, self.gold, :, 0], 1 + taken)
        shot = np.where(self.hits[..., None], value[..., 2], value[..., 1])
        np.minimum(best[..., 0], 10 + shot, out=best[..., 0])
        best[self.rows, self.exit, :, 1] = np.minimum(best[self.rows, self.exit, :, 1], 1 + of_goal)
        return np.where(self.valid, np.minimum(best, INFINITY), INFINITY)

    def h_star(self) -> np.ndarray:
        """Return the cost of an optimal plan from every state; INFINITY for a dead end."""
        value = np.full(self.valid.shape, INFINITY, np.int64)
        while True:
            better = np.minimum(value, self.best_after(value))
            if (better == value).all():
                return value
            value = better
