"""Smaller cave: the rectangle around start, gold and exit, grown until the gold is reachable in it."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Heuristic
from heuristics.wumpus.flood_fill import can_reach
from worlds.interface import Problem
from worlds.wumpus.search import EXIT, GOLD, HEIGHT, WIDTH, column_of, restrict, row_of, start_square


@HEURISTICS.register("area_pruning", domain="wumpus")
@dataclass(frozen=True)
class AreaPruning(Heuristic):
    """Confine the hunter to a rectangle around start, gold and exit.

    The rectangle grows by one square on each side until a flood fill that ignores the wumpus reaches gold and exit in
    it. Adds nothing to h. A solvable cave stays solvable, but its optimal paths may lead outside. Source: UniBZ
    assignment 2021/22, ``AREA_PRUNING``.

    Attributes
    ----------
    as_published : bool
        The flood continues from the wumpus's square even if it is a pit.
    """

    as_published: bool = False

    builds_on = ("manhattan", "pivots", "obstacle", "iterative_shift", "flood_fill")
    admissible = False
    consistent = False
    safe = True

    def prepare(self, problem: Problem) -> Problem:
        """Return the problem in the smallest such rectangle; unchanged if there is none."""
        constants = problem.constants
        width, height = int(constants[WIDTH]), int(constants[HEIGHT])
        start, targets = start_square(problem), (int(constants[GOLD]), int(constants[EXIT]))
        columns = [column_of(square) for square in (start, *targets)]
        rows = [row_of(square) for square in (start, *targets)]
        for margin in range(max(width, height)):
            region = (
                max(0, min(columns) - margin),
                max(0, min(rows) - margin),
                min(width - 1, max(columns) + margin),
                min(height - 1, max(rows) + margin),
            )
            smaller = restrict(problem, region)
            floods = {"through_wumpus": True, "through_pit_of_wumpus": self.as_published}
            if can_reach(smaller.constants, start, targets, **floods):
                return smaller
        return problem
