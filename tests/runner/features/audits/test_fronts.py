"""Audits of sets: missing, dominated and impossible vectors of a front, and plans that k best ones leave out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from algorithms.engine import Search, Solution
from algorithms.interface import Answer, PlanningAlgorithm, SearchAlgorithm
from algorithms.k_best import KBest
from algorithms.plan_sets import SOLUTIONS
from algorithms.programs.program import Program
from algorithms.programs.sessions import ProcessSession
from heuristics.interface import BoundStack, Stack, Weighting
from runner.base import Declared
from runner.features.audits.auditor import run
from runner.features.audits.finding import Audit, Counterexample
from runner.features.audits.request import AuditRequest
from runner.features.audits.solution_sets import pareto_front
from tests.algorithms.test_plan_sets import Given, Streets
from worlds.interface import CostVectors, Family, Instance, Looks, Step

Arc = tuple[int, int, tuple[int, ...]]
Mistake = Literal["none", "no convexity", "epsilon"]


@dataclass(frozen=True)
class ShownStreets(Looks, Streets):
    """Streets with the pictures that counterexamples need."""


@dataclass(frozen=True)
class Roads(Looks, Family, CostVectors):
    """Directed graph with several costs of an arc; a step is named by its number."""

    arcs: tuple[Arc, ...]
    goal: int
    domain = "roads"

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> Iterator[Step]:
        return ((str(n), head, costs[0]) for n, (tail, head, costs) in enumerate(self.arcs) if tail == state)

    def is_goal(self, state: int) -> bool:
        return state == self.goal

    def cost_vector(self, plan: Sequence[str]) -> tuple[int, ...]:
        return tuple(map(sum, zip(*(self.arcs[int(action)][2] for action in plan), strict=True)))

    def reference(self) -> tuple[int, ...] | None:
        return None

    def smaller(self) -> Iterator[Roads]:
        return (replace(self, arcs=self.arcs[:n] + self.arcs[n + 1 :]) for n in range(len(self.arcs)))


def random_roads(random: Random) -> Roads:
    nodes, size = random.randint(2, 4), random.randint(1, 3)
    arcs = [
        (random.randrange(nodes), random.randrange(nodes), tuple(random.randint(0, 9) for _ in range(size)))
        for _ in range(random.randint(1, 12))
    ]
    return Roads(tuple(arcs), nodes - 1)


def enumerated(roads: Roads) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return the front of all simple paths, each vector with the actions of a path."""

    def paths(node: int, before: tuple[int, ...], visited: frozenset[int]) -> Iterator[tuple[int, ...]]:
        if node == roads.goal:
            yield before
            return
        for number, (tail, head, _) in enumerate(roads.arcs):
            if tail == node and head not in visited:
                yield from paths(head, (*before, number), visited | {head})

    found = {roads.cost_vector([*map(str, path)]): path for path in paths(0, (), frozenset({0}))}
    return {
        costs: path
        for costs, path in sorted(found.items())
        if not any(other != costs and all(map(int.__le__, other, costs)) for other in found)
    }


def test_the_front_by_the_rules_is_that_of_all_simple_paths() -> None:
    random = Random(78)
    sizes = []
    for _ in range(300):
        roads = random_roads(random)
        front = pareto_front(roads)
        assert front is not None
        assert front.keys() == enumerated(roads).keys(), roads
        assert all(roads.cost_vector(plan) == costs for costs, plan in front.items())
        sizes.append(len(front))
    assert max(sizes) > 3


@dataclass(frozen=True)
class Fronts(SearchAlgorithm):
    """Search for fronts with a mistake: it misses what no weighted sum finds, or what a solution covers by a factor."""

    registered_name = "fronts"
    complete = True
    optimal = "always"
    metrics = (SOLUTIONS,)
    answer: Answer = "front"
    mistake: Mistake = "none"
    epsilon: float = 0.0

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        roads = stack.problem.world
        assert isinstance(roads, Roads)
        front = enumerated(roads)
        if self.mistake == "no convexity":
            weights = [(n, 100 - n) for n in range(1, 100)]
            least = {min(front, key=partial(weighted, w)) for w in weights if front}
            front = {costs: path for costs, path in front.items() if costs in least}
        if self.mistake == "epsilon" and len(front) > 1:
            front.popitem()
        codes = {
            path: [[each for each, arc in enumerate(roads.arcs) if arc[0] == roads.arcs[n][0]].index(n) for n in path]
            for path in front.values()
        }
        solutions = [Solution(costs, codes[path]) for costs, path in front.items()]
        return Given(solutions, "solved" if solutions else "unsolvable")


def weighted(weights: tuple[int, ...], costs: tuple[int, ...]) -> int:
    return sum(map(int.__mul__, weights, costs))


def audited(algorithm: PlanningAlgorithm, *worlds: CostVectors) -> Audit[Counterexample]:
    instances = [Instance(world, f"roads {number}") for number, world in enumerate(worlds)]
    declared = Declared.of(algorithm.metrics)
    return run(AuditRequest(instances, len(worlds), "roads", None, Stack(), algorithm, declared=declared))


def printing(tmp_path: Path, printed: str, answer: Answer, pattern: str) -> Program:
    """Return a program that prints a text, and promises all that it can."""
    (tmp_path / "printed").write_text(printed)
    command = ("cat", str(tmp_path / "printed"))
    plan: dict[str, str | None] = {"pattern": pattern, "each": "line"}
    return Program(command=[*command], plan=plan, answer_=answer, complete_=True, optimal_="always")


def two_objectives(count: int) -> list[Roads]:
    random = Random(3)
    found = (roads for roads in iter(lambda: random_roads(random), None) if len(roads.arcs[0][2]) == 2)
    return [roads for roads in itertools.islice(found, count) if roads.goal]


def test_a_front_of_weighted_sums_lacks_a_vector_of_three_parallel_arcs() -> None:
    assert audited(Fronts(), *two_objectives(30)).broken == []
    audit = audited(Fronts(mistake="no convexity"), *two_objectives(60))
    assert audit.broken == ["complete_front"]
    (found,) = audit.counterexamples
    assert isinstance(found.instance.world, Roads)
    assert len(found.instance.world.arcs) == 3
    assert "1 of 3 missing from 0: (" in found.text
    assert "front: (" in found.text


def test_an_epsilon_may_leave_out_what_it_covers() -> None:
    roads = Roads(((0, 1, (10, 11)), (0, 1, (11, 10))), 1)
    assert audited(Fronts(mistake="epsilon", epsilon=0.1), roads).broken == []
    assert audited(Fronts(mistake="epsilon", epsilon=0.05), roads).broken == ["complete_front"]


@pytest.mark.parametrize(
    ("printed", "broken", "message"),
    [
        ("2 6\n4 3\n", [], ""),
        ("2 6\n", ["complete_front"], "1 of 2 missing from 's': (4, 3), by b t"),
        ("2 6\n4 3\n1 7\n", ["valid_plan"], "no plan costs (1, 7)"),
        ("2 6\n5 3\n", ["complete_front", "optimal_front"], "(5, 3) is dominated by (4, 3), by b t"),
    ],
)
def test_costs_alone_of_a_program_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, broken: list[str], message: str
) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.1)
    program = printing(tmp_path, printed, "front", r"(?P<costs>\d+ \d+)")
    audit = audited(program, ShownStreets())
    assert audit.broken == broken
    assert not broken or message in audit.counterexamples[-1].text


def test_k_best_plans_leave_out_no_cheaper_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.1)
    assert audited(printing(tmp_path, "b t\na t\n", "plans", ".+"), ShownStreets()).broken == []
    audit = audited(printing(tmp_path, "c t\na t\n", "plans", ".+"), ShownStreets())
    assert audit.broken == ["k_cheapest"]
    assert "left out, cost 4: b t" in audit.counterexamples[0].text
    ours = audited(KBest(k=4), *two_objectives(10))
    assert (ours.broken, next(each.instances for each in ours.findings if each.check == "k_cheapest")) == ([], 5)
