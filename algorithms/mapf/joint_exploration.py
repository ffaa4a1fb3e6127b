"""LaCAM: depth-first search over the configurations of a team, with successors that PIBT generates under constraints.

A configuration is the cell of each agent. Its first successor is the step of PIBT. Each time that the search comes back
to it, another constraint says where some agents go, and PIBT chooses for the others. Constraints are made lazily,
breadth first: those of the first agent, of the first two, and so on. At last they enumerate all joint steps, so the
search is complete.

LaCAM* goes on after the first solution. It keeps all edges, and when it finds a cheaper path to a configuration, it
passes the difference on to those behind. It ignores configurations with g + h at least the cost of the best solution.
For the sum of costs a configuration also has, for each agent, whether it is settled (`worlds.mapf.rules`): a step costs
1 for each agent that does not settle. Constraints enumerate settling, too. PIBT settles agents that stay at their goals
as soon as there is a solution.

Sources: Okumura, LaCAM: Search-based algorithm for quick multi-agent pathfinding, AAAI 2023; Improving LaCAM for
scalable eventually optimal multi-agent pathfinding, IJCAI 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Counts, GrowingArrays, StepStatus, status_of
from algorithms.engine import control as c
from algorithms.mapf import configurations as conf
from algorithms.mapf import priority_inheritance as p
from algorithms.mapf.team_search import Paths, TeamSearch
from heuristics.interface import BoundStack
from worlds.compile import kernel


class JointExploration(TeamSearch):
    """Search over the configurations of a team.

    Parameters
    ----------
    stack, distances : BoundStack, ndarray of int32
        Those of `TeamSearch`.
    star : bool
        Whether to go on after the first solution, until the best one is optimal.
    swap, seed : bool, int
        Parameters of the generator of joint steps (`algorithms.mapf.priority_inheritance.step_arrays`).
    """

    def __init__(
        self,
        stack: BoundStack,
        star: bool = False,
        swap: bool = True,
        seed: int = 0,
        distances: NDArray[np.int32] | None = None,
    ) -> None:
        super().__init__(stack, distances)
        self._is_star, self._is_finished = star, False
        self._team = p.step_arrays(self, swap, seed)
        self._best_paths: Paths | None = None
        self._record_fields = conf.RECORD_PARTS * self.starts.size
        self._nodes = GrowingArrays(
            1024, (np.int64, conf.FIELDS), (np.int32, self._record_fields), (np.int32, conf.SLOTS)
        )
        self._constraints = GrowingArrays(4096, (np.int32, conf.CONSTRAINT_FIELDS))
        control = self._control = self._team[-1]
        control[[conf.TOP, conf.FOUND]] = -1
        control[conf.BEST] = c.NO_INCUMBENT
        control[conf.STAR], control[conf.MAKESPAN] = star, self.is_makespan

    def step(self, budget: int) -> StepStatus:
        """Try at most `budget` constraints, each with one call of PIBT."""
        if not self.can_all_arrive:
            return StepStatus.EXHAUSTED
        code = explore.compiled(self.neighbours, self.distances, *self._team, *self._store, budget)
        status = status_of(code)
        if status == StepStatus.IMPROVED:
            self._best_paths = self._paths_to(int(self._control[c.GOAL]))
            return StepStatus.IMPROVED if self._is_star else StepStatus.SOLVED
        self._is_finished = status == StepStatus.EXHAUSTED and self.has_solution
        return StepStatus.SOLVED if self._is_finished else status

    def grow(self, memory_limit: int | None) -> bool:
        """Double the arrays that are full."""
        full = [self._nodes] if self._control[c.NODES] == self._nodes.length else []
        if self._control[conf.CONSTRAINTS] + conf.MOST_CHOICES > self._constraints.length:
            full.append(self._constraints)
        if memory_limit is not None and self._nbytes + sum(each.nbytes for each in full) > memory_limit:
            return False
        for each in full:
            each.double()
        if self._nodes in full:
            nodes, _, table, _ = self._store
            conf.index_nodes.compiled(nodes, table, int(self._control[c.NODES]))
        return True

    @property
    def counts(self) -> Counts:
        """Constraints for which PIBT was asked for a step, steps that it has found, and configurations."""
        expanded, generated, nodes = self._control[[c.EXPANDED, c.GENERATED, c.NODES]].tolist()
        return Counts(expanded, generated, peak_nodes=nodes, memory_bytes=self._nbytes)

    @property
    def has_solution(self) -> bool:
        """Whether there is a plan, which is the last one unless `star`."""
        return self._best_paths is not None

    @property
    def paths(self) -> Paths:
        """Paths of the best solution so far."""
        assert self._best_paths is not None
        return self._best_paths

    @property
    def bound(self) -> float | None:
        """1 after the end of LaCAM*, which proves that the plan is optimal."""
        return 1.0 if self._is_star and self._is_finished else None

    @property
    def _nbytes(self) -> int:
        return self._nodes.nbytes + self._constraints.nbytes

    @property
    def _store(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Arrays that kernels take as `STORE`. Growth needs it gone."""
        nodes, records, table = self._nodes.views
        constraints = self._constraints.views[0].reshape(-1, conf.CONSTRAINT_FIELDS)
        return nodes.reshape(-1, conf.FIELDS), records.reshape(-1, self._record_fields), table, constraints

    def _paths_to(self, node: int) -> Paths:
        nodes, records, _, _ = self._store
        cells = []
        while node >= 0:
            cells.append(records[node, : self.starts.size] >> 1)
            node = int(nodes[node, conf.PARENT])
        return np.ascontiguousarray(np.array(cells[::-1], np.int32).T)


@kernel(f"int64({p.MAP}, {p.TEAM}, {conf.STORE}, int64)")
def explore(neighbours, distances, team, places, control, nodes, records, table, constraints, budget):
    """Ask for at most `budget` steps of PIBT. Return IMPROVED after each better solution, at last EXHAUSTED."""
    last = control[c.EXPANDED] + budget
    if control[c.NODES] == 0:
        for agent in range(team.shape[1]):
            team[p.NEXT, agent] = team[p.NOW, agent]
        start = conf.find_or_add(distances, team, control, nodes, records, table, constraints, np.int64(-1))
        conf.push(nodes, control, start)
    while control[c.EXPANDED] < last:
        if control[conf.FOUND] >= 0:
            goal = control[conf.FOUND]
            control[conf.FOUND] = -1
            cost = conf.cost_of_path(team, control, nodes, records, goal)
            if cost < control[conf.BEST]:
                control[conf.BEST] = cost
                control[c.GOAL] = goal
                return StepStatus.IMPROVED.value
        node = control[conf.TOP]
        if node < 0:
            return StepStatus.EXHAUSTED.value
        is_pruned = control[conf.STAR] != 0 and nodes[node, conf.G] + nodes[node, conf.H] >= control[conf.BEST]
        if nodes[node, conf.FIRST] < 0 or is_pruned:
            conf.remove(nodes, control, node)
            continue
        if control[c.NODES] == nodes.shape[0] or control[conf.CONSTRAINTS] + conf.MOST_CHOICES > constraints.shape[0]:
            return StepStatus.OUT_OF_MEMORY.value
        control[c.EXPANDED] += 1
        constraint = nodes[node, conf.FIRST]
        nodes[node, conf.FIRST] = constraints[constraint, conf.NEXT_QUEUED]
        conf.load(team, records, node)
        p.begin_step(team, places)
        if constraints[constraint, conf.DEPTH] < team.shape[1]:
            conf.extend(neighbours, distances, team, places, control, nodes, constraints, node, constraint)
        is_possible = conf.bind(team, places, constraints, constraint)
        is_possible = is_possible and p.assign_all(neighbours, distances, team, places, control)
        p.end_step(team, places)
        if not is_possible:
            continue
        control[c.GENERATED] += 1
        if control[conf.BEST] < c.NO_INCUMBENT and control[conf.MAKESPAN] == 0:
            conf.settle_rest(team, constraints, constraint)
        successor = conf.find_or_add(distances, team, control, nodes, records, table, constraints, node)
        if nodes[successor, conf.FIRST] >= 0:
            conf.push(nodes, control, successor)
        if control[conf.STAR] != 0:
            constraints[constraint, conf.SUCCESSOR] = successor
            constraints[constraint, conf.NEXT_EDGE] = nodes[node, conf.EDGES]
            nodes[node, conf.EDGES] = constraint
            conf.pass_on(nodes, control, constraints, node, successor)
    return StepStatus.RUNNING.value
