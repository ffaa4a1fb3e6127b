"""Status of a plan that costs more than its reward, or cannot be read, by what ended the search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

import runner
from algorithms.engine import Limits
from algorithms.programs.interface import ExternalPlanner, PlannerAnswer, PlannerSession
from heuristics.interface import Stack
from runner.base import Declared, Result
from runner.execution.solver import Solver
from worlds.interface import Instance
from worlds.wumpus import world


class _Session(PlannerSession):
    def __init__(self, given: PlannerAnswer) -> None:
        self.given = given

    def answer(
        self, instance: Instance, limits: Limits, is_stopped: Callable[[], bool], improved: Any
    ) -> PlannerAnswer:
        return self.given


@pytest.fixture
def cave(monkeypatch: pytest.MonkeyPatch) -> Instance:
    """Cave whose every plan costs more than the prize."""
    monkeypatch.setattr(world, "PRIZE", 1)
    return next(iter(runner.load("wumpus/static")))


def told(cave: Instance, status: str, *, is_optimal: bool = False, **fields: Any) -> Result:
    """Return the result of a planner with a given answer."""
    given = PlannerAnswer(status, **fields)

    @dataclass
    class Told(ExternalPlanner):
        registered_name = "told"
        optimal = "always" if is_optimal else "never"

        def session(self) -> PlannerSession:
            return _Session(given)

    with closing(Solver(Told(), Stack(), None, Limits(), Declared())) as solver:
        return solver.attempt(cave).result()


@pytest.mark.parametrize(("algorithm", "status"), [("astar", "unsolvable"), ("dfs", "cutoff")])
def test_only_an_optimal_plan_proves_that_none_is_worth_its_cost(cave: Instance, algorithm: str, status: str) -> None:
    found = runner.solve(cave, algorithm)
    assert (found.status, found.plan, found.bound) == (status, ("CLIMB",), None)
    assert (found.reason is not None) == (status == "cutoff")


@pytest.mark.parametrize(
    ("ended", "is_optimal", "status"),
    [("solved", True, "unsolvable"), ("solved", False, "cutoff"), ("time_limit", True, "time_limit"),
     ("interrupted", True, "interrupted")],
)  # fmt: skip
def test_a_planner_that_was_ended_proves_nothing(cave: Instance, ended: str, is_optimal: bool, status: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world, "PRIZE", 1000)
        plan = runner.solve(cave).plan
    found = told(cave, ended, is_optimal=is_optimal, plan=plan)
    assert (found.status, found.plan, found.length, found.moves) == (status, ("CLIMB",), None, None)
    assert (found.reason is not None) == (status == "cutoff")


@pytest.mark.parametrize(("ended", "status"), [("time_limit", "solved"), ("interrupted", "interrupted")])
def test_a_plan_that_cannot_be_read_is_wrong_but_an_interrupted_search_is_repeated(
    cave: Instance, ended: str, status: str
) -> None:
    found = told(cave, ended, refusal="line 1: no action")
    assert (found.status, found.valid, found.reason) == (status, False, "line 1: no action")
