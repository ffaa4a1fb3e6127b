"""Manhattan distance, and the turns that the pits and blocks in between make necessary."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import Heuristic, Term
from heuristics.wumpus.legs import base_costs, goal_of, living_wumpus, state_term
from heuristics.wumpus.manhattan import SHOT
from heuristics.wumpus.smart_distance import CORRECTED, DOCUMENT, NO_FACING, PUBLISHED, smart_leg, smart_params
from runner.registry import UserError, register
from worlds.interface import Problem
from worlds.kernel import helper
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, square_of


@dataclass(frozen=True)
class SmartHeuristic(Heuristic):
    """Parameters of the heuristics that use the smart distance.

    Attributes
    ----------
    as_published : bool
        As the published program, which looks at mirrored rectangles. Its time grows with the square of the number of
        squares: for caves up to about 100x100.
    corrected : bool
        With the distance that never overestimates (`heuristics.wumpus.smart_distance`).
    """

    as_published: bool = False
    corrected: bool = False

    def __post_init__(self) -> None:
        if self.as_published and self.corrected:
            raise UserError(f"heuristic.corrected: {self.registered_name} as published is not corrected; choose one")

    @property
    def admissible(self) -> bool:
        """Only corrected."""
        return self.corrected

    @property
    def consistent(self) -> bool:
        """Only corrected."""
        return self.corrected

    @property
    def variant(self) -> int:
        """Which of the three distances is used."""
        return PUBLISHED if self.as_published else CORRECTED if self.corrected else DOCUMENT


@register("heuristic", "smart_manhattan", domain="wumpus")
@dataclass(frozen=True)
class SmartManhattan(SmartHeuristic):
    """Each leg by its smart distance: moves, and the turns of the best monotone path, or 4 if none is free.

    Plus turns to a direction that leads nearer to the goal, 10 while the living wumpus is on the gold or on the exit,
    GRAB and CLIMB. Neither admissible nor consistent: where the way around begins in another direction, the first turns
    are counted twice. With ``corrected=true`` consistent, and so admissible: turns at the beginning are counted with
    those of the path, and not on top of the way around. A turn then changes the value by at most 1. A move that leads
    nearer lowers it by 1 at most, because a monotone path from the next square, continued backwards, is one from this;
    one that leads away, because two turns at least are needed after it. After GRAB the way to the exit is at least what
    was counted for any facing, and 1 less is to be done. SHOOT takes away the 10 that it costs. A complete heuristic:
    to be combined with others by maximum. Source: Green team, UniBZ 2020, section 4.4.
    """

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_KERNEL, smart_params(problem, self.variant))


@helper
def forced_shot(params, state):
    """The price of the shot while the living wumpus is where the hunter must go."""
    wumpus = living_wumpus(params, state)
    must_go = wumpus == params[EXIT] or (not has(state, HAS_GOLD) and wumpus == params[GOLD])
    return SHOT if must_go else 0


@helper
def smart_rest(params, state):
    """The leg from gold to exit, the shot, GRAB and CLIMB."""
    later = 0 if has(state, HAS_GOLD) else smart_leg(params, params[GOLD], params[EXIT], NO_FACING)
    return base_costs(state) + forced_shot(params, state) + later


@helper
def smart_value(params, state):
    """The leg to the goal, and the rest."""
    return smart_rest(params, state) + smart_leg(params, square_of(state), goal_of(params, state), facing_of(state))


_KERNEL = state_term(smart_value)
