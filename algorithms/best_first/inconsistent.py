"""A* for inconsistent heuristics, in plain Python: it corrects values, or has the order of algorithm B.

- ``pathmax``: a child gets at least the parent's value less the cost of the step (L. Mérő, "A heuristic search
  algorithm with modifiable estimate", Artificial Intelligence 23, 1984).
- ``bpmx``: before that, the parent gets at least each child's value less the cost of the step back from it, if there is
  one (A. Felner et al., "Inconsistent heuristics in theory and practice", Artificial Intelligence 175, 2011, depth 1).
- ``b``: F is the largest f of an expanded node. If nodes with a smaller f are open, that with the smallest g is next
  (A. Martelli, "On the complexity of admissible search algorithms", Artificial Intelligence 8, 1977).
"""

from __future__ import annotations

import heapq
import math
from functools import partial
from typing import Literal

from algorithms.interface import PythonSearch, SearchProblem
from heuristics.interface import BoundStack
from worlds.interface import Problem, to_number, to_words

Inconsistency = Literal["none", "pathmax", "bpmx", "b"]
Entry = tuple[float, float, int, int, int, float]
"""Key in the open list, number of the entry, then state, g and h."""


def corrected(stack: BoundStack, rule: Inconsistency, ties: str, *, reopen: bool) -> PythonSearch:
    """Return A* with one of the rules."""
    function = partial(correcting_astar, packed=stack.problem, rule=rule, ties=ties, reopen=reopen)
    is_optimal = bool(stack.stack.admissible) and reopen
    return PythonSearch(function, stack, is_complete=True, promised_bound=1.0 if is_optimal else None)


def correcting_astar(problem: SearchProblem, packed: Problem, rule: str, ties: str, reopen: bool) -> list[int] | None:
    """Search with one of the rules. Return the actions of a plan; None if there is none.

    Parameters
    ----------
    problem : SearchProblem
    packed : Problem
        The same problem, whose steps back `bpmx` needs.
    rule : {"pathmax", "bpmx", "b"}
    ties : {"low_h", "low_h_fifo", "high_h", "fifo", "lifo"}
    reopen : bool
    """
    start, counts = problem.start, problem.counts
    g, h = {start: 0}, {start: problem.h(start)}
    parent: dict[int, tuple[int, int]] = {}
    closed, largest_f, number = set[int](), -math.inf, 0
    by_f: list[Entry] = []
    by_g: list[Entry] = []  # those with f < F, for algorithm B
    sign_of_h = {"low_h": 1, "low_h_fifo": 1, "high_h": -1}.get(ties, 0)
    step = 1 if ties in ("fifo", "low_h_fifo") else -1

    def push(state: int) -> None:
        nonlocal number
        number += step
        f = g[state] + h[state]
        if f < largest_f and rule == "b":
            heapq.heappush(by_g, (g[state], 0, number, state, g[state], h[state]))
        elif f < math.inf:
            heapq.heappush(by_f, (f, sign_of_h * h[state], number, state, g[state], h[state]))

    push(start)
    while by_g or by_f:
        _, _, _, state, g_then, h_then = heapq.heappop(by_g or by_f)
        if state in closed or (g_then, h_then) != (g[state], h[state]):
            continue
        if problem.is_goal(state):
            plan: list[int] = []
            while state != start:
                state, action = parent[state]
                plan.append(action)
            return plan[::-1]
        f = g_then + h_then
        largest_f = max(largest_f, f)
        closed.add(state)
        steps = problem.expand(state, f)
        values = {child: max(h.get(child, 0), problem.h(child)) for _, child, _ in steps}
        if rule == "bpmx":
            words = to_words(state, packed.initial.size)
            for before, cost, _ in packed.successors(words, backward=True):
                child = to_number(before.tolist())
                h[state] = max(h[state], values.get(child, 0) - cost)
        for action, child, cost in steps:
            value = values[child]
            if rule != "b":
                value = max(value, h[state] - cost)
            is_cheaper = g[state] + cost < g.get(child, math.inf)
            is_raised = value > h.get(child, -math.inf)
            if is_raised:
                h[child] = value
            if is_cheaper and (reopen or child not in closed):
                g[child], parent[child] = g[state] + cost, (state, action)
                if child in closed:
                    closed.remove(child)
                    counts.reopened += 1
                push(child)
            elif is_raised and child not in closed:
                push(child)
        counts.peak_nodes = len(g)
        counts.memory_bytes = 500 * (len(g) + len(by_f) + len(by_g))  # a rough estimate
    return None
