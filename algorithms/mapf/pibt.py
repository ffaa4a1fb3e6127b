"""PIBT: joint steps by priority inheritance with backtracking, one after the other, without search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from algorithms.engine import Counts, GrowingArrays, StepStatus, status_of
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS
from algorithms.mapf import priority_inheritance as p
from algorithms.mapf.team_search import Paths, TeamAlgorithm, TeamSearch
from heuristics.interface import BoundStack, Weighting
from worlds.compile import kernel
from worlds.interface import Seed


@ALGORITHMS.register("pibt")
@dataclass(frozen=True)
class PriorityInheritance(TeamAlgorithm):
    """Priority inheritance with backtracking: in each step the agents choose cells one after the other.

    Fast and incomplete: agents may block each other for ever, and the status is then `cutoff`. An agent that is longer
    away from its goal has priority, so that in maps where every two neighbouring cells lie on a cycle each agent is at
    its goal at some time, but perhaps not all at once. An expansion is a joint step. Source: Okumura, Machida, Défago
    and Tamura, AIJ 310, 2022; `swap`: Okumura, IJCAI 2023.

    Attributes
    ----------
    horizon : int
        Number of joint steps after which it gives up.
    swap : bool
        Whether one of two agents that must pass each other in a corridor backs off, and pulls the other one.
    seed : int
        Seed of the random choices among equally good cells.
    """

    horizon: Annotated[int, Meta(ge=1, le=1_000_000)] = 1_000
    swap: bool = False
    seed: Seed = 0

    def start(self, stack: BoundStack, weighting: Weighting | None) -> PriorityInheritanceSearch:
        """Start with all agents at their starts."""
        return PriorityInheritanceSearch(stack, self.horizon, self.swap, self.seed)


class PriorityInheritanceSearch(TeamSearch):
    """PIBT in progress. For the parameters see `PriorityInheritance`."""

    def __init__(self, stack: BoundStack, horizon: int, swap: bool, seed: int) -> None:
        super().__init__(stack)
        self._horizon = horizon
        self._team = p.step_arrays(self, swap, seed)
        self._control = self._team[-1]
        self._steps = GrowingArrays(64, (np.int32, self.starts.size))
        self._steps.views[0][: self.starts.size] = self.starts

    def step(self, budget: int) -> StepStatus:
        """Make at most `budget` joint steps."""
        if not self.can_all_arrive:
            return StepStatus.EXHAUSTED
        steps = self._steps.views[0].reshape(-1, self.starts.size)
        code = make_steps.compiled(self.neighbours, self.distances, *self._team, steps, self._horizon, budget)
        return status_of(code)

    def grow(self, memory_limit: int | None) -> bool:
        """Double the room for steps."""
        if memory_limit is not None and 2 * self._steps.nbytes > memory_limit:
            return False
        self._steps.double()
        return True

    @property
    def counts(self) -> Counts:
        """Joint steps so far."""
        made = int(self._control[c.EXPANDED])
        return Counts(made, made, peak_nodes=made + 1, memory_bytes=self._steps.nbytes)

    @property
    def paths(self) -> Paths:
        """Cells of the agents so far, shape (agents, steps + 1)."""
        steps = self._steps.views[0].reshape(-1, self.starts.size)
        return np.ascontiguousarray(steps[: self._control[c.EXPANDED] + 1].T)


@kernel(f"int64({p.MAP}, {p.TEAM}, int32[:, ::1], int64, int64)")
def make_steps(neighbours, distances, team, places, control, steps, horizon, budget):
    """Make at most `budget` joint steps, and write the cells of the agents after each."""
    last = control[c.EXPANDED] + budget
    while not p.is_arrived(team):
        made = control[c.EXPANDED]
        if made == horizon:
            return StepStatus.CUTOFF.value
        if made >= last:
            return StepStatus.RUNNING.value
        if made + 1 == steps.shape[0]:
            return StepStatus.OUT_OF_MEMORY.value
        p.begin_step(team, places)
        p.assign_all(neighbours, distances, team, places, control)
        p.end_step(team, places)
        for agent in range(team.shape[1]):
            steps[made + 1, agent] = team[p.NEXT, agent]
        p.advance(team)
        control[c.EXPANDED] += 1
    return StepStatus.SOLVED.value
