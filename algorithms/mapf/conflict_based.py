"""Conflict-based search: `cbs`, and `ecbs` with a bound on the cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Annotated, Literal, get_args

import numpy as np
from msgspec import Meta

from algorithms.engine import Counts, Expansion, StepStatus, proven_ratio, status_of
from algorithms.interface import ALGORITHMS, ExpansionOrder, Formula
from algorithms.mapf import constraint_tree as t
from algorithms.mapf import single_agent as s
from algorithms.mapf.conflicts import FIRST_PAIR
from algorithms.mapf.constraint_expansion import UNGUIDED, expand_tree
from algorithms.mapf.constraint_space import ConstraintSpace
from algorithms.mapf.joint_exploration import JointExploration
from algorithms.mapf.node_heuristics import Guide, guide_node
from algorithms.mapf.team_search import CONFLICTS_OF_ROOT, LOW_LEVEL, Paths, TeamAlgorithm, TeamSearch
from heuristics.interface import BoundStack, Weighting

NodeHeuristic = Literal["none", "cg", "dg", "wdg"]
"""In the order of the numbers of `algorithms.mapf.node_heuristics`."""
ROUND, JOINT_STEPS = 100, 1_000
"""Expansions of a tree between two rounds of the exploration of joint states, and the joint steps of a round."""


@ALGORITHMS.register("cbs")
@dataclass(frozen=True)
class ConflictBasedSearch(TeamAlgorithm):
    """Conflict-based search: plan each agent alone, and split on a conflict until there is none.

    Optimal. Each node of the tree of constraints has cheapest paths that keep its constraints; the two children of a
    node forbid one of two agents its part in a conflict. `expanded` and `generated` count nodes of the tree; without
    `bypass`, generated = 2 x expanded. The defaults are the strongest; with all four options off (``prioritize=false
    bypass=false disjoint=false heuristic=none``) it is the algorithm of the paper. Source: Sharon et al.,
    "Conflict-based search for optimal multi-agent pathfinding", AIJ 219, 2015.

    Attributes
    ----------
    prioritize : bool
        Resolve cardinal conflicts first: those that raise the cost in both children (Boyarski et al., IJCAI 2015).
        Otherwise the earliest conflict.
    bypass : bool
        Take the paths of a child that costs no more and has fewer conflicts, without its constraint (Boyarski et al.,
        ICAPS 2015).
    disjoint : bool
        In one child the agent avoids its part in the conflict, in the other it takes part and all others avoid it (Li
        et al., ICAPS 2019).
    heuristic_ : {"none", "cg", "dg", "wdg"}
        Lower bound of what conflicts add to the sum of costs of a node: the minimum vertex cover of pairs of agents
        with a cardinal conflict (Felner et al., ICAPS 2018), of pairs whose cheapest paths all conflict, or of these
        pairs weighted by what they cost more (Li et al., IJCAI 2019). There is none for the makespan.
    """

    complete = True
    optimal = "always"
    metrics = (*LOW_LEVEL, CONFLICTS_OF_ROOT)

    prioritize: bool = True
    bypass: bool = True
    disjoint: bool = True
    heuristic_: NodeHeuristic = "wdg"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the order by cost."""
        return ExpansionOrder("the smallest cost, then the fewest conflicts", "f", Formula.of(0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> ConflictTreeSearch:
        """Start with cheapest paths."""
        return ConflictTreeSearch(stack, 1.0, self)


PLAIN = ConflictBasedSearch(prioritize=False, bypass=False, disjoint=False, heuristic_="none")
"""The algorithm of Sharon et al."""


@ALGORITHMS.register("ecbs")
@dataclass(frozen=True)
class EnhancedConflictBasedSearch(TeamAlgorithm):
    """Conflict-based search that prefers few conflicts to low costs, within a bound on the cost.

    Of the nodes whose cost is at most `w` times the smallest lower bound, it expands one with the fewest conflicts; the
    path of an agent may be `w` times as long as the shortest, and has the fewest conflicts of those. Source: Barer et
    al., "Suboptimal variants of the conflict-based search algorithm for the multi-agent pathfinding problem", SoCS
    2014.

    Attributes
    ----------
    w : float
        Largest factor between the cost and the optimum, at least 1.
    """

    complete = True
    optimal = "bounded"
    metrics = (*LOW_LEVEL, CONFLICTS_OF_ROOT)

    w: Annotated[float, Meta(ge=1, le=100)] = 1.2

    def promised_bound(self, weighting: Weighting | None, **properties: bool) -> float | None:
        """Return `w`."""
        return self.w

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the order by conflicts."""
        text = f"the fewest conflicts, of the nodes that cost at most {self.w:g} times the lower bound"
        return ExpansionOrder(text, "f", Formula.of(0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> ConflictTreeSearch:
        """Start with paths that have few conflicts."""
        return ConflictTreeSearch(stack, self.w)


class ConflictTreeSearch(TeamSearch):
    """Search of a tree of constraints (`algorithms.mapf.constraint_tree`).

    Parameters
    ----------
    stack : BoundStack
    factor : float
        Largest factor between the cost and the optimum.
    options : ConflictBasedSearch
    """

    def __init__(self, stack: BoundStack, factor: float, options: ConflictBasedSearch = PLAIN) -> None:
        super().__init__(stack)
        expand_tree.compile_ahead()
        self._stack, self._factor = stack, factor
        control = self._control = np.zeros(t.CONTROL_SIZE, np.int64)
        control[t.IS_MAKESPAN], control[t.PRIORITIZES] = self.is_makespan, options.prioritize
        control[t.BYPASSES], control[t.IS_DISJOINT] = options.bypass, options.disjoint
        self._is_guided = options.heuristic_ != "none" and not self.is_makespan
        if self._is_guided:
            guide_node.compile_ahead()
            control[t.HEURISTIC] = get_args(NodeHeuristic).index(options.heuristic_)
        cells, agents = self.neighbours.shape[0], self.starts.size
        owner = np.full(cells, -1, np.int32)
        owner[self.goals] = np.arange(agents)
        self._graph = s.TeamGraph(self.neighbours, self.distances, self.starts, self.goals, owner)
        longest = int(self.lengths_alone.max())
        self._tree = t.ConstraintTree(
            np.empty((256, t.NODE_FIELDS), np.int32),
            np.empty(64 * agents * (longest + 16), np.int32),
            np.empty((3, 256), np.int32),
        )
        self._counts = np.zeros(2, np.int64)
        self._found = np.zeros(FIRST_PAIR + (64 * agents if self._is_guided else 0), np.int64)
        self._allocate(2 * longest + 64, 4096, 256)
        self._beside: JointExploration | None = None
        self._beside_is_full = False
        self._next_round: float = ROUND

    def _allocate(self, times: int, places: int, constraints: int) -> None:
        """Allocate the arrays whose content does not outlive an expansion: times, places of layers, constraints."""
        cells, agents = self.neighbours.shape[0], self.starts.size
        self._state = s.State(
            np.zeros((agents, times), np.int32),
            np.zeros((agents, times), np.uint8),
            np.zeros(agents, np.int64),
            np.zeros(agents, np.int64),
            np.zeros((times, cells), np.int32),
        )
        self._low = s.Low(
            np.zeros((s.LAYER_ROWS, places), np.int32),
            np.zeros(times, np.int64),
            np.zeros(cells, np.int32),
            np.zeros((constraints, s.ROW_FIELDS), np.int32),
            np.zeros(times, np.int32),
            self._counts,
        )
        self._guide = Guide.allocated(agents, cells, times, constraints) if self._is_guided else None

    def step(self, budget: int) -> StepStatus:
        """Expand at most `budget` nodes.

        A tree without a solution is infinite. So whenever `ROUND` nodes have been expanded, joint states are explored
        beside the tree, which are much cheaper, until that finds a solution or proves that there is none.
        """
        while True:
            if self.expanded >= self._next_round:
                status = self._explore_beside()
                if status != StepStatus.RUNNING:
                    return status
            part = min(budget, ROUND - self.expanded % ROUND)
            status = self._expand(part)
            budget -= part
            if status != StepStatus.RUNNING or budget == 0:
                return status

    def _expand(self, budget: int) -> StepStatus:
        """Expand at most `budget` nodes, and give them their heuristics before."""
        arrays = tuple(self._graph), tuple(self._state), tuple(self._low), tuple(self._tree)
        self._control[t.BUDGET] = budget
        while True:
            code = expand_tree.compiled(*arrays, self._found, self._control, self._factor)
            if code != UNGUIDED:
                return status_of(code)
            assert self._guide is not None
            code = guide_node.compiled(*arrays, tuple(self._guide), self._found, self._control)
            if code != StepStatus.RUNNING:
                return status_of(code)

    def _explore_beside(self) -> StepStatus:
        """Explore joint states: EXHAUSTED proves that there is no solution."""
        if self._beside is None:
            self._beside, self._beside_is_full = JointExploration(self._stack, distances=self.distances), True
            return StepStatus.OUT_OF_MEMORY  # so that `grow` compares its first arrays with the limit
        self._next_round += ROUND
        status = self._beside.step(JOINT_STEPS)
        self._beside_is_full = status == StepStatus.OUT_OF_MEMORY
        if status != StepStatus.SOLVED:
            return status
        self._end_exploration()
        return StepStatus.RUNNING

    def _end_exploration(self) -> None:
        """Explore no more: there is a solution, or too little memory."""
        self._beside, self._next_round = None, inf

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self.space.expansion()

    @cached_property
    def space(self) -> ConstraintSpace:
        """The nodes, for those who watch. It refers to the search, whose arrays would stay if it were always made."""
        return ConstraintSpace(self.roadmap, self.starts.size, lambda: self._tree, self._control)

    def grow(self, memory_limit: int | None) -> bool:
        """Double what is nearly full: the exploration, the nodes, the pool of paths, or the arrays of an expansion.

        The exploration has the memory that the tree leaves, and ends if one of the two does not fit.
        """
        tree_bytes, limit = self._tree_bytes, inf if memory_limit is None else memory_limit
        beside_bytes = self._memory_bytes - tree_bytes
        if self._beside_is_full:
            self._beside_is_full = False
            room = None if memory_limit is None else memory_limit - tree_bytes
            if self._beside is not None and not self._beside.grow(room):
                self._end_exploration()
            return True
        nodes, pool, heaps = self._tree
        is_full_of_nodes = self._control[t.NODES] + 2 > nodes.shape[0]
        is_full_of_paths = not is_full_of_nodes and self._control[t.POOL] > pool.size // 2
        more = pool.nbytes if is_full_of_paths else nodes.nbytes + heaps.nbytes
        before = self._state, self._low, self._guide
        if not is_full_of_nodes and not is_full_of_paths:
            low = self._low  # new arrays take up no memory before they are used
            self._allocate(2 * low.first.size, 2 * low.layers.shape[1], 2 * len(low.rows))
            more = self._tree_bytes - tree_bytes
        if tree_bytes + more > limit:
            self._state, self._low, self._guide = before
            return False
        if tree_bytes + more + beside_bytes > limit:
            self._end_exploration()
        if is_full_of_nodes:
            nodes, heaps = np.concatenate([nodes, np.empty_like(nodes)]), np.concatenate([heaps, heaps], axis=1)
        elif is_full_of_paths:
            pool = np.concatenate([pool, np.empty_like(pool)])
        self._tree = t.ConstraintTree(nodes, pool, heaps)
        return True

    @property
    def _tree_bytes(self) -> int:
        """Bytes of all arrays but those of the exploration beside the tree."""
        arrays: list[np.ndarray] = [*self._state, *self._low, *self._tree, *(self._guide or ())]
        return sum(array.nbytes for array in arrays)

    @property
    def _memory_bytes(self) -> int:
        return self._tree_bytes + (0 if self._beside is None else self._beside.counts.memory_bytes)

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        expanded, generated, nodes = self._control[[t.EXPANDED, t.GENERATED, t.NODES]].tolist()
        return Counts(expanded, generated, peak_nodes=nodes, memory_bytes=self._memory_bytes)

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Counts of the low level, and the conflicts of the root."""
        counts = self._control[[t.LOW_EXPANDED, t.LOW_GENERATED, t.CONFLICTS_OF_ROOT]].tolist()
        return {metric.name: count for metric, count in zip((*LOW_LEVEL, CONFLICTS_OF_ROOT), counts, strict=True)}

    @property
    def paths(self) -> Paths:
        """Paths of the node without conflicts, which the last step has left in the arrays."""
        length = self._state.length
        times = np.minimum(np.arange(int(length.max()) + 1), length[:, None])
        paths: Paths = np.take_along_axis(self._state.current, times, axis=1)
        return paths

    @property
    def bound(self) -> float | None:
        """Cost divided by the smallest lower bound of an open node."""
        return proven_ratio(self.cost, int(self._control[t.LEAST_BOUND]))
