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

from algorithms.engine import control as c
from algorithms.engine.memory import GrowingArrays
from algorithms.engine.search import StepStatus, status_of
from algorithms.mapf.configurations import (
    BEST,
    CONSTRAINT_FIELDS,
    CONSTRAINTS,
    DEPTH,
    EDGES,
    FIELDS,
    FIRST,
    FOUND,
    MAKESPAN,
    MOST_CHOICES,
    NEXT_EDGE,
    NEXT_QUEUED,
    PARENT,
    RECORD_PARTS,
    SLOTS,
    STAR,
    STORE,
    SUCCESSOR,
    TOP,
    G,
    H,
    bind,
    cost_of_path,
    extend,
    find_or_add,
    index_nodes,
    load,
    pass_on,
    push,
    remove,
    settle_rest,
)
from algorithms.mapf.joint_step import MAP, NEXT, NOW, TEAM, StepGenerator, begin_step, end_step
from algorithms.mapf.priority_inheritance import assign_all
from algorithms.mapf.team_search import Paths
from worlds.compile.kernel import kernel


class JointExploration:
    """Search over the configurations of a team, which can be asked to go on.

    Parameters
    ----------
    neighbours : ndarray of int32, shape (cells, 4)
        Cell to which each move leads, or -1.
    starts, goals : ndarray of int32, shape (agents,)
    distances : ndarray of int32, shape (agents, cells)
        Number of moves from each cell to the goal of each agent; -1 if there is no path.
    is_makespan : bool
        Whether the cost is the makespan, and not the sum of costs.
    star : bool
        Whether to go on after the first solution, until the best one is optimal.
    seed : int
        Seed of the random choices among equally good cells.
    swap : bool
        Whether one of two agents that must pass each other backs off, and pulls the other one.
    """

    def __init__(
        self,
        neighbours: NDArray[np.int32],
        starts: NDArray[np.int32],
        goals: NDArray[np.int32],
        distances: NDArray[np.int32],
        *,
        is_makespan: bool = False,
        star: bool = False,
        seed: int = 0,
        swap: bool = True,
    ) -> None:
        self._neighbours, self._distances = neighbours, distances
        self._team = StepGenerator(starts, goals, distances, seed=seed, swap=swap)
        self._agents = starts.size
        self._is_star = star
        self._best_paths: Paths | None = None
        self._nodes = GrowingArrays(
            1024, (np.int64, FIELDS), (np.int32, RECORD_PARTS * self._agents), (np.int32, SLOTS)
        )
        self._constraints = GrowingArrays(4096, (np.int32, CONSTRAINT_FIELDS))
        control = self._control = self._team.arrays[-1]
        control[[TOP, FOUND]] = -1
        control[BEST] = c.NO_INCUMBENT
        control[STAR], control[MAKESPAN] = star, is_makespan

    def step(self, budget: int) -> StepStatus:
        """Try at most `budget` constraints, each with one call of PIBT.

        Returns
        -------
        StepStatus
            SOLVED with `paths`; EXHAUSTED if there are none; OUT_OF_MEMORY if the arrays are full; RUNNING. With
            `star`, IMPROVED after each better solution, and SOLVED when the last one is optimal.
        """
        if not self._team.can_all_arrive:
            return StepStatus.EXHAUSTED
        code = explore.compiled(self._neighbours, self._distances, *self._team.arrays, *self._store, budget)
        status = status_of(code)
        if status == StepStatus.IMPROVED:
            self._best_paths = self._paths_to(int(self._control[c.GOAL]))
            return StepStatus.IMPROVED if self._is_star else StepStatus.SOLVED
        return StepStatus.SOLVED if status == StepStatus.EXHAUSTED and self.has_solution else status

    def grow(self, memory_limit: int | None) -> bool:
        """Double the arrays that are full; return False if that would exceed `memory_limit` bytes."""
        full = [self._nodes] if self.nodes == self._nodes.length else []
        if self._control[CONSTRAINTS] + MOST_CHOICES > self._constraints.length:
            full.append(self._constraints)
        if memory_limit is not None and self.nbytes + sum(each.nbytes for each in full) > memory_limit:
            return False
        for each in full:
            each.double()
        if self._nodes in full:
            nodes, _, table, _ = self._store
            index_nodes.compiled(nodes, table, self.nodes)
        return True

    @property
    def has_solution(self) -> bool:
        """Whether there are `paths`."""
        return self._best_paths is not None

    @property
    def paths(self) -> Paths:
        """Paths of the best solution so far, shape (agents, steps + 1)."""
        assert self._best_paths is not None
        return self._best_paths

    @property
    def expanded(self) -> int:
        """Number of constraints for which PIBT was asked for a step."""
        return int(self._control[c.EXPANDED])

    @property
    def generated(self) -> int:
        """Number of steps that it has found."""
        return int(self._control[c.GENERATED])

    @property
    def nodes(self) -> int:
        """Number of configurations in memory."""
        return int(self._control[c.NODES])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that grow."""
        return self._nodes.nbytes + self._constraints.nbytes

    @property
    def _store(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """What kernels take as `STORE`. Growth needs it gone."""
        nodes, records, table = self._nodes.views
        return (
            nodes.reshape(-1, FIELDS),
            records.reshape(-1, RECORD_PARTS * self._agents),
            table,
            self._constraints.views[0].reshape(-1, CONSTRAINT_FIELDS),
        )

    def _paths_to(self, node: int) -> Paths:
        nodes, records, _, _ = self._store
        cells = []
        while node >= 0:
            cells.append(records[node, : self._agents] >> 1)
            node = int(nodes[node, PARENT])
        return np.ascontiguousarray(np.array(cells[::-1], np.int32).T)


@kernel(f"int64({MAP}, {TEAM}, {STORE}, int64)")
def explore(neighbours, distances, team, places, control, nodes, records, table, constraints, budget):
    """Ask for at most `budget` steps of PIBT. Return IMPROVED after each better solution, at last EXHAUSTED."""
    last = control[c.EXPANDED] + budget
    if control[c.NODES] == 0:
        for agent in range(team.shape[1]):
            team[NEXT, agent] = team[NOW, agent]
        start = find_or_add(distances, team, control, nodes, records, table, constraints, np.int64(-1))
        push(nodes, control, start)
    while control[c.EXPANDED] < last:
        if control[FOUND] >= 0:
            goal = control[FOUND]
            control[FOUND] = -1
            cost = cost_of_path(team, control, nodes, records, goal)
            if cost < control[BEST]:
                control[BEST] = cost
                control[c.GOAL] = goal
                return StepStatus.IMPROVED.value
        node = control[TOP]
        if node < 0:
            return StepStatus.EXHAUSTED.value
        is_pruned = control[STAR] != 0 and nodes[node, G] + nodes[node, H] >= control[BEST]
        if nodes[node, FIRST] < 0 or is_pruned:
            remove(nodes, control, node)
            continue
        if control[c.NODES] == nodes.shape[0] or control[CONSTRAINTS] + MOST_CHOICES > constraints.shape[0]:
            return StepStatus.OUT_OF_MEMORY.value
        control[c.EXPANDED] += 1
        constraint = nodes[node, FIRST]
        nodes[node, FIRST] = constraints[constraint, NEXT_QUEUED]
        load(team, records, node)
        begin_step(team, places)
        if constraints[constraint, DEPTH] < team.shape[1]:
            extend(neighbours, distances, team, places, control, nodes, constraints, node, constraint)
        is_possible = bind(team, places, constraints, constraint)
        is_possible = is_possible and assign_all(neighbours, distances, team, places, control)
        end_step(team, places)
        if not is_possible:
            continue
        control[c.GENERATED] += 1
        if control[BEST] < c.NO_INCUMBENT and control[MAKESPAN] == 0:
            settle_rest(team, constraints, constraint)
        successor = find_or_add(distances, team, control, nodes, records, table, constraints, node)
        if nodes[successor, FIRST] >= 0:
            push(nodes, control, successor)
        if control[STAR] != 0:
            constraints[constraint, SUCCESSOR] = successor
            constraints[constraint, NEXT_EDGE] = nodes[node, EDGES]
            nodes[node, EDGES] = constraint
            pass_on(nodes, control, constraints, node, successor)
    return StepStatus.RUNNING.value
