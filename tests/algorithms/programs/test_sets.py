"""Programs that print several plans, or costs alone: what is read, what the rules refuse, limits, and kept outputs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from algorithms.engine import Limits
from algorithms.programs.program import Program
from algorithms.programs.sessions import ProcessSession
from heuristics.interface import Stack
from runner.base import Declared, PlanOfSet, Result, UserError
from runner.execution.solver import Solver
from tests.algorithms.test_plan_sets import Streets
from tests.runner.records.results import FORMAT
from worlds.interface import Instance

A, B = PlanOfSet((2, 6), ("a", "t")), PlanOfSet((4, 3), ("b", "t"))
WITH_COSTS = r"costs (?P<costs>[\d ,]+) plan(?P<plan>.*)"
ALONE = r"^\((?P<cost1>\S+), (?P<cost2>\S+)\)"


def program(command: Sequence[str], **options: Any) -> Program:
    plan = {"each": "line", **options.pop("plan", {})}
    return Program(command=[*command], **{"plan": plan, "answer_": "front", **options})


def told(tmp_path: Path, printed: str, limits: Limits | None = None, **options: Any) -> Result:
    """Return the result of a program that prints a text, by a script if it begins with #!."""
    file = tmp_path / "printed"
    file.write_text(printed)
    asked = program(["sh" if printed.startswith("#!") else "cat", str(file)], **options)
    with closing(Solver(asked, Stack(), None, limits or Limits(), Declared.of(asked.metrics))) as solver:
        return solver.attempt(Instance(Streets(), "one")).result()


def test_plans_in_any_order_are_a_front_with_the_costs_of_the_rules(tmp_path: Path) -> None:
    found = told(tmp_path, "b t\n\na t\n", optimal_="always", complete_=True)
    assert (found.status, found.valid, found.reason, found.cost, found.plan) == ("solved", True, None, 2, A.actions)
    assert (found.plans, found.solutions, found.hypervolume, found.bound) == ((A, B), 2, 0, 1)
    stated = told(tmp_path, "2 found\r\ncosts 4, 3 plan b t\r\ncosts 2 6 plan a t\r\n", plan={"pattern": WITH_COSTS})
    assert (stated.valid, stated.plans) == (True, (A, B))
    several = told(tmp_path, "5 c t\n2 a t\n", plan={"pattern": r"(?P<cost>\d+) (?P<plan>.*)"}, answer_="plans")
    assert (several.valid, several.cost, several.solutions) == (True, 2, 2)
    assert several.diverse == pytest.approx(2 / 3)


def test_costs_alone_have_no_plans(tmp_path: Path) -> None:
    found = told(tmp_path, "(4, 3)\n(2, 6)\n(1, 7)\n", plan={"pattern": ALONE})
    assert (found.status, found.valid, found.cost, found.solutions) == ("solved", True, 1, 3)  # no path has (1, 7)
    assert (found.plan, found.length, FORMAT.encode(0, found).plans) == (None, None, b"")
    dominated = told(tmp_path, "(4, 3)\n(4, 4)\n", plan={"pattern": ALONE})
    assert (dominated.valid, dominated.cost, dominated.hypervolume) == (False, None, None)
    assert dominated.reason == "solution 2 (4, 4) is dominated by solution 1 (4, 3)"
    three = told(tmp_path, "1 2\n1 2 3\n", plan={"pattern": r"(?P<costs>.+)"})
    assert three.reason == "line 2: expected 2 costs, got (1, 2, 3)"


@pytest.mark.parametrize(
    ("line", "options", "reason"),
    [
        ("costs 5 5 plan c t", {"pattern": WITH_COSTS}, "solution 2 (5, 5) is dominated by solution 1 (4, 3)"),
        ("costs 2 5 plan a t", {"pattern": WITH_COSTS}, "line 2: the plan costs (2, 6) by the rules; (2, 5) was "),
        ("costs 2 plan a t", {"pattern": WITH_COSTS}, "line 2: the plan costs (2, 6) by the rules; 2 was claimed"),
        ("costs 2 6 plan a", {"pattern": WITH_COSTS}, "line 2: the rules allow every action, but the plan does"),
        ("costs 2 6 plan x t", {"pattern": WITH_COSTS}, "line 2: action 1, x: in the state 's' the rules"),
        ("costs 4 3 plan b t", {"pattern": WITH_COSTS}, "line 2 is the plan of line 1"),
        ("costs , plan b t", {"pattern": WITH_COSTS}, "line 2: there are no costs: costs , plan b t"),
        ("", {"pattern": WITH_COSTS, "format": "json"}, "line 1: the plan cannot be read: line 1, column 2: no JSON"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(tmp_path: Path, line: str, options: dict[str, str], reason: str) -> None:
    found = told(tmp_path, f"costs 4 3 plan b t\n{line}\n", plan=options)
    assert (found.status, found.valid, found.cost) == ("solved", False, None)
    assert found.reason is not None
    assert found.reason.startswith(reason)


@pytest.mark.parametrize("place", ["stdout", "file"])
def test_whole_lines_until_a_limit_are_the_part_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.1)
    script = tmp_path / "script"
    script.write_text('printf "b t\\na" > "${1:-/dev/stdout}"\nexec sleep 9\n')
    asked = program(["sh", str(script), *(["{plan}"] if place == "file" else [])], plan={"from": place}, keep="all")
    with closing(Solver(asked, Stack(), None, Limits(time=0.5), Declared.of(asked.metrics))) as solver:
        found = solver.attempt(Instance(Streets(), "one")).result()
    assert (found.status, found.valid, found.plans, found.bound) == ("time_limit", True, (B,), None)
    assert found.reason == "1 solution found"
    assert asked.can_read(found.output)
    with closing(asked.session()) as session:
        again = session.again(Instance(Streets(), "one"), found.output, {})
    assert (again.status, [claim.actions for claim in again.solutions]) == ("time_limit", [B.actions])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"plan": {"each": "lines"}}, "algorithm.plan.each: expected one of line, got 'lines'; did you mean 'line'?"),
        ({"plan": {"each": None}}, "algorithm.plan.each: missing; front are in lines: add each: line to plan"),
        ({"answer_": "plan"}, "algorithm.answer: plan.each gives several plans; choose plans or front, not plan"),
        ({"plan": {"pattern": "(?P<paln>.*)"}}, "algorithm.plan.pattern: there is no group 'paln' of a plan; did you"),
        ({"plan": {"pattern": r"(?P<cost>\d+) (.*)"}}, "algorithm.plan.pattern: beside costs, the group of the plan n"),
        ({"plan": {"pattern": ALONE}, "answer_": "plans"}, "algorithm.plan.pattern: needs a group (?P<plan>...); only"),
        ({"output": {"cost": "c (.*)"}}, "algorithm.output.cost: each plan has its own: (?P<cost>...) in algorithm.pl"),
        ({"serve": True}, "algorithm.plan.each: lines hold nothing of a server, which answers by lines of JSON"),
    ],
)
def test_what_gives_no_set_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as refused:
        program(["cat"], **options)
    assert str(refused.value).startswith(message)
