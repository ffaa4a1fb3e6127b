"""Resumable jump point search: best-first search on jump points. Its paths consist of single moves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from algorithms.engine import control as c
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.jump_point_expand import expand_jump_points
from algorithms.engine.jump_point_map import CODES, jump_point_map
from algorithms.engine.nodes import PARENT
from heuristics.stack import BoundStack
from worlds.gridmap.instance import GridInstance
from worlds.gridmap.rules import DIAGONAL, STRAIGHT, Cell
from worlds.gridmap.search import unpack


class JumpPointSearch(BestFirstSearch):
    """Jump point search in progress.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to a problem on a grid map with eight directions and without weights.
    priority : Priority
        Order of the open list.
    preprocess : bool
        Look at up to 64 cells at once in diagonal scans, too.
    """

    def __init__(self, stack: BoundStack, priority: Priority, preprocess: bool) -> None:
        problem = stack.problem
        assert isinstance(problem.instance, GridInstance)
        world = jump_point_map(problem.instance.shared, preprocess)
        jumps = replace(problem, world=world, expand=expand_jump_points)
        super().__init__(BoundStack(stack.stack, jumps, stack.bound_terms), priority)

    def path(self) -> list[int]:
        """Return the codes of the moves from the start to the goal. Between jump points, diagonal moves come first."""
        return self._moves(int(self._control[c.GOAL]))

    def _path_cost(self, node: int, backward: bool = False) -> int:
        return sum(STRAIGHT if move < 4 else DIAGONAL for move in self._moves(node))

    def _moves(self, node: int) -> list[int]:
        """Return the codes of the moves from the start to a node."""
        cells = [unpack(self._nodes.state(node))]
        while (parent := self._nodes.field(node, PARENT)) != node:
            node = parent
            cells.append(unpack(self._nodes.state(node)))
        return [move for here, there in pairwise(cells[::-1]) for move in _moves_between(here, there)]


def _moves_between(here: Cell, there: Cell) -> list[int]:
    """Return the codes of the moves from a jump point to the next."""
    right, down = there[0] - here[0], there[1] - here[1]
    dx, dy = (right > 0) - (right < 0), (down > 0) - (down < 0)
    diagonal = min(abs(right), abs(down))
    horizontal, vertical = abs(right) - diagonal, abs(down) - diagonal
    moves = [CODES[dx, dy]] * diagonal
    if horizontal:
        moves += [CODES[dx, 0]] * horizontal
    if vertical:
        moves += [CODES[0, dy]] * vertical
    return moves
