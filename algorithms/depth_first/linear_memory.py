"""Searches with the memory of one path: budgeted tree search, branch and bound, and recursive best-first search.

The first two run the kernel of `algorithms.depth_first` with one bound on f after the other; an incumbent lowers the
bound. The third has a kernel of its own over the same slots and levels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from algorithms.depth_first import control_entries as d
from algorithms.depth_first.depth_first import Deepening, DepthFirstSearch, OnePath, WeightedOnePath
from algorithms.depth_first.factors import UNWEIGHTED, Factors
from algorithms.depth_first.operator_order import OrderedChildren
from algorithms.depth_first.path import LEVELS, PATH, SLOTS, enter_node, leave_path
from algorithms.engine import HEURISTIC, WORLD, GrowingArrays, StepStatus, proven_ratio, status_of
from algorithms.engine import control as c
from algorithms.interface import ALGORITHMS, ExpansionOrder, Formula, Optimal
from heuristics.interface import INFINITE_H, TERMS, BoundStack, Weighting
from worlds.compile import ADDRESS, EXPAND, IS_GOAL, Kernel, as_index, call, helper, kernel, successor_count


@ALGORITHMS.register("bts")
@dataclass(frozen=True)
class BudgetedTreeSearch(OnePath):
    """Budgeted tree search (Helmert et al. 2019; Sturtevant and Helmert 2020): few expansions even with real costs.

    IDA* may expand only one new node in each iteration: O(N^2) expansions, if a search within the optimal cost C*
    expands N nodes. This algorithm expands O(N log C*), because an iteration expands at least `growth` times the
    nodes of the one before, or is followed by searches with larger bounds on f = g + h. Each of these may expand
    at most `largest_growth` times these nodes. The bounds rise by doubled amounts, at first by the last rise of the
    lower bound; after a search that exceeds its number of nodes, they halve the interval.

    A search that ends within its number proves that no solution costs less than the smallest f beyond its bound.
    Optimal under an admissible heuristic: it ends when the incumbent costs no more than this lower bound. `bound` is
    the cost divided by the lower bound. Complete on finite spaces. If every iteration of IDA* grows enough, it expands
    the same nodes. A state is tested when it is visited. It stores one path with its successors. If a limit stops it
    and it has a solution, its status is `solved`.

    Attributes
    ----------
    growth : int
        How many times as many nodes as before an iteration expands at least.
    largest_growth : int
        How many times as many nodes as before a search with a larger bound may expand; never fewer than `growth`.
    """

    growth: Annotated[int, Meta(ge=2, le=1000)] = 2
    largest_growth: Annotated[int, Meta(ge=2, le=1000)] = 8

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return last in, first out, within the bound on f."""
        text = "last in, first out, within a bound on f and a number of expansions; {f}"
        return ExpansionOrder(text, "newest")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BudgetedSearch:
        """Start with f of the start as the bound."""
        deepening = Deepening("f", cycle_check=self.cycle_check, ranks=self.ranks(stack.problem))
        return BudgetedSearch(stack, deepening, self.growth, max(self.growth, self.largest_growth))


@ALGORITHMS.register("dfbnb")
@dataclass(frozen=True)
class DepthFirstBranchAndBound(OrderedChildren):
    """Depth-first branch and bound (Lawler and Wood 1966): depth-first search whose solutions get cheaper.

    It prunes nodes whose g + h is at least the cost of the incumbent (whose g is, if the heuristic is not declared
    admissible). Every improved solution is a line in the plan log, with its bound: the cost divided by h of the start.
    When it ends, the incumbent is optimal under an admissible heuristic, because no cheaper solution was pruned.
    Without a bound on the depth, the first solution may be very long. If a limit stops it and it has a solution, its
    status is `solved`.

    Attributes
    ----------
    cycle_check : {"path", "parent", "visited"}
        "path": skip successors that are on the path. "parent": skip only successors that undo the last move; the search
        then never ends if the space has a cycle within the cost of the incumbent. "visited": store all visited
        states, and visit a state again only at a smaller cost.
    order : {"f", "generated"}
        Order of the children of a node: the smallest g + h first, or the order of operators, which children with the
        same g + h keep, too.
    """

    optimal: ClassVar[Optimal] = "admissible"

    cycle_check: Literal["path", "parent", "visited"] = "path"
    order: Literal["f", "generated"] = "f"

    @property
    def complete(self) -> bool:
        """Complete if paths have no cycles, or states are visited a finite number of times."""
        return self.cycle_check != "parent"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return last in, first out, below the incumbent."""
        children = ", the children of a node by f" if self.order == "f" else ""
        return ExpansionOrder(f"last in, first out{children}, below the cost of the best solution; {{f}}", "newest")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BranchAndBoundSearch:
        """Start without an incumbent."""
        factors = UNWEIGHTED if stack.stack.admissible else Factors(1, 0)
        ranks = self.ranks(stack.problem)
        deepening = Deepening("f", None, self.cycle_check, factors, children_by_f=self.order == "f", ranks=ranks)
        return BranchAndBoundSearch(stack, deepening)


@ALGORITHMS.register("rbfs")
@dataclass(frozen=True)
class RecursiveBestFirst(WeightedOnePath):
    """Recursive best-first search (Korf 1993): the smallest f = g + w * h first, with the memory of one path.

    It follows the best path as long as no alternative beside this path is better. Then it forgets the nodes below the
    better alternative, and keeps the smallest f among them. Nodes are expanded again when it returns; they do not count
    as reopened. Unlike IDA*, it expands new nodes in the order of f even if f falls along a path, as with w > 1. Under
    an admissible heuristic, a solution costs at most w times the optimum (w >= 1), because all alternatives to the
    node that it visits have at least its f, and one of them or the node itself is on an optimal path. A state is
    tested when it is visited. Complete on finite spaces. Ties: the first successor first.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + w * h."""
        text = "{f}, of the path and the alternatives beside it"
        return ExpansionOrder(text, formula=Formula.of(self.weight))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> RecursiveSearch:
        """Start with no alternative."""
        factors, ranks = Factors.of(self.weight), self.ranks(stack.problem)
        return RecursiveSearch(stack, Deepening("f", cycle_check=self.cycle_check, factors=factors, ranks=ranks))


class IncumbentSearch(DepthFirstSearch):
    """Depth-first searches in sequence that share an incumbent, each with a bound on f and a number of expansions.

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    deepening : Deepening
        By f; the cycle check, the factors and the order of the children.
    """

    has_layers = False

    def __init__(self, stack: BoundStack, deepening: Deepening) -> None:
        super().__init__(stack, deepening)
        self._incumbent: list[int] = []
        self._incumbent_cost = c.NO_INCUMBENT
        self._lower_bound = deepening.factors.of_h * self._root_h  # no solution costs less, if h is admissible
        self._upper_bound = c.NO_INCUMBENT  # a search within it would expand more nodes than it may
        self._is_finished = False
        self._iterations_started = 0
        self._searches = self._bounds()
        self._begin_next()

    @abstractmethod
    def _bounds(self) -> Iterator[tuple[int, int]]:
        """Yield the bound on f of each search, and the number of its expansions."""

    def _begin_next(self) -> None:
        bound, expansions = next(self._searches, (None, 0))
        if bound is None:
            self._is_finished = True
            return
        self._chains[:] = 0  # the last search may have ended within a path
        self._begin(min(bound, self._incumbent_cost - 1), c.NO_LIMIT)
        self._end = self._expanded_before + expansions

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions. Return IMPROVED for every better solution, SOLVED after the last."""
        control = self._control
        target = int(control[c.EXPANDED]) + budget
        while not self._is_finished:
            status = self._run_kernel(min(target, self._end) - int(control[c.EXPANDED]))
            if status == StepStatus.SOLVED:
                self._improve()
                return StepStatus.IMPROVED
            if status == StepStatus.EXHAUSTED:
                self._lower_bound = min(int(control[d.NEXT_BOUND]), self._incumbent_cost)
            elif status == StepStatus.RUNNING and control[c.EXPANDED] == self._end:
                self._upper_bound = int(control[d.LARGEST_VISITED])  # with this bound, it visits the same nodes
            else:
                return status
            self._begin_next()
        return StepStatus.SOLVED if self.has_solution else StepStatus.EXHAUSTED

    def _improve(self) -> None:
        self._incumbent, self._incumbent_cost = super().path(), super().cost
        self._control[d.BOUND] = min(int(self._control[d.BOUND]), self._incumbent_cost - 1)
        self._is_finished = self._incumbent_cost <= self._lower_bound

    @property
    def has_solution(self) -> bool:
        """Whether there is an incumbent."""
        return self._incumbent_cost < c.NO_INCUMBENT

    def path(self) -> list[int]:
        """Return the action codes of the incumbent."""
        return self._incumbent

    @property
    def cost(self) -> int:
        """Cost of the incumbent."""
        return self._incumbent_cost if self.has_solution else 0

    @property
    def bound(self) -> float | None:
        """Proven bound: the cost of the incumbent divided by the lower bound, under an admissible heuristic."""
        if not self._stack.stack.admissible or not self.has_solution:
            return None
        return proven_ratio(self._incumbent_cost, self._lower_bound)


class BudgetedSearch(IncumbentSearch):
    """Budgeted tree search in progress. For the parameters see `BudgetedTreeSearch`."""

    def __init__(self, stack: BoundStack, deepening: Deepening, growth: int, largest_growth: int) -> None:
        self._growth, self._largest_growth = growth, largest_growth
        super().__init__(stack, deepening)

    def _bounds(self) -> Iterator[tuple[int, int]]:
        nodes = 0
        while self._lower_bound < self._incumbent_cost:
            bound = self._lower_bound
            yield bound, c.NO_LIMIT
            expanded, rise = self._expanded_last, self._lower_bound - bound
            self._upper_bound = c.NO_INCUMBENT
            while expanded < self._growth * nodes and self._lower_bound < min(self._upper_bound, self._incumbent_cost):
                if self._upper_bound == c.NO_INCUMBENT:
                    bound, rise = self._lower_bound + rise, 2 * rise
                else:
                    bound = (self._lower_bound + self._upper_bound) // 2
                lower_bound = self._lower_bound
                yield bound, self._largest_growth * nodes
                if self._lower_bound > lower_bound:  # else it expanded too many
                    expanded = self._expanded_last
            nodes = max(expanded, self._growth * nodes)

    @property
    def _expanded_last(self) -> int:
        """Expansions of the last search."""
        return int(self._control[c.EXPANDED]) - self._expanded_before


class BranchAndBoundSearch(IncumbentSearch):
    """Branch and bound in progress. For the parameters see `DepthFirstBranchAndBound`."""

    def _bounds(self) -> Iterator[tuple[int, int]]:
        yield c.NO_INCUMBENT - 1, c.NO_LIMIT

    @property
    def _iterations(self) -> None:
        return None


class RecursiveSearch(DepthFirstSearch):
    """Recursive best-first search in progress. For the parameters see `DepthFirstSearch`."""

    has_layers = False

    def __init__(self, stack: BoundStack, deepening: Deepening) -> None:
        super().__init__(stack, deepening)
        self._limits = GrowingArrays(self._levels.length, (np.int64, 1))
        self._limits.views[0][0] = c.NO_INCUMBENT - 1
        is_dead_end = self._initial_h is None
        self._slots.views[4][0] = c.NO_INCUMBENT if is_dead_end else deepening.factors.of_h * self._root_h

    @property
    def _kernel(self) -> Kernel:
        return recursive_step

    def step(self, budget: int) -> StepStatus:
        """Run at most `budget` expansions."""
        code = self._kernel.compiled(
            *self._functions, self._heuristic, self._world, self._slots.views, self._level_arrays,
            self._limits.views[0], self._control, budget,
        )  # fmt: skip
        return status_of(code)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge the levels or the slots."""
        if memory_limit is not None and self._control[d.LEVEL] + 1 == self._levels.length:
            memory_limit -= self._limits.nbytes  # which grow with the levels
        has_grown = super().grow(memory_limit)
        if self._limits.length < self._levels.length:
            self._limits.double()
        return has_grown

    @property
    def _memory_bytes(self) -> int:
        return super()._memory_bytes + self._limits.nbytes

    @property
    def _iterations(self) -> None:
        return None


@kernel(f"int64({ADDRESS}, {ADDRESS}, {TERMS}, {HEURISTIC}, {WORLD}, {SLOTS}, {LEVELS}, int64[::1], int64[::1], int64)")
def recursive_step(expand, is_goal, terms, heuristic, world_arrays, slots, levels, limits, control, budget):
    """Run at most `budget` expansions; return a `StepStatus`, or a negative number on an error.

    The children of the node on a level begin where those of the level above end. `value` holds the smallest known f at
    or below a slot, NO_INCUMBENT if there is no path to a goal. A level is left if no child has a value within its
    limit, which is the smallest value beside the path.
    """
    states, costs, g, h, value, action = slots  # `enter_node` uses `value` only at slots of new children
    node_slot, _, last, link, chains, _ = levels
    constants, action_lengths = world_arrays
    words, successors = as_index(control[c.WORDS]), as_index(control[c.MAX_SUCCESSORS])
    cycle_check, g_factor, h_factor = control[d.CYCLE_CHECK], control[d.G_FACTOR], control[d.H_FACTOR]
    level = control[d.LEVEL]
    remaining = budget
    status = StepStatus.RUNNING.value
    while status == StepStatus.RUNNING.value:
        top = as_index(last[level])
        slot, smallest, second = two_smallest(value, as_index(last[level - 1]) if level > 0 else as_index(0), top)
        if smallest > limits[level]:
            if level == 0:
                status = StepStatus.EXHAUSTED.value
                break
            value[as_index(node_slot[level])] = smallest
            if cycle_check == PATH:
                leave_path(states, node_slot[level], level, link, chains, words)
            level -= 1
            continue
        if remaining == 0:
            break
        if top + successors > h.size or level + 1 == last.size:
            status = StepStatus.OUT_OF_MEMORY.value
            break
        if call(IS_GOAL, is_goal, constants, states, slot * words):
            node_slot[level + 1] = slot
            control[c.GOAL] = level + 1
            status = StepStatus.SOLVED.value
            break
        n = call(EXPAND, expand, constants, states, slot * words, states, top * words, costs, action, top)
        n = successor_count(n, successors)
        if n < 0:
            status = n
            break
        remaining -= 1
        control[c.EXPANDED] += 1
        kept = enter_node(terms, heuristic, slots, levels, control, level, slot, top, n, True, words)
        if kept < 0:
            status = kept
            break
        control[c.GENERATED] += kept - top
        was_expanded = smallest > g_factor * g[slot] + h_factor * h[slot]
        for k in range(top, kept):
            f = g_factor * g[k] + h_factor * h[k] if h[k] < INFINITE_H else np.int64(c.NO_INCUMBENT)
            value[k] = max(f, smallest) if was_expanded else f
            control[c.SIMULATED] += action_lengths[action[k]]
        level += 1
        limits[level] = min(limits[level - 1], second)
        last[level] = kept
    control[d.LEVEL] = level
    return status


@helper
def two_smallest(value, first, last):
    """Return the first slot with the smallest value, this value, and the smallest of the others."""
    slot, smallest, second = first, np.int64(c.NO_INCUMBENT), np.int64(c.NO_INCUMBENT)
    for k in range(first, last):
        if value[k] < smallest:
            slot, smallest, second = as_index(k), value[k], smallest
        elif value[k] < second:
            second = value[k]
    return slot, smallest, second
