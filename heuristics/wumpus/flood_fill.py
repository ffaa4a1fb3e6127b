"""Flood fill from the start: proves that a cave is unsolvable, or that the shot is unavoidable."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.wumpus.flood import can_reach
from heuristics.wumpus.legs import SHOT
from worlds.compile.kernel import kernel
from worlds.interface import Problem, Unsolvable
from worlds.wumpus.search import EXIT, GOLD, WUMPUS, WUMPUS_DEAD, has, start_square


@HEURISTICS.register("flood_fill", domain="wumpus")
@dataclass(frozen=True)
class FloodFill(Heuristic):
    """10 for the shot while the wumpus lives, if all paths to the gold or to the exit lead through its square.

    If gold or exit is unreachable even with a dead wumpus, the cave is unsolvable and no search starts. Admissible and
    consistent: the flood is exact about which squares are reachable. (The documented stack is neither, because of
    `iterative_shift`.) Source: UniBZ assignment 2021/22, ``FLOOD_FILL``.

    Attributes
    ----------
    as_published : bool
        As the published program: the flood continues from the wumpus's square even if it is a pit, and decides before
        `area_pruning` whether the shot is unavoidable.
    """

    as_published: bool = False

    builds_on = ("manhattan", "pivots", "obstacle", "iterative_shift")
    admissible = True
    consistent = True

    def prepare(self, problem: Problem) -> Problem:
        """Raise `Unsolvable` for a cave whose gold or exit is unreachable."""
        world = problem.world
        targets = (world[GOLD], world[EXIT])
        origin = start_square(problem)
        if not can_reach(world, origin, targets, through_wumpus=True, through_pit_of_wumpus=self.as_published):
            raise Unsolvable("flood fill: the gold cannot be reached")
        return problem

    def term(self, problem: Problem) -> Term | None:
        """Bind the cost of the shot. None if it is avoidable, or counted by `manhattan` already."""
        world = problem.instance.problem().world if self.as_published else problem.world
        targets = (world[GOLD], world[EXIT])
        if world[WUMPUS] == world[GOLD] or can_reach(world, start_square(problem), targets, through_wumpus=False):
            return None
        return Term(mandatory_shot, problem.world)


@kernel(TERM)
def mandatory_shot(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of the shot while the wumpus lives."""
    for k in range(n):
        if not has(out[out_at + k], WUMPUS_DEAD):
            h[slot + k] += SHOT
    return 0
