"""Flood fill from the start: proves that a cave is unsolvable, or that the shot is unavoidable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.wumpus.legs import SHOT
from worlds.compile import helper, kernel
from worlds.interface import Problem, Unsolvable
from worlds.wumpus.search import (
    EXIT,
    FREE,
    GOLD,
    HEIGHT,
    PIT,
    WIDTH,
    WUMPUS,
    WUMPUS_DEAD,
    code_at,
    column_of,
    has,
    neighbour,
    row_of,
    start_square,
)


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
        constants = problem.constants
        targets = (constants[GOLD], constants[EXIT])
        origin = start_square(problem)
        if not can_reach(constants, origin, targets, through_wumpus=True, through_pit_of_wumpus=self.as_published):
            raise Unsolvable("flood fill: the gold cannot be reached")
        return problem

    def term(self, problem: Problem) -> Term | None:
        """Bind the cost of the shot. None if it is avoidable, or counted by `manhattan` already."""
        constants = problem.instance.problem().constants if self.as_published else problem.constants
        targets = (constants[GOLD], constants[EXIT])
        if constants[WUMPUS] == constants[GOLD] or can_reach(
            constants, start_square(problem), targets, through_wumpus=False
        ):
            return None
        return Term(mandatory_shot, problem.constants)


@kernel(TERM)
def mandatory_shot(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the cost of the shot while the wumpus lives."""
    for k in range(n):
        if not has(out[out_at + k], WUMPUS_DEAD):
            h[slot + k] += SHOT
    return 0


@kernel("int64(int64[::1], int64, boolean, boolean, boolean[:, ::1])")
def flood(constants, origin, through_wumpus, through_pit_of_wumpus, reached):
    """Mark in `reached` every square that is reachable from `origin`, and return their number.

    With `through_wumpus` the flood enters the wumpus's square, as if the wumpus were dead. With `through_pit_of_wumpus`
    it does so even if this square is a pit.
    """
    queue = np.empty(constants[WIDTH] * constants[HEIGHT], np.int64)
    queue[0] = origin
    reached[row_of(origin), column_of(origin)] = True
    count, done = 1, 0
    while done < count:
        square = queue[done]
        done += 1
        for direction in range(4):
            to = neighbour(constants, square, direction)
            if to < 0 or reached[row_of(to), column_of(to)]:
                continue
            if can_enter(constants, to, through_wumpus, through_pit_of_wumpus):
                reached[row_of(to), column_of(to)] = True
                queue[count] = to
                count += 1
    return count


@helper
def can_enter(constants, square, through_wumpus, through_pit_of_wumpus):
    """Return whether the flood enters a square."""
    code = code_at(constants, square)
    if square == constants[WUMPUS]:
        return through_wumpus and (code == FREE or (through_pit_of_wumpus and code == PIT))
    return code == FREE


def can_reach(
    constants: NDArray[np.int64],
    origin: int,
    targets: tuple[int, ...],
    *,
    through_wumpus: bool,
    through_pit_of_wumpus: bool = False,
) -> bool:
    """Return whether the flood from a packed square reaches all target squares."""
    reached = np.zeros((constants[HEIGHT], constants[WIDTH]), np.bool_)
    flood.compiled(constants, origin, through_wumpus, through_pit_of_wumpus, reached)
    return all(reached[row_of(target), column_of(target)] for target in targets)
