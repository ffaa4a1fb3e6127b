"""Prioritized planning of several agents: one after the other, around the paths of those before.

Sources: Erdmann and Lozano-Perez, On Multiple Moving Objects, Algorithmica 2, 1987; cooperative A* of Silver,
Cooperative Pathfinding, AIIDE 2005. `safe_intervals` finds the path of one agent. docs/algorithms.md: "Any plan".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from algorithms.engine import Counts, Search, StepStatus, random_below, status_of
from algorithms.engine import control as c
from algorithms.engine import control_open_list as q
from algorithms.interface import ALGORITHMS, Algorithm, ExpansionOrder
from algorithms.mapf import safe_intervals as i
from algorithms.mapf.team_search import LOW_LEVEL, Paths, TeamAlgorithm, TeamSearch
from heuristics.interface import BoundStack, Weighting
from worlds.compile import helper, kernel
from worlds.interface import Seed

Order = Literal["given", "random", "longest"]

# Entries of the control array. PLANNED: agents with a path in this order. RESTARTS: orders that are left.
PHASE, PLANNED, RESTARTS, IS_RANDOM, MOST_INTERVALS = range(i.OWN, i.OWN + 5)
NEW_ORDER, NEXT_AGENT, SEARCHING = range(3)

MAX_EXPANSIONS = 50_000
"""Low-level expansions after which a step ends, so that limits are checked while one agent takes long."""


@ALGORITHMS.register("prioritized")
@dataclass(frozen=True)
class PrioritizedPlanning(TeamAlgorithm):
    """Prioritized planning: agents plan one after the other around the paths of those before (Silver 2005).

    Each takes a path with the earliest arrival, and then stays at its goal. If a reserved path visits the goal later,
    it arrives after that. As in the classic form, the starts of agents that have not planned yet are no obstacles: an
    agent may find no path because those before it pass its start or block its goal. The next order then begins with no
    path. The search ends with `cutoff` after the last order.

    `expanded` counts searches for one agent, and `generated` the paths that they find.

    Attributes
    ----------
    order : {"given", "random", "longest"}
        First order of the agents: as in the instance, random, or the largest distance to the goal first.
    restarts : int
        Number of further orders after a failure, all random.
    seed : int
        Seed of the random orders. Without them it has no effect.
    """

    metrics = LOW_LEVEL

    order: Order = "longest"
    restarts: Annotated[int, Meta(ge=0, le=10**9)] = 10
    seed: Seed = field(default=0, kw_only=True)

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm without a seed if nothing is random."""
        is_random = self.order == "random" or self.restarts > 0
        return replace(self, seed=self.seed if is_random else 0), weighting

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the order of the agents."""
        first = {"given": "as given", "random": "in a random order", "longest": "the largest distance first"}
        return ExpansionOrder(f"one agent after the other, {first[self.order]}", "oldest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Start prioritized planning."""
        return PrioritizedSearch(stack, self.order, self.restarts, self.seed)


class PrioritizedSearch(TeamSearch):
    """Prioritized planning in progress.

    Parameters
    ----------
    stack : BoundStack
    order : {"given", "random", "longest"}
    restarts, seed : int
        Parameters of the algorithm.

    Attributes
    ----------
    order : ndarray of int32, shape (agents,)
        Agents in the order in which they plan.
    """

    def __init__(self, stack: BoundStack, order: Order, restarts: int, seed: int) -> None:
        super().__init__(stack)
        agents, cells = self.distances.shape
        is_longest_first = order == "longest"
        self.order = np.argsort(-self.lengths_alone * is_longest_first, kind="stable").astype(np.int32)
        self._control = np.zeros(c.SIZE, np.int64)
        self._control[q.RANDOM] = seed
        self._control[RESTARTS] = restarts
        self._control[IS_RANDOM] = order == "random"
        self._first = np.empty(cells, np.int32)
        self._intervals = np.zeros((2 * cells, i.COLUMNS), np.int32)
        self._path_of = np.zeros((agents, 64), np.int32)
        self._stacks = np.full(2 * cells + 64, i.NONE, np.int32)

    def step(self, budget: int) -> StepStatus:
        """Plan for at most `budget` agents."""
        return status_of(
            prioritized_step.compiled(
                self._control, self.neighbours, self.starts, self.goals, self.distances, self.order, self._first,
                self._intervals, self._stacks, self._path_of, budget,
            )
        )  # fmt: skip

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the arrays that have no room for the path that was found. The open list is empty."""
        agents, steps = self._path_of.shape
        cells, intervals = self._first.size, self._intervals.shape[0]
        length = int(self._intervals[self._control[i.REACHED], i.ARRIVAL]) + 1
        needed = int(self._control[i.INTERVALS]) + length
        more_steps = 2 * length - steps if length > steps else 0
        more_intervals = 2 * needed - intervals if needed > intervals else 0
        nbytes = 4 * ((intervals + more_intervals) * i.COLUMNS + (steps + more_steps) * (agents + 1) + 3 * cells)
        if memory_limit is not None and nbytes > memory_limit:
            return False
        self._intervals = np.pad(self._intervals, ((0, more_intervals), (0, 0)))
        self._path_of = np.pad(self._path_of, ((0, 0), (0, more_steps)), mode="edge")  # agents stay at their goals
        self._stacks = np.full(2 * cells + steps + more_steps, i.NONE, np.int32)
        return True

    @property
    def planned(self) -> int:
        """Number of agents that have a path in this order."""
        return int(self._control[PLANNED])

    @property
    def paths(self) -> Paths:
        """Paths of the agents up to the last arrival. Those of agents without a path have no meaning."""
        paths: Paths = self._path_of[:, : int(self._control[i.HORIZON]) + 1]
        return paths

    @property
    def counts(self) -> Counts:
        """Counts so far; `peak_nodes` is the largest number of safe intervals."""
        expanded, generated, intervals = self._control[[c.EXPANDED, c.GENERATED, MOST_INTERVALS]].tolist()
        arrays = self._intervals, self._stacks, self._path_of, self._first
        nbytes = sum(array.nbytes for array in arrays)
        return Counts(expanded, generated, peak_nodes=intervals, memory_bytes=nbytes)

    @property
    def measured(self) -> Mapping[str, float | None]:
        """The counts of the searches for single agents."""
        counts = self._control[[i.LOW_LEVEL_EXPANDED, i.LOW_LEVEL_GENERATED]].tolist()
        return {metric.name: count for metric, count in zip(LOW_LEVEL, counts, strict=True)}


@helper
def shuffle(control, order):
    """Bring the agents into a random order."""
    for at in range(order.size - 1, 0, -1):
        other = random_below(control, at + 1)
        agent = order[at]
        order[at] = order[other]
        order[other] = agent


@kernel(
    "int64(int64[::1], int32[:, ::1], int32[::1], int32[::1], int32[:, ::1], int32[::1], int32[::1], "
    "int32[:, ::1], int32[::1], int32[:, ::1], int64)"
)
def prioritized_step(
    control, neighbours, starts, goals, distances, order, first, intervals, stacks, path_of, budget
):  # fmt: skip
    """Plan for at most `budget` agents, with at most `MAX_EXPANSIONS` expansions.

    `stacks` has room for f up to the last column of `path_of` plus 2 * cells.
    """
    expansions = np.int64(MAX_EXPANSIONS)
    while budget > 0 and expansions > 0:
        if control[PHASE] == NEW_ORDER:
            if control[IS_RANDOM] != 0:
                shuffle(control, order)
            i.clear_reservations(control, intervals, first)
            control[PLANNED] = 0
            control[PHASE] = NEXT_AGENT
        agent = np.int64(order[control[PLANNED]])
        if control[PHASE] == NEXT_AGENT:
            i.begin_search(control, intervals, first, stacks, distances, agent, starts[agent])
            control[PHASE] = SEARCHING
        expansions = i.search_on(
            control, neighbours, intervals, first, stacks, distances, agent, goals[agent], expansions
        )
        if expansions == 0:
            return StepStatus.RUNNING.value
        if control[i.REACHED] != i.NONE:
            arrival = np.int64(intervals[control[i.REACHED], i.ARRIVAL])
            if path_of.shape[1] <= arrival or intervals.shape[0] <= control[i.INTERVALS] + arrival:
                return StepStatus.OUT_OF_MEMORY.value
            i.reserve_path(control, intervals, first, path_of, agent)
            control[MOST_INTERVALS] = max(control[MOST_INTERVALS], control[i.INTERVALS])
            control[c.GENERATED] += 1
            control[PLANNED] += 1
            control[PHASE] = NEXT_AGENT
        elif control[RESTARTS] == 0:
            control[c.EXPANDED] += 1
            return StepStatus.CUTOFF.value
        else:
            control[RESTARTS] -= 1
            control[IS_RANDOM] = 1
            control[PHASE] = NEW_ORDER
        control[c.EXPANDED] += 1
        budget -= 1
        if control[PLANNED] == order.size:
            return StepStatus.SOLVED.value
    return StepStatus.RUNNING.value
