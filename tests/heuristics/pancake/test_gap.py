"""The gap heuristic: against its definition, along flips, and against published expansions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean
from typing import Any

import pytest

import runner
from heuristics.interface.stack import BoundStack
from runner.base.own_places import ROOT
from runner.config.cell import sections
from tests.sampling import covering

INSTANCES = ROOT / "runner" / "features" / "atlas" / "siag2025_pancakes" / "stacks.txt"


def gaps(stack: Sequence[int], target: Sequence[int], k: int, definition: str, costs: str = "unit") -> int:
    """Add up the gaps of a stack by the definitions."""
    plate = len(stack)
    place = {pancake: number for number, pancake in enumerate((*target, plate))}
    left_out = {*range(k)} if definition == "holte" else {*target[:k]}
    count = 0
    for above, below in zip(stack, (*stack[1:], plate), strict=True):
        if abs(place[above] - place[below]) <= 1:
            continue
        if (definition == "siag" and below == plate) or not {above, below} & left_out:
            count += {"unit": 1, "length": 2, "heavy": min(above, below) + 1}[costs]
    return count


def bound(stack: tuple[int, ...], parameters: dict[str, Any], costs: str = "unit") -> BoundStack:
    (instance,) = runner.load("pancake/random", size=len(stack), count=1, costs=costs)
    chosen = sections.stack_of("pancake", {"stack": [{"name": "gap", **parameters}]})
    return chosen.prepare(instance.problem())


@covering({"size": [2, 5, 16, 17, 40], "definition": ["siag", "alcazar", "holte"]})
def test_values_are_those_of_the_definition(size: int, definition: str) -> None:
    source = random.Random(f"{size} {definition}")
    for k, costs in ((0, "unit"), (1, "length"), (3, "unit"), (0, "heavy"), (size, "heavy")):
        found = bound(tuple(range(size)), {"k": k, "definition": definition}, costs)
        problem = found.problem
        start, goal = problem.unpack(problem.initial), tuple(range(size))
        backward = found.stack.prepare_backward(problem)
        for _ in range(20):
            stack = tuple(source.sample(goal, size))
            assert found.evaluate(problem.pack(stack)) == gaps(stack, goal, k, definition, costs)
            assert backward.evaluate(problem.pack(stack)) == gaps(stack, start, k, definition, costs)


PUBLISHED = {"astar": (45.56, 8400.0), "reverse_astar": (52.32, 6854.44), "bae": (65.98, 552.28)}


@pytest.mark.parametrize(
    ("algorithm", "k"),
    [
        *((name, 0) for name in PUBLISHED),
        ("bae", 1),
        *(pytest.param(name, 1, marks=pytest.mark.long) for name in ("astar", "reverse_astar")),
    ],
)
def test_expansions_are_the_published_ones(algorithm: str, k: int) -> None:
    """Mean expansions before the last layer of 50 stacks of 14 pancakes (Siag and Shperberg, AIJ 348, 2025)."""
    results = [
        runner.solve(each, algorithm, [{"name": "gap", "k": k}])
        for each in runner.load("pancake/file", path=str(INSTANCES))
    ]
    assert mean(result.expanded_before_last_layer or 0 for result in results) == pytest.approx(PUBLISHED[algorithm][k])


@pytest.mark.parametrize(("k", "published"), [(0, 38.90), pytest.param(1, 4546.92, marks=pytest.mark.long)])
def test_vertex_covers_are_the_published_ones(k: int, published: float) -> None:
    """Mean minimum vertex cover of the same stacks, with the epsilon of unit costs."""
    stacks = runner.load("pancake/file", path=str(INSTANCES))
    audit = runner.audit(stacks, [{"name": "gap", "k": k}], vertex_cover=True, workers=0)
    assert mean(each.vertex_cover for each in audit.covers) == pytest.approx(published)
