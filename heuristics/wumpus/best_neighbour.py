"""Smallest value of the neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.wumpus.legs import (
    SHOT,
    UNREACHABLE_LEG,
    base_costs,
    distance,
    goal_of,
    is_bent,
    living_wumpus,
    path_with_turns,
    quarter_turns,
    state_term,
)
from worlds.compile.kernel import helper
from worlds.interface import Problem
from worlds.wumpus.search import EXIT, GOLD, HAS_GOLD, facing_of, has, is_passable, neighbour, square_of


@HEURISTICS.register("best_neighbour", domain="wumpus")
@dataclass(frozen=True)
class BestNeighbour(Heuristic):
    """As `manhattan_orientation`, with a look ahead of one step: the smallest value over the free neighbours.

    The value of a neighbour is the sum of the turns to it, the move, the shot if the living wumpus is there, and the
    distance, turns and corner from there to the target. On the target's square the current leg costs nothing. The rest
    is distance and corner from gold to exit, GRAB and CLIMB. Admissible and consistent: the hunter must enter some
    neighbour, and a look ahead with a consistent heuristic is consistent. A complete heuristic: combine it with others
    by maximum. Source: Green team, UniBZ 2020, section 4.3.

    Attributes
    ----------
    as_published : bool
        As the published program: without a free neighbour it counts only the distance, so it is not consistent there.
    """

    as_published: bool = False

    admissible = True

    @property
    def consistent(self) -> bool:
        """Not as published."""
        return not self.as_published

    def term(self, problem: Problem) -> Term:
        """Bind to the packed world."""
        return Term(_PUBLISHED_KERNEL if self.as_published else _KERNEL, problem.world)


@helper
def bent_rest(world, state):
    """Return distance and corner from gold to exit, and GRAB and CLIMB."""
    if has(state, HAS_GOLD):
        return base_costs(state)
    corner = 1 if is_bent(world, world[GOLD], world[EXIT]) else 0
    return base_costs(state) + distance(world[GOLD], world[EXIT]) + corner


@helper
def path_over_neighbours(world, state, goal):
    """Return the smallest value of the neighbours; `UNREACHABLE_LEG` if none is free."""
    square, facing = square_of(state), facing_of(state)
    wumpus = living_wumpus(world, state)
    if square == goal:
        return SHOT if square == wumpus else 0
    best = UNREACHABLE_LEG
    for direction in range(4):
        to = neighbour(world, square, direction)
        if is_passable(world, to):
            value = quarter_turns(facing, direction) + 1 + path_with_turns(world, to, direction, goal)
            best = min(best, value + (SHOT if to == wumpus else 0))
    return best


@helper
def best_or_turns(world, state):
    """Return the value; without a free neighbour, as if there were no obstacles."""
    goal = goal_of(world, state)
    best = path_over_neighbours(world, state, goal)
    if best == UNREACHABLE_LEG:
        best = path_with_turns(world, square_of(state), facing_of(state), goal)
    return bent_rest(world, state) + best


@helper
def best_or_distance(world, state):
    """Return the value by the published program; without a free neighbour, the distance."""
    goal = goal_of(world, state)
    best = path_over_neighbours(world, state, goal)
    return bent_rest(world, state) + (best if best < UNREACHABLE_LEG else distance(square_of(state), goal))


_KERNEL = state_term(best_or_turns)
_PUBLISHED_KERNEL = state_term(best_or_distance)
