"""Worlds of the benchmarks: the 8-puzzle and grids in plain Python, and compiled grids."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.grid_kernels import expand_grid, grid_term, is_grid_goal
from heuristics.interface import Heuristic, Term, python_heuristic
from worlds.interface import Instance, Problem, PythonWorld, Step, World


@dataclass(frozen=True)
class EightPuzzle(PythonWorld):
    """The 8-puzzle. A state is a tuple of nine tiles (0 is the blank); the goal is 1 to 8 and the blank."""

    seed: int = 0
    count: int = 1
    unit_costs = True
    max_successors = 4

    def initial(self) -> tuple[int, ...]:
        tiles = random.Random(self.seed).sample(range(9), 9)
        inversions = sum(a > b > 0 for i, a in enumerate(tiles) for b in tiles[i + 1 :])
        if inversions % 2:  # no solution; swapping two tiles makes the number even
            i, j = [k for k in range(3) if tiles[k]][:2]
            tiles[i], tiles[j] = tiles[j], tiles[i]
        return tuple(tiles)

    def successors(self, state: Any) -> list[tuple[str, tuple[int, ...], int]]:
        blank = state.index(0)
        steps = []
        for name, to in NEIGHBOURS[blank]:
            tiles = list(state)
            tiles[blank], tiles[to] = tiles[to], 0
            steps.append((name, tuple(tiles), 1))
        return steps

    def is_goal(self, state: Any) -> bool:
        return state == SOLVED

    def predecessors(self, state: Any) -> list[tuple[str, tuple[int, ...], int]]:
        return [(OPPOSITE[name], before, cost) for name, before, cost in self.successors(state)]

    def goals(self) -> list[tuple[int, ...]]:
        return [SOLVED]


OPPOSITE = {"u": "d", "d": "u", "l": "r", "r": "l", "N": "S", "S": "N", "E": "W", "W": "E"}
SOLVED = (1, 2, 3, 4, 5, 6, 7, 8, 0)
NEIGHBOURS = [
    [(name, 3 * y + x) for name, x, y in (("u", c, r - 1), ("l", c - 1, r), ("r", c + 1, r), ("d", c, r + 1))
     if 0 <= x < 3 and 0 <= y < 3]
    for r in range(3) for c in range(3)
]  # fmt: skip
DISTANCE = [
    [0 if tile == 0 else abs((tile - 1) // 3 - at // 3) + abs((tile - 1) % 3 - at % 3) for at in range(9)]
    for tile in range(9)
]


@python_heuristic("distance", domain="EightPuzzle", admissible=True, consistent=True)
def puzzle_distance(state: tuple[int, ...]) -> int:
    return sum([DISTANCE[tile][at] for at, tile in enumerate(state)])


@dataclass(frozen=True)
class PythonGrid(PythonWorld):
    """Grid of 64x64 squares with walls and four moves, from one corner to the opposite one. A state is (x, y)."""

    side: ClassVar[int] = 64
    seed: int = 0
    unit_costs = True
    max_successors = 4
    walls: frozenset[tuple[int, int]] = field(default=frozenset(), init=False, repr=False)

    def __post_init__(self) -> None:
        free = free_squares(self.side, self.seed, 0.25)
        walls = frozenset((int(x), int(y)) for y, x in np.argwhere(~free))
        object.__setattr__(self, "walls", walls)

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def successors(self, state: Any) -> list[tuple[str, tuple[int, int], int]]:
        x, y = state
        side, walls = self.side, self.walls
        steps = []
        for name, square in (("N", (x, y + 1)), ("E", (x + 1, y)), ("S", (x, y - 1)), ("W", (x - 1, y))):
            if 0 <= square[0] < side and 0 <= square[1] < side and square not in walls:
                steps.append((name, square, 1))
        return steps

    def is_goal(self, state: Any) -> bool:
        return state == (self.side - 1, self.side - 1)

    def predecessors(self, state: Any) -> list[tuple[str, tuple[int, int], int]]:
        return [(OPPOSITE[name], before, cost) for name, before, cost in self.successors(state)]

    def goals(self) -> list[tuple[int, int]]:
        return [(self.side - 1, self.side - 1)]


@python_heuristic("distance", domain="PythonGrid", admissible=True, consistent=True)
def grid_distance(state: tuple[int, int]) -> int:
    return 126 - state[0] - state[1]


def free_squares(side: int, seed: int, walls: float) -> NDArray[np.bool_]:
    """Return which squares are free, shape (side, side), indexed by y and x.

    The first row and the last column are free, so that the goal is reachable.
    """
    free = np.random.default_rng(seed).random((side, side)) >= walls
    free[0, :] = free[:, -1] = True
    return free


@dataclass(frozen=True)
class CompiledGrid(World):
    """`PythonGrid` with kernels, of any side and share of walls."""

    domain: ClassVar[str] = "grid"
    unit_costs = True
    expand_kernel = expand_grid
    goal_kernel = is_grid_goal

    side: int
    seed: int = 0
    walls: float = 0.25

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        # with a border of walls, the kernel need not check whether a square is outside
        return np.pad(free_squares(self.side, self.seed, self.walls), 1)

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def successors(self, state: tuple[int, int]) -> Iterator[Step]:
        x, y = state
        for name, (across, up) in (("N", (x, y + 1)), ("E", (x + 1, y)), ("S", (x, y - 1)), ("W", (x - 1, y))):
            if self.free[up + 1, across + 1]:
                yield name, (across, up), 1

    def is_goal(self, state: tuple[int, int]) -> bool:
        return state == (self.side - 1, self.side - 1)

    def pack(self, state: tuple[int, int]) -> list[int]:
        return [state[1] + 1 << 16 | state[0] + 1]

    def unpack(self, words: Sequence[int]) -> tuple[int, int]:
        return (words[0] & 0xFFFF) - 1, (words[0] >> 16) - 1

    def constants(self) -> NDArray[np.int64]:
        header = np.array([self.side + 2, self.side << 16 | self.side], np.int64)
        return np.concatenate([header, self.free.ravel()])

    def action_names(self) -> Sequence[str]:
        return "NESW"


def compiled_grid(side: int, seed: int = 0, walls: float = 0.25) -> Instance:
    return Instance(CompiledGrid(side, seed, walls), "grid")


@dataclass(frozen=True)
class GridDistance(Heuristic):
    """Manhattan distance to the goal."""

    registered_name: ClassVar[str] = "grid_distance"
    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        return Term(grid_term, problem.constants)
