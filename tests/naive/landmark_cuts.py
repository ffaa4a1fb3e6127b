"""Landmark cuts from their definition, with the ties of `heuristics.pddl.lmcut`, on which the values depend.

The goal zone is found by recursion, and facts are taken from lists that are searched again each time.
"""

from __future__ import annotations

import math

from worlds.pddl.task import Fact, Task, Values

Entry = tuple[int, Fact]
"""A cost and a fact that had it."""


class FactQueue:
    """Entries with the smallest cost first: of these, the last one, or the root of a binary heap.

    The heap replaces the list at the first cost that is at least 100 and larger than the number of entries so far.
    """

    def __init__(self, *, is_heap: bool = False) -> None:
        self.is_heap, self._came, self._entries = is_heap, 0, list[Entry]()

    def push(self, fact: Fact, cost: int) -> None:
        """Add an entry."""
        if not self.is_heap and cost >= 100 and cost > self._came:
            self.is_heap = True
            self._entries.sort(key=lambda entry: entry[0])
        self._came += 1
        self._entries.append((cost, fact))
        if self.is_heap:
            self._rise(len(self._entries) - 1)

    def pop(self, costs: dict[Fact, int]) -> Fact | None:
        """Take the first entry whose cost is that of its fact, and all before it; None if there is none."""
        while self._entries:
            cost, fact = self._take_root() if self.is_heap else self._take_last()
            if costs[fact] == cost:
                return fact
        return None

    def _take_last(self) -> Entry:
        least = min(cost for cost, _ in self._entries)
        return self._entries.pop(max(place for place, (cost, _) in enumerate(self._entries) if cost == least))

    def _take_root(self) -> Entry:
        root, last, hole = self._entries[0], self._entries.pop(), 0
        while children := [place for place in (2 * hole + 2, 2 * hole + 1) if place < len(self._entries)]:
            child = min(children, key=lambda place: self._entries[place][0])  # of equal ones the right one
            self._entries[hole] = self._entries[child]
            hole = child
        if self._entries:
            self._entries[hole] = last
            self._rise(hole)
        return root

    def _rise(self, place: int) -> None:
        entry = self._entries[place]
        while place > 0 and self._entries[(place - 1) // 2][0] > entry[0]:
            self._entries[place] = self._entries[(place - 1) // 2]
            place = (place - 1) // 2
        self._entries[place] = entry


class RelaxedOperator:
    """Operator of the delete relaxation, and its state during a computation."""

    def __init__(self, preconditions: list[Fact], effects: list[Fact], cost: int) -> None:
        self.preconditions, self.effects, self.cost = preconditions, effects, cost
        self.supporter: Fact | None = None
        self.supporter_cost = 0


class LandmarkCuts:
    """Landmark cuts of one state."""

    def __init__(self, task: Task, values: Values, *, is_heap: bool = False) -> None:
        self.queue = FactQueue(is_heap=is_heap)
        always, self.goal = (len(values), 0), (len(values) + 1, 0)
        self.start = [*enumerate(values), always]
        self.operators = [
            RelaxedOperator(
                list(operator.preconditions) or [always],
                list(dict.fromkeys((effect.variable, effect.value) for effect in operator.effects)),
                operator.cost,
            )
            for operator in task.operators
        ]
        self.operators.append(RelaxedOperator(list(task.goal) or [always], [self.goal], 0))
        self.costs = dict.fromkeys(self.start, 0)

    def value(self) -> float:
        """Return the sum of the least costs of the cuts."""
        self.explore()
        if self.goal not in self.costs:
            return math.inf
        total = 0
        while self.costs[self.goal] > 0:
            cut = self.cut()
            least = min(operator.cost for operator in cut)
            for operator in cut:
                operator.cost -= least
            total += least
            self.update(cut)
        return total

    def explore(self) -> None:
        """Compute the costs of all facts by `hmax`; an operator is supported by its precondition that is taken last."""
        taken = set[Fact]()
        for each in self.start:
            self.queue.push(each, 0)
        while (fact := self.queue.pop(self.costs)) is not None:
            taken.add(fact)
            for operator in self.operators:
                if fact in operator.preconditions and taken.issuperset(operator.preconditions):
                    operator.supporter, operator.supporter_cost = fact, self.costs[fact]
                    self.reach(operator)

    def reach(self, operator: RelaxedOperator) -> None:
        """Lower the costs of the effects of an operator."""
        cost = operator.supporter_cost + operator.cost
        for fact in operator.effects:
            if fact not in self.costs or cost < self.costs[fact]:
                self.costs[fact] = cost
                self.queue.push(fact, cost)

    def update(self, cut: list[RelaxedOperator]) -> None:
        """Lower costs after a cut has become cheaper; choose supporters whose costs have fallen again."""
        for operator in cut:
            self.reach(operator)
        while (fact := self.queue.pop(self.costs)) is not None:
            for operator in self.operators:
                if operator.supporter == fact and self.costs[fact] < operator.supporter_cost:
                    before = operator.supporter_cost
                    operator.supporter = max((fact, *operator.preconditions), key=lambda each: self.costs[each])
                    operator.supporter_cost = self.costs[operator.supporter]
                    if operator.supporter_cost != before:
                        self.reach(operator)

    def cut(self) -> list[RelaxedOperator]:
        """Return the operators from facts that are reached outside of the goal zone into it, depth first."""
        zone = set[Fact]()
        self.mark(self.goal, zone)
        zone -= set(self.start)
        found, waiting, seen = list[RelaxedOperator](), [self.start[-1], *self.start[:-1]], set(self.start)
        while waiting:
            fact = waiting.pop()
            for operator in self.operators:
                if operator.supporter != fact:
                    continue
                if not zone.isdisjoint(operator.effects):
                    found.append(operator)
                    continue
                new = [effect for effect in operator.effects if effect not in seen]
                seen.update(new)
                waiting += new
        return found

    def mark(self, fact: Fact, zone: set[Fact]) -> None:
        """Add a fact to the goal zone, and the facts from which it costs nothing, by supporters.

        The first of the most expensive preconditions that lies in the zone, or that no operator without cost makes
        true, becomes the supporter of an operator.
        """
        if fact in zone:
            return
        zone.add(fact)
        free = [operator for operator in self.operators if operator.cost == 0]
        for operator in free:
            if fact not in operator.effects or operator.supporter is None:
                continue
            for each in operator.preconditions:
                is_at_border = not any(each in other.effects for other in free)
                if self.costs[each] == operator.supporter_cost and (each in zone or is_at_border):
                    operator.supporter = each
                    break
            self.mark(operator.supporter, zone)


def lmcut(task: Task, values: Values) -> float:
    """Return the value of a state. If the queue of the start becomes a heap, those of all others are heaps."""
    start = LandmarkCuts(task, task.initial)
    start.explore()
    return LandmarkCuts(task, values, is_heap=start.queue.is_heap and values != task.initial).value()
