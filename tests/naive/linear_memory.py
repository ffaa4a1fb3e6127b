"""Naive budgeted tree search, depth-first branch and bound, and recursive best-first search, by recursion."""

from __future__ import annotations

import contextlib
import math
from typing import Generic

from tests.naive.depth_first import MAX_EXPANDED, TooLarge
from tests.naive.problem import Heuristic, IsGoal, Outcome, State, Successors


class OverBudget(Exception):
    """Raised if nodes are left to visit after the last expansion that a search may make."""


class Optimal(Exception):
    """Raised if the incumbent costs no more than the lower bound."""


class BranchAndBound(Generic[State]):
    """Depth-first search that goes on after a solution, with bounds on f and on the number of expansions.

    Attributes
    ----------
    costs : list of int
        Costs of the solutions found, each lower than the one before.
    lower : float
        The search ends with a solution of this cost.
    """

    def __init__(
        self, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str
    ) -> None:
        self.successors, self.is_goal, self.h, self.cycle_check = successors, is_goal, h, cycle_check
        self.expanded = self.generated = self.reopened = 0
        self.evaluated = 1
        self.prunes_by_f, self.children_by_f = True, False
        self.visited: dict[State, int] = {}
        self.costs: list[int] = []
        self.lower = -math.inf

    @property
    def incumbent(self) -> float:
        return min(self.costs, default=math.inf)

    def search(self, root: State, bound: float, budget: float) -> None:
        self.bound, self.last, self.above, self.below = bound, self.expanded + budget, math.inf, 0.0
        self.visit([root], 0, self.h(root))

    def visit(self, path: list[State], g: int, h: float) -> None:
        if self.expanded == self.last:
            raise OverBudget
        state = path[-1]
        self.generated += len(path) > 1
        f = g + h if self.prunes_by_f else g
        if h == math.inf:
            return
        if f > self.bound or f >= self.incumbent:
            self.above = min(self.above, f)
            return
        self.below = max(self.below, f)
        if self.cycle_check == "visited":
            if g >= self.visited.get(state, math.inf):
                return
            self.reopened += state in self.visited
            self.visited[state] = g
        if self.is_goal(state):
            self.costs.append(g)
            if g <= self.lower:
                raise Optimal
            return
        self.expanded += 1
        if self.expanded > MAX_EXPANDED:
            raise TooLarge
        back = path if self.cycle_check == "path" else path[-2:]
        children = [(child, g + cost, self.h(child)) for child, cost in self.successors(state) if child not in back]
        self.evaluated += len(children)
        if self.children_by_f:
            children.sort(key=lambda child: child[1] + child[2])
        for child, cost, value in children:
            self.visit([*path, child], cost, value)

    def result(self, iterations: int | None) -> Outcome:
        counts = {name: getattr(self, name) for name in ("expanded", "generated", "evaluated", "reopened")}
        status, cost = ("solved", self.incumbent) if self.costs else ("unsolvable", None)
        return {"status": status, "cost": cost, "costs": self.costs, "iterations": iterations, **counts}


def branch_and_bound(
    root: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str,
    children_by_f: bool, admissible: bool,
) -> Outcome:  # fmt: skip
    search = BranchAndBound(successors, is_goal, h, cycle_check)
    search.children_by_f, search.prunes_by_f = children_by_f, admissible
    search.lower = h(root) if admissible else 0
    with contextlib.suppress(Optimal):
        search.search(root, math.inf, math.inf)
    return search.result(None)


def budgeted_tree_search(
    root: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str,
    growth: int, largest_growth: int,
) -> Outcome:  # fmt: skip
    """Run budgeted tree search as in Sturtevant and Helmert (2020): a plain search, then doubling, then halving."""
    search = BranchAndBound(successors, is_goal, h, cycle_check)
    search.lower = h(root) if h(root) < math.inf else 0
    nodes = iterations = 0

    def expansions(bound: float, budget: float) -> int | None:
        """Search within a bound; return the number of expansions, None if there were too many."""
        nonlocal iterations
        iterations += 1
        before = search.expanded
        try:
            search.search(root, bound, budget)
        except OverBudget:
            return None
        search.lower = min(search.above, search.incumbent)
        return search.expanded - before

    with contextlib.suppress(Optimal):
        while search.lower < search.incumbent:
            last, upper = search.lower, math.inf
            found = expansions(last, math.inf) or 0
            rise = search.lower - last
            while found < growth * nodes and search.lower < min(upper, search.incumbent):
                bound = search.lower + rise if upper == math.inf else (search.lower + upper) // 2
                rise *= 2
                expanded = expansions(bound, largest_growth * nodes)
                if expanded is None:
                    upper = search.below
                else:
                    found = expanded
            nodes = max(found, growth * nodes)
    return search.result(iterations)


class RecursiveBestFirst(Generic[State]):
    """Recursive best-first search as in Korf (1993). Of children with the same value, the first comes first."""

    def __init__(
        self, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str
    ) -> None:
        self.successors, self.is_goal, self.h, self.cycle_check = successors, is_goal, h, cycle_check
        self.counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
        self.cost: int | None = None

    def search(self, path: list[State], g: int, value: float, limit: float) -> float:
        """Return the smallest f at or below the end of a path that exceeds the limit, if it finds no solution."""
        state = path[-1]
        f = g + self.h(state)
        if self.is_goal(state):
            self.cost = g
            return f
        self.counts["expanded"] += 1
        if self.counts["expanded"] > MAX_EXPANDED:
            raise TooLarge
        back = path if self.cycle_check == "path" else path[-2:]
        children = [(child, g + cost) for child, cost in self.successors(state) if child not in back]
        self.counts["generated"] += len(children)
        self.counts["evaluated"] += len(children)
        values = [cost + self.h(child) for child, cost in children]
        if f < value:
            values = [max(each, value) for each in values]
        while True:
            order = sorted(range(len(children)), key=lambda k: values[k])
            best = values[order[0]] if order else math.inf
            if best == math.inf or best > limit:
                return best
            alternative = values[order[1]] if len(order) > 1 else math.inf
            child, cost = children[order[0]]
            values[order[0]] = self.search([*path, child], cost, best, min(limit, alternative))
            if self.cost is not None:
                return 0


def recursive_best_first(
    root: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str
) -> Outcome:
    search = RecursiveBestFirst(successors, is_goal, h, cycle_check)
    if h(root) < math.inf:
        search.search([root], 0, h(root), math.inf)
    status = "unsolvable" if search.cost is None else "solved"
    return {"status": status, "cost": search.cost, "iterations": None, **search.counts}
