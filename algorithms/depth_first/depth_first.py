"""Depth-first searches: graph search, iterative deepening and IDA*.

They store one path (`algorithms.depth_first.path`), and visited states with the cycle check "visited" or a
transposition table. IDA* in place is `algorithms.depth_first.in_place`. `algorithms.depth_first.linear_memory` has
further searches that store one path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from algorithms.depth_first import control_entries as d
from algorithms.depth_first.factors import UNWEIGHTED, Factors
from algorithms.depth_first.in_place import MAX_BOUND, PREDICTED, InPlaceSearch, in_place_of
from algorithms.depth_first.operator_order import OrderedChildren
from algorithms.depth_first.path import (
    CHAINS,
    CYCLE_CHECKS,
    LEVELS,
    PATH,
    SLOTS,
    enter_node,
    leave_path,
    operators_of,
    visit,
)
from algorithms.engine import (
    FIELD_WORDS,
    HEURISTIC,
    STORE,
    WORLD,
    Arrays,
    CompiledSearch,
    Expansion,
    GrowingArrays,
    Nodes,
    Search,
    StepStatus,
    capacity_within,
    proven_ratio,
    status_of,
)
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS, ExpansionOrder, Formula, Optimal
from heuristics.interface import INFINITE_H, TERMS, BoundStack, Weighting
from runner.base import Metric
from worlds.compile import ADDRESS, EXPAND, IS_GOAL, MAX_COST, Kernel, as_index, call, kernel, successor_count
from worlds.interface import engine_h

_FIRST_LEVELS = 64
_NODE_BYTES = 32
"""At most the bytes of a visited state, with its share of the hash table, beyond its words."""
_SLOT_TYPES = (np.int32, np.int64, np.int64, np.int64, np.int16)


@ALGORITHMS.register("dfs")
@dataclass(frozen=True)
class DepthFirst(OrderedChildren):
    """Depth-first graph search: expands the first successor first, and no state twice. Ignores heuristics.

    A state is tested when it is visited. Without a depth limit it is complete on finite spaces. With one, it finds a
    solution of at most that many moves if there is one, and otherwise its status is `cutoff`; a state that is reached
    again with fewer moves is visited again. Not optimal. Stores the visited states.

    Attributes
    ----------
    depth_limit : int or None
        Maximum number of moves of a path.
    """

    heuristic = "ignored"

    depth_limit: Annotated[int, Meta(ge=0, le=1 << 30)] | None = None

    @property
    def complete(self) -> bool:
        """Complete without a depth limit."""
        return self.depth_limit is None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return last in, first out."""
        return ExpansionOrder("last in, first out", "newest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Start at the start state."""
        ranks = self.ranks(stack.problem)
        return DepthFirstSearch(stack, Deepening(None, self.depth_limit, "visited", ranks=ranks))


@ALGORITHMS.register("ids")
@dataclass(frozen=True)
class IterativeDeepeningSearch(OrderedChildren):
    """Iterative deepening: depth-first search with depth limits 0, 1, 2, ... (Korf 1985). Ignores heuristics.

    A state is tested when it is visited; a state at the limit is not expanded. Optimal in moves, and therefore in cost
    if every step costs 1. It stores one path with its successors. On spaces with many paths to the same state, the time
    is exponential in the depth, unless it stores the visited states.

    Attributes
    ----------
    cycle_check : {"path", "parent", "visited"}
        "path": skip successors that are on the path. "parent": skip only successors that undo the last move, and
        those that the world declares redundant after it (turns of Rubik's cube); a search without a solution then never
        ends if the space has a cycle. "visited": skip and store all states that the
        iteration has visited at this depth or above; the search ends when an iteration visits no more states than the
        one before.
    """

    heuristic = "ignored"
    optimal: ClassVar[Optimal] = "unit_costs"

    cycle_check: Literal["path", "parent", "visited"] = "path"

    @property
    def complete(self) -> bool:
        """Complete if paths have no cycles, or states are visited once, because both are finite in number."""
        return self.cycle_check != "parent"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return last in, first out, within the depth limit."""
        text = "last in, first out, down to a depth that rises by 1 with each iteration"
        return ExpansionOrder(text, "newest", None)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> DepthFirstSearch:
        """Start with depth limit 0."""
        ranks = self.ranks(stack.problem)
        return DepthFirstSearch(stack, Deepening("depth", cycle_check=self.cycle_check, ranks=ranks))


@dataclass(frozen=True)
class OnePath(OrderedChildren):
    """Base of searches by f that store one path.

    Attributes
    ----------
    cycle_check : {"path", "parent"}
        "path": skip successors that are on the path. "parent": skip only successors that undo the last move, and
        those that the world declares redundant after it (turns of Rubik's cube); a search without a solution then never
        ends if the space has a cycle.
    """

    optimal: ClassVar[Optimal] = "admissible"

    cycle_check: Literal["path", "parent"] = "path"

    @property
    def complete(self) -> bool:
        """Complete if paths have no cycles, because there are finitely many."""
        return self.cycle_check == "path"


@dataclass(frozen=True)
class WeightedOnePath(OnePath):
    """Base of these searches with a weight.

    Attributes
    ----------
    weight : float
        Weight w of h, in steps of at least a thousandth.
    """

    weight: Annotated[float, Meta(ge=0.001, le=100)] = 1.0

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the weight, at least 1, under an admissible heuristic."""
        return Factors.of(self.weight).suboptimality_bound if admissible else None


@ALGORITHMS.register("idastar")
@dataclass(frozen=True)
class IterativeDeepeningAStar(WeightedOnePath):
    """IDA*: depth-first search bounded by f = g + w * h (Korf 1985).

    The first bound is f of the start; each further bound is the smallest f that exceeded the last one. A state is
    tested when it is visited. Complete on finite spaces. Under an admissible heuristic, no bound exceeds w times the
    optimal cost (w >= 1), so a solution costs at most w times the optimum, and with w = 1 it is optimal. It stores one
    path with its successors. With ``cycle_check=parent`` it generates the nodes
    of Korf's table, except the root, which he counts too. Worlds and heuristics that can change a state in place are
    then searched without storing successors, several times as fast.

    With a transposition table (Reinefeld and Marsland 1994), it does not visit a state again in an iteration unless
    the path is cheaper. Proof that no solution within the bound is missed: let v be the last state of the cheapest such
    path P that is visited at a g of at most its g on P. The state after v is within the bound, too. So it is visited,
    on the path already, or in the table, in each case at no more than its g on P.

    Attributes
    ----------
    table : int
        Size in bytes of a transposition table, 8 w + 32 for a state of w words. It stores the first states that an
        iteration visits, until it is full. 0: no table. Searches in place have none.
    f_limit : float or None
        Search one iteration only, with this bound on f. A solution may then cost more than the optimum, and without one
        within the bound the status is `cutoff`. `predicted` is the number of its expansions by the formula of Korf,
        Reid and Edelkamp (2001), if the search is in place and the heuristic knows how its values are distributed
        (pattern databases of Rubik's cube).
    """

    metrics = (
        Metric(
            "generated_before_last_layer",
            is_main=False,
            meaning="nodes that all iterations but the last have generated; with `cycle_check=parent`, their number "
            "does not depend on the order of operators",
        ),
        PREDICTED,
    )

    table: Annotated[int, Meta(ge=0, le=1 << 40)] = 0
    f_limit: Annotated[float, Meta(ge=0, le=MAX_COST)] | None = None

    @property
    def complete(self) -> bool:
        """Complete if it iterates, and paths have no cycles."""
        return super().complete and self.f_limit is None

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the weight, at least 1, if it iterates, under an admissible heuristic."""
        keywords = {"admissible": admissible, "consistent": consistent, "unit_costs": unit_costs}
        return super().promised_bound(weighting, **keywords) if self.f_limit is None else None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return last in, first out, within the bound on f."""
        rising = " that rises with each iteration" if self.f_limit is None else f" of {self.f_limit:g}"
        text = f"last in, first out, within a bound on f{rising}; {{f}}"
        return ExpansionOrder(text, "newest", Formula.of(self.weight))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Start with f of the start as the bound."""
        factors, ranks = Factors.of(self.weight), self.ranks(stack.problem)
        scale = stack.problem.world.engine_scale * factors.of_g
        f_limit = None if self.f_limit is None else engine_h(self.f_limit, scale)
        is_possible = self.cycle_check == "parent" and not self.table and (f_limit or 0) <= MAX_BOUND
        in_place = in_place_of(stack, ranks) if is_possible else None
        if in_place is not None:
            return InPlaceSearch(stack, in_place, factors, f_limit)
        deepening = Deepening(
            "f", cycle_check=self.cycle_check, factors=factors, table=self.table, ranks=ranks, f_limit=f_limit
        )
        return DepthFirstSearch(stack, deepening)


@dataclass(frozen=True)
class Deepening:
    """Bounds of the iterations, and the cycle check.

    Attributes
    ----------
    by : {"f", "depth", None}
        Quantity that is bounded. "f": g + w * h, bounded at first by f of the start, then by the smallest value that
        exceeded the last bound. "depth": the number of moves, bounded by 0, 1, 2, ... None: there is one iteration.
    depth_limit : int or None
        Maximum number of moves, if there is one iteration.
    cycle_check : {"parent", "path", "visited"}
        States that a path does not return to: the state before the last move; all states on the path; or all states
        visited in this iteration at the same depth or above.
    factors : Factors
        Factors of g and h in f.
    children_by_f : bool
        Visit the children of a node by g + h, the smallest first.
    table : int
        Bytes for visited states of an iteration, with a cycle check that needs none.
    ranks : tuple of int
        Rank of each action: children, or those with the same g + h, are visited by the ranks of their actions. Empty:
        in the order of the world.
    f_limit : int or None
        Bound on f of the only iteration.
    """

    by: str | None
    depth_limit: int | None = None
    cycle_check: str = "path"
    factors: Factors = UNWEIGHTED
    children_by_f: bool = False
    table: int = 0
    ranks: tuple[int, ...] = ()
    f_limit: int | None = None


class DepthFirstSearch(CompiledSearch):
    """Depth-first search in progress. Memory grows with the depth, and with the visited states if they are stored.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve. The heuristics are ignored unless the search deepens by f.
    deepening : Deepening
        Bounds of the iterations, and the cycle check.

    Attributes
    ----------
    has_layers : bool
        Whether each iteration has all nodes up to its bound, so that those before the last one can be counted.
    """

    keeps = "last"
    has_layers: ClassVar[bool] = True

    def __init__(self, stack: BoundStack, deepening: Deepening) -> None:
        super().__init__(stack, self._kernel)
        self._deepening = deepening
        self._words = self._problem.initial.size
        most = c.NO_LIMIT if deepening.cycle_check == "visited" else deepening.table // (8 * self._words + _NODE_BYTES)
        self._stores_visited = most > 0
        self._visited = Nodes(self._words, max(1, min(1024, most)))
        slots = 16 * _FIRST_LEVELS + 2 * self._problem.max_successors
        self._slots = GrowingArrays(slots, (np.uint64, self._words), *((each, 1) for each in _SLOT_TYPES))
        self._levels = GrowingArrays(_FIRST_LEVELS, *[(np.int32, 1)] * 4)
        self._chains = np.zeros(CHAINS, np.int32)
        leaves_out = deepening.cycle_check == "parent" and not self._stores_visited
        self._operators = operators_of(self._problem, deepening.ranks, without_redundant=leaves_out)
        self._iterations_started = 0
        self._max_visited = 0
        control = self._control
        control[c.INDEX_MASK] = self._visited.index_mask
        control[d.CYCLE_CHECK] = CYCLE_CHECKS[deepening.cycle_check]
        control[d.STORES_VISITED], control[d.MAX_VISITED] = self._stores_visited, most
        control[d.MAX_SLOTS] = 1
        control[d.G_FACTOR], control[d.H_FACTOR] = deepening.factors.of_g, deepening.factors.of_h
        control[d.BY_F], control[d.AGAIN_IF_CHEAPER] = deepening.children_by_f, deepening.by == "f"
        states, _, _, h, *_ = self._slots.views
        states[: self._words], h[0] = self._problem.initial, self._root_h
        by_f, by_depth = deepening.by == "f", deepening.by == "depth"
        limit, first_bound = deepening.depth_limit, deepening.factors.of_h * self._root_h
        self._begin(
            bound=c.NO_INCUMBENT if not by_f else first_bound if deepening.f_limit is None else deepening.f_limit,
            limit=0 if by_depth else c.NO_LIMIT if limit is None else limit,
        )

    @property
    def _kernel(self) -> Kernel:
        return depth_first_step

    def _begin(self, bound: int, limit: int) -> None:
        """Start an iteration at the root."""
        control = self._control
        self._iterations_started += 1
        self._expanded_before, self._generated_before = int(control[c.EXPANDED]), int(control[c.GENERATED])
        control[d.BOUND], control[d.NEXT_BOUND], control[d.LARGEST_VISITED] = bound, c.NO_INCUMBENT, 0
        control[d.DEPTH_LIMIT], control[d.LIMIT_REACHED] = limit, 0
        control[d.LEVEL] = 0
        _, child, last, _ = self._levels.views
        child[0], last[0] = 0, 1

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions, in as many iterations as that takes."""
        control = self._control
        before = int(control[c.EXPANDED])
        while True:
            status = self._run_kernel(budget - int(control[c.EXPANDED]) + before)
            if status != StepStatus.EXHAUSTED:
                self._is_solved = status == StepStatus.SOLVED
                return status
            if self._deepening.by == "f" and control[d.NEXT_BOUND] < c.NO_INCUMBENT:
                if self._deepening.f_limit is not None:
                    return StepStatus.CUTOFF
                self._forget_visited()
                self._begin(int(control[d.NEXT_BOUND]), c.NO_LIMIT)
            elif self._deepening.by == "depth":
                if not control[d.LIMIT_REACHED] or not self._visited_more():
                    return StepStatus.EXHAUSTED
                self._begin(c.NO_INCUMBENT, int(control[d.DEPTH_LIMIT]) + 1)
            else:
                return StepStatus.CUTOFF if control[d.LIMIT_REACHED] else StepStatus.EXHAUSTED

    def _run_kernel(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions of this iteration."""
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._slots.views, self._level_arrays, self._visited.arrays,
            self._control, budget,
        )  # fmt: skip
        return status_of(code)

    @property
    def _level_arrays(self) -> Arrays:
        return *self._levels.views, self._chains, self._operators

    def _visited_more(self) -> bool:
        """Delete the visited states; return False if the iteration visited no more states than the one before."""
        before = self._max_visited
        self._forget_visited()
        return not self._stores_visited or self._max_visited > before

    def _forget_visited(self) -> None:
        if self._control[c.NODES]:
            self._max_visited = self._peak_nodes
            self._visited.clear()
            self._control[c.NODES] = 0

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step: the visited states, the levels or the slots."""
        control = self._control
        if self._stores_visited and control[c.NODES] == self._visited.capacity < control[d.MAX_VISITED]:
            other, largest = self._memory_bytes - self._visited.nbytes, int(control[d.MAX_VISITED])
            capacity = capacity_within(self._visited, other, memory_limit, largest)
            if capacity > 0:
                self._visited.grow(capacity, int(control[c.NODES]))
                control[c.INDEX_MASK] = self._visited.index_mask
            return capacity > 0
        arrays = self._levels if control[d.LEVEL] + 1 == self._levels.length else self._slots
        if memory_limit is not None and self._memory_bytes + arrays.nbytes > memory_limit:
            return False
        arrays.double()
        return True

    @property
    def _iterations(self) -> int | None:
        return None if self._deepening.by is None else self._iterations_started

    @property
    def _peak_nodes(self) -> int:
        """Number of visited states if they are stored, else the most slots in use."""
        if not self._stores_visited:
            return int(self._control[d.MAX_SLOTS])
        return max(self._max_visited, int(self._control[c.NODES]))

    @property
    def _memory_bytes(self) -> int:
        own = self._slots.nbytes + self._levels.nbytes + self._chains.nbytes + self._operators.nbytes
        return own + (self._visited.nbytes if self._stores_visited else 0)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step. The levels above its own are still those of its path."""
        level, (node_slot, *_) = int(self._control[c.EXPANDED_NODE]), self._levels.views
        states, _, g, *_ = self._slots.views
        parent, state = (
            states[slot * self._words :][: self._words].copy() for slot in node_slot[level - 1 : level + 1]
        )
        steps, ranks = self._problem.successors(state), self._deepening.ranks
        if ranks:
            steps.sort(key=lambda step: ranks[step[2]])
        return Expansion(state, parent if level > 1 else None, int(g[node_slot[level]]), steps)

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        node_slot, action = self._levels.views[0], self._slots.views[5]
        return [int(action[node_slot[level]]) for level in range(2, int(self._control[c.GOAL]) + 1)]

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        return int(self._slots.views[2][self._levels.views[0][self._control[c.GOAL]]])

    @property
    def expanded_before_last_layer(self) -> int | None:
        """Expansions of all iterations but the last; None without iterative deepening."""
        return self._expanded_before if self._is_solved and self._has_iterations else None

    @property
    def measured(self) -> dict[str, float | None]:
        """Nodes that all iterations of IDA* but the last have generated."""
        if not self.has_layers or self._deepening.by != "f":
            return {}
        is_known = self._is_solved and self._has_iterations
        return {"generated_before_last_layer": self._generated_before if is_known else None}

    @property
    def _has_iterations(self) -> bool:
        return self.has_layers and self._deepening.by is not None and self._deepening.f_limit is None

    @property
    def bound(self) -> float | None:
        """Proven bound: the weight, at least 1, if it deepens by f under an admissible heuristic.

        It is 1 if it deepens by depth and every step costs 1. With a limit on f, it is the cost divided by h of the
        start.
        """
        if self._deepening.by == "f":
            if not self._stack.stack.admissible:
                return None
            is_limited = self._deepening.f_limit is not None
            return proven_ratio(self.cost, self._root_h) if is_limited else self._deepening.factors.suboptimality_bound
        return 1.0 if self._deepening.by == "depth" and self._problem.world.unit_costs else None


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {SLOTS}, {LEVELS}, {STORE}, int64[::1], int64)")
def depth_first_step(expand, is_goal, terms, heuristic, world_arrays, slots, levels, visited, control, budget):
    """Run at most `budget` expansions; return EXHAUSTED after an iteration, or a negative number on an error."""
    states, costs, g, h, _, action = slots
    node_slot, child, last, link, chains, _ = levels
    constants, action_lengths = world_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    bound, limit, cycle_check = control[d.BOUND], control[d.DEPTH_LIMIT], control[d.CYCLE_CHECK]
    has_bound = bound != c.NO_INCUMBENT
    g_factor, h_factor = control[d.G_FACTOR], control[d.H_FACTOR]
    stores_visited, capacity = control[d.STORES_VISITED] != 0, np.int64(visited[0].size // (words + FIELD_WORDS))
    if capacity == control[d.MAX_VISITED]:
        capacity = np.int64(c.NO_LIMIT)
    next_bound, level = control[d.NEXT_BOUND], control[d.LEVEL]
    largest = control[d.LARGEST_VISITED]
    again_if_cheaper = control[d.AGAIN_IF_CHEAPER] != 0
    expanded = generated = simulated = 0
    status = StepStatus.RUNNING.value
    while status == StepStatus.RUNNING.value:
        slot = as_index(child[level])
        top = as_index(last[level])
        if slot == top:
            if level == 0:
                status = StepStatus.EXHAUSTED.value
                break
            if cycle_check == PATH:
                leave_path(states, node_slot[level], level, link, chains, words)
            level -= 1
            continue
        if expanded >= budget:
            break
        if top + successors > h.size or level + 1 == child.size or control[c.NODES] == capacity:
            status = StepStatus.OUT_OF_MEMORY.value
            break
        child[level] += 1
        if level > 0:
            generated += 1
            simulated += action_lengths[action[slot]]
        if h[slot] == INFINITE_H:
            continue
        f = g_factor * g[slot] + h_factor * h[slot]
        if f > bound:
            next_bound = min(next_bound, f)
            continue
        largest = max(largest, f)
        if stores_visited:
            rank = np.int64(g[slot]) if again_if_cheaper else level
            if not visit(control, visited, states, slot, rank, again_if_cheaper or limit != c.NO_LIMIT, words):
                continue
        if call(IS_GOAL, is_goal, constants, states, slot * words):
            node_slot[level + 1] = slot
            control[c.GOAL] = level + 1
            status = StepStatus.SOLVED.value
            break
        if level == limit:
            control[d.LIMIT_REACHED] = 1
            continue
        n = call(EXPAND, expand, constants, states, slot * words, states, top * words, costs, action, top)
        n = successor_count(n, successors)
        if n < 0:
            status = n
            break
        expanded += 1
        kept = enter_node(terms, heuristic, slots, levels, control, level, slot, top, n, has_bound, words)
        if kept < 0:
            status = kept
            break
        level += 1
        child[level] = top
        last[level] = kept
    control[d.LEVEL] = level
    control[d.NEXT_BOUND] = next_bound
    control[d.LARGEST_VISITED] = largest
    control[c.EXPANDED] += expanded
    control[c.GENERATED] += generated
    control[c.SIMULATED] += simulated
    return status
