"""Operator counting: compared with an exact implementation, and its limits."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import pytest

import runner
from runner.base.errors import Unsupported
from tests import runner_cli
from tests.naive import planning
from tests.naive.operator_counting import least_cost, operator_counting
from tests.planning import DATA, any_task, instance, needs_translator, reachable
from worlds.interface.instance import Words
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.task import Axiom, Effect, Operator, Task, Values
from worlds.pddl.world import PlanningInstance

STACK = ["operator_counting"]


def test_values_equal_those_of_exact_linear_programs() -> None:
    source, infinite, positive = random.Random("counts"), 0, 0
    for _ in range(45):
        task = any_task(source, source.randint(2, 6), conditional=False)
        where = instance(task)
        h = runner.heuristic(where, STACK)
        for values in reachable(task, 8):
            expected = operator_counting(task, values)
            assert h(_packed(where, values)) == expected <= planning.h_star(task, values)
            infinite += expected == math.inf
            positive += 0 < expected < math.inf
    assert infinite > 20
    assert positive > 20


@needs_translator
@pytest.mark.parametrize("name", ["blocks#sussman", "gripper#two_balls", "logistics#one_parcel", "sokoban#one_box"])
def test_values_of_small_tasks_equal_those_of_exact_linear_programs(name: str) -> None:
    (found,) = (each for each in runner.load("pddl/static") if each.id == name)
    where = cast(PlanningInstance, found)
    h = runner.heuristic(where, STACK)
    for values in reachable(where.world.task, 12):
        assert h(_packed(where, values)) == operator_counting(where.world.task, values)


def test_conditional_effects_keep_values_admissible_and_consistent() -> None:
    """Conditions may contradict each other, which the heuristic ignores and the exact changes do not."""
    source, positive = random.Random("conditional counts"), 0
    for _ in range(45):
        task = any_task(source, source.randint(2, 5))
        where = instance(task)
        h = runner.heuristic(where, STACK)
        for values in reachable(task, 8):
            value = h(_packed(where, values))
            assert value <= operator_counting(task, values) <= planning.h_star(task, values)
            positive += 0 < value < math.inf
            for operator, after in rules.successors(task, values):
                assert value <= operator.cost + h(_packed(where, after))
    assert positive > 20


@pytest.mark.parametrize("lit", [2, 3, 7, 50, 99])
def test_optima_with_small_denominators_are_rounded_up(lit: int) -> None:
    """Each operator lights all lamps but one: together they do it with a share of 1 / lit each."""
    lamps = range(lit + 1)
    operators = [
        Operator(f"all but {dark}", (), tuple(Effect(lamp, 1) for lamp in lamps if lamp != dark), 1) for dark in lamps
    ]
    facts = tuple((f"off({lamp})", f"on({lamp})") for lamp in lamps)
    names = tuple(f"var{lamp}" for lamp in lamps)
    task = Task(names, facts, (0,) * len(lamps), tuple((lamp, 1) for lamp in lamps), tuple(operators))
    if lit < 10:
        assert least_cost(task, task.initial) == Fraction(lit + 1, lit)
    where = instance(task)
    h = runner.heuristic(where, STACK)
    one_is_lit = (1, *task.initial[1:])
    assert [h(_packed(where, values)) for values in (task.initial, one_is_lit, task.initial)] == [2, 1, 2]


SWITCH = Task(("lamp",), (("off", "on"),), (0,), ((0, 1),), ())
PRESS = Operator("press", ((0, 0),), (Effect(0, 1),), 3)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (replace(SWITCH, operators=(PRESS,)), 3),
        (replace(SWITCH, operators=(PRESS, replace(PRESS, cost=2))), 2),
        (replace(SWITCH, operators=(replace(PRESS, cost=0),)), 0),
        (replace(SWITCH, operators=(PRESS,), initial=(1,)), 0),
        (replace(SWITCH, operators=(PRESS,), goal=()), 0),
        (replace(SWITCH, goal=()), 0),
        (SWITCH, math.inf),
    ],
    ids=["one way", "two ways", "no cost", "goal true", "no goal", "no goal, no operators", "no operators"],
)
def test_programs_with_few_columns_or_rows(task: Task, expected: float) -> None:
    where = instance(task)
    assert runner.heuristic(where, STACK)(_packed(where, task.initial)) == expected


@pytest.mark.parametrize("name", ["operator_counting", "pattern_database"])
def test_axioms_are_refused(name: str) -> None:
    task = replace(SWITCH, axioms=(Axiom(((0, 0),), 0, 1),), layers=(0,))  # one without conditions always holds
    with pytest.raises(Unsupported, match=f"{name}: the task has axioms"):
        runner.heuristic(instance(task), [name])


def test_without_the_solver_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    command = ["world=pddl/sas", f"world.path={DATA / 'two_balls.sas'}"]
    refused = runner_cli.run(tmp_path, *command, "heuristic=operator_counting")
    assert (refused.returncode, refused.stderr) == (
        2, "error: heuristic: operator_counting needs highspy; install it with: pip install 'search-runner[lp]'\n",
    )  # fmt: skip
    assert runner_cli.run(tmp_path, *command, "heuristic=hmax").returncode == 0


def _packed(where: PlanningInstance, values: Values) -> Words:
    return Packing(where.world.task).pack(values)
