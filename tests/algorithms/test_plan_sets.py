"""Answers of several plans: what the rules refuse in them, how they are measured, and their lines in plans.jsonl."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from algorithms.engine import Counts, Limiter, Limits, Search, Solution
from algorithms.interface import Answer, SearchAlgorithm
from algorithms.plan_sets import DIVERSE, HYPERVOLUME, SOLUTIONS, diversity, hypervolume
from heuristics.interface import BoundStack, Stack, Weighting
from runner.base import Declared, PlanOfSet, Result
from runner.execution.solver import Solver
from runner.records.log import Log, LogWriter
from runner.records.rule import ALL_ROWS
from tests.runner.records.results import FORMAT, result, write
from worlds.interface import CostVectors, Instance, Step

ARCS = {"s": {"a": (1, 5), "b": (3, 2), "c": (4, 4)}, "a": {"t": (1, 1)}, "b": {"t": (1, 1)}, "c": {"t": (1, 1)}}
PATHS = {"a": (2, 6), "b": (4, 3), "c": (5, 5)}
"""Costs of the paths from s over a node to t."""


@dataclass(frozen=True)
class Streets(CostVectors):
    """Three ways from s to t. That over c is dominated."""

    domain = "streets"

    def initial(self) -> str:
        return "s"

    def successors(self, state: str) -> Iterator[Step]:
        return ((head, head, costs[0]) for head, costs in ARCS.get(state, {}).items())

    def is_goal(self, state: str) -> bool:
        return state == "t"

    def cost_vector(self, plan: Sequence[str]) -> tuple[int, ...]:
        arcs = [ARCS[tail][head] for tail, head in itertools.pairwise(["s", *plan])]
        first, second = (sum(each) for each in zip(*arcs, strict=True))
        return first, second

    def reference(self) -> tuple[int, ...]:
        return 4, 6


class Given(Search):
    """Search that finds given solutions."""

    initial_h = None
    cost = 0

    def __init__(self, solutions: Sequence[Solution], status: str) -> None:
        self._solutions, self._status = solutions, status

    @property
    def counts(self) -> Counts:
        return Counts()

    def run(self, limiter: Limiter) -> str:
        return limiter.reached(self) or self._status

    def warm(self) -> None:
        pass

    def path(self) -> list[int]:
        return self._solutions[0].path

    @property
    def found(self) -> int:
        return len(self._solutions)

    def solutions(self) -> Sequence[Solution]:
        return self._solutions


def told(
    *ways: str, costs: Mapping[str, tuple[int, ...]] = PATHS, answer: Answer = "front", status: str = "solved",
    most: int | None = None,
) -> Result:  # fmt: skip
    """Return the result of a search that gives the paths over some nodes at some costs."""
    solutions = [
        Solution(costs[way] if answer == "front" else costs[way][:1], [list("abc").index(way), 0]) for way in ways
    ]
    wanted = answer

    @dataclass(frozen=True)
    class Told(SearchAlgorithm):
        registered_name = "told"
        answer = wanted
        metrics = (SOLUTIONS, HYPERVOLUME, DIVERSE)

        def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
            return Given(solutions, status)

    with closing(Solver(Told(), Stack(), None, Limits(solutions=most), Declared.of(Told.metrics))) as solver:
        return solver.attempt(Instance(Streets(), "one")).result()


def test_a_front_is_measured_and_recorded() -> None:
    found = told("a", "b")
    assert (found.status, found.valid, found.reason, found.cost, found.plan) == ("solved", True, None, 2, ("a", "t"))
    assert found.plans == (PlanOfSet((2, 6), ("a", "t")), PlanOfSet((4, 3), ("b", "t")))
    assert (found.solutions, found.hypervolume, found.diverse) == (2, 0, None)
    lines = [json.loads(line) for line in FORMAT.encode(0, found).plans.splitlines()]
    assert [(line["solution"], line["cost"], line["costs"]) for line in lines] == [(1, 2, [2, 6]), (2, 4, [4, 3])]


@pytest.mark.parametrize(
    ("ways", "costs", "reason"),
    [
        ("abc", PATHS, "solution 3 (5, 5) is dominated by solution 2 (4, 3)"),
        ("aa", PATHS, "solution 2 is the plan of solution 1"),
        ("ba", PATHS, "solution 2 costs (2, 6), less than the one before it"),
        ("ab", {"a": (2, 5), "b": (4, 3)}, "solution 1: the plan costs (2, 6) by the rules; (2, 5) was claimed"),
        ("ab", {"a": (2, 6), "b": (4,)}, "solution 2: the plan costs (4, 3) by the rules; 4 was claimed"),
    ],
)
def test_the_rules_refuse_what_is_no_front(ways: str, costs: Mapping[str, tuple[int, ...]], reason: str) -> None:
    found = told(*ways, costs=costs)
    assert (found.status, found.valid, found.reason) == ("solved", False, reason)


def test_several_plans_may_be_dominated_but_not_repeated() -> None:
    found = told("a", "b", "c", answer="plans")
    assert (found.valid, found.solutions, found.hypervolume) == (True, 3, None)
    assert found.diverse == pytest.approx(2 / 3)  # two plans have one of three actions in common
    assert told("a", "a", answer="plans").reason == "solution 2 is the plan of solution 1"


def test_a_search_at_a_limit_has_what_is_proven_and_no_answer() -> None:
    found = told("a", "b", status="node_limit")
    assert (found.status, found.valid, found.solutions) == ("node_limit", True, 2)
    assert found.reason == "2 solutions proven"
    assert told("a", "b", most=2).status == "solution_limit"


def test_the_hypervolume_is_the_number_of_dominated_unit_cubes() -> None:
    random = Random(1)
    for _ in range(200):
        size = random.randint(1, 4)
        reference = tuple(random.randint(2, 6) for _ in range(size))
        vectors = [tuple(random.randint(0, 6) for _ in range(size)) for _ in range(random.randint(0, 6))]
        cubes = itertools.product(*map(range, reference))
        dominated = sum(any(all(map(int.__le__, vector, cube)) for vector in vectors) for cube in cubes)
        assert hypervolume(vectors, reference) == dominated, (vectors, reference)


def test_the_hypervolume_of_many_vectors_takes_bounded_time() -> None:
    line = [(k, 2000 - k, 0) for k in range(2000)]
    area = hypervolume([each[:2] for each in line], (2000, 2001))
    assert area is not None
    assert hypervolume(line, (2000, 2001, 5)) == 5 * area
    assert hypervolume([(0, 0, *each) for each in line[:300]], (1, 1, 2000, 2001, 5)) is None


def test_plans_without_actions_are_equal() -> None:
    assert diversity([(), ()]) == 0
    assert diversity([("a",)]) is None


def test_the_plans_of_a_set_stay_together_when_a_log_is_settled(tmp_path: Path) -> None:
    def of_set(run_id: str, *actions: str) -> Any:
        plans = tuple(PlanOfSet((cost, 9 - cost), (action,)) for cost, action in enumerate(actions))
        return result(run_id, plan=plans[0].actions, plans=plans)

    with closing(LogWriter(tmp_path, FORMAT.columns)) as writer:
        write(writer, of_set("2", "x", "y"), number=1)
        write(writer, of_set("1", "a", "b", "c"))
        write(writer, of_set("2", "u", "v", "w"), number=1)
    log = Log(tmp_path, with_parts=True)
    log.settle(FORMAT.columns, log.counted(ALL_ROWS))
    lines = [json.loads(line) for line in (tmp_path / "plans.jsonl").read_text().splitlines()]
    assert "".join(line["actions"][0] for line in lines) == "abcuvw"
