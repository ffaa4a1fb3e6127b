"""Heuristic for joint states of several agents on a grid map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heuristics.interface import HEURISTICS, TERM, UNREACHABLE, Heuristic, Term
from worlds.compile import int32_at, kernel
from worlds.interface import Problem
from worlds.mapf.search import cell_of, distances_to
from worlds.mapf.world import MapfWorld


@HEURISTICS.register("distances", domain="mapf")
@dataclass(frozen=True)
class IndividualDistances(Heuristic):
    """Sum of the distances of the agents to their goals, each alone on the map; the largest one for the makespan.

    Admissible and consistent: no agent arrives earlier because of others, and one step brings each at most one cell
    closer, which costs 1 for each agent that does.
    """

    admissible = True
    consistent = True

    def term(self, problem: Problem) -> Term:
        """Bind to the distances from all cells."""
        world = problem.world
        assert isinstance(world, MapfWorld)
        table = distances_to(world.roadmap, world.goal_numbers)
        params = [world.agents, world.unit_costs, table.shape[1], table.ctypes.data]
        return Term(join_distances, np.array(params, np.int64), keepalive=table)


@kernel(TERM)
def join_distances(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Look up the distance of each agent: number of agents, objective, number of cells, address of the table."""
    agents = params[0]
    words = (agents + 1) >> 1
    for k in range(n):
        total, largest = np.int64(0), np.int64(0)
        for agent in range(agents):
            cell = cell_of(out, out_at + k * words, agent)
            distance = np.int64(int32_at(params[3], agent * params[2] + cell))
            if distance < 0:
                distance = np.int64(UNREACHABLE)
            total += distance
            largest = max(largest, distance)
        h[slot + k] += largest if params[1] != 0 else total
    return 0
