"""Resumable jump point search: best-first search on jump points. Its paths consist of single moves."""

from __future__ import annotations

from algorithms.engine import control as c
from algorithms.engine.best_first_search import BestFirstSearch, Priority
from algorithms.engine.jump_point_expand import expand_jump_points
from algorithms.engine.jump_point_map import jump_point_map
from algorithms.engine.nodes import PARENT
from heuristics.stack import BoundStack
from worlds.gridmap.rules import DIAGONAL, STRAIGHT
from worlds.gridmap.search import unpack
from worlds.gridmap.world import GridWorld
from worlds.interface import Problem


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
        assert isinstance(problem.instance.rules, GridWorld)
        jumps = Problem(
            instance=problem.instance,
            world=jump_point_map(problem.instance.rules.shared, preprocess),
            initial=problem.initial,
            max_successors=problem.max_successors,
            action_lengths=problem.action_lengths,
            expand=expand_jump_points,
            is_goal=problem.is_goal,
            numbering=problem.numbering,
        )
        super().__init__(BoundStack(stack.stack, jumps, stack.bound_terms), priority)

    def path(self) -> list[int]:
        """Return the codes of the single moves from the start to the goal."""
        return self._moves(int(self._control[c.GOAL]))

    def _path_cost(self, node: int, backward: bool = False) -> int:
        return sum(STRAIGHT if move < 4 else DIAGONAL for move in self._moves(node))

    def _moves(self, node: int) -> list[int]:
        """Return the codes of the single moves from the start to a node: that of each jump, repeated."""
        nodes, moves = self._nodes, list[int]()
        x, y = unpack(nodes.state(node))
        while (parent := nodes.field(node, PARENT)) != node:
            from_x, from_y = unpack(nodes.state(parent))
            moves += [nodes.action(node)] * max(abs(x - from_x), abs(y - from_y))
            node, x, y = parent, from_x, from_y
        return moves[::-1]
