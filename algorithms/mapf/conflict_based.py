"""Conflict-based search: `cbs`, and `ecbs` with a bound on the cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, get_args

import numpy as np
from msgspec import Meta

from algorithms.engine.search import Counts, Expansion, StepStatus, proven_ratio, status_of
from algorithms.expansion_order import ExpansionOrder, Formula
from algorithms.interface import ALGORITHMS
from algorithms.mapf import constraint_tree as tree
from algorithms.mapf.conflicts import FIRST_PAIR
from algorithms.mapf.constraint_expansion import UNGUIDED, expand_tree
from algorithms.mapf.constraint_space import ConstraintSpace, TreeArrays
from algorithms.mapf.constraints import NODE_FIELDS
from algorithms.mapf.joint_exploration import JointExploration
from algorithms.mapf.node_heuristics import guide_arrays, guide_node
from algorithms.mapf.single_agent import LAYER_ROWS
from algorithms.mapf.team_search import CONFLICTS_OF_ROOT, LOW_LEVEL, Paths, TeamAlgorithm, TeamSearch
from heuristics.stack import BoundStack
from heuristics.weighting import Weighting

NodeHeuristic = Literal["none", "cg", "dg", "wdg"]
"""In the order of the numbers of `algorithms.mapf.dependencies`."""
ROUND, JOINT_STEPS = 100, 1_000
"""Expansions of a tree between two rounds of the exploration of joint states, and the joint steps of a round."""


@ALGORITHMS.register("cbs")
@dataclass(frozen=True)
class ConflictBasedSearch(TeamAlgorithm):
    """Conflict-based search: plan each agent alone, and split on a conflict until there is none.

    Optimal. Each node of the tree of constraints has cheapest paths that keep its constraints; the two children of a
    node forbid one of two agents its part in a conflict. `expanded` and `generated` count nodes of the tree; without
    `bypass`, generated = 2 x expanded. Source: Sharon et al., "Conflict-based search for optimal multi-agent
    pathfinding", AIJ 219, 2015.

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
    disjoint: bool = False
    heuristic_: NodeHeuristic = "none"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the order by cost."""
        return ExpansionOrder("the smallest cost, then the fewest conflicts", "f", Formula.of(0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> ConflictTreeSearch:
        """Start with cheapest paths."""
        return ConflictTreeSearch(
            stack,
            1.0,
            prioritize=self.prioritize,
            bypass=self.bypass,
            disjoint=self.disjoint,
            node_heuristic=self.heuristic_,
        )


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
    """Search of a tree of constraints (`algorithms.mapf.constraint_tree`)."""

    first_budget = 20

    def __init__(
        self,
        stack: BoundStack,
        factor: float,
        *,
        prioritize: bool = False,
        bypass: bool = False,
        disjoint: bool = False,
        node_heuristic: NodeHeuristic = "none",
    ) -> None:
        super().__init__(stack)
        expand_tree.compile_ahead()
        self._factor = factor
        control = self._control = np.zeros(tree.CONTROL_SIZE, np.int64)
        control[tree.IS_MAKESPAN] = self.is_makespan
        control[tree.PRIORITIZES], control[tree.BYPASSES], control[tree.IS_DISJOINT] = prioritize, bypass, disjoint
        self._is_guided = node_heuristic != "none" and not self.is_makespan
        if self._is_guided:
            guide_node.compile_ahead()
        control[tree.HEURISTIC] = get_args(NodeHeuristic).index(node_heuristic) if self._is_guided else 0
        cells, agents = self.neighbours.shape[0], self.starts.size
        self._owner = np.full(cells, -1, np.int32)
        self._owner[self.goals] = np.arange(agents)
        self._nodes = np.empty((256, NODE_FIELDS), np.int32)
        self._heaps = np.empty((3, 256), np.int32)
        longest = int(self.lengths_alone.max())
        self._pool = np.empty(64 * agents * (longest + 16), np.int32)
        self._counts = np.zeros(2, np.int64)
        self._found = np.zeros(FIRST_PAIR + (64 * agents if self._is_guided else 0), np.int64)
        self._allocate(2 * longest + 64, 4096, 256)
        self._beside: JointExploration | None = None
        self._is_explored = self._beside_is_full = False
        self._next_round = ROUND

    def _allocate(self, times: int, places: int, constraints: int) -> None:
        """Allocate the arrays whose content does not outlive an expansion: times, places of layers, constraints."""
        cells, agents = self.neighbours.shape[0], self.starts.size
        self._current = np.zeros((agents, times), np.int32)
        self._single = np.zeros((agents, times), np.uint8)
        self._length, self._lower = np.zeros(agents, np.int64), np.zeros(agents, np.int64)
        self._occupant = np.zeros((times, cells), np.int32)
        self._layers = np.zeros((LAYER_ROWS, places), np.int32)
        self._first, self._row_first = np.zeros(times, np.int64), np.zeros(times, np.int64)
        self._mark = np.zeros(cells, np.int32)
        self._raw, self._rows = np.zeros((2, constraints, 3), np.int32)
        self._guide = guide_arrays(self._is_guided, agents, cells, times, constraints)

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return (
            self.neighbours, self.distances, self.starts, self.goals, self._owner, self._current, self._single,
            self._length, self._lower, self._occupant, self._layers, self._first, self._mark, self._raw, self._rows,
            self._row_first, self._counts, self._nodes, self._pool, self._heaps, self._found, self._control,
        )  # fmt: skip

    @property
    def _guided_arrays(self) -> tuple[np.ndarray, ...]:
        return (
            self.neighbours, self.distances, self.starts, self.goals, self._mark, self._raw, self._rows,
            self._row_first, self._length, self._nodes, self._heaps, *self._guide, self._found, self._control,
        )  # fmt: skip

    def step(self, budget: int) -> StepStatus:
        """Expand at most `budget` nodes.

        A tree without a solution is infinite. So whenever `ROUND` nodes have been expanded, joint states are explored
        beside the tree, which are much cheaper, until that finds a solution or proves that there is none.
        """
        while True:
            part = min(budget, ROUND - self.expanded % ROUND)
            status = self._expand(part)
            budget -= part
            if status == StepStatus.RUNNING and self.expanded >= self._next_round:
                self._next_round += ROUND
                status = self._explore_beside()
            if status != StepStatus.RUNNING or budget == 0:
                return status

    def _expand(self, budget: int) -> StepStatus:
        """Expand at most `budget` nodes, and give them their heuristics before."""
        guide = guide_node.compiled if self._is_guided else None
        self._control[tree.BUDGET] = budget
        while True:
            code = expand_tree.compiled(*self._arrays, self._factor)
            if guide is None or code != UNGUIDED:
                return status_of(code)
            status = status_of(guide(*self._guided_arrays))
            if status != StepStatus.RUNNING:
                return status

    def _explore_beside(self) -> StepStatus:
        """Explore joint states: EXHAUSTED proves that there is no solution."""
        if self._is_explored:
            return StepStatus.RUNNING
        if self._beside is None:
            self._beside = JointExploration(
                self.neighbours, self.starts, self.goals, self.distances, is_makespan=self.is_makespan
            )
        status = self._beside.step(JOINT_STEPS)
        self._beside_is_full = status == StepStatus.OUT_OF_MEMORY
        if status != StepStatus.SOLVED:
            return status
        self._end_exploration()
        return StepStatus.RUNNING

    def _end_exploration(self) -> None:
        """Explore no more: there is a solution, or too little memory."""
        self._beside, self._is_explored = None, True

    def _tree(self) -> TreeArrays:
        count, selected = self._control[[tree.NODES, tree.SELECTED]].tolist()
        return TreeArrays(self._nodes[:count], self._pool, selected)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self.space.expansion()

    @cached_property
    def space(self) -> ConstraintSpace:
        """The nodes, for those who watch. It refers to the search, whose arrays would stay if it were always made."""
        return ConstraintSpace(self.roadmap, self.starts.size, self._tree)

    def grow(self, memory_limit: int | None) -> bool:
        """Double what is nearly full: the nodes, the pool of paths, or the arrays of an expansion."""
        if self._beside_is_full:
            self._beside_is_full = False
            if self._beside is not None and not self._beside.grow(None if memory_limit is None else memory_limit // 4):
                self._end_exploration()
            return True
        control, size = self._control, self._nodes.shape[0]
        if memory_limit is not None and 2 * self._memory_bytes > memory_limit:
            return False
        if control[tree.NODES] + 2 > size:
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._heaps = np.concatenate([self._heaps, np.empty_like(self._heaps)], axis=1)
        elif control[tree.POOL] > self._pool.size // 2:
            self._pool = np.concatenate([self._pool, np.empty_like(self._pool)])
        else:
            self._allocate(2 * self._current.shape[1], 2 * self._layers.shape[1], 2 * self._rows.shape[0])
        return True

    @property
    def _memory_bytes(self) -> int:
        beside = 0 if self._beside is None else self._beside.nbytes
        return beside + sum(array.nbytes for array in (*self._arrays[4:], *self._guide))

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        control = self._control
        return Counts(
            expanded=int(control[tree.EXPANDED]),
            generated=int(control[tree.GENERATED]),
            peak_nodes=int(control[tree.NODES]),
            memory_bytes=self._memory_bytes,
        )

    @property
    def measured(self) -> Mapping[str, float | None]:
        """Counts of the low level, and the conflicts of the root."""
        control = self._control
        return {
            "low_level_expanded": int(control[tree.LOW_EXPANDED]),
            "low_level_generated": int(control[tree.LOW_GENERATED]),
            "conflicts_of_root": int(control[tree.CONFLICTS_OF_ROOT]),
        }

    @property
    def paths(self) -> Paths:
        """Paths of the node without conflicts, which the last step has left in the arrays."""
        steps = int(self._length.max()) + 1
        times = np.minimum(np.arange(steps), self._length[:, None])
        paths: Paths = np.take_along_axis(self._current, times, axis=1)
        return paths

    @property
    def bound(self) -> float | None:
        """Cost divided by the smallest lower bound of an open node."""
        return proven_ratio(self.cost, int(self._control[tree.LEAST_BOUND]))
