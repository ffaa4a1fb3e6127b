"""Resumable jump point search: best-first search over jump points, whose paths are single moves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from algorithms.engine import control as c
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.jump_point_expand import expand_jump_points
from algorithms.engine.jump_point_map import jump_point_map
from algorithms.engine.nodes import PARENT
from heuristics.stack import BoundStack
from worlds.gridmap.instance import GridInstance
from worlds.gridmap.rules import DIAGONAL, STEP, STRAIGHT, Cell
from worlds.gridmap.search import unpack

_CODES = {step: code for code, step in enumerate(STEP.values())}


class JumpPointSearch(BestFirstSearch):
    """Jump point search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to a problem on a grid map with eight directions and without weights.
    priority : Priority
        Order of the open list.
    preprocess : bool
        Use lines of bits for diagonal scans, too.
    """

    def __init__(self, stack: BoundStack, priority: Priority, preprocess: bool) -> None:
        problem = stack.problem
        assert isinstance(problem.instance, GridInstance)
        grid = problem.instance.grid
        jumps = replace(
            problem,
            world=jump_point_map(problem.instance.shared, preprocess),
            expand=expand_jump_points,
            # Each cell of the two diagonals through a cell gives at most two.
            max_successors=4 + 4 * min(grid.width, grid.height),
        )
        super().__init__(BoundStack(stack.stack, jumps, stack.bound_terms), priority)

    def path(self) -> list[int]:
        """Return the codes of the single moves from the start to the goal: between jump points, diagonal moves first."""
        cells = self._jump_points(int(self._control[c.GOAL]))
        return [code for one, other in pairwise(cells) for code in _moves_between(one, other)]

    def _path_cost(self, node: int, backward: bool = False) -> int:
        cells = self._jump_points(node)
        return sum(DIAGONAL if code >= 4 else STRAIGHT for one, other in pairwise(cells) for code in _moves_between(one, other))

    def _jump_points(self, node: int) -> list[Cell]:
        """Return the cells of the nodes from the start to a node."""
        cells = [unpack(self._nodes.state(node))]
        while (parent := self._nodes.field(node, PARENT)) != node:
            node = parent
            cells.append(unpack(self._nodes.state(node)))
        return cells[::-1]


def _moves_between(one: Cell, other: Cell) -> list[int]:
    """Return the moves from a jump point to the next."""
    (x, y), (to_x, to_y) = one, other
    dx, dy = (to_x > x) - (to_x < x), (to_y > y) - (to_y < y)
    columns, rows = abs(to_x - x), abs(to_y - y)
    diagonal, straight = min(columns, rows), abs(columns - rows)
    last = (dx, 0) if columns > rows else (0, dy)
    return [*[_CODES[dx, dy]] * diagonal, *[_CODES.get(last, 0)] * straight]
