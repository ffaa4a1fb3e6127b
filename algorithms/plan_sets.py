"""Answers of several plans: each is played by the rules, and the set is checked and measured.

An algorithm says with `answer` that it looks for a front or for several plans, and declares the metrics that it has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from algorithms.interface import Answer
from runner.base import Metric, PlanOfSet, one_line, scalar_text
from worlds.interface import Instance, World

SOLUTIONS = Metric("solutions", better="neither", log_scale=False, meaning="number of plans in the answer")
HYPERVOLUME = Metric(
    "hypervolume",
    better="more",
    meaning="volume that the front dominates, up to the point of the largest costs of the paths that are best in one "
    "objective, or up to `world.reference`; empty for more than 2,000 vectors of four costs, or 158 of five",
)
DIVERSE = Metric(
    "diverse",
    better="more",
    aggregate="mean",
    digits=3,
    log_scale=False,
    meaning="mean distance of two plans of the answer: 1 minus the share of common actions in all actions of both "
    "(Jaccard); 0 for equal sets of actions, 1 for disjoint ones. Empty for thousands of plans",
)
PRUNED = Metric("pruned", is_main=False, meaning="number of labels that were cut because others dominate them")
MAX_VOLUME_STEPS = 4_000_000
_MOST_ENTRIES = 25_000_000
"""Largest matrix of plans and actions, or of plans and plans, that `diversity` makes."""


class Claim(NamedTuple):
    """Plan of a set as a search or a program gives it.

    Attributes
    ----------
    costs : sequence of float or None
        Costs in the user's units; None if they were not told.
    actions : tuple of str or None
        None for costs without a plan, which nothing proves.
    name : str
        What messages call it; by default the number of the solution.
    precision : float
        Largest difference of a cost that rounding explains.
    """

    costs: Sequence[float] | None
    actions: tuple[str, ...] | None
    name: str = ""
    precision: float = 0.0


@dataclass(frozen=True)
class PlanSet:
    """Set of plans as the rules see it.

    Attributes
    ----------
    answer : {"front", "plans"}
    plans : tuple of PlanOfSet
        The plans with their costs by the rules, in the user's units, the cheapest first; a plan that the rules refuse
        has the costs that were claimed, and costs without a plan have no actions.
    failure : str or None
        Why the set is no answer: the first plan that the rules refuse or that costs something else than was claimed, a
        plan that stands twice, or a vector that another one dominates.
    """

    answer: Answer
    plans: tuple[PlanOfSet, ...]
    failure: str | None

    @classmethod
    def of(cls, instance: Instance, answer: Answer, claims: Iterable[Claim], *, in_any_order: bool = False) -> PlanSet:
        """Play plans.

        Parameters
        ----------
        in_any_order : bool
            Whether to sort the plans by their costs. Otherwise the cheapest must be the first.
        """
        failure: str | None = None
        plans: list[PlanOfSet] = []
        known: dict[tuple[str, ...], str] = {}
        for number, (claimed, actions, told, precision) in enumerate(claims, 1):
            name = told or f"solution {number}"
            costs, wrong = _costs(instance.world, claimed, actions, answer)
            if wrong is None and claimed is not None and _differ(costs, claimed, precision):
                wrong = f"the plan costs {_text(costs)} by the rules; {_text(claimed)} was claimed"
            if wrong is not None:
                failure = failure or f"{name}: {one_line(wrong)}"
            elif actions is not None and known.setdefault(actions, name) != name:
                failure = failure or f"{name} is the plan of {known[actions]}"
            plans.append(PlanOfSet(costs if wrong is None or claimed is None else tuple(claimed), actions or ()))
        if in_any_order:
            plans.sort(key=lambda plan: plan.costs)
        failure = failure or set_violation([plan.costs for plan in plans], is_front=answer == "front")
        return cls(answer, tuple(plans), failure)

    def measured(self, instance: Instance, names: Iterable[str]) -> Mapping[str, float | None]:
        """Return those of the metrics of sets that have these names."""
        vectors = instance.world.cost_vectors
        reference = None if vectors is None or self.answer != "front" else vectors.reference()
        values: dict[str, float | None] = {
            SOLUTIONS.name: len(self.plans),
            HYPERVOLUME.name: None if reference is None or self.failure is not None
            else hypervolume([tuple(map(int, plan.costs)) for plan in self.plans], reference),
            DIVERSE.name: diversity([plan.actions for plan in self.plans]) if self.answer == "plans" else None,
        }  # fmt: skip
        return {name: values[name] for name in names if name in values}


def _costs(
    world: World, claimed: Sequence[float] | None, actions: tuple[str, ...] | None, answer: Answer
) -> tuple[tuple[float, ...], str | None]:
    """Return the costs of a plan by the rules, and why they do not accept it; None if they do.

    Costs without a plan are taken as they are, if there are as many as in the world.
    """
    if actions is None:
        costs = tuple(claimed or ())
        reference = None if world.cost_vectors is None else world.cost_vectors.reference()
        is_right = reference is None or len(costs) == len(reference)
        return costs, None if is_right else f"expected {len(reference or ())} costs, got {_text(costs)}"
    replay = world.replay(actions)
    cost = world.user_cost(replay.cost)
    if replay.failure is not None:
        return (cost,), replay.failure
    if not replay.reaches_goal:
        return (cost,), "the rules allow every action, but the plan does not reach a goal"
    if answer == "front" and world.cost_vectors is not None:
        return world.cost_vectors.cost_vector(actions), None
    return (cost,), None


def _differ(costs: Sequence[float], claimed: Sequence[float], precision: float) -> bool:
    return len(costs) != len(claimed) or any(
        abs(by_rules - told) > precision for by_rules, told in zip(costs, claimed, strict=True)
    )


def set_violation(vectors: Sequence[Sequence[float]], *, is_front: bool) -> str | None:
    """Return why vectors of costs are no front, or not in the order of their costs; None if they are.

    Parameters
    ----------
    vectors : sequence of sequence of number
        In lexicographic order, which is checked, too.
    is_front : bool
        Whether no vector may dominate another one, or stand twice.
    """
    if len({len(vector) for vector in vectors}) > 1:
        return "not all solutions have the same number of costs"
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


def _text(costs: Sequence[float]) -> str:
    texts = ", ".join(map(scalar_text, costs))
    return texts if len(costs) == 1 else f"({texts})"


def hypervolume(vectors: Sequence[Sequence[int]], reference: Sequence[int]) -> int | None:
    """Return the volume of the points that a vector dominates, and that dominate the reference point.

    By slices of the last objective, down to three: exact, in integers. For n vectors of k costs it takes about
    n^max(1, k - 2) steps; None if these are more than `MAX_VOLUME_STEPS`.
    """
    inside = [tuple(vector) for vector in vectors if all(map(int.__lt__, vector, reference))]
    if not inside:
        return 0
    if len(inside) ** (len(reference) - 2) > MAX_VOLUME_STEPS:
        return None
    missing = max(0, 3 - len(reference))  # further objectives, in which all vectors are 1 better than the reference
    return _volume([(0,) * missing + vector for vector in inside], (1,) * missing + tuple(reference))


def _volume(vectors: list[tuple[int, ...]], reference: tuple[int, ...]) -> int:
    """Return the volume up to the reference point of vectors of at least three costs, all of them smaller."""
    vectors = sorted(vectors, key=itemgetter(-1))
    ends = [*(vector[-1] for vector in vectors[1:]), reference[-1]]
    if len(reference) > 3:
        return sum(
            (end - vector[-1]) * _volume([each[:-1] for each in vectors[:number]], reference[:-1])
            for number, (vector, end) in enumerate(zip(vectors, ends, strict=True), 1)
            if end > vector[-1]
        )
    xs, ys = [-1, reference[0]], [reference[1], -1]  # corners of the area, between two walls
    volume = area = 0
    for (x, y, z), end in zip(vectors, ends, strict=True):
        first = last = bisect_left(xs, x)
        if ys[first - (xs[first] > x)] > y:
            left, height = x, ys[first - 1]
            while ys[last] > y:
                area += (xs[last] - left) * (height - y)
                left, height, last = xs[last], ys[last], last + 1
            area += (xs[last] - left) * (height - y)
            xs[first:last], ys[first:last] = [x], [y]
        volume += area * (end - z)
    return volume


def diversity(plans: Sequence[Sequence[str]]) -> float | None:
    """Return the mean Jaccard distance of the sets of actions of two plans.

    None with fewer than two plans, and with more than `_MOST_ENTRIES` pairs of a plan and one of all actions.
    """
    number: dict[str, int] = {}
    sets = [{number.setdefault(action, len(number)) for action in plan} for plan in plans]
    if len(sets) < 2 or len(sets) * max(len(sets), len(number)) > _MOST_ENTRIES:
        return None
    has = np.zeros((len(sets), max(1, len(number))), np.float32)
    for row, actions in enumerate(sets):
        has[row, [*actions]] = 1
    common, sizes = has @ has.T, has.sum(axis=1)  # exact: counts below 2^24
    union = sizes[:, np.newaxis] + sizes - common
    alike = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    pairs = len(sets) * (len(sets) - 1)
    return float((len(sets) ** 2 - alike.sum(dtype=np.float64)) / pairs)
