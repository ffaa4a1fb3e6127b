"""Common parts of searches for several agents: the agents as arrays, the paths of a solution, and columns.

They search spaces of their own, such as trees of constraints, and not the joint states of the world. A solution is an
array of paths, shape (agents, steps + 1): the number of the cell of each agent on the roadmap (`worlds.mapf.search`) at
each time. An agent that has arrived stays.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import ResumableSearch
from algorithms.interface import SearchAlgorithm
from heuristics.interface import BoundStack
from runner.base import Incompatible, Metric
from worlds.interface import Instance
from worlds.mapf.search import DIGIT, WAIT_CODE, distances_to
from worlds.mapf.world import MapfWorld

Paths = NDArray[np.int32]
LOW_LEVEL = (
    Metric("low_level_expanded", meaning="expansions of the searches for single agents"),
    Metric("low_level_generated", is_main=False, meaning="states that the searches for single agents have generated"),
)
CONFLICTS_OF_ROOT = Metric("conflicts_of_root", is_main=False, meaning="conflicts of the paths of the root")


def move_codes(neighbours: NDArray[np.int32], paths: Paths) -> NDArray[np.int64]:
    """Return the code of each action (`worlds.mapf.search`), shape (agents, steps)."""
    before, after = paths[:, :-1], paths[:, 1:]
    codes = np.full(before.shape, WAIT_CODE)
    for move in range(4):
        codes[(neighbours[before, move] == after) & (before != after)] = move
    return codes


class TeamAlgorithm(SearchAlgorithm):
    """Base of algorithms for several agents on a grid map."""

    heuristic = "ignored"
    expands_states = False

    def check(self, instance: Instance) -> None:
        """Refuse all but several agents on a grid map."""
        if not isinstance(instance.world, MapfWorld):
            raise Incompatible(
                f"algorithm: {self.registered_name} plans for several agents on a grid map, not for "
                f"{instance.world.domain}; choose a world such as mapf/random"
            )


class TeamSearch(ResumableSearch):
    """Search for the paths of several agents.

    Parameters
    ----------
    stack : BoundStack
        Stack without heuristics, bound to the problem.
    distances : ndarray of int32, optional
        Those of another search for the same agents. Unless given, they are computed.

    Attributes
    ----------
    roadmap : Roadmap
        The map.
    neighbours : ndarray of int32, shape (cells, 4)
        Cell to which each move leads, or -1, in the order u d l r.
    starts, goals : ndarray of int32, shape (agents,)
        Cells of the agents.
    distances : ndarray of int32, shape (agents, cells)
        Number of moves from each cell to the goal of each agent alone on the map; -1 if there is no path.
    is_makespan : bool
        Whether the cost is the makespan, and not the sum of costs.
    """

    def __init__(self, stack: BoundStack, distances: NDArray[np.int32] | None = None) -> None:
        world = stack.problem.world
        assert isinstance(world, MapfWorld)  # others are refused by `TeamAlgorithm.check`
        self.roadmap = world.roadmap
        self.neighbours = world.roadmap.neighbours
        self.starts, self.goals = world.start_numbers, world.goal_numbers
        self.is_makespan = world.objective == "makespan"
        self.distances = distances_to(world.roadmap, self.goals) if distances is None else distances

    @property
    @abstractmethod
    def paths(self) -> Paths:
        """Paths of the best solution, shape (agents, steps + 1)."""

    @cached_property
    def lengths_alone(self) -> NDArray[np.int32]:
        """Length of the shortest path of each agent alone on the map."""
        lengths: NDArray[np.int32] = self.distances[np.arange(self.starts.size), self.starts]
        return lengths

    @property
    def can_all_arrive(self) -> bool:
        """Whether each agent alone can reach its goal."""
        return bool((self.lengths_alone >= 0).all())

    @property
    def initial_h(self) -> int:
        """Lower bound of the cost: the distances of the agents alone on the map."""
        return self.joined(self.lengths_alone)

    def joined(self, times: NDArray[np.int32]) -> int:
        """Return the objective for the times at which the agents arrive."""
        return int(times.max()) if self.is_makespan else int(times.sum())

    def arrivals(self, paths: Paths) -> NDArray[np.int32]:
        """Return the time at which each agent arrives at the last cell of its path for the last time."""
        moved = paths != paths[:, -1:]
        times = paths.shape[1] - np.argmax(moved[:, ::-1], axis=1)
        return np.where(moved.any(axis=1), times, 0).astype(np.int32)

    @property
    def cost(self) -> int:
        """Cost of `paths`."""
        return self.joined(self.arrivals(self.paths))

    def path(self) -> list[int]:
        """Return the codes of the joint actions (`worlds.mapf.search`), which are long integers for many agents."""
        codes = move_codes(self.neighbours, self.paths)
        return [sum(code * DIGIT**agent for agent, code in enumerate(step)) for step in codes.T.tolist()]
