"""Rules of grid maps in plain Python: which steps a map allows, and what they cost.

A cell is (x, y); x grows to the right, y downwards. This module is the reference implementation: it validates plans,
and tests compare with it. The search uses the packed version in `worlds.gridmap.search`.

Terrain and moves are those of the MovingAI benchmarks (Sturtevant, Benchmarks for Grid-Based Pathfinding, IEEE TCIAIG
4(2), 2012).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

GridCell = tuple[int, int]

MAX_SIDE = 8192
"""Largest width and height."""

ROOT_2 = math.sqrt(2)
"""Cost of a diagonal step in the MovingAI benchmarks."""
STRAIGHT, DIAGONAL = 33461, 47321
"""Costs of steps in the engine. Their ratio is the square root of 2 but for 4e-10."""
_COARSE = 985, 1393
"""Costs of steps where weights have a denominator, by which they are multiplied. Their ratio is 3e-7 too small."""
MAX_DENOMINATOR = 1000
_PRECISION = 1e-6

STEP: dict[str, GridCell] = {
    "E": (1, 0), "W": (-1, 0), "S": (0, 1), "N": (0, -1), "SE": (1, 1), "NE": (1, -1), "SW": (-1, 1), "NW": (-1, -1),
}  # fmt: skip
"""Moves in the order of the successors."""
OPPOSITE = {"E": "W", "W": "E", "S": "N", "N": "S", "SE": "NW", "NE": "SW", "SW": "NE", "NW": "SE"}

PASSABLE, WATER, TREES, OUT_OF_BOUNDS = ".GS", "W", "T", "@O"
OBSTACLES = OUT_OF_BOUNDS + TREES
TERRAIN = PASSABLE + WATER + OBSTACLES
"""Terrains of the benchmarks. Maps may have others, if these have a weight."""


@dataclass(frozen=True)
class GridMap:
    """A map, and how one moves on it.

    Attributes
    ----------
    name : str
    rows : tuple of str
        Characters of `TERRAIN` or with a weight, row by row; all rows are equally long.
    diagonal : float or None
        Cost of a diagonal step, 1 to 2, where a straight step costs 1. None: every step is straight.
    weights : mapping of str to float
        Factors of the costs of steps into cells of a terrain (`may_have_weight`); 1 for others. Trees, and terrains
        that the benchmarks do not have, are passable if they have a weight.
    """

    name: str
    rows: tuple[str, ...]
    diagonal: float | None = ROOT_2
    weights: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    @cached_property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def has_unit_costs(self) -> bool:
        """Whether every step costs 1."""
        return not self.weights and self._steps == (1, 1)

    def with_unit_costs(self) -> GridMap:
        """Return the map on which every step costs the same, from the same cells to the same cells."""
        return replace(self, diagonal=None if self.diagonal is None else 1.0, weights=dict.fromkeys(self.weights, 1.0))

    @property
    def scale(self) -> int:
        """Cost of a straight step in the engine."""
        return self._steps[0] * self._denominator

    @property
    def variant(self) -> dict[str, Any]:
        """Parameters in which the moves differ from those of the benchmarks."""
        straight, diagonal = integer_steps(self.diagonal or ROOT_2)
        changed: dict[str, Any] = {"directions": 4} if self.diagonal is None else {}
        if (straight, diagonal) != (STRAIGHT, DIAGONAL):
            changed["diagonal"] = diagonal / straight
        return {**changed, **({"weights": dict(self.weights)} if self.weights else {})}

    @cached_property
    def _denominator(self) -> int:
        return common_denominator(self.weights.values())

    @cached_property
    def _steps(self) -> tuple[int, int]:
        """Costs of a straight and of a diagonal step, before they are multiplied because of weights."""
        if self.diagonal is None and not self.weights:
            return 1, 1
        steps = integer_steps(self.diagonal or ROOT_2)
        return _COARSE if steps == (STRAIGHT, DIAGONAL) and self._denominator > 1 else steps

    @cached_property
    def passable(self) -> frozenset[str]:
        """Terrains on which one can stand."""
        return frozenset(PASSABLE + WATER).union(self.weights)

    @cached_property
    def costs(self) -> dict[str, tuple[int, int]]:
        """Costs of a straight and of a diagonal step into each terrain, in the engine's units."""
        straight, diagonal = self._steps
        weights = {**dict.fromkeys(TERRAIN, 1.0), **self.weights}
        factors = {terrain: round(weight * self._denominator) for terrain, weight in weights.items()}
        return {terrain: (factor * straight, factor * diagonal) for terrain, factor in factors.items()}


def may_have_weight(terrain: str) -> bool:
    """Return whether a terrain may have a weight: a printable ASCII character, but no blank and not out of bounds."""
    return len(terrain) == 1 and "!" <= terrain <= "~" and terrain not in OUT_OF_BOUNDS


def integer_steps(diagonal: float) -> tuple[int, int]:
    """Return the costs of a straight and of a diagonal step as integers. Their ratio is `diagonal`, to a millionth.

    Raises
    ------
    ValueError
        If it is neither the square root of 2 nor a fraction whose denominator is at most `MAX_DENOMINATOR`.
    """
    if math.isclose(diagonal, ROOT_2, rel_tol=_PRECISION):
        return STRAIGHT, DIAGONAL
    straight = common_denominator([diagonal])
    return straight, round(diagonal * straight)


def common_denominator(numbers: Collection[float]) -> int:
    """Return the least common denominator of numbers as fractions that are precise to a millionth.

    Raises
    ------
    ValueError
        If it is larger than `MAX_DENOMINATOR`.
    """

    def is_precise(denominator: int) -> bool:
        return all(abs(round(number * denominator) / denominator - number) <= _PRECISION * number for number in numbers)

    found = next(filter(is_precise, range(1, MAX_DENOMINATOR + 1)), None)
    if found is None:
        raise ValueError(
            f"to a millionth, {' and '.join(map(str, numbers))} cannot be represented as fractions with a common "
            f"denominator of at most {MAX_DENOMINATOR:,}: round to three decimals, at least 0.001"
        )
    return found


def at(grid: GridMap, cell: GridCell) -> str:
    """Return the terrain of a cell; beyond the edge it is out of bounds."""
    x, y = cell
    return grid.rows[y][x] if 0 <= x < grid.width and 0 <= y < grid.height else "@"


def is_passable(grid: GridMap, cell: GridCell) -> bool:
    """Return whether one can stand on a cell."""
    return at(grid, cell) in grid.passable


def are_joined(grid: GridMap, cell: GridCell, other: GridCell) -> bool:
    """Return whether one can pass between two cells: both are water, or neither."""
    here, there = at(grid, cell), at(grid, other)
    return here in grid.passable and there in grid.passable and (here == WATER) == (there == WATER)


def step_cost(grid: GridMap, cell: GridCell, move: str) -> int | None:
    """Return the cost of a move in the engine's units; None if it is not possible.

    A diagonal move also needs both cells that it passes: corners are not cut.

    Raises
    ------
    ValueError
        If there is no such move.
    """
    if move not in STEP:
        raise ValueError(f"there is no move {move!r}")
    dx, dy = STEP[move]
    to = cell[0] + dx, cell[1] + dy
    if not are_joined(grid, cell, to):
        return None
    straight, diagonal = grid.costs[at(grid, to)]
    if not dx or not dy:
        return straight
    corners = (cell[0] + dx, cell[1]), (cell[0], cell[1] + dy)
    return diagonal if grid.diagonal is not None and all(are_joined(grid, cell, corner) for corner in corners) else None


def after(cell: GridCell, move: str) -> GridCell:
    """Return the cell to which a move leads."""
    return cell[0] + STEP[move][0], cell[1] + STEP[move][1]
