"""Pareto fronts of small graphs: by correcting labels until nothing changes, and best-first with all comparisons."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

Vector = tuple[int, ...]


class Arc(NamedTuple):
    """Arc of a graph."""

    tail: int
    head: int
    costs: Vector


def plus(one: Vector, other: Vector) -> Vector:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def covers(one: Vector, other: Vector, epsilon: Fraction | int = 0) -> bool:
    """Return whether a vector is at most (1 + epsilon) times another one in all objectives."""
    return all(a <= (1 + epsilon) * b for a, b in zip(one, other, strict=True))


def undominated(vectors: Iterable[Vector]) -> set[Vector]:
    found = {*vectors}
    return {one for one in found if not any(other != one and covers(other, one) for other in found)}


def fronts(arcs: Sequence[Arc], start: int, objectives: int) -> dict[int, set[Vector]]:
    """Return the Pareto-optimal vectors of the paths from a node to each node that it reaches."""
    found = {start: {(0,) * objectives}}
    changes = True
    while changes:
        changes = False
        for tail, head, costs in arcs:
            before = found.get(head, set())
            after = undominated(before | {plus(each, costs) for each in found.get(tail, ())})
            if after != before:
                found[head] = after
                changes = True
    return found


class Outcome(NamedTuple):
    """Solutions in the order in which they are found, and counts."""

    front: list[Vector]
    expanded: int
    generated: int
    pruned: int


def best_first(
    arcs: Sequence[Arc], start: int, goal: int, objectives: int, *, estimate: bool = True, epsilon: Fraction | int = 0
) -> Outcome:
    """Search in lexicographic order of f. Numbers of labels that are cut when they are taken are used again."""
    backward = fronts([Arc(head, tail, costs) for tail, head, costs in arcs], goal, objectives)
    h = {node: tuple(map(min, zip(*vectors, strict=True))) for node, vectors in backward.items()}
    if not estimate:
        h = dict.fromkeys(range(1 + max([start, goal, *(node for arc in arcs for node in arc[:2])])), (0,) * objectives)
    solutions: list[Vector] = []
    expanded: dict[int, list[Vector]] = {}
    free: list[int] = []
    numbers = expansions = generated = pruned = 0
    open_list: list[tuple[Vector, int, int, Vector]] = []

    def is_cut(node: int, g: Vector) -> bool:
        f = plus(g, h[node])
        return any(covers(each, g) for each in expanded.get(node, ())) or any(
            covers(each, f, epsilon) for each in solutions
        )

    def push(node: int, g: Vector) -> None:
        nonlocal numbers
        number = free.pop() if free else numbers
        numbers = max(numbers, number + 1)
        heapq.heappush(open_list, (plus(g, h[node]), number, node, g))

    if start in h:
        push(start, (0,) * objectives)
    while open_list:
        _, number, node, g = heapq.heappop(open_list)
        if is_cut(node, g):
            free.append(number)
            pruned += 1
            continue
        if node == goal:
            solutions.append(g)
            continue
        expanded.setdefault(node, []).append(g)
        expansions += 1
        for tail, head, costs in arcs:
            if tail != node or head not in h:
                continue
            generated += 1
            if is_cut(head, plus(g, costs)):
                pruned += 1
            else:
                push(head, plus(g, costs))
    return Outcome(solutions, expansions, generated, pruned)
