"""Landmark cuts from their definition, with the ties of `heuristics.pddl.lmcut`, on which the values depend.

- Of preconditions with the same cost, the supporter is the one that the first exploration takes last; after a cut has
  become cheaper, the first in the order of the operator.
- Facts with the same cost are taken in the order of the radix heap of `heuristics.pddl.fact_queue`.
"""

from __future__ import annotations

import math

from worlds.pddl.task import Fact, Task, Values


class FactQueue:
    """Radix heap: bucket b has the facts whose costs differ from the last cost that was taken in b bits."""

    def __init__(self) -> None:
        self._last = 0
        self._buckets: dict[int, list[Fact]] = {}

    def push(self, fact: Fact, cost: int) -> None:
        """Put a fact in front of its bucket, and take it out of the bucket of a larger cost."""
        for bucket in self._buckets.values():
            if fact in bucket:
                bucket.remove(fact)
        self._buckets.setdefault((cost ^ self._last).bit_length(), []).insert(0, fact)

    def pop(self, costs: dict[Fact, int]) -> Fact | None:
        """Take the first fact of the lowest bucket, whose facts all have the smallest cost after it is divided."""
        lowest = min((number for number, bucket in self._buckets.items() if bucket), default=None)
        if lowest is None:
            return None
        if lowest > 0:
            divided = self._buckets.pop(lowest)
            self._last = min(costs[fact] for fact in divided)
            for fact in divided:
                self.push(fact, costs[fact])
        return self._buckets[0].pop(0)


class RelaxedOperator:
    """Operator of the delete relaxation, and its state during a computation."""

    def __init__(self, preconditions: list[Fact], effects: list[Fact], cost: int) -> None:
        self.preconditions, self.effects, self.cost = preconditions, effects, cost
        self.supporter: Fact | None = None
        self.supporter_cost = 0


class LandmarkCuts:
    """Landmark cuts of one state."""

    def __init__(self, task: Task, values: Values) -> None:
        always, self.goal = (len(values), 0), (len(values) + 1, 0)
        self.start = [*enumerate(values), always]
        self.operators = [
            RelaxedOperator(
                list(operator.preconditions) or [always],
                sorted({(effect.variable, effect.value) for effect in operator.effects}),
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
        queue, taken = FactQueue(), set[Fact]()
        for each in self.start:
            queue.push(each, 0)
        while (fact := queue.pop(self.costs)) is not None:
            taken.add(fact)
            for operator in self.operators:
                if fact in operator.preconditions and taken.issuperset(operator.preconditions):
                    operator.supporter, operator.supporter_cost = fact, self.costs[fact]
                    self.reach(operator, queue)

    def reach(self, operator: RelaxedOperator, queue: FactQueue) -> None:
        """Lower the costs of the effects of an operator."""
        cost = operator.supporter_cost + operator.cost
        for fact in operator.effects:
            if fact not in self.costs or cost < self.costs[fact]:
                self.costs[fact] = cost
                queue.push(fact, cost)

    def update(self, cut: list[RelaxedOperator]) -> None:
        """Lower costs after a cut has become cheaper; choose supporters whose costs have fallen again."""
        queue = FactQueue()
        for operator in cut:
            self.reach(operator, queue)
        while (fact := queue.pop(self.costs)) is not None:
            for operator in self.operators:
                if operator.supporter == fact and self.costs[fact] < operator.supporter_cost:
                    before = operator.supporter_cost
                    operator.supporter = max(operator.preconditions, key=lambda each: self.costs[each])  # the first
                    operator.supporter_cost = self.costs[operator.supporter]
                    if operator.supporter_cost != before:
                        self.reach(operator, queue)

    def cut(self) -> list[RelaxedOperator]:
        """Return the operators from facts that are reached outside of the goal zone into it, depth first."""
        zone = self.goal_zone()
        found, waiting, seen = list[RelaxedOperator](), list(self.start), set(self.start)
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

    def goal_zone(self) -> set[Fact]:
        """Return the facts from which the goal costs nothing, by supporters."""
        zone, size = {self.goal}, 0
        while size < len(zone):
            size = len(zone)
            zone |= {
                operator.supporter
                for operator in self.operators
                if operator.cost == 0 and operator.supporter is not None and not zone.isdisjoint(operator.effects)
            }
        return zone


def lmcut(task: Task, values: Values) -> float:
    """Return the value of a state."""
    return LandmarkCuts(task, values).value()
