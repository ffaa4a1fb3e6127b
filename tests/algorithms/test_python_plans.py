"""Algorithms in plain Python: plans, counts and declarations, right and wrong ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta

import runner
from algorithms.interface.algorithm import ALGORITHMS
from algorithms.interface.search_problem import SearchProblem
from runner import Metric, python_algorithm
from runner.base.errors import UserError
from runner.config.doors.options import options_of
from tests.plugins.line import Line
from tests.runner_cli import rows, run
from worlds.interface.instance import Instance


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("abc", "a plan is a list of actions, not 'abc'; return None without a plan"),
        (7, "a plan is a list of actions, not 7"),
        ([99], "action 1 of the plan, 99, is not possible in the state"),
        (["flip 3"], "action 1 of the plan is 'flip 3'; a plan has the actions that expand gives, which are ints"),
    ],
)
def test_a_wrong_plan_is_an_error_of_the_instance(plan: Any, message: str) -> None:
    @python_algorithm(f"wrong {plan}")
    def wrong(problem: SearchProblem) -> Any:
        return plan

    result = runner.solve(runner.load("npuzzle/random", count=1)[0], f"wrong {plan}")
    assert result.status == "error"
    assert message in str(result.error)


@pytest.mark.parametrize(
    ("instance", "action", "words"),
    [
        ("npuzzle/random", 99, "99, is not possible in the state ("),
        (
            "snake/random",
            99,
            "99, is not possible in the state snake (5, 0), units left 2 2 2 2 2, where expand gives 0 (L), 1 ",
        ),
        ("line", 7, "7, is not possible in the state 0, where expand gives 0 (right), 1 (left)"),
    ],
)
def test_an_impossible_action_is_told_in_the_words_of_the_domain(instance: str, action: int, words: str) -> None:
    @python_algorithm(f"impossible {instance}")
    def impossible(problem: SearchProblem) -> list[int]:
        return [action] * 99

    where = Instance(Line(2), "line") if instance == "line" else runner.load(instance, count=1)[0]
    assert words in str(runner.solve(where, f"impossible {instance}").error)


def test_a_plan_that_reaches_no_goal_is_not_valid() -> None:
    @python_algorithm("lazy")
    def lazy(problem: SearchProblem) -> list[int]:
        return []

    result = runner.solve(runner.load("npuzzle/random", count=1)[0], "lazy")
    assert (result.status, result.valid) == ("solved", False)


def test_an_improved_plan_counts_at_the_limit() -> None:
    @python_algorithm("improving")
    def improving(problem: SearchProblem) -> None:
        for _, state, _ in problem.expand(problem.start):
            for action, _, _ in problem.expand(state):
                assert action >= 0
        for first, state, _ in problem.expand(problem.start):
            if problem.is_goal(state):
                problem.improve([first])
        while True:
            problem.expand(problem.start)

    boards = runner.load("npuzzle/random", size=3, shuffle="walk", steps=1, count=1)
    result = runner.solve(boards[0], "improving", limits={"nodes": 50})
    assert (result.status, result.cost, result.valid) == ("solved", 1, True)


@pytest.mark.parametrize(("first", "second"), [(2, 4), (4, 2)])
def test_the_better_of_a_reported_and_a_returned_plan_counts(first: int, second: int) -> None:
    @python_algorithm(f"twice {first}", optimal="admissible")
    def twice(problem: SearchProblem) -> list[int]:
        (there, state, _), *_ = problem.expand(problem.start)
        back = next(action for action, after, _ in problem.expand(state) if after == problem.start)
        found = {2: [there, back], 4: [there, back, there, back]}
        problem.improve(found[first])
        return found[second]

    result = runner.solve(TwoSteps().instance(), f"twice {first}")
    assert (result.status, result.cost, result.valid) == ("solved", 2, True)


def test_a_reported_plan_reaches_a_goal_and_a_returned_one_that_does_not_is_shown() -> None:
    @python_algorithm("reports too early")
    def early(problem: SearchProblem) -> None:
        problem.improve([problem.expand(problem.start)[0][0]])

    @python_algorithm("returns too early")
    def returned(problem: SearchProblem) -> list[int]:
        (there, state, _), *_ = problem.expand(problem.start)
        problem.improve([there, next(action for action, after, _ in problem.expand(state) if after == problem.start)])
        return [there, there, there]

    instance = TwoSteps().instance()
    result = runner.solve(instance, "reports too early")
    assert (result.status, result.error) == ("error", "ValueError: improve: the plan of 1 action does not reach a goal")
    result = runner.solve(instance, "returns too early")
    assert (result.status, result.valid) == ("solved", False)


@dataclass(frozen=True)
class TwoSteps(runner.PythonWorld):
    """A world whose start is reached again after any even number of steps; the goal is the start, once left."""

    def instance(self) -> Instance:
        return next(self.instances())

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("step", 1 - state, 1)]

    def is_goal(self, state: int) -> bool:
        return state == 0


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("itertions", 3, "AttributeError: 'Counts' object has no attribute 'itertions'"),
        ("iterations", "x", "TypeError: problem.counts.iterations: expected an int, got 'x'"),
        ("peak_nodes", None, "TypeError: problem.counts.peak_nodes: expected an int, got None"),
    ],
)
def test_wrong_counts_are_an_error_of_the_instance(name: str, value: Any, error: str) -> None:
    @python_algorithm(f"counts {name}")
    def counting(problem: SearchProblem) -> None:
        problem.expand(problem.start)
        setattr(problem.counts, name, value)

    result = runner.solve(runner.load("npuzzle/random", count=1)[0], f"counts {name}")
    assert result.status == "error"
    assert str(result.error).startswith(error)  # Python 3.14 says more


def test_a_compiled_search_without_its_nodes_is_an_error_of_the_instance(tmp_path: Path) -> None:
    (tmp_path / "incomplete.py").write_text(INCOMPLETE)
    done = run(tmp_path, "plugins=[incomplete]", "algorithm=incomplete", "hydra.run.dir=out")
    assert done.returncode == 1
    found = rows(tmp_path / "out" / "metrics.csv")
    assert {row["error"] for row in found} == {"AttributeError: 'Incomplete' object has no attribute '_nodes'"}
    assert "Traceback" not in done.stderr


INCOMPLETE = """
from dataclasses import dataclass

from algorithms.engine.compiled_search import StoredSearch
from algorithms.engine.search import StepStatus
from algorithms.interface import SearchAlgorithm
from runner import register


class Incomplete(StoredSearch):
    def step(self, budget):
        return StepStatus.CUTOFF


@register("algorithm", "incomplete")
@dataclass(frozen=True)
class Algorithm(SearchAlgorithm):
    def start(self, stack, weighting):
        return Incomplete(stack)
"""


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"optimal": "allways"}, "optimal: expected one of always, .* got 'allways'; did you mean 'always'"),
        ({"heuristic": "required"}, "heuristic: expected one of needed, used, ignored, got 'required'"),
        ({"metrics": Metric("x")}, "metrics: expected a tuple of Metric; is a comma missing"),
    ],
)
def test_unknown_declarations_are_refused(declared: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):

        @python_algorithm("misdeclared", **declared)
        def search(problem: SearchProblem) -> None:
            pass


def test_ranges_of_parameters_hold_and_are_shown() -> None:
    @python_algorithm("ranged")
    def ranged(problem: SearchProblem, depth: Annotated[int, Meta(ge=1, le=9)] = 3) -> None:
        pass

    board = runner.load("npuzzle/random", count=1)[0]
    assert runner.solve(board, {"name": "ranged", "depth": 9}).status == "cutoff"
    with pytest.raises(UserError, match=r"algorithm\.depth: expected int <= 9, got 10"):
        runner.solve(board, {"name": "ranged", "depth": 10})
    (option,) = options_of(ALGORITHMS.find("ranged"))
    assert option.kind == "whole number from 1 to 9"


def test_an_unsolvable_instance_needs_a_complete_algorithm() -> None:
    for complete, status in ((True, "unsolvable"), (False, "cutoff")):

        @python_algorithm(f"nothing {complete}", complete=complete)
        def nothing(problem: SearchProblem) -> None:
            problem.expand(problem.start)

        assert runner.solve(runner.load("npuzzle/random", count=1)[0], f"nothing {complete}").status == status


def test_a_parameter_without_a_default_is_refused() -> None:
    with pytest.raises(TypeError, match="only parameters with defaults; this one takes"):

        @python_algorithm("without default", metrics=(Metric("x"),))
        def search(problem: SearchProblem, depth: int) -> None:
            pass
