"""Naive depth-first search, iterative deepening and IDA* by recursion."""

from __future__ import annotations

import itertools
import math
from typing import Generic

from tests.naive.problem import Heuristic, IsGoal, Outcome, State, Successors

MAX_EXPANDED = 3_000


class TooLarge(Exception):
    """Raised after `MAX_EXPANDED` expansions, because the search would take too long."""


class Recursion(Generic[State]):
    """Depth-first search with a bound on f and a limit on the depth.

    Attributes
    ----------
    has_limit : bool
        Whether the depth is limited. With ``cycle_check="visited"``, a state that is reached again with fewer moves is
        then visited again.
    table, table_size : dict and int
        Transposition table of an iteration: the smallest g of the first states, and how many it holds.
    next_bound : float
        Smallest f above the bound in the last iteration; infinite if no path was cut off by the bound.
    cut : bool
        Whether the last iteration cut off a path by the depth limit.
    """

    def __init__(
        self, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], cycle_check: str
    ) -> None:
        self.successors, self.is_goal, self.h, self.cycle_check = successors, is_goal, h, cycle_check
        self.expanded = self.generated = self.reopened = 0
        self.evaluated = 1
        self.visited: dict[State, int] = {}
        self.has_limit = False
        self.table: dict[State, int] = {}
        self.table_size = 0

    def begin(self, root: State, bound: float, limit: float) -> int | None:
        """Run one iteration from the root. Return the cost of the solution; None without one."""
        self.bound, self.limit, self.next_bound, self.cut = bound, limit, math.inf, False
        self.table = {}
        return self.visit([root], 0, self.h(root))

    def visit(self, path: list[State], g: int, h: float) -> int | None:
        """Return the cost of the first solution that extends a path; None without one."""
        state, depth = path[-1], len(path) - 1
        if h == math.inf:
            return None
        if g + h > self.bound:
            self.next_bound = min(self.next_bound, g + h)
            return None
        if self.cycle_check == "visited":
            if state in self.visited:
                if not self.has_limit or depth >= self.visited[state]:
                    return None
                self.reopened += 1
            self.visited[state] = depth
        if g >= self.table.get(state, math.inf):
            return None
        self.reopened += state in self.table
        if state in self.table or len(self.table) < self.table_size:
            self.table[state] = g
        if self.is_goal(state):
            return g
        if depth == self.limit:
            self.cut = True
            return None
        self.expanded += 1
        if self.expanded > MAX_EXPANDED:
            raise TooLarge
        back = path if self.cycle_check == "path" else path[-2:]
        children = [(child, cost) for child, cost in self.successors(state) if child not in back]
        values = [self.h(child) for child, _ in children]
        self.evaluated += len(children)
        for (child, cost), value in zip(children, values, strict=True):
            self.generated += 1
            found = self.visit([*path, child], g + cost, value)
            if found is not None:
                return found
        return None

    def result(self, status: str, cost: int | None, iterations: int | None) -> Outcome:
        counts = {name: getattr(self, name) for name in ("expanded", "generated", "evaluated", "reopened")}
        return {"status": status, "cost": cost, "iterations": iterations, **counts}


def depth_first(root: State, successors: Successors[State], is_goal: IsGoal[State], depth_limit: int | None) -> Outcome:
    search = Recursion(successors, is_goal, lambda _: 0, "visited")
    search.has_limit = depth_limit is not None
    cost = search.begin(root, math.inf, math.inf if depth_limit is None else depth_limit)
    status = "solved" if cost is not None else "cutoff" if search.cut else "unsolvable"
    return search.result(status, cost, None)


def iterative_deepening(
    root: State, successors: Successors[State], is_goal: IsGoal[State], cycle_check: str
) -> Outcome:
    search = Recursion(successors, is_goal, lambda _: 0, cycle_check)
    search.has_limit = True
    most_visited = 0
    for limit in itertools.count():
        search.visited = {}
        cost = search.begin(root, math.inf, limit)
        seen_all = cycle_check == "visited" and len(search.visited) == most_visited
        most_visited = len(search.visited)
        if cost is not None or not search.cut or seen_all:
            return search.result("unsolvable" if cost is None else "solved", cost, limit + 1)
    raise AssertionError


def ida_star(
    root: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    cycle_check: str,
    table_size: int = 0,
    f_limit: float | None = None,
) -> Outcome:
    search = Recursion(successors, is_goal, h, cycle_check)
    search.table_size = table_size
    bound = h(root) if f_limit is None else f_limit
    for iteration in itertools.count(1):
        cost = search.begin(root, bound, math.inf)
        if cost is None and search.next_bound < math.inf and f_limit is not None:
            return search.result("cutoff", None, iteration)
        if cost is not None or search.next_bound == math.inf:
            return search.result("unsolvable" if cost is None else "solved", cost, iteration)
        bound = search.next_bound
    raise AssertionError
