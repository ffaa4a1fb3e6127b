"""Distances on a map without obstacles: Euclidean, Manhattan, octile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import compiled_heuristic
from runner.base import Incompatible
from worlds.compile import MAX_COST, helper
from worlds.gridmap.rules import ROOT_2
from worlds.gridmap.search import LEAST_DIAGONAL, LEAST_STRAIGHT, goal_of, x_of, y_of
from worlds.gridmap.world import GridWorld
from worlds.interface import Instance, Problem

_ROUNDING = 1e-12
"""More than the relative error of the distance as a float."""


def cost_per_length(problem: Problem) -> NDArray[np.int64]:
    """Return the least cost per length of a step, as the bits of a float."""
    constants = problem.constants
    assert isinstance(problem.world, GridWorld)
    unit = float(constants[LEAST_STRAIGHT])
    if {"weights", "diagonal"} & problem.world.grid.variant.keys():
        unit = min(unit, constants[LEAST_DIAGONAL] / ROOT_2) * (1 - _ROUNDING)
    return np.array([unit]).view(np.int64)


@helper
def euclidean_between(constants, state, target):
    """Return the Euclidean distance of two cells, times the least cost per length."""
    dx, dy = x_of(state) - x_of(target), y_of(state) - y_of(target)
    distance = math.sqrt(float(dx * dx + dy * dy))
    return min(np.int64(math.floor(np.int64(constants[constants[-1]]).view(np.float64) * distance)), MAX_COST)


@compiled_heuristic(
    "euclidean", domain="gridmap", tables=cost_per_length, backward=euclidean_between, admissible=True, consistent=True
)
def euclidean(constants, state):
    """Distance as the crow flies, times the least cost of a step per length, rounded down to the engine's units.

    Admissible and consistent, because no step is cheaper for its length; nowhere larger than `octile`. (If diagonal
    steps cost the square root of 2, without weights, they are cheaper than their length by a share of 3e-10. Rounding
    down makes up for it on paths of up to 90,000 steps.)
    """
    return euclidean_between(constants, state, goal_of(state))


def refuse_diagonal_steps(heuristic: Any, instance: Instance) -> None:
    """Raise `Incompatible` for a map with diagonal steps."""
    assert isinstance(instance.world, GridWorld)
    if instance.world.grid.diagonal is not None:
        raise Incompatible(
            "heuristic: manhattan overestimates where diagonal steps are allowed; choose octile, or world.directions=4"
        )


@helper
def manhattan_between(constants, state, target):
    """Return the cost of the straight steps between two cells."""
    steps = abs(x_of(state) - x_of(target)) + abs(y_of(state) - y_of(target))
    return min(constants[LEAST_STRAIGHT] * steps, MAX_COST)


@compiled_heuristic(
    "manhattan",
    domain="gridmap",
    check=refuse_diagonal_steps,
    backward=manhattan_between,
    admissible=True,
    consistent=True,
)
def manhattan(constants, state):
    """Cost of the straight steps of a shortest path without obstacles, for maps with four directions.

    Admissible and consistent. It is refused where diagonal steps are allowed, because it overestimates there.
    """
    return manhattan_between(constants, state, goal_of(state))


@helper
def octile_between(constants, state, target):
    """Return the length of a shortest path without obstacles between two cells."""
    dx, dy = abs(x_of(state) - x_of(target)), abs(y_of(state) - y_of(target))
    return min(constants[LEAST_STRAIGHT] * abs(dx - dy) + constants[LEAST_DIAGONAL] * min(dx, dy), MAX_COST)


@compiled_heuristic("octile", domain="gridmap", backward=octile_between, admissible=True, consistent=True)
def octile(constants, state):
    """Length of a shortest path without obstacles: diagonal steps, then straight steps.

    Admissible and consistent. On terrain with weights, the smallest costs on the map count. With four directions
    `manhattan` is larger.
    """
    return octile_between(constants, state, goal_of(state))
