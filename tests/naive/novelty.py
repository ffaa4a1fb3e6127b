"""Naive novelty search, with sets of all tuples of facts that were seen."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations

from tests.naive.problem import IsGoal, Outcome, State, Successors
from worlds.pddl import rules
from worlds.pddl.task import Fact, Task, Values

Facts = Callable[[State], Iterable[object]]


@dataclass
class Seen:
    """Tuples of at most `largest` facts that states have had."""

    largest: int
    tuples: set[frozenset[object]] = field(default_factory=set)

    def novelty(self, facts: Iterable[object]) -> int:
        """Return the size of the smallest new tuple, or `largest` + 1, and remember all of them."""
        held = list(facts)
        found = [frozenset(each) for size in range(1, self.largest + 1) for each in combinations(held, size)]
        novelty = min((len(each) for each in found if each not in self.tuples), default=self.largest + 1)
        self.tuples.update(found)
        return novelty


def iterated_width(
    initial: State, successors: Successors[State], is_goal: IsGoal[State], facts: Facts[State], sizes: Iterable[int]
) -> Outcome:
    """Return status, cost and counts of one breadth-first search for each size of tuples."""
    counts = {"expanded": 0, "generated": 0}
    if is_goal(initial):
        return {"status": "solved", "cost": 0, **counts}
    status = "cutoff"
    for size in sizes:
        seen, cost, queue = Seen(size), {initial: 0}, deque([initial])
        seen.novelty(facts(initial))
        status = "unsolvable"
        while queue:
            state = queue.popleft()
            after = list(successors(state))
            counts["expanded"] += 1
            counts["generated"] += len(after)
            for successor, step in after:
                if successor in cost:
                    continue
                if is_goal(successor):
                    return {"status": "solved", "cost": cost[state] + step, **counts}
                if seen.novelty(facts(successor)) > size:
                    status = "cutoff"
                    continue
                cost[successor] = cost[state] + step
                queue.append(successor)
        if status == "unsolvable":
            break
    return {"status": status, "cost": None, **counts}


@dataclass
class Node:
    """State on its first path, with the numbers #g and #r, and its novelty among states with the same numbers."""

    values: Values
    before: Node | None = None
    action: str = ""
    open_goals: int = 0
    achieved: int = 0
    novelty: int = 0

    @property
    def path(self) -> list[Node]:
        """The nodes from the start to this one."""
        return [*(self.before.path if self.before else []), self]

    @property
    def segment(self) -> list[Node]:
        """The last nodes of the path: from the last one on that has fewer open goals than the one before it."""
        path = self.path
        drops = [i for i in range(1, len(path)) if path[i].open_goals < path[i - 1].open_goals]
        return path[drops[-1] if drops else 0 :]


def best_first_width(
    task: Task, relaxed: Callable[[Values], frozenset[Fact] | None]
) -> tuple[Outcome, list[str], list[Node]]:
    """Return status and counts, the plan, and all nodes in the order in which they were generated.

    `relaxed` returns the facts that a relaxed plan makes true in a state, or None without such a plan.
    """
    nodes: list[Node] = []
    queue: list[tuple[int, int, int]] = []
    seen: defaultdict[tuple[int, int], Seen] = defaultdict(lambda: Seen(2))
    counts = {"expanded": 0, "generated": 0, "evaluated": 0}
    plans: dict[Values, frozenset[Fact] | None] = {}

    def add(node: Node) -> None:
        node.open_goals = sum(node.values[variable] != value for variable, value in task.goal)
        first, *others = node.segment
        held = {fact for each in others for fact in enumerate(each.values)}
        node.achieved = len(held & (plans.get(first.values) or frozenset()))
        node.novelty = seen[node.open_goals, node.achieved].novelty(enumerate(node.values))
        heapq.heappush(queue, (node.novelty, node.open_goals, len(nodes)))
        nodes.append(node)

    add(Node(task.initial))
    known = {task.initial}
    while queue:
        node = nodes[heapq.heappop(queue)[2]]
        if rules.is_goal(task, node.values):
            return {"status": "solved", **counts}, [each.action for each in node.path[1:]], nodes
        if len(node.segment) == 1:
            counts["evaluated"] += 1
            plans[node.values] = relaxed(node.values)
            if plans[node.values] is None:
                continue
        counts["expanded"] += 1
        for operator, after in rules.successors(task, node.values):
            counts["generated"] += 1
            if after not in known:
                known.add(after)
                add(Node(after, node, operator.name))
    return {"status": "unsolvable", **counts}, [], nodes
