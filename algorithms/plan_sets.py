"""What answers of several plans have in common: their metrics, and how a front is checked and measured."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from runner.base import Metric

SOLUTIONS = Metric("solutions", better="neither", log_scale=False, meaning="number of plans in the answer")
HYPERVOLUME = Metric(
    "hypervolume",
    better="more",
    digits=12,
    meaning="volume that the front dominates, up to the point of the largest costs of the paths that are best in one "
    "objective, or up to `world.reference`",
)
DIVERSE = Metric(
    "diverse",
    better="more",
    aggregate="mean",
    digits=3,
    log_scale=False,
    meaning="mean distance of two plans of the answer: 1 minus the share of common actions in all actions of both "
    "(Jaccard); 0 for equal sets of actions, 1 for disjoint ones",
)
PRUNED = Metric("pruned", is_main=False, meaning="number of labels that were cut because others dominate them")


def set_violation(vectors: Sequence[Sequence[float]], *, is_front: bool) -> str | None:
    """Return why vectors of costs are no front, or not in the order of their costs; None if they are.

    Parameters
    ----------
    vectors : sequence of sequence of number
        In lexicographic order, which is checked, too.
    is_front : bool
        Whether no vector may dominate another one, or stand twice.
    """
    for before, after in pairwise(vectors):
        if tuple(after) < tuple(before):
            return f"solution {list(vectors).index(after) + 1} costs {_text(after)}, less than the one before it"
    if not is_front or not vectors:
        return None
    array = np.array(vectors)
    for number, vector in enumerate(array):  # the dominating one is lexicographically less, or equal
        dominating = np.flatnonzero((array[:number] <= vector).all(axis=1))
        if dominating.size:
            first = int(dominating[0])
            is_same = tuple(vectors[first]) == tuple(vectors[number])
            verb = "has the same costs as" if is_same else "is dominated by"
            what = "" if is_same else f" {_text(vectors[first])}"
            return f"solution {number + 1} {_text(vectors[number])} {verb} solution {first + 1}{what}"
    return None


def _text(vector: Sequence[float]) -> str:
    return f"({', '.join(f'{cost:.15g}' for cost in vector)})"


def hypervolume(vectors: Sequence[Sequence[int]], reference: Sequence[int]) -> int:
    """Return the volume of the points that a vector dominates, and that dominate the reference point.

    By slices of the last objective: exact, in integers. For n vectors of k costs it takes O(n^(k-1)) steps.
    """
    inside = sorted(
        (tuple(vector) for vector in vectors if all(map(int.__lt__, vector, reference))), key=lambda each: each[-1]
    )
    if not inside:
        return 0
    if len(reference) == 1:
        return reference[0] - inside[0][0]
    if len(reference) == 2:
        volume, least = 0, reference[0]
        for (first, second), above in zip(inside, [*(each[1] for each in inside[1:]), reference[1]], strict=True):
            least = min(least, first)
            volume += (reference[0] - least) * (above - second)
        return volume
    ends = [*(each[-1] for each in inside[1:]), reference[-1]]
    return sum(
        (end - vector[-1]) * hypervolume([each[:-1] for each in inside[:number]], reference[:-1])
        for number, (vector, end) in enumerate(zip(inside, ends, strict=True), 1)
        if end > vector[-1]
    )


def diversity(plans: Sequence[Sequence[str]]) -> float | None:
    """Return the mean Jaccard distance of the sets of actions of two plans; None with fewer than two plans."""
    sets = [frozenset(plan) for plan in plans]
    distances = [1 - len(a & b) / len(a | b) if a | b else 0.0 for a, b in combinations(sets, 2)]
    return sum(distances) / len(distances) if distances else None
