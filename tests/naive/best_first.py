"""Naive best-first search with dictionaries and `heapq`, and restarting weighted A* on top of it."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from tests.naive.problem import OLDEST_FIRST, Heuristic, IsGoal, Outcome, State, Successors, tie_of
from tests.naive.random_numbers import SplitMix64


def best_first(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    weight_g: float = 1,
    weights: Iterator[tuple[int, float]] | None = None,
    ties: str = "low_h",
    reopen: bool = True,
    by_depth: tuple[float, int] = (0.0, 1),
    reorder_open: bool = False,
    incumbent_cost: float = math.inf,
    incumbent_on_f: bool = False,
    seed: int = 0,
    priority: Callable[[float, float], float] | None = None,
) -> Outcome:
    """Return status, cost and counts of a search in the order of f = weight_g * g + w * h.

    Parameters
    ----------
    weights : iterator of (int, float), optional
        Pairs (number of expansions, weight w from then on). Default: w = 1.
    ties, reopen
        As in `algorithms.best_first.Priority`.
    by_depth, reorder_open
        As in `heuristics.interface.weighting.Weighting`.
    incumbent_cost, incumbent_on_f
        Nodes whose g (with `incumbent_on_f`, g + h) is at least this cost are not put into the open list.
    seed
        Seed of random ties.
    priority : callable, optional
        Function of g and h that is f instead.
    """
    draw = SplitMix64(seed)
    schedule = list(itertools.islice(weights or iter([(0, 1.0)]), 100_000))
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, depth, value, pushes = {initial: 0}, {initial: 0}, {initial: h(initial)}, 0
    closed: set[State] = set()
    current: dict[State, int] = {}  # number of the valid entry of each state in the queue
    queue: list[tuple[float, float, int, State]] = []
    parent: dict[State, tuple[State, int]] = {}

    def path_cost(state: State) -> int:
        """Return the cost of the path by the latest parents. It is below g if an ancestor is still to be reopened."""
        cost = 0
        while state in parent:
            state, step = parent[state]
            cost += step
        return cost

    def weight_after(expanded: int) -> float:
        return [weight for begin, weight in schedule if begin <= expanded][-1]

    def f(state: State) -> float:
        if priority is not None:
            return priority(g[state], value[state])
        extra = by_depth[0] * max(0.0, 1.0 - depth[state] / by_depth[1])
        return weight_g * g[state] + (weight + extra) * value[state]

    def push(state: State) -> None:
        nonlocal pushes
        if value[state] == math.inf:
            return
        if g[state] + (value[state] if incumbent_on_f else 0) >= incumbent_cost:
            current.pop(state, None)
            return
        pushes += 1
        tie = draw.bits(31) if ties == "random" else tie_of(ties, value[state])
        order = pushes if ties in OLDEST_FIRST else -pushes
        current[state] = order
        heapq.heappush(queue, (f(state), tie, order, state))

    weight = weight_after(0)
    push(initial)
    while queue:
        if weight_after(counts["expanded"]) != weight:
            weight = weight_after(counts["expanded"])
            if reorder_open:
                ordered = [s for _, _, o, s in sorted(queue) if s not in closed and current.get(s) == o]
                queue.clear()
                for state in ordered if ties in OLDEST_FIRST else reversed(ordered):
                    push(state)  # states of equal priority keep their order
                continue
        _, _, order, state = heapq.heappop(queue)
        if state in closed or current.get(state) != order:
            continue
        if is_goal(state):
            return {"status": "solved", "cost": path_cost(state), **counts}
        closed.add(state)
        counts["expanded"] += 1
        changed: dict[State, None] = {}
        for successor, cost in successors(state):
            counts["generated"] += 1
            if successor not in value:
                counts["evaluated"] += 1
                value[successor] = h(successor)
            elif g[state] + cost >= g[successor]:
                continue
            elif successor in closed:
                if not reopen:
                    continue
                counts["reopened"] += 1
                closed.remove(successor)
            g[successor], depth[successor] = g[state] + cost, depth[state] + 1
            parent[successor] = state, cost
            changed.pop(successor, None)
            changed[successor] = None
        for successor in changed:
            push(successor)
    return {"status": "unsolvable", "cost": None, **counts}


def exploring(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    ties: str,
    reopen: bool,
    kind: str,
    epsilon: float,
    lazy: bool,
    seed: int,
    terms: Sequence[Heuristic[State]] = (),
    batch: int = 1,
    most: int | None = None,
) -> Outcome:
    """Return status, cost and counts of a greedy search, which ends after `most` expansions.

    `terms` are the single heuristics of the stack, for the kind "alternating". For the other parameters see
    `algorithms.greedy.Greedy`.
    """
    draw, turn, pushes = SplitMix64(seed), 0, 0
    counts = {"expanded": 0, "generated": 0, "evaluated": 1, "reopened": 0}
    g, value, parent = {initial: 0}, {initial: h(initial)}, dict[State, tuple[State, int]]()
    queue: dict[State, tuple[float, float, int]] = {}
    of_terms: dict[State, list[float]] = {}
    types: dict[object, list[tuple[State, int]]] = {}
    used: list[object] = []
    closed: set[State] = set()

    def push(state: State, evaluated: State) -> None:
        """Insert a state by the values of an evaluated one: itself, or its parent."""
        nonlocal pushes
        pushes += 1
        estimate = value[evaluated]
        of_terms[state] = [term(evaluated) for term in terms]
        tie = draw.bits(31) if ties == "random" else tie_of(ties, estimate)
        queue[state] = estimate, tie, pushes if ties in OLDEST_FIRST else -pushes
        if kind in ("epsilon", "type_based"):
            key = (g[state], estimate) if kind == "type_based" else None
            if not types.setdefault(key, []):
                used.append(key)
            types[key].append((state, pushes))

    def random_node() -> State:
        """Draw a type that has entries, and entries of it until one is not stale. All that are drawn are removed."""
        while True:
            number = draw.below(len(used))
            entries, found = types[used[number]], None
            while entries and found is None:
                place = draw.below(len(entries))
                state, pushed = entries[place]
                entries[place] = entries[-1]
                entries.pop()
                if state in queue and abs(queue[state][2]) == pushed:
                    found = state
            if not entries:
                used[number] = used[-1]
                used.pop()
            if found is not None:
                return found

    def insert_held() -> None:
        for state, before in held.items():
            if not lazy and state not in value:
                counts["evaluated"] += 1
                value[state] = h(state)
            if value.get(state) != math.inf:
                push(state, state if state in value else before)
        held.clear()

    if value[initial] < math.inf:
        push(initial, initial)
    held: dict[State, State] = {}  # nodes to push, with their parents
    taken = 0
    while queue or held or taken:
        if counts["expanded"] == most:
            return {"status": "node_limit", "cost": None, **counts}
        if not queue:
            insert_held()
            taken = 0
            continue
        turn += 1
        is_random = draw.unit() < epsilon if kind == "epsilon" else kind == "type_based" and turn % 2 == 0
        if kind == "alternating":
            state = min(queue, key=lambda s: (of_terms[s][(turn - 1) % len(terms)], *queue[s][1:]))
        else:
            state = random_node() if is_random else min(queue, key=queue.__getitem__)
        del queue[state]
        if is_goal(state):
            cost = 0
            while state in parent:
                state, step = parent[state]
                cost += step
            return {"status": "solved", "cost": cost, **counts}
        if state not in value:
            counts["evaluated"] += 1
            value[state] = h(state)
        closed.add(state)
        if value[state] == math.inf:
            continue
        counts["expanded"] += 1
        taken += 1
        for successor, step in successors(state):
            counts["generated"] += 1
            if successor not in g:
                pass
            elif g[state] + step >= g[successor] or value.get(successor) == math.inf:
                continue
            elif successor in closed:
                if not reopen:
                    continue
                counts["reopened"] += 1
                closed.remove(successor)
            g[successor], parent[successor] = g[state] + step, (state, step)
            queue.pop(successor, None)
            held.pop(successor, None)
            held[successor] = state
        if taken == batch:
            insert_held()
            taken = 0
    return {"status": "unsolvable", "cost": None, **counts}


def anytime(
    initial: State,
    successors: Successors[State],
    is_goal: IsGoal[State],
    h: Heuristic[State],
    weights: Sequence[float],
    ties: str,
    reopen: bool,
    admissible: bool,
    consistent: bool,
) -> Outcome:
    """Run restarting weighted A*. Also return the costs of all solutions, and the proven bound of the last one."""
    total = {"expanded": 0, "generated": 0, "evaluated": 0, "reopened": 0}
    costs: list[int] = []
    bound: float | None = None
    iterations = 0
    for weight in weights:
        iterations += 1
        found = best_first(
            initial, successors, is_goal, h, 1, iter([(0, weight)]), ties, reopen,
            incumbent_cost=costs[-1] if costs else math.inf, incumbent_on_f=admissible,
        )  # fmt: skip
        for name in total:
            total[name] += found[name]
        is_cheaper = found["status"] == "solved"
        if not is_cheaper and (reopen or not costs):  # without reopening, the next weight may find more
            if costs and admissible:
                bound = 1.0
            break
        costs += [found["cost"]] * is_cheaper
        exact = admissible and (reopen or consistent or not weight)
        proven = max(1.0, weight) if exact else None
        bound = proven if bound is None or proven is None else min(bound, proven)
        if bound == 1:
            break
    status, cost = ("solved", costs[-1]) if costs else ("unsolvable", None)
    return {"status": status, "cost": cost, "costs": costs, "bound": bound, "iterations": iterations, **total}
