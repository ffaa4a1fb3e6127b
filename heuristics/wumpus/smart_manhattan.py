"""Manhattan distance, and the turns that pits and blocks on the leg require."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.legs import SHOT, base_costs, goal_of, living_wumpus, state_term
from heuristics.wumpus.smart_distance import CORRECTED, DOCUMENT, NO_FACING, PUBLISHED, smart_leg, smart_params
from runner.base.errors import UserError
from worlds.compile.kernel import helper
from worlds.interface import Problem
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


@dataclass(frozen=True)
class SmartHeuristic(Heuristic):
    """Parameters of the heuristics that use the smart distance.

    Attributes
    ----------
    as_published : bool
        As the published program, which checks mirrored rectangles. Its time grows with the square of the number of
        squares. Use it for caves up to about 100x100.
    corrected : bool
        Use the distance that never overestimates (`heuristics.wumpus.smart_distance`).
    """

    as_published: bool = False
    corrected: bool = False

    safe = True

    def __post_init__(self) -> None:
        if self.as_published and self.corrected:
            raise UserError(f"heuristic.corrected: {self.registered_name} as published is not corrected; choose one")

    @property
    def admissible(self) -> bool:
        """True if `corrected`."""
        return self.corrected

    @property
    def consistent(self) -> bool:
        """True if `corrected`."""
        return self.corrected

    @property
    def variant(self) -> int:
        """Distance that is used: `DOCUMENT`, `CORRECTED` or `PUBLISHED`."""
        return PUBLISHED if self.as_published else CORRECTED if self.corrected else DOCUMENT


@HEURISTICS.register("smart_manhattan", domain="wumpus")
@dataclass(frozen=True)
class SmartManhattan(SmartHeuristic):
    """Smart distance of each leg: moves, and the turns of the best monotone path, or 4 if no monotone path is free.

    To this are added: turns to a direction that leads nearer to the target, 10 while the living wumpus is on the gold's
    square or the exit, GRAB and CLIMB. Neither admissible nor consistent: if a detour begins in another direction, the
    first turns are counted twice.

    With ``corrected=true`` consistent, and so admissible: the first turns are part of the path's turns, and are not
    added to a detour. A turn then changes the value by at most 1. A move that leads nearer lowers it by at most 1: a
    monotone path from the next square, extended backwards, is one from this square. A move that leads away does so too,
    because at least two turns must follow it. After GRAB the leg to the exit costs at least what was counted for any
    facing, and 1 action less remains. SHOOT lowers the value by its cost of 10. A complete heuristic: combine it with
    others by maximum. Source: Green team, UniBZ 2020, section 4.4.
    """

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, smart_params(problem, self.variant))


@helper
def forced_shot(params, state):
    """Return the cost of the shot while the living wumpus is on a square that the hunter must enter."""
    wumpus = living_wumpus(params, state)
    must_go = wumpus == params[EXIT] or (not has(state, HAS_GOLD) and wumpus == params[GOLD])
    return SHOT if must_go else 0


@helper
def smart_rest(params, state):
    """Return the cost of the leg from gold to exit, the shot, GRAB and CLIMB."""
    later = 0 if has(state, HAS_GOLD) else smart_leg(params, params[GOLD], params[EXIT], NO_FACING)
    return base_costs(state) + forced_shot(params, state) + later


@helper
def smart_value(params, state):
    """Return the cost of the current leg and the rest."""
    return smart_rest(params, state) + smart_leg(params, square_of(state), goal_of(params, state), facing_of(state))


_KERNEL = state_term(smart_value)
