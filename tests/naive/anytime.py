"""Naive ARA* and ANA* with dictionaries: the best open state is found by looking at all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Generic

from tests.naive.problem import OLDEST_FIRST, Heuristic, IsGoal, Outcome, State, Successors, tie_of
from tests.naive.random_numbers import SplitMix64


class Repairing(Generic[State]):
    """Anytime search that keeps its states.

    Attributes
    ----------
    open : dict
        Open states, and when they were put there.
    order : list
        All states in the order in which they were found.
    inconsistent : set or None
        Closed states with a new path, which are put back later; None if they are put back at once.
    """

    def __init__(
        self, initial: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], ties: str,
        admissible: bool, seed: int, repairs_later: bool,
    ) -> None:  # fmt: skip
        self.successors, self.is_goal, self.h, self.ties, self.admissible = successors, is_goal, h, ties, admissible
        self.counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
        self.g, self.value, self.order = {initial: 0}, {initial: h(initial)}, [initial]
        self.parent: dict[State, tuple[State, int]] = {}
        self.closed: set[State] = set()
        self.settled: set[State] = set()
        self.inconsistent: set[State] | None = set() if repairs_later else None
        self.open: dict[State, int] = {}
        self.changed: dict[State, None] = {}
        self.pushes, self.tie, self.draw = 0, dict[State, int](), SplitMix64(seed)
        self.weight: float | None = None
        self.cost: float = math.inf
        self.push(initial)

    def f(self, state: State) -> Fraction | float:
        if self.weight is not None:
            return self.g[state] + self.weight * self.value[state]
        value = int(self.value[state])
        return value if self.cost == math.inf else Fraction(value, int(self.cost) - self.g[state])

    def can_improve(self, state: State) -> bool:
        return self.g[state] + (self.value[state] if self.admissible else 0) < self.cost

    def push(self, state: State) -> None:
        self.open.pop(state, None)
        if self.value[state] < math.inf and self.can_improve(state):
            self.insert(state)

    def insert(self, state: State) -> None:
        self.pushes += 1
        self.open[state] = self.pushes
        self.tie[state] = self.draw.bits(31) if self.ties == "random" else 0

    def best(self) -> State:
        def key(state: State) -> tuple[float, float, int]:
            value, pushed = self.value[state], self.open[state]
            tie = self.tie[state] if self.ties == "random" else tie_of(self.ties, value)
            return float(self.f(state)), tie, pushed if self.ties in OLDEST_FIRST else -pushed

        return min(self.open, key=key)

    def path_cost(self, state: State) -> int:
        cost = 0
        while state in self.parent:
            state, step = self.parent[state]
            cost += step
        return cost

    def search(self) -> State | None:
        """Expand states until the best one is a goal, and return it; None if no state is open."""
        while self.open:
            state = self.best()
            del self.open[state]
            self.closed.add(state)
            if self.is_goal(state):
                return state
            self.counts["expanded"] += 1
            for successor, cost in self.successors(state):
                self.reach(successor, self.g[state] + cost, state, cost)
            for successor in self.changed:
                self.push(successor)
            self.changed.clear()
        return None

    def reach(self, state: State, g: int, parent: State, cost: int) -> None:
        self.counts["generated"] += 1
        if state not in self.g:
            self.counts["evaluated"] += 1
            self.value[state] = self.h(state)
            self.order.append(state)
        elif g >= self.g[state] or self.value[state] == math.inf:
            return
        self.g[state], self.parent[state] = g, (parent, cost)
        if state in self.closed and self.inconsistent is not None:
            self.inconsistent.add(state)
            return
        if state in self.closed | self.settled:
            self.counts["reopened"] += 1
            self.closed.discard(state)
            self.settled.discard(state)
        self.changed.pop(state, None)
        self.changed[state] = None

    def open_again(self) -> float | None:
        """Put all open and inconsistent states into the open list; return the proven bound."""
        inconsistent = self.inconsistent or set()
        self.settled |= self.closed - inconsistent
        candidates = [s for s in self.order if s in self.open or s in inconsistent]
        self.closed = set()
        self.open = {}
        for state in candidates:
            if state in inconsistent and self.can_improve(state):
                self.counts["reopened"] += 1
            self.push(state)
        inconsistent.clear()
        least = min((self.g[state] + self.value[state] for state in self.open), default=self.cost)
        return 1.0 if least >= self.cost else self.cost / least if least else None


def lower(bound: float | None, other: float | None) -> float | None:
    return min((each for each in (bound, other) if each is not None), default=None)


def ara(
    initial: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], ties: str,
    weights: Sequence[float], admissible: bool, consistent: bool, seed: int,
) -> Outcome:  # fmt: skip
    search = Repairing(initial, successors, is_goal, h, ties, admissible, seed, repairs_later=True)
    costs: list[int] = []
    bound: float | None = None
    remaining, iterations = list(weights), 0
    while True:
        search.weight = remaining.pop(0) if remaining else search.weight
        assert search.weight is not None
        iterations += 1
        goal = search.search()
        if goal is None:
            return {"status": "unsolvable", "cost": None, "costs": [], "bound": None, "iterations": iterations,
                    **search.counts}  # fmt: skip
        cost = search.path_cost(goal)
        if cost < search.cost:
            search.cost = search.g[goal] = cost
            costs.append(cost)
        proven = search.open_again()
        if consistent:
            bound = lower(bound, max(1.0, search.weight))
        if admissible:
            bound = lower(bound, proven)
        if bound == 1 or (not remaining and (not admissible or (bound or math.inf) <= max(1, search.weight))):
            return {"status": "solved", "cost": cost, "costs": costs, "bound": bound, "iterations": iterations,
                    **search.counts}  # fmt: skip
        search.insert(goal)
        search.settled.discard(goal)


def ana(
    initial: State, successors: Successors[State], is_goal: IsGoal[State], h: Heuristic[State], ties: str,
    admissible: bool, seed: int,
) -> Outcome:  # fmt: skip
    search = Repairing(initial, successors, is_goal, h, ties, admissible, seed, repairs_later=False)
    costs: list[int] = []
    while (goal := search.search()) is not None:
        search.cost = search.g[goal] = search.path_cost(goal)
        costs.append(search.g[goal])
        search.open_again()
    status, cost = ("solved", costs[-1]) if costs else ("unsolvable", None)
    bound = 1.0 if costs and admissible else None
    return {"status": status, "cost": cost, "costs": costs, "bound": bound, **search.counts}
